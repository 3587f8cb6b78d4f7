//! Unranked answers for agents: lines by pattern, files and definitions by name, the outline of a tree.

use std::fmt::Write;

use super::answer::{
    Answer, asked_for, clean_value, cut, link, rows, rows_that_fit, short_name, span, tokens, with_footer,
};
use super::sources;
use crate::render::places::{RowPlaces, agent_path};
use crate::render::text::{count, scattered, tally};
use spyhop_base::clean::{self, line as clean};
use spyhop_base::text::Lines;
use spyhop_engine::api::{FilesReply, GrepReply, MapEntry, MapReply, MapRequest, SymbolsReply};

/// The lines that match a pattern.
pub fn grep(reply: &GrepReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, found) in rows(&mut data, "results").zip(&reply.lines) {
        let lines = Lines { first: found.line, last: found.line };
        wire.insert("link".into(), link(places.root(found.source.as_ref()), &found.path, Some(lines)).into());
    }
    Answer { text: grep_text(reply, reply.lines.len()), data }
}

/// The lines that fit.
pub fn grep_within(mut reply: GrepReply, budget: usize) -> Answer {
    // If a page ends early, its cursor contains the path of a file of this page.
    let longest = reply.lines.iter().map(|line| line.path.as_str().len()).max().unwrap_or_default();
    let next = reply.next.clone().or_else(|| Some("x".repeat(2 * longest + 40)));
    let page = GrepReply { next, ..reply.clone() };
    reply.truncate(rows_that_fit(reply.lines.len(), budget, |lines| grep_text(&page, lines)).max(1));
    let answer = grep(&reply);
    if reply.lines.len() <= 1 { cut(answer, budget) } else { answer }
}

/// The lines of each file below its path, those in one definition below its name: `12:` for a matching line, `13-` for a
/// context line.
fn grep_text(reply: &GrepReply, lines: usize) -> String {
    let mut out = String::new();
    if reply.lines.is_empty() {
        nothing(
            &mut out,
            (&reply.pattern, reply.total_lines),
            "codebase_search finds code by what it does, file_search files by name",
        );
    }
    let mut file = None;
    let mut around = None;
    for found in &reply.lines[..lines] {
        if file != Some((&found.source, &found.path)) {
            let _ = writeln!(out, "{}", agent_path(found.source.as_ref(), &found.path));
            file = Some((&found.source, &found.path));
            around = None;
        }
        if let Some(enclosing) = found.enclosing.as_ref().filter(|enclosing| around != Some(*enclosing)) {
            let (kind, name) = (enclosing.kind.name(), short_name(&enclosing.name));
            let _ = writeln!(out, "  {kind} {name}, lines {}", span(enclosing.lines));
        }
        if around.is_some() && found.enclosing.is_none() {
            let _ = writeln!(out, "  outside of definitions");
        }
        around = found.enclosing.as_ref();
        for context in &found.before {
            let _ = writeln!(out, "{}-{}", context.line, clean(&context.text));
        }
        let cut = if found.cut { " …" } else { "" };
        let _ = writeln!(out, "{}:{}{cut}", found.line, clean(&found.text));
        for context in &found.after {
            let _ = writeln!(out, "{}-{}", context.line, clean(&context.text));
        }
    }
    let at_least = if reply.incomplete.is_none() { "" } else { "at least " };
    let _ = writeln!(
        out,
        "\n{lines} of {at_least}{} in {}",
        count(reply.total_lines, "line", "lines"),
        count(reply.total_files, "file", "files"),
    );
    if let Some(why) = &reply.incomplete {
        let _ = writeln!(out, "not complete: {}", clean(why));
    }
    sources::lines(&mut out, &reply.sources, reply.lines[..lines].iter().map(|row| row.source.as_ref()));
    with_footer(out, None, &reply.warnings, reply.next.as_deref())
}

/// The files whose names match.
pub fn files(reply: &FilesReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, row) in rows(&mut data, "results").zip(&reply.files) {
        wire.insert("link".into(), link(places.root(row.source.as_ref()), &row.path, None).into());
    }
    Answer { text: files_text(reply, reply.files.len()), data }
}

/// The files that fit.
pub fn files_within(mut reply: FilesReply, budget: usize) -> Answer {
    let next = reply.next.clone().or_else(|| Some("x".repeat(60)));
    let page = FilesReply { next, ..reply.clone() };
    reply.truncate(rows_that_fit(reply.files.len(), budget, |files| files_text(&page, files)).max(1));
    files(&reply)
}

fn files_text(reply: &FilesReply, files: usize) -> String {
    let mut out = String::new();
    if reply.files.is_empty() {
        nothing(
            &mut out,
            (&reply.pattern, reply.total),
            "grep_files finds text in files, skipped_files what is left out",
        );
    }
    for row in &reply.files[..files] {
        let lines =
            row.lines.map_or("by path only".to_string(), |lines| count(lines as usize, "line", "lines"));
        let _ = writeln!(out, "{} ({}, {lines})", agent_path(row.source.as_ref(), &row.path), row.language);
    }
    let _ = writeln!(out, "\n{files} of {}", count(reply.total, "file", "files"));
    if reply.left_out > 0 {
        let _ = writeln!(out, "{} left out; a more exact pattern finds them", scattered(reply.left_out));
    }
    sources::lines(&mut out, &reply.sources, reply.files[..files].iter().map(|row| row.source.as_ref()));
    with_footer(out, None, &reply.warnings, reply.next.as_deref())
}

