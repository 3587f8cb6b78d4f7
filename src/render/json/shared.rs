//! The parts of the wire format that several replies share.

use std::path::Path;

use serde::Serialize;

use crate::engine::api::{Building, Snapshot};
use crate::model::SkipReason;
use crate::path::RelPath;
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

/// Which paths of files a reply has. The default is the path relative to the root.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonPaths<'a> {
    /// The root below which each path is repeated as an absolute path, in the field `absolute`, for programs that open
    /// files and do not know the root.
    pub absolute_below: Option<&'a Path>,
}

impl<'a> JsonPaths<'a> {
    /// The fields of a path.
    pub(crate) fn of(self, path: &'a RelPath) -> WirePath<'a> {
        let absolute = self.absolute_below.map(|root| shown(&path.below(root)));
        WirePath { path: Some(path.as_str()), absolute }
    }
}

/// The path of a row, flattened into the row.
#[derive(Serialize)]
pub(crate) struct WirePath<'a> {
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    absolute: Option<String>,
}

impl WirePath<'_> {
    /// The field `path` is `null`.
    pub(super) const NONE: WirePath<'static> = WirePath { path: None, absolute: None };
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
        WireBuilding { files: building.files, of: building.total_files, text_only: building.text_only }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_gains_its_absolute_form() {
        let check = |path: &str, root: Option<&str>, expected: &str| {
            let path = RelPath::new(path).unwrap();
            assert_eq!(line(&JsonPaths { absolute_below: root.map(Path::new) }.of(&path)), expected);
        };
        check("c\"d", None, r#"{"path":"c\"d"}"#);
        check("c\"d", Some("/t/a b"), r#"{"path":"c\"d","absolute":"/t/a b/c\"d"}"#);
        check("", Some("/t"), r#"{"path":"","absolute":"/t"}"#);
        assert_eq!(line(&WirePath::NONE), r#"{"path":null}"#);
    }
}
