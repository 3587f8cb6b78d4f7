//! The record of an import that has not ended: what was planned, and how far the import is.

use serde::{Deserialize, Serialize};

use super::manifest::{IndexSettings, LeftOutEntry, MANIFEST_FORMAT, SourceOrigin};
use super::names::SourceId;
use spyhop_attributes::Name;
use spyhop_base::path::RelPath;

/// The record of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Job {
    pub format: u32,
    pub id: SourceId,
    pub name: String,
    #[serde(default)]
    pub groups: Vec<String>,
    pub origin: SourceOrigin,
    pub settings: IndexSettings,
    /// The number of the import.
    pub import: u32,
    pub stage: JobStage,
    pub planned: PlannedSource,
    pub acquired: Option<AcquiredSource>,
    pub materialized: Option<MaterializedSource>,
    pub begun_at: u64,
}

impl Job {
    /// A job that is planned.
    pub fn new(
        id: SourceId,
        name: String,
        origin: SourceOrigin,
        settings: IndexSettings,
        planned: PlannedSource,
    ) -> Job {
        Job {
            format: MANIFEST_FORMAT,
            id,
            name,
            groups: Vec::new(),
            origin,
            settings,
            import: 1,
            stage: JobStage::Planned,
            planned,
            acquired: None,
            materialized: None,
            begun_at: spyhop_index::workspace::unix_now(),
        }
    }
}

/// The last stage of an import that is complete. The stage of indexing is recorded in the manifest of a new source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Name)]
#[serde(rename_all = "lowercase")]
pub(super) enum JobStage {
    /// The source is known.
    Planned,
    /// The bytes of the source are in the staging folder.
    Acquired,
    /// The raw tree is in place.
    Materialized,
}

/// The result of the first stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedSource {
    /// The commit.
    pub commit: Option<String>,
    /// The branch or tag.
    pub branch: Option<String>,
    /// The full name of a reference of a repository on another machine, or its commit.
    #[serde(default)]
    pub wanted: Option<String>,
    /// The size of the file.
    pub bytes: Option<u64>,
}

/// The result of the second stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AcquiredSource {
    /// The hash of a file.
    pub hash: Option<String>,
    /// The commit of a repository.
    pub commit: Option<String>,
}

/// The result of the third stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MaterializedSource {
    /// The folder that is searched, relative to the tree.
    pub root: RelPath,
    pub tree_hash: String,
    pub files: usize,
    pub bytes: u64,
    pub left_out: Vec<LeftOutEntry>,
    pub left_out_count: usize,
}
