//! Exact searches, files by name, and outlines.

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Snapshot, char_spans, frame, result_methods};
use crate::rows::Rows;

/// The lines that match a pattern. `len(reply)`, `reply[0]` and iteration are those of `reply.results`.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct GrepReply {
    pattern: String,
    results: Rows<GrepLine>,
    total_lines: usize,
    total_files: usize,
    incomplete: Option<String>,
    next: Option<String>,
    warnings: Vec<String>,
    snapshot: Snapshot,
}

impl From<spyhop::GrepReply> for GrepReply {
    fn from(reply: spyhop::GrepReply) -> GrepReply {
        GrepReply {
            pattern: reply.pattern,
            results: reply.lines.into_iter().map(GrepLine::from).collect(),
            total_lines: reply.total_lines,
            total_files: reply.total_files,
            incomplete: reply.incomplete.map(|why| why.text),
            next: reply.next,
            warnings: reply.warnings,
            snapshot: Snapshot::from(reply.snapshot),
        }
    }
}

result_methods!(GrepReply {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.results.objects(py)?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.results.objects(py)?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<GrepReply {:?}: {} of {} lines>", self.pattern, self.results.len(), self.total_lines)
    }

    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frame(this.py(), "of_lines", this.into_any())
    }
});

/// A line that matches.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct GrepLine {
    path: String,
    line: u32,
    column: u32,
    text: String,
    highlights: Vec<(usize, usize)>,
    cut: bool,
    enclosing: Option<String>,
    before: Rows<ContextLine>,
    after: Rows<ContextLine>,
}

impl From<spyhop::GrepLine> for GrepLine {
    fn from(line: spyhop::GrepLine) -> GrepLine {
        let spans = line.highlights.iter().map(|span| (span.start, span.end));
        GrepLine {
            path: line.path.to_string(),
            line: line.line,
            column: line.column,
            highlights: char_spans(&line.text, spans),
            text: line.text,
            cut: line.cut,
            enclosing: line.enclosing.map(|enclosing| enclosing.name),
            before: line.before.into_iter().map(ContextLine::from).collect(),
            after: line.after.into_iter().map(ContextLine::from).collect(),
        }
    }
}

result_methods!(GrepLine {
    fn __repr__(&self) -> String {
        format!("<GrepLine {}:{}: {}>", self.path, self.line, self.text.trim())
    }
});

/// A line beside a match.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextLine {
    line: u32,
    text: String,
}

impl From<spyhop::ContextLine> for ContextLine {
    fn from(line: spyhop::ContextLine) -> ContextLine {
        ContextLine { line: line.line, text: line.text }
    }
}

result_methods!(ContextLine {
    fn __repr__(&self) -> String {
        format!("<ContextLine {}: {}>", self.line, self.text.trim())
    }
});

/// The files whose name matches. `len(reply)`, `reply[0]` and iteration are those of `reply.results`.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct FilesReply {
    pattern: String,
    results: Rows<FileRow>,
    total: usize,
    left_out: usize,
    offset: usize,
    next: Option<String>,
    warnings: Vec<String>,
    snapshot: Snapshot,
}

impl From<spyhop::FilesReply> for FilesReply {
    fn from(reply: spyhop::FilesReply) -> FilesReply {
        FilesReply {
            pattern: reply.pattern,
            results: reply.files.into_iter().map(FileRow::from).collect(),
            total: reply.total,
            left_out: reply.left_out,
            offset: reply.offset,
            next: reply.next,
            warnings: reply.warnings,
            snapshot: Snapshot::from(reply.snapshot),
        }
    }
}

result_methods!(FilesReply {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.results.objects(py)?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.results.objects(py)?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<FilesReply {:?}: {} of {} files>", self.pattern, self.results.len(), self.total)
    }

    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frame(this.py(), "of_files", this.into_any())
    }
});

/// A file found by name.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRow {
    path: String,
    language: String,
    lines: Option<u32>,
    bytes: u64,
    matched: String,
    highlights: Vec<(usize, usize)>,
}

impl From<spyhop::FileRow> for FileRow {
    fn from(row: spyhop::FileRow) -> FileRow {
        let path = row.path.to_string();
        let highlights = char_spans(&path, row.highlights.iter().map(|span| (span.start, span.end)));
        FileRow {
            path,
            language: row.language.to_string(),
            lines: row.lines,
            bytes: row.bytes,
            matched: row.matched.name().to_string(),
            highlights,
        }
    }
}

result_methods!(FileRow {
    fn __repr__(&self) -> String {
        format!("<FileRow {}>", self.path)
    }
});

/// The outline of a tree, a folder or a file. `len(reply)`, `reply[0]` and iteration are those of `reply.results`.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct MapReply {
    path: String,
    files: usize,
    lines: u64,
    symbols: usize,
    languages: Vec<(String, usize)>,
    results: Rows<MapEntry>,
    complete: bool,
    warnings: Vec<String>,
    snapshot: Snapshot,
}

impl From<spyhop::MapReply> for MapReply {
    fn from(reply: spyhop::MapReply) -> MapReply {
        MapReply {
            path: reply.path.to_string(),
            files: reply.files,
            lines: reply.lines,
            symbols: reply.symbols,
            languages: owned(reply.languages),
            results: reply.entries.into_iter().map(MapEntry::from).collect(),
            complete: reply.all_rows_listed,
            warnings: reply.warnings,
            snapshot: Snapshot::from(reply.snapshot),
        }
    }
}

/// Counts with names of their own.
pub fn owned(counts: Vec<(&'static str, usize)>) -> Vec<(String, usize)> {
    counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect()
}

result_methods!(MapReply {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.results.objects(py)?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.results.objects(py)?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<MapReply {:?}: {} files, {} symbols>", self.path, self.files, self.symbols)
    }

    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frame(this.py(), "of_entries", this.into_any())
    }
});

/// A folder or a file of a map.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct MapEntry {
    path: String,
    is_dir: bool,
    depth: u32,
    files: usize,
    lines: u64,
    languages: Vec<(String, usize)>,
    symbols: Rows<MapSymbol>,
    total_symbols: usize,
}

impl From<spyhop::MapEntry> for MapEntry {
    fn from(entry: spyhop::MapEntry) -> MapEntry {
        MapEntry {
            path: entry.path.to_string(),
            is_dir: entry.is_dir,
            depth: entry.depth,
            files: entry.files,
            lines: entry.lines,
            languages: owned(entry.languages),
            symbols: entry.symbols.into_iter().map(MapSymbol::from).collect(),
            total_symbols: entry.total_symbols,
        }
    }
}

result_methods!(MapEntry {
    fn __repr__(&self) -> String {
        format!("<MapEntry {}{}>", self.path, if self.is_dir { "/" } else { "" })
    }
});

/// A symbol of a map.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct MapSymbol {
    name: String,
    kind: String,
    path: String,
    lines: (u32, u32),
    depth: u32,
}

impl From<spyhop::MapSymbol> for MapSymbol {
    fn from(symbol: spyhop::MapSymbol) -> MapSymbol {
        MapSymbol {
            name: symbol.name,
            kind: symbol.kind.name().to_string(),
            path: symbol.path.to_string(),
            lines: (symbol.lines.first, symbol.lines.last),
            depth: symbol.depth,
        }
    }
}

result_methods!(MapSymbol {
    fn __repr__(&self) -> String {
        format!("<MapSymbol {} {} {}:{}>", self.kind, self.name, self.path, self.lines.0)
    }
});
