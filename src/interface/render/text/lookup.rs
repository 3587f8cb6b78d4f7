//! The text of `grep`, `files`, `symbols` and `map` for people. A line of grep is `path:line:text`, as ripgrep prints it into a pipe: every line repeats
//! the path, so each line can be read alone. If a page contains the whole answer, no footer follows, so that counting lines
//! counts matches.

use std::fmt::Write;

use super::counts::{bytes, count, scattered};
use super::page::nothing_indexed;
use crate::render::command::quoted;
use crate::render::paint::{Ink, Style, highlighted};
use crate::render::places::RowPlaces;
use spyhop_base::clean::{self, line as clean};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_engine::api::{
    ContextLine, FilesReply, GrepLine, GrepReply, MapEntry, MapReply, MapSymbol, Snapshot, SourceName,
    SymbolsReply,
};

/// The lines that match a pattern.
pub fn grep(reply: &GrepReply, style: &Style) -> String {
    let pattern = clean(&reply.pattern);
    if reply.lines.is_empty() && reply.total_lines > 0 {
        return format!("No further results for: {pattern} ({} in all)\n", reply.total_lines);
    }
    let mut out = String::new();
    let mut last: Option<(Option<&SourceName>, &RelPath, u32)> = None;
    let has_context = reply.lines.iter().any(|line| !(line.before.is_empty() && line.after.is_empty()));
    for line in &reply.lines {
        let first = line.before.first().map_or(line.line, |line| line.line);
        let follows = last == Some((line.source.as_ref(), &line.path, first.saturating_sub(1)));
        if has_context && last.is_some() && !follows {
            let _ = writeln!(out, "{}", style.paint(Ink::Dim, "--"));
        }
        grep_line(&mut out, line, reply, style);
        last =
            Some((line.source.as_ref(), &line.path, line.after.last().map_or(line.line, |line| line.line)));
    }
    if out.is_empty() {
        out = format!("No results found for: {pattern}\n");
    } else if reply.next.is_some() {
        let at_least = if reply.incomplete.is_none() { "" } else { "at least " };
        let lines = count(reply.total_lines, "line", "lines");
        let files = count(reply.total_files, "file", "files");
        let text = format!("{} of {at_least}{lines} in {files}", reply.lines.len());
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    if let Some(reason) = &reply.incomplete {
        let text = style.clip(0, &format!("not complete: {}", clean(reason)));
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &text));
    }
    next_page_hint(&mut out, reply.next.as_deref(), style);
    out
}

/// A line with its context.
fn grep_line(out: &mut String, line: &GrepLine, reply: &GrepReply, style: &Style) {
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    let source = line.source.as_ref();
    let path = style.paint(Ink::Path, &places.clean(style, source, &line.path));
    let place = |number: u32, sign: char| {
        let number = style.paint(Ink::Line, &number.to_string());
        let place = format!("{path}{sign}{number}");
        format!("{}{sign}", style.link(&places.file(source, &line.path), &place))
    };
    let context = |out: &mut String, lines: &[ContextLine]| {
        for line in lines {
            let _ = writeln!(out, "{}{}", place(line.line, '-'), clean(&line.text));
        }
    };
    context(out, &line.before);
    let text = highlighted(&line.text, 0, &line.highlights, style);
    let cut = if line.cut { style.paint(Ink::Dim, " …") } else { String::new() };
    let _ = writeln!(out, "{}{text}{cut}", place(line.line, ':'));
    context(out, &line.after);
}

