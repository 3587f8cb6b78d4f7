//! Questions to the graph of files, and their replies.

use std::borrow::Cow;

use super::form::form_of;
use super::incomplete::{Completeness, Incomplete};
use super::sources::{SourceName, SourceSnapshot, answering};
use crate::api::snapshot::Snapshot;
use spyhop_attributes::{form, open, reply, request};
use spyhop_base::path::RelPath;
use spyhop_base::wire_form;
pub use spyhop_graph::FileEdge;
use spyhop_search::filter::FilterSpec;

/// What is asked about the graph of files.
#[reply(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum FileGraphQuestion {
    /// Every file and every import.
    Export,
    /// The import cycles: groups of files that import each other.
    Cycles,
    /// The files that no file of the tree imports and that import no file of the tree.
    Orphans,
    /// The files with the most importers.
    #[default]
    Hubs,
}

/// A question to the graph of files.
#[request(Clone, Debug; default, deny_unknown_fields)]
pub struct FileGraphRequest {
    /// The question.
    pub question: FileGraphQuestion,
    /// The maximum number of rows: files, or groups for [`FileGraphQuestion::Cycles`]. An export has all files. Default 50.
    pub max_results: usize,
    /// The filter of the files that are shown, on both ends of an import. Importers and imports are counted in the whole
    /// tree; circles are those among the shown files.
    pub filter: FilterSpec,
}

impl Default for FileGraphRequest {
    fn default() -> FileGraphRequest {
        FileGraphRequest {
            question: FileGraphQuestion::default(),
            max_results: 50,
            filter: FilterSpec::default(),
        }
    }
}

/// The graph of files: the files that answer the question, and the imports between them.
#[open(Clone, Debug)]
pub struct FileGraphReply {
    /// The question.
    pub question: FileGraphQuestion,
    /// The files that answer the question. An export has all files, sorted by path; hubs are sorted by their number of
    /// importers, orphans by path; the files of a cycle are adjacent.
    pub files: Vec<FileNode>,
    /// The imports between the files, sorted: of an export all, of cycles those of the shortest cycle of each group. Empty
    /// for other questions.
    pub edges: Vec<FileEdge>,
    /// The import cycles, as groups of indexes into `files`. Each group begins with the files of a shortest cycle; the
    /// other files of the group follow.
    pub cycles: Vec<Vec<usize>>,
    /// The number of files or groups before `max_results` is applied.
    pub total: usize,
    /// Why imports may be missing.
    pub incomplete: Option<Incomplete>,
    /// Where the answer comes from; without branch and commit if several trees answer.
    pub snapshot: Snapshot,
    /// The trees that answer; empty if one tree answers.
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl FileGraphReply {
    /// Completes the sources of the reply and of its files.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.files.iter_mut().map(|file| &mut file.source));
    }
}

/// A file of the graph.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct FileNode {
    /// The source of the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The path.
    pub path: RelPath,
    /// The language.
    pub language: &'static str,
    /// The number of files of the tree that the file imports.
    pub imports: usize,
    /// The number of files of the tree that import the file.
    pub importers: usize,
    /// Whether the path is that of a test.
    pub is_test: bool,
}

wire_form!(FileGraphReply as FileGraphForm);

form_of! {
    /// How a [`FileGraphReply`] is serialized: edges and cycles have paths.
    struct FileGraphForm<'r>(reply: &'r FileGraphReply)
    let {
        path = |place: usize| &reply.files[place].path;
        source = |place: usize| reply.files[place].source.as_ref().map(SourceName::as_str);
        edge = |edge: &FileEdge| FileEdgeForm {
            source: source(edge.from),
            from: path(edge.from),
            to: path(edge.to),
            line: edge.line,
        };
        named = |place: usize| match source(place) {
            Some(source) => Cow::Owned(format!("{source}:{}", path(place))),
            None => Cow::Borrowed(path(place).as_str()),
        };
    }
    {
        /// The question.
        question: FileGraphQuestion = reply.question,
        /// The files that answer the question.
        files: &'r [FileNode] = &reply.files,
        /// The imports between the files: of an export all, of cycles those of the shortest cycle of each group. Empty for other
        /// questions.
        edges: Vec<FileEdgeForm<'r>> = reply.edges.iter().map(edge).collect(),
        /// The import cycles. Each begins with the files of a shortest cycle. Of several trees, each path stands behind the name
        /// of its source and `:`.
        cycles: Vec<Vec<Cow<'r, str>>> = reply.cycles.iter().map(|group| group.iter().copied().map(named).collect()).collect(),
        /// The number of files or cycles before `max_results` is applied.
        total: usize = reply.total,
        /// Whether imports may be missing.
        #[serde(flatten)]
        completeness: Completeness<'r> = Completeness::new(&reply.incomplete),
        /// Where the answer comes from.
        snapshot: &'r Snapshot = &reply.snapshot,
        /// The sources of the files, if several trees were asked.
        #[serde(flatten, serialize_with = "answering")]
        #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
        sources: &'r [SourceSnapshot] = &reply.sources,
        /// Warnings for the caller.
        warnings: &'r [String] = &reply.warnings,
    }
}

/// An import of one file by another.
#[form]
struct FileEdgeForm<'r> {
    /// The name of the source of both files, if several trees were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
    /// The importing file.
    from: &'r RelPath,
    /// The imported file.
    to: &'r RelPath,
    /// The line of the import, from 1.
    line: u32,
}
