//! The wire format of answers of the code graph.

use serde::Serialize;

use super::entries::WireEntry;
use super::shared::{JsonPaths, WireAnswering, WirePath, WireProvenance, WireSnapshot};
use crate::render::places::RowPlaces;
use spyhop_engine::api::{AffectedTest, GraphEnd, GraphReply, GraphRow, SourceName, SymbolRow};

/// The answer to a question about the code graph.
pub fn graph<'r>(reply: &'r GraphReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    let row = |row: &'r GraphRow| WireRow::new(row, places, paths);
    let of_rows = reply.rows.iter().chain(reply.paths.iter().flatten()).map(|row| row.source.as_ref());
    let of_rows = of_rows.chain(reply.definitions.iter().map(|own| own.source.as_ref()));
    WireGraph {
        question: reply.question.name(),
        target: &reply.target,
        definitions: reply.definitions.iter().map(|own| WireEnd::symbol(own, None, places, paths)).collect(),
        results: reply.rows.iter().map(row).collect(),
        total: reply.total,
        further_files: reply.further_files,
        paths: reply.paths.iter().map(|path| path.iter().map(row).collect()).collect(),
        tests: reply.tests.iter().map(|test| WireTest::new(test, places, paths)).collect(),
        entries: reply.entries.iter().map(|entry| WireEntry::new(entry, places, paths)).collect(),
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        sources: WireAnswering::new(&reply.sources, of_rows),
        warnings: &reply.warnings,
    }
}

#[derive(Serialize)]
struct WireGraph<'a> {
    question: &'static str,
    target: &'a str,
    definitions: Vec<WireEnd<'a>>,
    results: Vec<WireRow<'a>>,
    total: usize,
    /// Files that use the name and were not resolved.
    further_files: usize,
    paths: Vec<Vec<WireRow<'a>>>,
    tests: Vec<WireTest<'a>>,
    entries: Vec<WireEntry<'a>>,
    complete: bool,
    /// Why edges may be missing.
    incomplete: Option<&'a str>,
    snapshot: WireSnapshot,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireRow<'a> {
    relation: &'static str,
    direction: &'static str,
    depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    column: u32,
    text: &'a str,
    from: Option<WireEnd<'a>>,
    to: WireEnd<'a>,
    confidence: f32,
    rule: &'static str,
    is_test: bool,
}

impl<'a> WireRow<'a> {
    fn new(row: &'a GraphRow, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireRow<'a> {
        let source = row.source.as_ref();
        WireRow {
            relation: row.relation.name(),
            direction: if row.is_outgoing { "out" } else { "in" },
            depth: row.depth,
            source: WireProvenance::of(places, source),
            path: paths.at(places, source, &row.path),
            line: row.line,
            column: row.column,
            text: &row.text,
            from: row.from.as_ref().map(|own| WireEnd::symbol(own, source, places, paths)),
            to: match &row.to {
                GraphEnd::Symbol(symbol) => WireEnd::symbol(symbol, source, places, paths),
                GraphEnd::Removed(symbol) => WireEnd::Removed {
                    path: paths.at(places, source, &symbol.path),
                    kind: symbol.kind.name(),
                    symbol: symbol.qualified(),
                    is_removed: true,
                },
                GraphEnd::File(path) => WireEnd::File { path: paths.at(places, source, path) },
                GraphEnd::Outside(module) => WireEnd::Outside { module },
            },
            confidence: row.confidence,
            rule: row.rule.name(),
            is_test: row.is_test,
        }
    }
}

#[derive(Serialize)]
struct WireTest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    confidence: f32,
    reason: &'a str,
}

impl<'a> WireTest<'a> {
    fn new(test: &'a AffectedTest, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireTest<'a> {
        let source = test.source.as_ref();
        let path = paths.at(places, source, &test.path);
        let source = WireProvenance::of(places, source);
        WireTest { source, path, confidence: test.confidence, reason: &test.reason }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireEnd<'a> {
    Symbol {
        /// The source, if it is not that of the row.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<WireProvenance<'a>>,
        #[serde(flatten)]
        path: WirePath<'a>,
        line: u32,
        end_line: u32,
        kind: &'static str,
        symbol: String,
        language: &'a str,
    },
    Removed {
        #[serde(flatten)]
        path: WirePath<'a>,
        kind: &'static str,
        symbol: String,
        is_removed: bool,
    },
    File {
        #[serde(flatten)]
        path: WirePath<'a>,
    },
    Outside {
        module: &'a str,
    },
}

impl<'a> WireEnd<'a> {
    /// A symbol; its source is left out if it is `of_row`.
    fn symbol(
        own: &'a SymbolRow,
        of_row: Option<&SourceName>,
        places: RowPlaces<'a>,
        paths: JsonPaths<'a>,
    ) -> WireEnd<'a> {
        let source = own.source.as_ref();
        WireEnd::Symbol {
            source: WireProvenance::of(places, source.filter(|source| Some(*source) != of_row)),
            path: paths.at(places, source, &own.path),
            line: own.lines.first,
            end_line: own.lines.last,
            kind: own.kind.name(),
            symbol: own.qualified(),
            language: own.language,
        }
    }
}
