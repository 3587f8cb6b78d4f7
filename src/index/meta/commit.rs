//! The payload of a commit, and the record files that a commit names.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::MetaError;
use spyhop_base::id::Generation;
use spyhop_base::store::FORMAT_VERSION;

/// The payload of a commit, as JSON: everything that is not in the segments themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The on-disk format, see [`FORMAT_VERSION`].
    pub format: u32,
    pub generation: Generation,
    /// A hash of all settings that change what is stored: tokenizer, grammars, limits.
    pub fingerprint: String,
    /// The number of the next file version.
    pub next_version: u32,
    /// The records, base first.
    pub records: Vec<RecordRef>,
    /// The sources, for an index that was imported without its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<RecordRef>,
}

/// A record file that a commit names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordRef {
    /// The file's name in the folder `meta`.
    pub name: String,
    /// The file's length in bytes.
    pub len: u64,
    /// The checksum of the envelope, in hexadecimal: a name alone could be reused after a crash.
    pub checksum: String,
}

impl Commit {
    pub fn parse(payload: &str, at: &Path) -> Result<Commit, MetaError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let damaged = |error: serde_json::Error| MetaError::Damaged {
            path: at.to_path_buf(),
            reason: format!("its payload: {error}"),
        };
        let Format { format: found } = serde_json::from_str(payload).map_err(damaged)?;
        match found.cmp(&FORMAT_VERSION) {
            std::cmp::Ordering::Greater => Err(MetaError::NewerFormat { found }),
            std::cmp::Ordering::Less => Err(MetaError::OlderFormat { found }),
            std::cmp::Ordering::Equal => serde_json::from_str(payload).map_err(damaged),
        }
    }
}
