//! The wire format of unranked answers: grep, files, symbols, map.

use serde::Serialize;

use super::shared::{JsonPaths, WireAnswering, WireLanguageCount, WirePath, WireProvenance, WireSnapshot};
use crate::render::places::RowPlaces;
use spyhop_base::text::Span;
use spyhop_engine::api::{
    ContextLine, FileRow, FilesReply, GrepLine, GrepReply, MapEntry, MapReply, MapSymbol, SymbolRow,
    SymbolsReply,
};

/// The lines that match a pattern.
pub fn grep<'r>(reply: &'r GrepReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    WireGrep {
        pattern: &reply.pattern,
        results: reply.lines.iter().map(|line| WireGrepLine::new(line, places, paths)).collect(),
        total_lines: reply.total_lines,
        total_files: reply.total_files,
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        sources: WireAnswering::new(&reply.sources, reply.lines.iter().map(|row| row.source.as_ref())),
        warnings: &reply.warnings,
    }
}

/// The files whose names match.
pub fn files<'r>(reply: &'r FilesReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    WireFiles {
        pattern: &reply.pattern,
        results: reply.files.iter().map(|row| WireFile::new(row, places, paths)).collect(),
        total: reply.total,
        left_out: reply.left_out,
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        complete: (!reply.sources.is_empty()).then_some(reply.all_answer),
        sources: WireAnswering::new(&reply.sources, reply.files.iter().map(|row| row.source.as_ref())),
        warnings: &reply.warnings,
    }
}

/// The definitions whose names match.
pub fn symbols<'r>(reply: &'r SymbolsReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    WireSymbols {
        pattern: &reply.pattern,
        results: reply.symbols.iter().map(|row| WireSymbol::new(row, places, paths)).collect(),
        total: reply.total,
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        complete: (!reply.sources.is_empty()).then_some(reply.all_answer),
        sources: WireAnswering::new(&reply.sources, reply.symbols.iter().map(|row| row.source.as_ref())),
        warnings: &reply.warnings,
    }
}

/// The outline of a tree.
pub fn map<'r>(reply: &'r MapReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    WireMap {
        path: paths.of(&reply.path),
        files: reply.files,
        lines: reply.lines,
        symbols: reply.symbols,
        languages: languages(&reply.languages),
        entries: reply.entries.iter().map(|entry| WireMapEntry::new(entry, places, paths)).collect(),
        complete: reply.all_rows_listed,
        snapshot: WireSnapshot::new(&reply.snapshot),
        sources: WireAnswering::new(&reply.sources, reply.entries.iter().map(|row| row.source.as_ref())),
        warnings: &reply.warnings,
    }
}

fn languages<'a>(languages: &[(&'a str, usize)]) -> Vec<WireLanguageCount<'a>> {
    languages.iter().map(|&(name, files)| WireLanguageCount { name, files }).collect()
}

fn spans(spans: &[Span]) -> Vec<[u32; 2]> {
    spans.iter().map(|span| [span.start, span.end]).collect()
}

#[derive(Serialize)]
struct WireGrep<'a> {
    pattern: &'a str,
    results: Vec<WireGrepLine<'a>>,
    total_lines: usize,
    total_files: usize,
    complete: bool,
    /// Why the answer is not complete.
    incomplete: Option<&'a str>,
    next: Option<&'a str>,
    snapshot: WireSnapshot,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireGrepLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    column: u32,
    text: &'a str,
    /// Half-open byte ranges in the text.
    highlights: Vec<[u32; 2]>,
    /// The definition around the line.
    enclosing: Option<WireEnclosing<'a>>,
    cut: bool,
    before: Vec<WireContextLine<'a>>,
    after: Vec<WireContextLine<'a>>,
}

#[derive(Serialize)]
struct WireEnclosing<'a> {
    kind: &'static str,
    name: &'a str,
    line: u32,
    end_line: u32,
}

#[derive(Serialize)]
pub(super) struct WireContextLine<'a> {
    line: u32,
    text: &'a str,
}

/// Context lines on the wire.
pub(super) fn context(lines: &[ContextLine]) -> Vec<WireContextLine<'_>> {
    lines.iter().map(|line| WireContextLine { line: line.line, text: &line.text }).collect()
}

