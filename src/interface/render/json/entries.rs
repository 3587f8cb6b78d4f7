//! The wire format of the lists of routes and commands.

use serde::Serialize;

use super::shared::{JsonPaths, WirePath, WireProvenance, WireSnapshot};
use crate::render::places::RowPlaces;
use spyhop_engine::api::{EntriesReply, EntryKind, EntryRow, SymbolRow};

/// The list of routes or commands.
pub fn entries<'r>(reply: &'r EntriesReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &[]);
    WireEntries {
        kind: reply.kind.name(),
        filter: &reply.pattern,
        results: reply.rows.iter().map(|row| WireEntry::new(row, places, paths)).collect(),
        total: reply.total,
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

#[derive(Serialize)]
struct WireEntries<'a> {
    kind: &'static str,
    filter: &'a str,
    results: Vec<WireEntry<'a>>,
    total: usize,
    complete: bool,
    /// Why entries may be missing.
    incomplete: Option<&'a str>,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

/// A route has `method` and `route`, a command has `sort` and `name`.
#[derive(Serialize)]
pub(super) struct WireEntry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    framework: &'static str,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    column: u32,
    handler: &'a str,
    definition: Option<WireHandler<'a>>,
    handler_path: Option<&'a str>,
    confidence: f32,
    /// Only with `--reaches`.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    is_test: bool,
}

#[derive(Serialize)]
struct WireHandler<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    end_line: u32,
    kind: &'static str,
    symbol: String,
    language: &'a str,
}

impl<'a> WireEntry<'a> {
    pub(super) fn new(row: &'a EntryRow, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireEntry<'a> {
        let source = row.source.as_ref();
        let of = |kind: EntryKind, text: &'a str| (row.kind == kind).then_some(text);
        let handler = |own: &'a SymbolRow| WireHandler {
            path: paths.at(places, source, &own.path),
            line: own.lines.first,
            end_line: own.lines.last,
            kind: own.kind.name(),
            symbol: own.qualified(),
            language: own.language,
        };
        WireEntry {
            source: WireProvenance::of(places, source),
            method: of(EntryKind::Route, &row.method),
            route: of(EntryKind::Route, &row.name),
            sort: of(EntryKind::Command, &row.method),
            name: of(EntryKind::Command, &row.name),
            framework: row.framework,
            path: paths.at(places, source, &row.path),
            line: row.line,
            column: row.column,
            handler: &row.handler,
            definition: row.definition.as_ref().map(handler),
            handler_path: row.handler_path.as_ref().map(|path| path.as_str()),
            confidence: row.confidence,
            depth: row.depth,
            is_test: row.is_test,
        }
    }
}
