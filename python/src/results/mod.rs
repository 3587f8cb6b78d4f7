//! The results as Python classes: frozen, comparable and picklable copies of the library's replies.
//!
//! A pickle is the class name and the data as JSON, so that a pickle of another version can be read if the fields are
//! the same.

mod lookup;
mod search;
mod state;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

pub use self::lookup::{FilesReply, GrepReply, MapReply};
pub use self::search::{SearchReplies, SearchReply, WhyNot};
pub use self::state::{Snapshot, Status, UpdateProgress, UpdateReport};

use self::lookup::{ContextLine, FileRow, GrepLine, MapEntry, MapSymbol};
use self::search::{Gap, Hit, Reason};

/// The methods of a class of results: pickling, and those of the class itself.
macro_rules! result_methods {
    ($type:ident { $($body:tt)* }) => {
        #[pyo3::pymethods]
        impl $type {
            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::PyAny>, (&'static str, pyo3::Bound<'py, pyo3::types::PyBytes>))> {
                $crate::results::reduced(py, stringify!($type), self)
            }

            $($body)*
        }
    };
}
use result_methods;

/// The function that restores an object, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, (&'static str, Bound<'py, PyBytes>));

/// What `__reduce__` returns.
fn reduced<'py>(py: Python<'py>, name: &'static str, value: &impl Serialize) -> PyResult<Reduced<'py>> {
    let json = serde_json::to_vec(value).map_err(|error| refused(name, &error))?;
    let restore = py.import("spyhop._spyhop")?.getattr("_restore")?;
    Ok((restore, (name, PyBytes::new(py, &json))))
}

fn refused(name: &str, error: &serde_json::Error) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(format!(
        "a pickle of {name} by another version of spyhop: {error}"
    ))
}

/// Adds the classes to the module, and the function that restores their pickles.
macro_rules! register_results {
    ($($type:ident),+ $(,)?) => {
        /// Adds the classes of results to the module.
        pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$type>()?;)+
            module.add_function(wrap_pyfunction!(_restore, module)?)
        }

        /// Restores a pickled result.
        #[pyfunction]
        fn _restore<'py>(py: Python<'py>, name: &str, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
            match name {
                $(stringify!($type) => {
                    let value: $type = serde_json::from_slice(json).map_err(|error| refused(name, &error))?;
                    Ok(Bound::new(py, value)?.into_any())
                })+
                _ => Err(pyo3::exceptions::PyValueError::new_err(format!("spyhop has no results of class '{name}'"))),
            }
        }
    };
}

register_results!(
    SearchReplies,
    SearchReply,
    Hit,
    Reason,
    WhyNot,
    Gap,
    GrepReply,
    GrepLine,
    ContextLine,
    FilesReply,
    FileRow,
    MapReply,
    MapEntry,
    MapSymbol,
    Snapshot,
    Status,
    UpdateReport,
    UpdateProgress,
);

/// A data frame of a result, made by a function of `spyhop._frames`.
fn frame<'py>(py: Python<'py>, function: &str, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("spyhop._frames")?.call_method1(function, (result,))
}

/// Byte spans of a text as spans of characters, which Python's slices take.
fn char_spans<'s>(text: &str, spans: impl Iterator<Item = (u32, u32)> + 's) -> Vec<(usize, usize)> {
    let at = |byte: u32| match text.is_ascii() {
        true => byte as usize,
        false => text.char_indices().take_while(|(start, _)| *start < byte as usize).count(),
    };
    spans.map(|(start, end)| (at(start), at(end))).collect()
}
