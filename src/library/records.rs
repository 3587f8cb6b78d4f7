//! Reading and writing the JSON records of a library: one file each, replaced atomically.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::LibraryError;
use super::manifest::MANIFEST_FORMAT;
use super::names::SourceId;
use spyhop_base::store;

/// The size of the largest record that is read.
const MAX_RECORD_BYTES: u64 = 16 << 20;

pub(super) fn write(path: &Path, record: &impl Serialize) -> Result<(), LibraryError> {
    let mut text = serde_json::to_vec_pretty(record).expect("records are plain data");
    text.push(b'\n');
    Ok(store::replace(path, &[&text])?)
}

/// Reads a record; `None` if there is none.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LibraryError> {
    let text = match spyhop_base::input::bounded(path, MAX_RECORD_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LibraryError::io("read", path, error)),
    };
    /// The field that all formats have.
    #[derive(serde::Deserialize)]
    struct FormatOnly {
        format: u32,
    }
    let damaged = |error: serde_json::Error| LibraryError::damaged(path, error);
    let FormatOnly { format } = serde_json::from_slice(&text).map_err(damaged)?;
    if format > MANIFEST_FORMAT {
        let path = path.to_path_buf();
        return Err(LibraryError::NewerFormat { path, found: format, known: MANIFEST_FORMAT });
    }
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// The ids of the files in `folder` whose names are an id and `ending`, sorted.
pub(super) fn ids(folder: &Path, ending: &str) -> Result<Vec<SourceId>, LibraryError> {
    let mut ids = Vec::new();
    for name in names(folder)? {
        if let Some(id) = name.strip_suffix(ending).and_then(|id| SourceId::try_from(id.to_string()).ok()) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The names in a folder, sorted; empty if there is no such folder. Names that are not UTF-8 are missing.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, LibraryError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(LibraryError::io("list", folder, error)),
    };
    let entries: io::Result<Vec<_>> = entries.collect();
    let entries = entries.map_err(|error| LibraryError::io("list", folder, error))?;
    let mut names: Vec<String> =
        entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
