//! Several trees that are asked as one: their names, and where they came from.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::snapshot::Snapshot;
use super::state::Status;

/// The name of a tree in a set of trees. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SourceName(Arc<str>);

impl SourceName {
    /// The name `text`.
    pub fn new(text: &str) -> SourceName {
        SourceName(text.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Where the rows of one source come from.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourceSnapshot {
    /// The name of the source.
    pub name: SourceName,
    /// The root, branch, commit and generation that answer.
    pub snapshot: Snapshot,
    /// Where the source came from; `None` for a tree that is in no library.
    pub provenance: Option<Arc<Provenance>>,
}

impl SourceSnapshot {
    /// Whether the files were copied when the source was imported, and do not change.
    pub fn is_fixed(&self) -> bool {
        self.provenance.as_ref().is_some_and(|provenance| provenance.is_fixed)
    }

    /// The commit of the source: the imported one, or else the one that is checked out.
    pub fn commit(&self) -> Option<&str> {
        let imported = self.provenance.as_ref().and_then(|provenance| provenance.commit.as_deref());
        imported.or(self.snapshot.commit.as_deref())
    }
}

/// Where a source of a library came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Provenance {
    /// The kind of source, such as `git` or `tar`.
    pub kind: &'static str,
    /// The URL or the absolute path.
    pub url: String,
    /// The branch or tag of the imported commit, or else the requested revision.
    pub reference: Option<String>,
    /// The imported commit.
    pub commit: Option<String>,
    /// When the present state was imported.
    pub imported_at: SystemTime,
    /// Whether the files are a read-only copy, which is not compared with its index.
    pub is_fixed: bool,
}

impl Provenance {
    /// A source of a kind, such as `git`, at a URL or absolute path, imported at a time.
    pub fn new(kind: &'static str, url: String, imported_at: SystemTime) -> Provenance {
        Provenance { kind, url, reference: None, commit: None, imported_at, is_fixed: false }
    }
}

/// The state of the sources of a set.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourceStatuses {
    /// The sources, in their order.
    pub sources: Vec<NamedStatus>,
}

/// The state of a source.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct NamedStatus {
    /// The name of the source.
    pub name: SourceName,
    /// Where the source came from.
    pub provenance: Option<Arc<Provenance>>,
    /// The state of the index, or why the source cannot be opened.
    pub status: Result<Status, String>,
}

/// The package that a source is, by its own manifest. An import of the package leads to the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourcePackage {
    /// The registry: `cargo`, `go`, `npm` or `python`.
    pub ecosystem: String,
    /// The name of the package.
    pub name: String,
}

impl SourcePackage {
    /// The package of this name in a registry: `cargo`, `go`, `npm` or `python`.
    pub fn new(ecosystem: String, name: String) -> SourcePackage {
        SourcePackage { ecosystem, name }
    }
}
