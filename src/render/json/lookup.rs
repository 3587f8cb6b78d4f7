//! The wire format of unranked answers: grep, files, symbols, map.

use serde::Serialize;

use super::shared::{WireLanguageCount, WireSnapshot, line};
use crate::engine::api::{
    ContextLine, FileRow, FilesReply, GrepLine, GrepReply, MapEntry, MapReply, MapSymbol, SymbolRow,
    SymbolsReply,
};
use crate::text::Span;

/// The lines that match a pattern.
pub fn grep(reply: &GrepReply) -> String {
    line(&grep_wire(reply))
}

/// The lines that match a pattern, to be serialized.
pub(in crate::render) fn grep_wire(reply: &GrepReply) -> impl Serialize {
    WireGrep {
        pattern: &reply.pattern,
        results: reply.lines.iter().map(WireGrepLine::new).collect(),
        total_lines: reply.total_lines,
        total_files: reply.total_files,
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

/// The files whose names match.
pub fn files(reply: &FilesReply) -> String {
    line(&files_wire(reply))
}

/// The files whose names match, to be serialized.
pub(in crate::render) fn files_wire(reply: &FilesReply) -> impl Serialize {
    let row = |row| WireFile::new(row);
    WireFiles {
        pattern: &reply.pattern,
        results: reply.files.iter().map(row).collect(),
        total: reply.total,
        left_out: reply.left_out,
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

/// The definitions whose names match.
pub fn symbols(reply: &SymbolsReply) -> String {
    line(&symbols_wire(reply))
}

/// The definitions whose names match, to be serialized.
pub(in crate::render) fn symbols_wire(reply: &SymbolsReply) -> impl Serialize {
    WireSymbols {
        pattern: &reply.pattern,
        results: reply.symbols.iter().map(WireSymbol::new).collect(),
        total: reply.total,
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

/// The outline of a tree.
pub fn map(reply: &MapReply) -> String {
    line(&map_wire(reply))
}

/// The outline of a tree, to be serialized.
pub(in crate::render) fn map_wire(reply: &MapReply) -> impl Serialize {
    WireMap {
        path: reply.path.as_str(),
        files: reply.files,
        lines: reply.lines,
        symbols: reply.symbols,
        languages: languages(&reply.languages),
        entries: reply.entries.iter().map(WireMapEntry::new).collect(),
        complete: reply.all_rows_listed,
        snapshot: WireSnapshot::new(&reply.snapshot),
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
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireGrepLine<'a> {
    path: &'a str,
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
    fn new(line: &'a GrepLine) -> WireGrepLine<'a> {
        WireGrepLine {
            path: line.path.as_str(),
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
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireFile<'a> {
    path: &'a str,
    language: &'a str,
    /// `null` for a path-only file.
    lines: Option<u32>,
    bytes: u64,
    matched: &'static str,
    /// Half-open byte ranges in the path.
    highlights: Vec<[u32; 2]>,
}

impl<'a> WireFile<'a> {
    fn new(row: &'a FileRow) -> WireFile<'a> {
        WireFile {
            path: row.path.as_str(),
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
    warnings: &'a [String],
}

#[derive(Serialize)]
pub(super) struct WireSymbol<'a> {
    path: &'a str,
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
    pub(super) fn new(row: &'a SymbolRow) -> WireSymbol<'a> {
        WireSymbol {
            path: row.path.as_str(),
            line: row.lines.first,
            end_line: row.lines.last,
            kind: row.kind.name(),
            name: &row.name,
            container: row.container.as_deref(),
            language: row.language,
            highlights: spans(&row.highlights),
        }
    }
}

#[derive(Serialize)]
struct WireMap<'a> {
    path: &'a str,
    files: usize,
    lines: u64,
    symbols: usize,
    languages: Vec<WireLanguageCount<'a>>,
    entries: Vec<WireMapEntry<'a>>,
    complete: bool,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireMapEntry<'a> {
    path: &'a str,
    is_dir: bool,
    depth: u32,
    files: usize,
    lines: u64,
    languages: Vec<WireLanguageCount<'a>>,
    symbols: Vec<WireMapSymbol<'a>>,
    total_symbols: usize,
}

impl<'a> WireMapEntry<'a> {
    fn new(entry: &'a MapEntry) -> WireMapEntry<'a> {
        let symbol = |symbol: &'a MapSymbol| WireMapSymbol {
            name: &symbol.name,
            kind: symbol.kind.name(),
            path: symbol.path.as_str(),
            line: symbol.lines.first,
            end_line: symbol.lines.last,
            depth: symbol.depth,
        };
        WireMapEntry {
            path: entry.path.as_str(),
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
    path: &'a str,
    line: u32,
    end_line: u32,
    /// The number of enclosing symbols in the same file.
    depth: u32,
}
