//! The feature matrix: the measures of every file that ranking rescores, for many queries, as columns.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use spyhop::{Feature, RankedCandidates};

use crate::failure::Failure;
use crate::profile::{all_features, feature};

/// The features of a call: those that are named, or all.
pub fn chosen(names: Option<Vec<String>>) -> Result<Vec<Feature>, Failure> {
    match names {
        None => Ok(all_features().collect()),
        Some(names) => names.iter().map(|name| feature(name)).collect(),
    }
}

/// The rows of one query.
pub struct QueryRows {
    kind: &'static str,
    is_report: bool,
    files: Vec<FileMeasures>,
    values: Vec<f32>,
}

struct FileMeasures {
    path: String,
    lines: (u32, u32),
    sum: f32,
    score: f32,
}

impl QueryRows {
    /// The rows of the first `limit` files.
    pub fn new(candidates: &RankedCandidates, features: &[Feature], limit: usize) -> QueryRows {
        let files = &candidates.files[..limit.min(candidates.files.len())];
        let measures = |file: &spyhop::RankedCandidate| FileMeasures {
            path: file.path.to_string(),
            lines: (file.lines.first, file.lines.last),
            sum: file.sum,
            score: file.score,
        };
        let mut values = Vec::with_capacity(files.len() * features.len());
        for file in files {
            values.extend(features.iter().map(|feature| file.measure(*feature)));
        }
        QueryRows {
            kind: candidates.kind.name(),
            is_report: candidates.is_report,
            files: files.iter().map(measures).collect(),
            values,
        }
    }
}

/// The columns of all queries, as buffers that numpy reads without a copy.
pub fn columns<'py>(
    py: Python<'py>,
    texts: &[String],
    queries: Vec<QueryRows>,
    features: &[Feature],
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let files = || queries.iter().flat_map(|rows| &rows.files);
    let n = files().count();
    let mut numbers: HashMap<&str, i32> = HashMap::new();
    let mut paths: Vec<&str> = Vec::new();
    let mut path_numbers = Vec::with_capacity(n);
    for file in files() {
        let number = *numbers.entry(&file.path).or_insert_with(|| {
            paths.push(&file.path);
            paths.len() as i32 - 1
        });
        path_numbers.push(number);
    }
    let of_query =
        queries.iter().enumerate().flat_map(|(at, rows)| rows.files.iter().map(move |_| at as i32));
    let ranks = queries.iter().flat_map(|rows| 1..=rows.files.len() as i32);
    columns.set_item("query", integers(py, n, of_query)?)?;
    columns.set_item("rank", integers(py, n, ranks)?)?;
    columns.set_item("path_numbers", integers(py, n, path_numbers.into_iter())?)?;
    columns.set_item("first_line", integers(py, n, files().map(|file| file.lines.0 as i32))?)?;
    columns.set_item("last_line", integers(py, n, files().map(|file| file.lines.1 as i32))?)?;
    columns.set_item("score", numbers_of(py, n, files().map(|file| file.score))?)?;
    columns.set_item("sum", numbers_of(py, n, files().map(|file| file.sum))?)?;
    columns.set_item("paths", paths)?;
    columns.set_item("queries", texts)?;
    columns.set_item("kinds", queries.iter().map(|rows| rows.kind).collect::<Vec<_>>())?;
    columns.set_item("reports", queries.iter().map(|rows| rows.is_report).collect::<Vec<_>>())?;
    columns.set_item("names", features.iter().map(|feature| feature.to_string()).collect::<Vec<_>>())?;
    let values = queries.iter().flat_map(|rows| rows.values.iter().copied());
    columns.set_item("values", numbers_of(py, n * features.len(), values)?)?;
    Ok(columns)
}

fn integers<'py>(
    py: Python<'py>,
    n: usize,
    values: impl Iterator<Item = i32>,
) -> PyResult<Bound<'py, PyByteArray>> {
    filled(py, n, values.map(i32::to_ne_bytes))
}

fn numbers_of<'py>(
    py: Python<'py>,
    n: usize,
    values: impl Iterator<Item = f32>,
) -> PyResult<Bound<'py, PyByteArray>> {
    filled(py, n, values.map(f32::to_ne_bytes))
}

fn filled<'py>(
    py: Python<'py>,
    n: usize,
    values: impl Iterator<Item = [u8; 4]>,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, n * 4, |bytes| {
        bytes.chunks_exact_mut(4).zip(values).for_each(|(place, value)| place.copy_from_slice(&value));
        Ok(())
    })
}
