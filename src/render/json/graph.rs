//! The wire format of answers of the code graph.

use serde::Serialize;

use super::entries::WireEntry;
use super::shared::{JsonPaths, WirePath, WireSnapshot};
use crate::engine::api::{AffectedTest, GraphEnd, GraphReply, GraphRow, SymbolRow};

/// The answer to a question about the code graph.
pub fn graph<'r>(reply: &'r GraphReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let row = |row: &'r GraphRow| WireRow::new(row, paths);
    WireGraph {
        question: reply.question.name(),
        target: &reply.target,
        definitions: reply.definitions.iter().map(|own| WireEnd::symbol(own, paths)).collect(),
        results: reply.rows.iter().map(row).collect(),
        total: reply.total,
        further_files: reply.further_files,
        paths: reply.paths.iter().map(|path| path.iter().map(row).collect()).collect(),
        tests: reply.tests.iter().map(|test| WireTest::new(test, paths)).collect(),
        entries: reply.entries.iter().map(|entry| WireEntry::new(entry, paths)).collect(),
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
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
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireRow<'a> {
    relation: &'static str,
    direction: &'static str,
    depth: u32,
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
    fn new(row: &'a GraphRow, paths: JsonPaths<'a>) -> WireRow<'a> {
        WireRow {
            relation: row.relation.name(),
            direction: if row.is_outgoing { "out" } else { "in" },
            depth: row.depth,
            path: paths.of(&row.path),
            line: row.line,
            column: row.column,
            text: &row.text,
            from: row.from.as_ref().map(|own| WireEnd::symbol(own, paths)),
            to: match &row.to {
                GraphEnd::Symbol(symbol) => WireEnd::symbol(symbol, paths),
                GraphEnd::Removed(symbol) => WireEnd::Removed {
                    path: paths.of(&symbol.path),
                    kind: symbol.kind.name(),
                    symbol: symbol.qualified(),
                    is_removed: true,
                },
                GraphEnd::File(path) => WireEnd::File { path: paths.of(path) },
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
    #[serde(flatten)]
    path: WirePath<'a>,
    confidence: f32,
    reason: &'a str,
}

impl<'a> WireTest<'a> {
    fn new(test: &'a AffectedTest, paths: JsonPaths<'a>) -> WireTest<'a> {
        WireTest { path: paths.of(&test.path), confidence: test.confidence, reason: &test.reason }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireEnd<'a> {
    Symbol {
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
    fn symbol(own: &'a SymbolRow, paths: JsonPaths<'a>) -> WireEnd<'a> {
        WireEnd::Symbol {
            path: paths.of(&own.path),
            line: own.lines.first,
            end_line: own.lines.last,
            kind: own.kind.name(),
            symbol: own.qualified(),
            language: own.language,
        }
    }
}
