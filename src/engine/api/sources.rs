//! Several trees that are asked as one: their names, and where they came from.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Serialize, Serializer};

use super::snapshot::Snapshot;
use super::state::Status;
use spyhop_attributes::{form, open, reply, request};
use spyhop_base::time::rfc3339;

/// The name of a tree in a set of trees. Clones share the text. In a reply, the name also has what JSON says of the source;
/// names are equal if their texts are.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SourceName(Arc<RowSource>);

impl SourceName {
    /// The name `text`.
    pub fn new(text: &str) -> SourceName {
        SourceName(Arc::new(RowSource { name: text.into(), ..RowSource::default() }))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0.name
    }

    /// What stands before the first `:` of a text, if that may be the name of a source, as `client` in `client:src/lib.rs`.
    /// The `:` of a line behind a path, of a URL and of `Type::member` follows no source.
    #[doc(hidden)]
    pub fn before_path(text: &str) -> Option<&str> {
        let (name, rest) = text.split_once(':')?;
        let is_other = rest.starts_with("//") || rest.starts_with(|c: char| c == ':' || c.is_ascii_digit());
        (!is_other && !name.is_empty() && !name.contains(['/', '#', ' '])).then_some(name)
    }

    /// This name with the origin of the source, and with the commit that is checked out in its tree.
    fn with_origin(&self, provenance: Option<&Provenance>, checked_out: Option<&str>) -> SourceName {
        let mut origin = RowSource { name: self.0.name.clone(), ..RowSource::default() };
        let mut commit = checked_out;
        if let Some(provenance) = provenance {
            origin.kind = Some(provenance.kind);
            origin.url = Some(provenance.url.clone());
            origin.reference.clone_from(&provenance.reference);
            origin.imported_at = Some(rfc3339(provenance.imported_at));
            commit = provenance.commit.as_deref().or(commit);
        }
        origin.commit = commit.map(str::to_string);
        SourceName(Arc::new(origin))
    }
}

impl PartialEq for SourceName {
    fn eq(&self, other: &SourceName) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for SourceName {}

impl PartialOrd for SourceName {
    fn partial_cmp(&self, other: &SourceName) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SourceName {
    fn cmp(&self, other: &SourceName) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for SourceName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The source of a row in JSON.
#[form(Clone, Debug, Default)]
struct RowSource {
    /// The name of the source.
    name: String,
    /// The kind of source, such as `git` or `tar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// The URL or the absolute path.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The branch or tag of the imported commit, or else the requested revision.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// The imported commit, or else the one that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// When the present state was imported, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_at: Option<String>,
}

/// Where the rows of one source come from.
#[reply(Clone, Debug)]
pub struct SourceSnapshot {
    /// The name of the source.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(with = "RowSource"))]
    pub name: SourceName,
    /// The root, branch, commit and generation that answer.
    pub snapshot: Snapshot,
    /// Where the source came from; `None` for a tree that is in no library.
    #[serde(skip)]
    pub provenance: Option<Arc<Provenance>>,
    /// Whether the reply has a row of the source. JSON has only such sources, because a library may have hundreds.
    #[serde(skip)]
    pub has_rows: bool,
}

impl SourceSnapshot {
    /// A source without rows.
    pub(crate) fn new(name: &SourceName, snapshot: Snapshot, provenance: Option<Arc<Provenance>>) -> Self {
        let name = name.with_origin(provenance.as_deref(), snapshot.commit.as_deref());
        SourceSnapshot { name, snapshot, provenance, has_rows: false }
    }

    /// Notes which sources have rows, and writes into each row where its source came from.
    pub(crate) fn settle<'r>(
        sources: &mut [SourceSnapshot],
        rows: impl IntoIterator<Item = &'r mut Option<SourceName>>,
    ) {
        sources.iter_mut().for_each(|source| source.has_rows = false);
        for row in rows {
            if let Some(source) = sources.iter_mut().find(|source| row.as_ref() == Some(&source.name)) {
                *row = Some(source.name.clone());
                source.has_rows = true;
            }
        }
    }

    /// Writes into each row where its source came from.
    pub(crate) fn name<'r>(
        sources: &[SourceSnapshot],
        rows: impl IntoIterator<Item = &'r mut Option<SourceName>>,
    ) {
        for row in rows {
            if let Some(source) = sources.iter().find(|source| row.as_ref() == Some(&source.name)) {
                *row = Some(source.name.clone());
            }
        }
    }

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

/// The sources of a reply of several trees: how replies serialize their list of sources.
#[form]
pub(super) struct Answering<'r> {
    /// The number of sources that answer, if several trees were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    answering: Option<usize>,
    /// The sources of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<&'r SourceSnapshot>,
}

/// Serializes `answering` and the `sources` with rows, to be flattened into a reply.
pub(super) fn answering<S: Serializer>(all: &[SourceSnapshot], serializer: S) -> Result<S::Ok, S::Error> {
    let answering = (!all.is_empty()).then_some(all.len());
    Answering { answering, sources: all.iter().filter(|source| source.has_rows).collect() }
        .serialize(serializer)
}

/// Where a source of a library came from.
#[open(Clone, Debug, PartialEq, Eq)]
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
#[reply(Clone, Debug)]
pub struct SourceStatuses {
    /// The sources, in their order.
    pub sources: Vec<NamedStatus>,
}

/// The state of a source.
#[reply(Clone, Debug)]
pub struct NamedStatus {
    /// The name of the source.
    #[serde(rename = "source")]
    pub name: SourceName,
    /// Where the source came from.
    #[serde(skip)]
    pub provenance: Option<Arc<Provenance>>,
    /// The state of the index, or why the source cannot be opened.
    #[serde(flatten, serialize_with = "status_or_error")]
    #[cfg_attr(feature = "schema", schemars(with = "StatusOrError"))]
    pub status: Result<Status, String>,
}

impl NamedStatus {
    pub(crate) fn new(
        name: &SourceName,
        provenance: Option<Arc<Provenance>>,
        status: Result<Status, String>,
    ) -> NamedStatus {
        let commit = status.as_ref().ok().and_then(|status| status.commit.as_deref());
        let name = name.with_origin(provenance.as_deref(), commit);
        NamedStatus { name, provenance, status }
    }
}

/// A status, or why there is none: how a [`NamedStatus`] serializes its status.
#[form]
struct StatusOrError<'r> {
    /// The state of the index; `null` if the source cannot be opened.
    status: Option<&'r Status>,
    /// Why the source cannot be opened.
    error: Option<&'r str>,
}

fn status_or_error<S: Serializer>(status: &Result<Status, String>, serializer: S) -> Result<S::Ok, S::Error> {
    let (status, error) = (status.as_ref().ok(), status.as_ref().err().map(String::as_str));
    StatusOrError { status, error }.serialize(serializer)
}

/// The package that a source is, by its own manifest. An import of the package leads to the source.
#[open(Clone, Debug, PartialEq, Eq)]
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

/// Asks for the state of the index. An index is never built or changed; a missing index is not an error.
#[request(Clone, Copy, Debug, Default)]
pub struct StatusRequest;

/// The state of one tree, or of each tree of a corpus.
#[form(Clone, Debug)]
#[serde(untagged)]
pub enum StatusReply {
    /// The state of a tree alone.
    Tree(Box<Status>),
    /// The state of each named tree.
    Sources(SourceStatuses),
}
