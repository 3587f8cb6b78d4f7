//! The parts of a text that several replies share: places, names, grades, code, counts.

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use super::counts::count;
use crate::analyze::syntax;
use crate::clean::{self, line as clean};
use crate::engine::api::{Band, Hit, Reason, SearchReply, Snippet};
use crate::profile::Signal;
use crate::render::paint::{Ink, Style, TextMarks, source};

/// The snippet with line numbers, matches highlighted.
pub(super) fn code(snippet: &Snippet, language: &str, style: &Style) -> String {
    code_lines(snippet, language, (usize::MAX, false), style)
}

/// The lines of a snippet that are shown, by their positions.
fn window(lines: &[&str], most: usize, snippet: &Snippet) -> Range<usize> {
    if lines.len() <= most {
        return 0..lines.len();
    }
    let mut ends = Vec::with_capacity(lines.len() + 1);
    ends.push(0);
    lines.iter().for_each(|line| ends.push(ends[ends.len() - 1] + line.len()));
    let matches_in = |from: usize| {
        let bytes = ends[from]..ends[from + most];
        snippet.highlights.iter().filter(|span| bytes.contains(&(span.start as usize))).count()
    };
    // The first line says what the place is, so that it is left out only for more matches than it has.
    let first = (0..=lines.len() - most).max_by_key(|&from| (matches_in(from), std::cmp::Reverse(from)));
    first.map_or(0..most, |from| from..from + most)
}

/// As [`code`], but of the snippet's own text no more than `most` lines: those with the most matches, the first of
/// them where several have as many. `clips` truncates lines to the width of the screen.
pub(super) fn code_lines(
    snippet: &Snippet,
    language: &str,
    (most, clips): (usize, bool),
    style: &Style,
) -> String {
    let tokens = |text: &str| if style.color { syntax(language, text) } else { Vec::new() };
    let digits = snippet.lines.last.to_string().len().max(4);
    let room = if clips && style.width > 0 { style.width.saturating_sub(digits + 5).max(1) } else { 0 };
    let mut out = String::new();
    let mut follows = snippet.lines.first;
    for line in snippet.head.iter().rev() {
        let gap = if line.line + 1 < follows { format!("  {:>digits$} ┆\n", "") } else { String::new() };
        let number = style.paint(Ink::Line, &format!("{:>digits$}", line.line));
        let shown = format!(
            "  {number} │ {}",
            source(&line.text, 0, TextMarks { tokens: &tokens(&line.text), matches: &[] }, room, style)
        );
        out = format!("{}\n{gap}{out}", shown.trim_end());
        follows = line.line;
    }
    let lines: Vec<&str> = snippet.text.split_inclusive('\n').collect();
    let window = window(&lines, most, snippet);
    let marks = TextMarks { tokens: &tokens(&snippet.text), matches: &snippet.highlights };
    if window.start > 0 {
        let _ = writeln!(out, "  {:>digits$} ┆", "");
    }
    let mut start = 0;
    for (at, (number, line)) in (snippet.lines.first..).zip(&lines).enumerate() {
        if window.contains(&at) {
            let body = line.trim_end_matches(['\n', '\r']);
            let number = style.paint(Ink::Line, &format!("{number:>digits$}"));
            let painted = source(body, start, marks, room, style);
            let _ = writeln!(out, "{}", format!("  {number} │ {painted}").trim_end());
        }
        start += line.len();
    }
    if snippet.cut || window.end < lines.len() {
        let _ = writeln!(out, "  {:>digits$} ┆", "");
    }
    out
}

pub(super) fn location(hit: &Hit, root: &Path, style: &Style) -> String {
    let path = style.paths.shown(hit.path.as_str());
    let path = if style.agent { clean::answer_path(&path) } else { clean::path(&path) };
    let path = style.paint(Ink::Path, &path);
    let line = style.paint(Ink::Line, &hit.lines.first.to_string());
    style.link(&hit.path.below(root), &format!("{path}:{line}"))
}

pub(super) fn kind_and_symbol(hit: &Hit, style: &Style) -> String {
    match &hit.symbol {
        Some(symbol) => format!("{} {}", hit.kind.name(), style.paint(Ink::Symbol, &clean(symbol))),
        None => hit.kind.name().to_string(),
    }
}

pub(super) fn score_and_band(hit: &Hit, style: &Style) -> String {
    let ink = match hit.band {
        Band::High => Ink::High,
        Band::Good | Band::Possible => Ink::Good,
        Band::Weak => Ink::Weak,
    };
    style.paint(ink, &format!("{:.2} {}", hit.score, hit.band.name()))
}

pub(super) fn annotations(hit: &Hit, query: Option<&str>, style: &Style) -> String {
    let mut out = String::new();
    if hit.stale {
        let _ = write!(out, "  {}", style.paint(Ink::Alarm, "changed since indexed"));
    }
    if let Some(query) = query {
        let _ = write!(out, "  {}", style.paint(Ink::Dim, &format!("← {}", clean(query))));
    }
    out
}

/// Signals that every file has more or less of. They say nothing about one place.
const GENERAL: &[Signal] =
    &[Signal::Chunks, Signal::Depth, Signal::File, Signal::PathRelated, Signal::Size, Signal::Symbols];

/// Up to `most` reasons that say something about a hit's own place: those that speak for the place before those that
/// speak against it, the weightiest first. Where there are none, the first reason of all.
pub(in crate::render) fn telling(reasons: &[Reason], most: usize) -> Vec<&Reason> {
    let says = |reason: &&Reason| reason.signal != Signal::Base && !GENERAL.contains(&reason.signal);
    let (mut telling, against): (Vec<&Reason>, Vec<&Reason>) =
        reasons.iter().filter(says).partition(|reason| reason.contribution >= 0.0);
    telling.extend(against);
    telling.truncate(most);
    if telling.is_empty() {
        telling.extend(reasons.first());
    }
    telling
}

/// How many lines have the query as written, if any.
pub(super) fn literal_lines(reply: &SearchReply) -> Option<String> {
    let at_least = if reply.complete { "" } else { "at least " };
    let lines = || count(reply.literal_lines, "line holds", "lines hold");
    (reply.literal_lines > 0).then(|| format!("{at_least}{} the query as written", lines()))
}

/// The branch and commit of an answer, if there is one.
pub(super) fn checkout(reply: &SearchReply) -> Option<String> {
    let snapshot = &reply.snapshot;
    let commit = snapshot.commit.as_deref().map(|commit| commit.chars().take(10).collect::<String>());
    match (&snapshot.branch, commit) {
        (Some(branch), Some(commit)) => Some(format!("{}@{commit}", clean(branch))),
        (Some(name), None) => Some(clean(name)),
        (None, commit) => commit,
    }
}

/// What a page of `shown` hits says about itself.
pub(in crate::render) fn footer(reply: &SearchReply, shown: usize) -> String {
    let snapshot = &reply.snapshot;
    let mut parts = vec![format!("{shown} of {}", count(reply.total, "result", "results"))];
    parts.extend(literal_lines(reply));
    parts.extend(checkout(reply));
    parts.push(format!("generation {}", snapshot.generation));
    parts.push(count(snapshot.indexed_files, "file", "files"));
    if snapshot.skipped_files > 0 {
        parts.push(format!("{} skipped", snapshot.skipped_files));
    }
    if snapshot.stale_files > 0 {
        parts.push(format!("{} stale", snapshot.stale_files));
    }
    parts.join(" · ")
}
