//! Questions for routes and commands, and their replies.

use super::form::form_of;
use super::incomplete::{Incomplete, completeness};
use crate::api::snapshot::Snapshot;
use crate::api::sources::{SourceName, SourceSnapshot, answering};
use crate::api::symbols::{SymbolEnd, SymbolRow};
use spyhop_attributes::{open, reply, request};
use spyhop_base::path::RelPath;
use spyhop_base::wire_form;
pub use spyhop_graph::EntryKind;
use spyhop_search::filter::FilterSpec;

/// A question for the routes or the commands of a tree.
#[request(Clone, Debug; deny_unknown_fields)]
pub struct EntriesRequest {
    /// Whether the entries are routes or commands.
    pub kind: EntryKind,
    /// Words that the method, the path or name, or the handler must contain, in any case; empty for all. At most 1,000
    /// characters.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pattern: String,
    /// A symbol, as in [`GraphRequest::target`](crate::api::graph::GraphRequest::target): only entries whose handler is the symbol, or reaches it through up to 5
    /// calls.
    pub reaches: Option<String>,
    /// The maximum number of rows, 1 to 1,000. Default 200.
    #[cfg_attr(feature = "serde", serde(default = "crate::api::blank::max_entries"))]
    pub max_results: usize,
    /// The filter of the files that declare the entries. Its kinds are kinds of the handler's symbol.
    #[cfg_attr(feature = "serde", serde(default))]
    pub filter: FilterSpec,
}

impl EntriesRequest {
    /// The default question.
    pub fn new(kind: EntryKind, pattern: impl Into<String>) -> EntriesRequest {
        let (pattern, filter) = (pattern.into(), FilterSpec::default());
        EntriesRequest { kind, pattern, reaches: None, max_results: 200, filter }
    }
}

/// The routes or the commands of a tree.
#[reply(Clone, Debug)]
pub struct EntriesReply {
    /// Whether the entries are routes or commands.
    pub kind: EntryKind,
    /// The pattern of the request.
    #[serde(rename = "filter")]
    pub pattern: String,
    /// The entries, sorted by path and line of their declaration, entries in tests last. With
    /// [`EntriesRequest::reaches`], the entries with the fewest calls to the symbol come first.
    #[serde(rename = "results")]
    pub rows: Vec<EntryRow>,
    /// The number of entries before `max_results` is applied.
    pub total: usize,
    /// Why entries may be missing; `None` if every candidate file was read.
    #[serde(flatten, serialize_with = "completeness")]
    #[cfg_attr(feature = "schema", schemars(with = "super::incomplete::Completeness"))]
    pub incomplete: Option<Incomplete>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl EntriesReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.rows.iter_mut().map(|row| &mut row.source));
    }

    /// Keeps the first `n` rows.
    pub fn truncate(&mut self, n: usize) {
        self.rows.truncate(n);
        self.settle_sources();
    }
}

/// A route or a command, at the place that declares it.
#[open(Clone, Debug, PartialEq)]
pub struct EntryRow {
    /// The source, if several sources were asked.
    pub source: Option<SourceName>,
    /// Whether the entry is a route or a command.
    pub kind: EntryKind,
    /// The framework whose patterns found the entry.
    pub framework: &'static str,
    /// The method of a route, `*` for any; the sort of a command, such as `script` or `target`.
    pub method: String,
    /// The path of a route, with the prefixes of its routers; the name of a command.
    pub name: String,
    /// The declaring file.
    pub path: RelPath,
    /// The line of the declaration, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The handler as written or by its qualified name, with secrets masked; empty if the code is in the declaration
    /// itself.
    pub handler: String,
    /// The definition of the handler, if it is in the tree. Its source is that of the row.
    pub definition: Option<SymbolRow>,
    /// The file that the entry runs, if the declaration names a file of the tree.
    pub handler_path: Option<RelPath>,
    /// The estimated probability that the row is right, 0 to 1.
    pub confidence: f32,
    /// The number of calls from the handler to the symbol of the request's `reaches`; 0 if the handler is the symbol.
    pub depth: Option<u32>,
    /// Whether a test or an example declares the entry.
    pub is_test: bool,
}

wire_form!(EntryRow as EntryForm);

form_of! {
    /// How an [`EntryRow`] is serialized: a route has `method` and `route`, a command has `sort` and `name`.
    struct EntryForm<'r>(row: &'r EntryRow)
    let {
        of = |kind: EntryKind, text: &'r str| (row.kind == kind).then_some(text);
    }
    {
        /// The source, if several sources were asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<&'r SourceName> = row.source.as_ref(),
        /// The method of a route, `*` for any.
        #[serde(skip_serializing_if = "Option::is_none")]
        method: Option<&'r str> = of(EntryKind::Route, &row.method),
        /// The path of a route, with the prefixes of its routers.
        #[serde(skip_serializing_if = "Option::is_none")]
        route: Option<&'r str> = of(EntryKind::Route, &row.name),
        /// The sort of a command, such as `script` or `target`.
        #[serde(skip_serializing_if = "Option::is_none")]
        sort: Option<&'r str> = of(EntryKind::Command, &row.method),
        /// The name of a command.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'r str> = of(EntryKind::Command, &row.name),
        /// The framework whose patterns found the entry.
        framework: &'static str = row.framework,
        /// The declaring file.
        path: &'r RelPath = &row.path,
        /// The line of the declaration, from 1.
        line: u32 = row.line,
        /// The column in bytes, from 1.
        column: u32 = row.column,
        /// The handler as written or by its qualified name; empty if the code is in the declaration itself.
        handler: &'r str = &row.handler,
        /// The definition of the handler, if it is in the tree.
        definition: Option<SymbolEnd<'r>> = row.definition.as_ref().map(SymbolEnd::new),
        /// The file that the entry runs, if the declaration names a file of the tree.
        handler_path: Option<&'r RelPath> = row.handler_path.as_ref(),
        /// The estimated probability that the row is right, 0 to 1.
        confidence: f32 = row.confidence,
        /// The number of calls from the handler to the symbol that the entries must reach.
        #[serde(skip_serializing_if = "Option::is_none")]
        depth: Option<u32> = row.depth,
        /// Whether a test or an example declares the entry.
        is_test: bool = row.is_test,
    }
}