/// The definitions whose names match.
pub fn symbols(reply: &SymbolsReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, row) in rows(&mut data, "results").zip(&reply.symbols) {
        wire.insert("link".into(), link(places.root(row.source.as_ref()), &row.path, Some(row.lines)).into());
    }
    Answer { text: symbols_text(reply, reply.symbols.len()), data }
}

/// The definitions that fit.
pub fn symbols_within(mut reply: SymbolsReply, budget: usize) -> Answer {
    let next = reply.next.clone().or_else(|| Some("x".repeat(60)));
    let page = SymbolsReply { next, ..reply.clone() };
    reply.truncate(rows_that_fit(reply.symbols.len(), budget, |symbols| symbols_text(&page, symbols)).max(1));
    symbols(&reply)
}

fn symbols_text(reply: &SymbolsReply, symbols: usize) -> String {
    let mut out = String::new();
    if reply.symbols.is_empty() {
        nothing(
            &mut out,
            (&reply.pattern, reply.total),
            "grep_files finds text as written, codebase_search code by what it does",
        );
    }
    for row in &reply.symbols[..symbols] {
        let path = agent_path(row.source.as_ref(), &row.path);
        let name = short_name(&row.qualified());
        let _ = writeln!(out, "{path}:{} {} {name}", span(row.lines), row.kind.name());
    }
    let _ = writeln!(out, "\n{symbols} of {}", count(reply.total, "definition", "definitions"));
    sources::lines(&mut out, &reply.sources, reply.symbols[..symbols].iter().map(|row| row.source.as_ref()));
    with_footer(out, None, &reply.warnings, reply.next.as_deref())
}

/// The outline of a tree.
pub fn map(reply: &MapReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, entry) in rows(&mut data, "entries").zip(&reply.entries) {
        wire.insert("link".into(), link(places.root(entry.source.as_ref()), &entry.path, None).into());
    }
    let mut out = String::new();
    let path = if reply.path.as_str().is_empty() { "." } else { reply.path.as_str() };
    let _ = writeln!(
        out,
        "{}: {}, {}, {}; {}",
        clean::answer_path(path),
        count(reply.files, "file", "files"),
        count(reply.lines as usize, "line", "lines"),
        count(reply.symbols, "symbol", "symbols"),
        tally(reply.languages.iter().copied()),
    );
    for entry in &reply.entries {
        map_entry(&mut out, entry);
    }
    let hint = if reply.all_rows_listed {
        ""
    } else {
        " · not everything: raise max_items or depth, or give a path"
    };
    let _ = writeln!(out, "\n{}{hint}", count(reply.entries.len(), "folder or file", "folders and files"));
    sources::lines(&mut out, &reply.sources, reply.entries.iter().map(|row| row.source.as_ref()));
    Answer { text: with_footer(out, None, &reply.warnings, None), data }
}

/// Answers a map request.
///
/// A map has no pages: when it is too long, the request runs again with as many rows as should
/// fit.
///
/// # Errors
/// Those of `ask`.
pub fn map_within<E>(
    ask: impl Fn(&MapRequest) -> Result<MapReply, E>,
    request: &MapRequest,
    budget: usize,
) -> Result<Answer, E> {
    let mut request = request.clone();
    loop {
        let answer = map(&ask(&request)?);
        let tokens = tokens(&answer.text);
        if tokens <= budget {
            return Ok(answer);
        }
        if request.max_items == 1 {
            return Ok(cut(answer, budget));
        }
        request.max_items = (request.max_items * budget / tokens).clamp(1, request.max_items - 1);
    }
}

fn map_entry(out: &mut String, entry: &MapEntry) {
    let indent = "  ".repeat(entry.depth as usize);
    let _ = write!(out, "{indent}{}", agent_path(entry.source.as_ref(), &entry.path));
    if entry.is_dir {
        let languages: Vec<&str> = entry.languages.iter().map(|(name, _)| *name).collect();
        let _ = write!(out, "/ ({}, {})", count(entry.files, "file", "files"), languages.join(", "));
    } else {
        let _ = write!(out, " ({})", count(entry.lines as usize, "line", "lines"));
    }
    out.push('\n');
    for symbol in &entry.symbols {
        let inside = "  ".repeat(symbol.depth as usize);
        let _ = write!(out, "{indent}  {inside}{} {} ", symbol.kind.name(), short_name(&symbol.name));
        // Below a file, the path would be repeated.
        let place = if entry.is_dir { symbol.path.as_str() } else { "" };
        let _ = writeln!(out, "{}:{}", clean::answer_path(place), span(symbol.lines));
    }
}

/// Says that there is nothing, and which tools find something else; of a page behind the last one, how many results there are.
fn nothing(out: &mut String, (pattern, total): (&str, usize), advice: &str) {
    let asked = asked_for(pattern);
    let _ = match total {
        0 => writeln!(out, "No results found{asked}\n{advice}."),
        total => writeln!(out, "No further results{asked} ({total} in all)"),
    };
}
