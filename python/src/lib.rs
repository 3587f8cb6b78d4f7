//! The native part of the Python package `spyhop`: the module `spyhop._spyhop`.
//!
//! Calls run without the interpreter's lock. Requests and replies are JSON, that of the program. Long calls run on a thread of their own, so that the caller's thread can look for signals (`run`). A panic becomes
//! an exception, and nothing is printed. The Python half of the package is in `package/spyhop`.

mod batch;
mod cluster;
mod engine;
mod failure;
mod features;
mod profile;
mod run;
mod tools;

use pyo3::prelude::*;

/// The native part of the package `spyhop`.
#[pymodule]
fn _spyhop(module: &Bound<'_, PyModule>) -> PyResult<()> {
    run::silence_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<engine::NativeEngine>()?;
    module.add_class::<cluster::NativeFront>()?;
    module.add_class::<cluster::NativeQuestion>()?;
    module.add_class::<cluster::NativeSearcher>()?;
    module.add_class::<profile::Profile>()?;
    module.add_function(wrap_pyfunction!(engine::operations, module)?)?;
    module.add_function(wrap_pyfunction!(tools::cluster_tools, module)?)?;
    module.add_function(wrap_pyfunction!(tools::is_merged_tool, module)?)?;
    module.add_function(wrap_pyfunction!(profile::feature_names, module)?)?;
    module.add_function(wrap_pyfunction!(profile::_parse_profile, module)?)?;
    #[cfg(debug_assertions)]
    module.add_function(wrap_pyfunction!(run::panic_inside, module)?)?;
    Ok(())
}
