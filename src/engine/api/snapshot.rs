//! The snapshot that an answer comes from.

use std::path::PathBuf;
use std::time::SystemTime;

use spyhop_attributes::reply;
use spyhop_base::id::Generation;
use spyhop_base::wire::wire;

/// Where an answer comes from.
#[reply(Clone, Debug, Default)]
pub struct Snapshot {
    /// The root of the tree.
    #[serde(serialize_with = "wire")]
    pub root: PathBuf,
    /// The git branch, if there is one.
    pub branch: Option<String>,
    /// The git commit, if there is one.
    pub commit: Option<String>,
    /// The generation of the index.
    pub generation: Generation,
    /// When the tree was compared with the index for this answer; `None` without a comparison.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub checked_at: Option<SystemTime>,
    /// The number of indexed files.
    pub indexed_files: usize,
    /// The number of files and folders that are not indexed or only partly indexed.
    pub skipped_files: usize,
    /// The number of files that changed since they were indexed; 0 without a comparison.
    pub stale_files: usize,
    /// The progress of the first update, if the answer comes from an unfinished one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building: Option<Building>,
}

/// The progress of a first update.
#[reply(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Building {
    /// The number of files that can already be found.
    pub files: usize,
    /// The number of all files of the tree, ranked or not, at the time of the walk.
    #[serde(rename = "of")]
    pub total_files: usize,
    /// The number of files among `files` of which only the text and the path are indexed so far: they are not parsed yet.
    pub text_only: usize,
}