/// The files whose names match: a line each, with the path first.
pub fn files(reply: &FilesReply, style: &Style) -> String {
    let mut out = String::new();
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for row in &reply.files {
        let source = row.source.as_ref();
        let path = match row.highlights.is_empty() {
            true => style.paint(Ink::Path, &places.clean(style, source, &row.path)),
            false => {
                let (prefix, strip) = places.split(style, source, row.path.as_str());
                clean(&prefix) + &highlighted(&row.path.as_str()[strip..], strip, &row.highlights, style)
            }
        };
        let path = style.link(&places.file(source, &row.path), &path);
        let size = match row.lines {
            Some(lines) => count(lines as usize, "line", "lines"),
            None => format!("{}, by path only", bytes(row.bytes)),
        };
        let _ = writeln!(out, "{path}  {}", style.paint(Ink::Dim, &format!("{}  {size}", row.language)));
    }
    with_footer(out, &files_footer(reply, style))
}

/// Rows and, below a blank line, their footer.
fn with_footer(rows: String, footer: &str) -> String {
    let gap = if rows.is_empty() || footer.is_empty() { "" } else { "\n" };
    rows + gap + footer
}

/// The definitions whose names match, for a terminal: a line each, as `path:line: kind name`.
pub fn symbols(reply: &SymbolsReply, style: &Style) -> String {
    with_footer(symbol_rows(reply, true, "", style), &symbols_footer(reply, style))
}

/// The definitions of a page as lines `path:line: kind name` for programs, with a column if `column` is set.
pub fn symbol_lines(reply: &SymbolsReply, column: bool, style: &Style) -> String {
    symbol_rows(reply, false, if column { ":1" } else { "" }, style)
}

fn symbol_rows(reply: &SymbolsReply, is_linked: bool, column: &str, style: &Style) -> String {
    let mut out = String::new();
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for row in &reply.symbols {
        let source = row.source.as_ref();
        let path = style.paint(Ink::Path, &places.clean(style, source, &row.path));
        let line = style.paint(Ink::Line, &row.lines.first.to_string());
        let place = format!("{path}:{line}{column}");
        let place = if is_linked { style.link(&places.file(source, &row.path), &place) } else { place };
        let name = match row.highlights.is_empty() {
            true => style.paint(Ink::Symbol, &clean(&row.name)),
            false => highlighted(&row.name, 0, &row.highlights, style),
        };
        let container = row.container.as_ref().map(|name| format!("{}.", clean(name))).unwrap_or_default();
        let _ = writeln!(out, "{place}: {} {container}{name}", row.kind.name());
    }
    out
}

/// What is said about a page of definitions beside their lines; empty if the page is the whole answer.
pub fn symbols_footer(reply: &SymbolsReply, style: &Style) -> String {
    if reply.symbols.is_empty() {
        return empty_page(&reply.pattern, reply.total, &reply.snapshot);
    }
    let mut out = String::new();
    if reply.next.is_some() {
        let text = format!("{} of {}", reply.symbols.len(), count(reply.total, "definition", "definitions"));
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &text));
    }
    next_page_hint(&mut out, reply.next.as_deref(), style);
    out
}

/// The paths of a page, each with `end` after it. A path that contains a line end is quoted, unless `end` is NUL.
pub fn paths(reply: &FilesReply, end: char, style: &Style) -> String {
    let mut out = String::new();
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for row in &reply.files {
        let path = places.shown(style, row.source.as_ref(), &row.path);
        match end != '\0' && path.contains(['\n', '\r']) {
            true => out.push_str(&clean::path(&path)),
            false => out.push_str(&path),
        }
        out.push(end);
    }
    out
}

/// The number of files on a page, of all files, and of those that were left out.
fn files_counts(reply: &FilesReply) -> String {
    let mut text = format!("{} of {}", reply.files.len(), count(reply.total, "file", "files"));
    if reply.left_out > 0 {
        let them = if reply.left_out == 1 { "it" } else { "them" };
        let _ = write!(text, " · {} left out: --scattered shows {them}", scattered(reply.left_out));
    }
    text
}

/// What is said about a page of files beside their paths; empty if the page is the whole answer.
pub fn files_footer(reply: &FilesReply, style: &Style) -> String {
    if reply.files.is_empty() {
        return empty_page(&reply.pattern, reply.total, &reply.snapshot);
    }
    let mut out = String::new();
    if reply.next.is_some() || reply.left_out > 0 {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &files_counts(reply)));
    }
    next_page_hint(&mut out, reply.next.as_deref(), style);
    out
}

