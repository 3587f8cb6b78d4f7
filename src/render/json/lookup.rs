//! The wire format of answers without ranking: grep, files.

use serde::Serialize;

use super::{WireSnapshot, line};
use crate::engine::api::{ContextLine, FileRow, FilesReply, GrepLine, GrepReply};
use crate::text::Span;

/// The lines that match a pattern.
pub fn grep(reply: &GrepReply) -> String {
    line(&WireGrep {
        pattern: &reply.pattern,
        results: reply.lines.iter().map(WireGrepLine::new).collect(),
        total_lines: reply.total_lines,
        total_files: reply.total_files,
        complete: reply.complete,
        incomplete: reply.incomplete.as_deref(),
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    })
}

/// The files whose name matches.
pub fn files(reply: &FilesReply) -> String {
    let row = |row| WireFile::new(row);
    line(&WireFiles {
        pattern: &reply.pattern,
        results: reply.files.iter().map(row).collect(),
        total: reply.total,
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    })
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
    /// Why it is not complete.
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
    /// Half-open ranges of bytes of the text.
    highlights: Vec<[u32; 2]>,
    cut: bool,
    before: Vec<WireContextLine<'a>>,
    after: Vec<WireContextLine<'a>>,
}

#[derive(Serialize)]
struct WireContextLine<'a> {
    line: u32,
    text: &'a str,
}

impl<'a> WireGrepLine<'a> {
    fn new(line: &'a GrepLine) -> WireGrepLine<'a> {
        let context = |lines: &'a [ContextLine]| -> Vec<WireContextLine<'a>> {
            lines.iter().map(|line| WireContextLine { line: line.line, text: &line.text }).collect()
        };
        WireGrepLine {
            path: line.path.as_str(),
            line: line.line,
            column: line.column,
            text: &line.text,
            highlights: spans(&line.highlights),
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
    next: Option<&'a str>,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireFile<'a> {
    path: &'a str,
    language: &'a str,
    /// `null` for a file that is found by its path only.
    lines: Option<u32>,
    bytes: u64,
    matched: &'static str,
    /// Half-open ranges of bytes of the path.
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
