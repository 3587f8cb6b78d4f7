//! The terminal's form of answers without ranking. A line of grep is `path:line:text`, as ripgrep prints it into a
//! pipe: every line repeats its path, so that any line can be read by itself. Where a page is all there is, nothing
//! stands behind it, so that counting lines counts matches.

use std::fmt::Write;

use super::super::paint::{Ink, Style, clean};
use super::{bytes, count, highlighted};
use crate::engine::api::{ContextLine, FilesReply, GrepLine, GrepReply};
use crate::path::RelPath;

/// The lines that match a pattern.
pub fn grep(reply: &GrepReply, style: &Style) -> String {
    let pattern = clean(&reply.pattern);
    if reply.lines.is_empty() && reply.total_lines > 0 {
        return format!("No further results for: {pattern} ({} in all)\n", reply.total_lines);
    }
    let mut out = String::new();
    let mut last: Option<(&RelPath, u32)> = None;
    let has_context = reply.lines.iter().any(|line| !(line.before.is_empty() && line.after.is_empty()));
    for line in &reply.lines {
        let first = line.before.first().map_or(line.line, |line| line.line);
        let follows = last.is_some_and(|(path, number)| *path == line.path && number + 1 == first);
        if has_context && last.is_some() && !follows {
            let _ = writeln!(out, "{}", style.paint(Ink::Dim, "--"));
        }
        grep_line(&mut out, line, reply, style);
        last = Some((&line.path, line.after.last().map_or(line.line, |line| line.line)));
    }
    if out.is_empty() {
        out = format!("No results found for: {pattern}\n");
    } else if reply.next.is_some() {
        let at_least = if reply.complete { "" } else { "at least " };
        let lines = count(reply.total_lines, "line", "lines");
        let files = count(reply.total_files, "file", "files");
        let text = format!("{} of {at_least}{lines} in {files}", reply.lines.len());
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    if let Some(reason) = &reply.incomplete {
        let text = style.clip(0, &format!("not complete: {}", clean(reason)));
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &text));
    }
    more(&mut out, reply.next.as_deref(), style);
    out
}

/// A line with its context.
fn grep_line(out: &mut String, line: &GrepLine, reply: &GrepReply, style: &Style) {
    let path = style.paint(Ink::Path, &clean(line.path.as_str()));
    let place = |number: u32, sign: char| {
        let number = style.paint(Ink::Line, &number.to_string());
        let place = format!("{path}{sign}{number}");
        format!("{}{sign}", style.link(&line.path.below(&reply.snapshot.root), &place))
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

/// The files whose name matches: a line each, the path first.
pub fn files(reply: &FilesReply, style: &Style) -> String {
    let pattern = clean(&reply.pattern);
    if reply.files.is_empty() && reply.total > 0 {
        return format!("No further results for: {pattern} ({} in all)\n", reply.total);
    }
    if reply.files.is_empty() {
        return format!("No results found for: {pattern}\n");
    }
    let mut out = String::new();
    for row in &reply.files {
        let path = match row.highlights.is_empty() {
            true => style.paint(Ink::Path, &clean(row.path.as_str())),
            false => highlighted(row.path.as_str(), 0, &row.highlights, style),
        };
        let path = style.link(&row.path.below(&reply.snapshot.root), &path);
        let size = match row.lines {
            Some(lines) => count(lines as usize, "line", "lines"),
            None => format!("{}, by path only", bytes(row.bytes)),
        };
        let _ = writeln!(out, "{path}  {}", style.paint(Ink::Dim, &format!("{}  {size}", row.language)));
    }
    if reply.next.is_some() {
        let text = format!("{} of {}", reply.files.len(), count(reply.total, "file", "files"));
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    more(&mut out, reply.next.as_deref(), style);
    out
}

/// How the next page is asked for.
fn more(out: &mut String, next: Option<&str>, style: &Style) {
    if let Some(next) = next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean(next))));
    }
}