/// The outline of a tree: folders and files indented by their depth, each with its main symbols.
pub fn map(reply: &MapReply, style: &Style) -> String {
    let mut out = String::new();
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for entry in &reply.entries {
        let indent = "  ".repeat(entry.depth as usize);
        let _ = writeln!(out, "{indent}{}", map_heading(entry, places, style));
        for symbol in &entry.symbols {
            let indent = if entry.is_dir { 1 } else { symbol.depth + 1 } + entry.depth;
            let kind = symbol.kind.name();
            let name = style.paint(Ink::Symbol, &clean(&symbol.name));
            let _ = writeln!(
                out,
                "{}{kind} {name}  {}",
                "  ".repeat(indent as usize),
                location(entry, symbol, places, style)
            );
        }
    }
    let text = if out.is_empty() { "No file is indexed here.\n" } else { "" };
    out.push_str(text);
    if !reply.all_rows_listed {
        let text = "not complete: ask for a folder below, or for more with --max-items";
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &style.clip(0, text)));
    }
    out
}

/// `engine/  8 files, 2046 lines: rust 8`.
fn map_heading(entry: &MapEntry, places: RowPlaces<'_>, style: &Style) -> String {
    let path = match (entry.path.as_str(), &entry.source) {
        ("", None) => clean::path(&style.paths.shown("")).into_owned(),
        ("", Some(name)) => format!("{name}:"),
        _ => places.clean(style, entry.source.as_ref(), &entry.path),
    };
    let path = if path.is_empty() { ".".to_string() } else { path };
    let path = if entry.is_dir { format!("{}/", path.trim_end_matches('/')) } else { path };
    let path = style.paint(Ink::Path, &path);
    let languages: Vec<String> = match entry.is_dir {
        true => entry.languages.iter().map(|(name, files)| format!("{name} {files}")).collect(),
        false => entry.languages.iter().map(|(name, _)| name.to_string()).collect(),
    };
    let files =
        if entry.is_dir { format!("{}, ", count(entry.files, "file", "files")) } else { String::new() };
    let lines = count(entry.lines as usize, "line", "lines");
    format!("{path}  {}", style.paint(Ink::Dim, &format!("{files}{lines}: {}", languages.join(", "))))
}

/// The location of a symbol: its lines below a file, its path and line below a folder.
fn location(entry: &MapEntry, symbol: &MapSymbol, places: RowPlaces<'_>, style: &Style) -> String {
    let Lines { first, last } = symbol.lines;
    if !entry.is_dir {
        return style.paint(Ink::Line, &format!("{first}-{last}"));
    }
    let path = places.clean(style, entry.source.as_ref(), &symbol.path);
    format!("{}:{}", style.paint(Ink::Path, &path), style.paint(Ink::Line, &first.to_string()))
}

/// The text of a page without rows: the pages are exhausted, or nothing matches.
fn empty_page(pattern: &str, total: usize, snapshot: &Snapshot) -> String {
    let pattern = clean(pattern);
    match total {
        0 if snapshot.indexed_files == 0 => {
            format!("No results found for: {pattern}\n{}", nothing_indexed(snapshot))
        }
        0 if pattern.trim().is_empty() => "No results found\n".to_string(),
        0 if pattern.contains(['*', '?', '[']) => {
            format!("No results found for: {pattern}\n")
        }
        0 => format!(
            "No results found for: {pattern}\n  `spyhop search {}` searches the code for these words.\n",
            pattern.split_whitespace().map(quoted).collect::<Vec<_>>().join(" ")
        ),
        _ => format!("No further results for: {pattern} ({total} in all)\n"),
    }
}

/// Adds the option that requests the next page.
fn next_page_hint(out: &mut String, next: Option<&str>, style: &Style) {
    if let Some(next) = next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean(next))));
    }
}
