//! The parts of the wire format that several replies share.

use std::path::Path;

use serde::Serialize;

use crate::render::places::RowPlaces;
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_base::time::rfc3339;
use spyhop_engine::api::{Building, NamedStatus, Provenance, Snapshot, SourceName, SourceSnapshot};

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
    pub fn of(self, path: &'a RelPath) -> WirePath<'a> {
        let absolute = self.absolute_below.map(|root| shown(&path.below(root)));
        WirePath { path: Some(path.as_str()), absolute }
    }

    /// The fields of a path of a source, if a row is of one.
    pub(super) fn at(
        self,
        places: RowPlaces<'a>,
        source: Option<&SourceName>,
        path: &'a RelPath,
    ) -> WirePath<'a> {
        match (source, self.absolute_below) {
            (Some(_), Some(_)) => JsonPaths { absolute_below: Some(places.root(source)) }.of(path),
            _ => self.of(path),
        }
    }
}

/// Where a row came from.
#[derive(Serialize)]
pub(super) struct WireProvenance<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_at: Option<String>,
}

impl<'a> WireProvenance<'a> {
    fn new(source: &'a SourceSnapshot) -> WireProvenance<'a> {
        let commit = source.snapshot.commit.as_deref();
        WireProvenance::from_parts(&source.name, source.provenance.as_deref(), commit)
    }

    /// A source, with the commit that is checked out in its tree.
    fn from_parts(
        name: &'a SourceName,
        provenance: Option<&'a Provenance>,
        checked_out: Option<&'a str>,
    ) -> WireProvenance<'a> {
        WireProvenance {
            name: name.as_str(),
            kind: provenance.map(|provenance| provenance.kind),
            url: provenance.map(|provenance| provenance.url.as_str()),
            reference: provenance.and_then(|provenance| provenance.reference.as_deref()),
            commit: provenance.and_then(|provenance| provenance.commit.as_deref()).or(checked_out),
            imported_at: provenance.map(|provenance| rfc3339(provenance.imported_at)),
        }
    }

    /// The source of a status.
    pub(crate) fn of_status(own: &'a NamedStatus) -> WireProvenance<'a> {
        let commit = own.status.as_ref().ok().and_then(|status| status.commit.as_deref());
        WireProvenance::from_parts(&own.name, own.provenance.as_deref(), commit)
    }

    /// The source of a row; `None` if one tree answers.
    pub fn of(places: RowPlaces<'a>, source: Option<&SourceName>) -> Option<WireProvenance<'a>> {
        places.source(source).map(WireProvenance::new)
    }
}

/// A source of a reply, with its snapshot.
#[derive(Serialize)]
pub(super) struct WireSource<'a> {
    #[serde(flatten)]
    provenance: WireProvenance<'a>,
    snapshot: WireSnapshot,
}

/// What a reply of several sources says of them.
#[derive(Serialize)]
pub(super) struct WireAnswering<'a> {
    /// The number of sources that answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    answering: Option<usize>,
    /// The sources of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<WireSource<'a>>,
}

impl<'a> WireAnswering<'a> {
    /// The sources of rows, by the names of their sources. Sources without a row are only counted, because a library may
    /// have hundreds of them.
    pub fn new<'n>(
        all: &'a [SourceSnapshot],
        of_rows: impl Iterator<Item = Option<&'n SourceName>>,
    ) -> WireAnswering<'a> {
        let named: rustc_hash::FxHashSet<&SourceName> = of_rows.flatten().collect();
        let shown = all.iter().filter(|source| named.contains(&source.name));
        let wire = |source: &'a SourceSnapshot| WireSource {
            provenance: WireProvenance::new(source),
            snapshot: WireSnapshot::new(&source.snapshot),
        };
        WireAnswering {
            answering: (!all.is_empty()).then_some(all.len()),
            sources: shown.map(wire).collect(),
        }
    }
}

/// The path of a row, flattened into the row.
#[derive(Serialize)]
pub struct WirePath<'a> {
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
    pub fn new(snapshot: &Snapshot) -> WireSnapshot {
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