impl<'a> WireGrepLine<'a> {
    fn new(line: &'a GrepLine, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireGrepLine<'a> {
        WireGrepLine {
            source: WireProvenance::of(places, line.source.as_ref()),
            path: paths.at(places, line.source.as_ref(), &line.path),
            line: line.line,
            column: line.column,
            text: &line.text,
            highlights: spans(&line.highlights),
            enclosing: line.enclosing.as_ref().map(|around| WireEnclosing {
                kind: around.kind.name(),
                name: &around.name,
                line: around.lines.first,
                end_line: around.lines.last,
            }),
            cut: line.cut,
            before: context(&line.before),
            after: context(&line.after),
        }
    }
}

#[derive(Serialize)]
struct WireFiles<'a> {
    pattern: &'a str,
    results: Vec<WireFile<'a>>,
    total: usize,
    left_out: usize,
    next: Option<&'a str>,
    snapshot: WireSnapshot,
    /// Whether every source that was asked answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireFile<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    language: &'a str,
    /// `null` for a path-only file.
    lines: Option<u32>,
    bytes: u64,
    matched: &'static str,
    /// Half-open byte ranges in the path.
    highlights: Vec<[u32; 2]>,
}

impl<'a> WireFile<'a> {
    fn new(row: &'a FileRow, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireFile<'a> {
        WireFile {
            source: WireProvenance::of(places, row.source.as_ref()),
            path: paths.at(places, row.source.as_ref(), &row.path),
            language: row.language,
            lines: row.lines,
            bytes: row.bytes,
            matched: row.matched.name(),
            highlights: spans(&row.highlights),
        }
    }
}

#[derive(Serialize)]
struct WireSymbols<'a> {
    pattern: &'a str,
    results: Vec<WireSymbol<'a>>,
    total: usize,
    next: Option<&'a str>,
    snapshot: WireSnapshot,
    /// Whether every source that was asked answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
pub(super) struct WireSymbol<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    end_line: u32,
    kind: &'static str,
    name: &'a str,
    container: Option<&'a str>,
    language: &'a str,
    /// Half-open byte ranges in the name.
    highlights: Vec<[u32; 2]>,
}

impl<'a> WireSymbol<'a> {
    /// A definition of a reply of one tree.
    pub(super) fn in_tree(row: &'a SymbolRow, paths: JsonPaths<'a>) -> WireSymbol<'a> {
        WireSymbol {
            source: None,
            path: paths.of(&row.path),
            line: row.lines.first,
            end_line: row.lines.last,
            kind: row.kind.name(),
            name: &row.name,
            container: row.container.as_deref(),
            language: row.language,
            highlights: spans(&row.highlights),
        }
    }

    fn new(row: &'a SymbolRow, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireSymbol<'a> {
        let source = row.source.as_ref();
        let path = paths.at(places, source, &row.path);
        WireSymbol { source: WireProvenance::of(places, source), path, ..WireSymbol::in_tree(row, paths) }
    }
}

#[derive(Serialize)]
struct WireMap<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    files: usize,
    lines: u64,
    symbols: usize,
    languages: Vec<WireLanguageCount<'a>>,
    entries: Vec<WireMapEntry<'a>>,
    complete: bool,
    snapshot: WireSnapshot,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireMapEntry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    is_dir: bool,
    depth: u32,
    files: usize,
    lines: u64,
    languages: Vec<WireLanguageCount<'a>>,
    symbols: Vec<WireMapSymbol<'a>>,
    total_symbols: usize,
}

impl<'a> WireMapEntry<'a> {
    fn new(entry: &'a MapEntry, places: RowPlaces<'a>, paths: JsonPaths<'a>) -> WireMapEntry<'a> {
        let symbol = |symbol: &'a MapSymbol| WireMapSymbol {
            name: &symbol.name,
            kind: symbol.kind.name(),
            path: paths.at(places, entry.source.as_ref(), &symbol.path),
            line: symbol.lines.first,
            end_line: symbol.lines.last,
            depth: symbol.depth,
        };
        WireMapEntry {
            source: WireProvenance::of(places, entry.source.as_ref()),
            path: paths.at(places, entry.source.as_ref(), &entry.path),
            is_dir: entry.is_dir,
            depth: entry.depth,
            files: entry.files,
            lines: entry.lines,
            languages: languages(&entry.languages),
            symbols: entry.symbols.iter().map(symbol).collect(),
            total_symbols: entry.total_symbols,
        }
    }
}

#[derive(Serialize)]
struct WireMapSymbol<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    end_line: u32,
    /// The number of enclosing symbols in the same file.
    depth: u32,
}
