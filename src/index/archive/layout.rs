//! The layout of an archive: its version, its folders, and the manifest with a row for each file.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use spyhop_base::store::{AtFile, FileError};

/// The number of this layout.
pub const VERSION: u32 = 1;

/// The folders inside an archive, named as in the data folder.
pub(crate) const META: &str = "meta";
pub(crate) const SEGMENTS: &str = "tantivy";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchiveManifest {
    /// The version of the program that made the archive.
    pub made_by: String,
    pub format: u32,
    /// The fingerprint of the parsers and tokenizer, see [`crate::workspace::fingerprint`].
    pub fingerprint: String,
    /// The views, that of the checked-out head first.
    pub views: Vec<ArchivedView>,
    /// Every file, in the order of the archive.
    pub files: Vec<ArchivedFile>,
}

/// A view in an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchivedView {
    /// The checked-out head: a branch, `@` and a commit, or nothing.
    pub head: String,
    pub commit: Option<String>,
    /// A hash of the settings of the view.
    pub settings: String,
    pub files: u32,
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchivedFile {
    /// The file's name, with the folder.
    pub name: String,
    /// The file's length in bytes.
    pub len: u64,
    /// The BLAKE3 hash of the bytes, in hexadecimal.
    pub blake3: String,
}

impl ArchivedFile {
    pub fn of(folder: &Path, name: String) -> Result<ArchivedFile, FileError> {
        let path = folder.join(&name);
        let mut hasher = blake3::Hasher::new();
        let mut file = File::open(&path).at("open", &path)?;
        let len = io::copy(&mut file, &mut hasher).at("read", &path)?;
        Ok(ArchivedFile { name, len, blake3: hasher.finalize().to_hex().to_string() })
    }

    /// Whether an archive may hold a file of this name.
    pub(super) fn is_plain(&self) -> bool {
        let is_plain = |name: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            name.len() <= 80 && !name.starts_with('.') && !name.is_empty() && name.chars().all(fits)
        };
        match self.name.split_once('/') {
            Some((META | SEGMENTS, name)) => is_plain(name),
            _ => false,
        }
    }
}
