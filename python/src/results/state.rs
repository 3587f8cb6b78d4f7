//! The state of an index, its updates, and where an answer comes from.

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::lookup::owned;
use super::result_methods;
use crate::failure::kebab;

/// Where an answer comes from.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    root: String,
    branch: Option<String>,
    commit: Option<String>,
    generation: u64,
    indexed_files: usize,
    skipped_files: usize,
    stale_files: usize,
    is_building: bool,
}

impl From<spyhop::Snapshot> for Snapshot {
    fn from(snapshot: spyhop::Snapshot) -> Snapshot {
        Snapshot {
            root: snapshot.root.display().to_string(),
            branch: snapshot.branch,
            commit: snapshot.commit,
            generation: snapshot.generation.0,
            indexed_files: snapshot.indexed_files,
            skipped_files: snapshot.skipped_files,
            stale_files: snapshot.stale_files,
            is_building: snapshot.building.is_some(),
        }
    }
}

result_methods!(Snapshot {
    fn __repr__(&self) -> String {
        format!("<Snapshot generation {}, {} files>", self.generation, self.indexed_files)
    }
});

/// The state of an index, with counts.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    state: String,
    detail: Option<String>,
    root: String,
    index_path: String,
    branch: Option<String>,
    commit: Option<String>,
    generation: Option<u64>,
    files: usize,
    chunks: usize,
    symbols: usize,
    source_bytes: u64,
    index_bytes: u64,
    languages: Vec<(String, usize)>,
    skipped: Vec<(String, usize)>,
    stale_files: Option<usize>,
}

impl From<spyhop::Status> for Status {
    fn from(status: spyhop::Status) -> Status {
        let skipped = status.skipped.into_iter().map(|(reason, count)| (reason.name().to_string(), count));
        Status {
            state: status.state.name().to_string(),
            detail: status.detail,
            root: status.root.display().to_string(),
            index_path: status.index_path.display().to_string(),
            branch: status.branch,
            commit: status.commit,
            generation: status.generation.map(|generation| generation.0),
            files: status.files,
            chunks: status.chunks,
            symbols: status.symbols,
            source_bytes: status.source_bytes,
            index_bytes: status.index_bytes,
            languages: owned(status.languages),
            skipped: skipped.collect(),
            stale_files: status.stale_files,
        }
    }
}

result_methods!(Status {
    fn __repr__(&self) -> String {
        format!("<Status {}: {} files, {} symbols>", self.state, self.files, self.symbols)
    }
});

/// What an update did.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct UpdateReport {
    generation: u64,
    added: usize,
    changed: usize,
    deleted: usize,
    renamed: usize,
    parsed: usize,
    bytes: u64,
}

impl From<spyhop::RefreshReport> for UpdateReport {
    fn from(report: spyhop::RefreshReport) -> UpdateReport {
        UpdateReport {
            generation: report.generation.0,
            added: report.added,
            changed: report.changed,
            deleted: report.deleted,
            renamed: report.renamed,
            parsed: report.parsed,
            bytes: report.bytes,
        }
    }
}

result_methods!(UpdateReport {
    fn __repr__(&self) -> String {
        let UpdateReport { generation, added, changed, deleted, .. } = self;
        format!("<UpdateReport generation {generation}: {added} added, {changed} changed, {deleted} deleted>")
    }
});

/// The progress of a call: of an update, or of a batch of queries (stage `queries`).
#[pyclass(frozen, eq, get_all, module = "spyhop", name = "Progress")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct UpdateProgress {
    pub stage: String,
    done: usize,
    total: usize,
    bytes: u64,
    total_bytes: u64,
}

impl UpdateProgress {
    /// The progress of a batch of queries.
    pub fn of_queries(done: usize, total: usize) -> UpdateProgress {
        UpdateProgress { stage: "queries".to_string(), done, total, bytes: 0, total_bytes: 0 }
    }
}

impl From<spyhop::Progress> for UpdateProgress {
    fn from(progress: spyhop::Progress) -> UpdateProgress {
        UpdateProgress {
            stage: kebab(&format!("{:?}", progress.stage)),
            done: progress.files,
            total: progress.total_files,
            bytes: progress.bytes,
            total_bytes: progress.total_bytes,
        }
    }
}

result_methods!(UpdateProgress {
    fn __repr__(&self) -> String {
        format!("<Progress {}: {} of {}>", self.stage, self.done, self.total)
    }
});
