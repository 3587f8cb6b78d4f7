//! The request and the reply of a search for definitions by name.

use serde::{Serialize, Serializer};

use super::cursor::page_cursor;
use super::snapshot::Snapshot;
use super::sources::{SourceName, SourceSnapshot, answering};
use spyhop_attributes::{form, reply, request};
use spyhop_base::model::{SymbolKind, qualified_name};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_search::filter::FilterSpec;

/// A search for definitions by name.
#[request(Clone, Debug; default = "crate::api::blank::symbols", deny_unknown_fields)]
pub struct SymbolsRequest {
    /// Letters of the name in order, with gaps, case-insensitive; blanks are ignored. A pattern with `.`, `::`, `#`,
    /// `->` or `/` has letters of the container before the last of these separators and letters of the name after it:
    /// `Pool.take`. An empty pattern lists every definition by path and line. At most 1,000 characters.
    pub pattern: String,
    /// The filter of files and kinds. Without kinds, sections of documents and implementation blocks are excluded.
    pub filter: FilterSpec,
    /// The maximum number of definitions of a page, 1 to 1,000, or [`ALL_ROWS`](super::ALL_ROWS). Default 20.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
}

impl SymbolsRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> SymbolsRequest {
        let (filter, pattern) = (FilterSpec::default(), pattern.into());
        SymbolsRequest { pattern, filter, max_results: 20, cursor: None }
    }
}

/// The definitions whose name matches.
#[reply(Clone, Debug)]
pub struct SymbolsReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The definitions of this page, best first; for an empty pattern sorted by path and line.
    #[serde(rename = "results")]
    pub symbols: Vec<SymbolRow>,
    /// The number of definitions over all pages.
    pub total: usize,
    /// Whether no name matches the pattern, and names that are like it are shown.
    #[serde(skip)]
    pub are_similar: bool,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of definitions on the pages before.
    #[serde(skip)]
    pub offset: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Whether every source that was asked answers; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller, such as that no name matches and similar names are shown.
    pub warnings: Vec<String>,
}

impl SymbolsReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.symbols.iter_mut().map(|row| &mut row.source));
    }

    /// Keeps the first `n` definitions. The next page then begins with the first definition that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.symbols.len() {
            self.symbols.truncate(n);
            self.settle_sources();
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A definition found by name.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// The source that has the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The lines of the item.
    #[serde(flatten)]
    pub lines: Lines,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The name as written, without its container.
    pub name: String,
    /// The name of the container.
    pub container: Option<String>,
    /// The name of the file's language.
    pub language: &'static str,
    /// Whether a pattern of lines found the definition, and not a parser.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_rule: bool,
    /// The letters of the name that matched, as byte spans, sorted and not overlapping.
    pub highlights: Vec<Span>,
}

impl SymbolRow {
    /// The name with its container: `Container.name`.
    pub fn qualified(&self) -> String {
        qualified_name(self.container.as_deref(), &self.name)
    }
}

/// A definition at the end of an edge of the code graph, as replies serialize it.
#[form]
pub(super) struct SymbolEnd<'r> {
    /// The source, if it is not that of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r SourceName>,
    /// The file.
    path: &'r RelPath,
    /// The lines of the item.
    #[serde(flatten)]
    lines: Lines,
    /// The kind of symbol.
    kind: SymbolKind,
    /// The name with its container.
    symbol: String,
    /// The name of the file's language.
    language: &'static str,
    /// Whether a pattern of lines found the definition, and not a parser.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_rule: bool,
}

impl<'r> SymbolEnd<'r> {
    pub fn new(row: &'r SymbolRow) -> SymbolEnd<'r> {
        let SymbolRow { source, path, lines, kind, language, by_rule, .. } = row;
        let (source, symbol) = (source.as_ref(), row.qualified());
        SymbolEnd { source, path, lines: *lines, kind: *kind, symbol, language, by_rule: *by_rule }
    }
}

/// Serializes a definition as the end of an edge.
pub(super) fn end<S: Serializer>(row: &Option<SymbolRow>, serializer: S) -> Result<S::Ok, S::Error> {
    row.as_ref().map(SymbolEnd::new).serialize(serializer)
}
