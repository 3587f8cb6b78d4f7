//! Rows of a result: plain data that become Python objects when they are first looked at.
//!
//! A batch of ten thousand queries has a million reasons. To make an object of each would take longer than the search,
//! and would hold the interpreter's lock.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows, and the tuple of their objects once it was asked for.
pub struct Rows<T> {
    rows: Arc<[T]>,
    objects: PyOnceLock<Py<PyTuple>>,
}

impl<T> Rows<T> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

impl<T> Rows<T>
where
    T: Clone + for<'py> IntoPyObject<'py>,
{
    /// The objects; the same ones at each call.
    pub fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.objects.get_or_try_init(py, || {
            let tuple = PyTuple::new(py, self.rows.iter().cloned())?;
            Ok::<_, PyErr>(tuple.unbind())
        })?;
        Ok(made.bind(py).clone())
    }
}

impl<T> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Rows<T> {
        Rows { rows: rows.into_iter().collect(), objects: PyOnceLock::new() }
    }
}

impl<T> Clone for Rows<T> {
    fn clone(&self) -> Rows<T> {
        Rows { rows: Arc::clone(&self.rows), objects: PyOnceLock::new() }
    }
}

impl<T: PartialEq> PartialEq for Rows<T> {
    fn eq(&self, other: &Rows<T>) -> bool {
        self.rows == other.rows
    }
}

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rows<T>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

impl<'py, T> IntoPyObject<'py> for &Rows<T>
where
    T: Clone + for<'any> IntoPyObject<'any>,
{
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.objects(py)
    }
}
