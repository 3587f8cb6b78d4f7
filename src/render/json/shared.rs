//! The parts of the wire format that several replies share.

use std::path::Path;

use serde::Serialize;

use crate::engine::api::{Building, Snapshot};
use crate::model::SkipReason;
use crate::time::rfc3339;

/// A value as JSON on one line.
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("wire structs hold only strings, numbers and lists")
}

/// A score or contribution, rounded to six decimals, without negative zero.
pub(super) fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e6).round() / 1e6 + 0.0
}

/// A path as a string, with replacement characters for invalid UTF-8.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The number of skipped files per reason.
pub(super) fn reasons(counts: &[(SkipReason, usize)]) -> Vec<WireReasonCount> {
    counts.iter().map(|&(reason, files)| WireReasonCount { reason: reason.name(), files }).collect()
}

#[derive(Serialize)]
pub(crate) struct WireSnapshot {
    root: String,
    branch: Option<String>,
    commit: Option<String>,
    generation: u64,
    checked_at: Option<String>,
    indexed_files: usize,
    skipped_files: usize,
    stale_files: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    building: Option<WireBuilding>,
}

#[derive(Serialize)]
pub(super) struct WireBuilding {
    files: usize,
    of: usize,
    text_only: usize,
}

impl WireBuilding {
    pub(super) fn new(building: &Building) -> WireBuilding {
        WireBuilding { files: building.files, of: building.of, text_only: building.text_only }
    }
}

impl WireSnapshot {
    pub(crate) fn new(snapshot: &Snapshot) -> WireSnapshot {
        WireSnapshot {
            root: shown(&snapshot.root),
            branch: snapshot.branch.clone(),
            commit: snapshot.commit.clone(),
            generation: snapshot.generation.0,
            checked_at: snapshot.checked_at.map(rfc3339),
            indexed_files: snapshot.indexed_files,
            skipped_files: snapshot.skipped_files,
            stale_files: snapshot.stale_files,
            building: snapshot.building.as_ref().map(WireBuilding::new),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireLanguageCount<'a> {
    pub name: &'a str,
    pub files: usize,
}

#[derive(Serialize)]
pub(super) struct WireReasonCount {
    pub reason: &'static str,
    pub files: usize,
}

#[derive(Serialize)]
pub(super) struct WireNoteCount {
    pub note: &'static str,
    pub files: usize,
}
