//! Replies as text for people: complete strings with their last line end.
//!
//! This module decides the layout. `paint` handles colours, links and the cleaning of foreign text; the engine computes the
//! numbers. A hit is headed by `path:line`, because that is the form editors and terminals open, and every heading
//! repeats the path: output is read from the end as often as from the beginning.

mod index;
mod lookup;

use std::fmt::Write;
use std::path::Path;

pub use self::index::{checkup, collected, exported, imported, refresh, status, views, watched};
pub use self::lookup::{files, grep, map, symbols};
use super::paint::{Ink, Style};
use super::rfc3339;
use crate::clean::{self, line as clean};
use crate::engine::LanguageRow;
use crate::engine::api::{
    Band, Cause, Exception, Explanation, Hit, Mode, OverridingRule, PathOutcome, Reason, SearchReply,
    SkippedReply, Snippet, Verdict, WhyNot,
};
use crate::model::SkipReason;
use crate::profile::Signal;
use crate::text::Span;

/// A search's reply: in compact mode one line a hit, else blocks and a line on where the answer comes from.
pub fn search(reply: &SearchReply, mode: Mode, style: &Style) -> String {
    answer(reply, &[], mode, style)
}

/// The reply to several queries; each hit names the query that found it.
pub fn batch(reply: &SearchReply, queries: &[String], mode: Mode, style: &Style) -> String {
    answer(reply, queries, mode, style)
}

/// What is left out: a line an entry, then the counts.
pub fn skipped(reply: &SkippedReply, style: &Style) -> String {
    let mut out = String::new();
    for entry in &reply.entries {
        let path = format!("{}{}", clean::path(entry.path.as_str()), if entry.is_dir { "/" } else { "" });
        let _ = write!(out, "{}  {}", style.paint(Ink::Path, &path), entry.reason.name());
        if !entry.detail.is_empty() {
            let _ = write!(out, "  {}", style.paint(Ink::Dim, &clean(&entry.detail)));
        }
        out.push('\n');
    }
    if !reply.counts.is_empty() {
        out.push('\n');
    }
    for &(reason, files) in &reply.counts {
        let head = format!("{files:>7} {:<14}", reason.name());
        let _ = writeln!(out, "{head} {}", style.paint(Ink::Dim, reason.sentence()));
    }
    if out.is_empty() { "Nothing was left out.\n".to_string() } else { out }
}

/// What becomes of one path: a sentence, then what else counts, a line each.
pub fn explanation(explanation: &Explanation, style: &Style) -> String {
    let mut out = format!("{}\n", clean(&explanation.text));
    let mut line = |text: &str| {
        let _ = writeln!(out, "  {}", style.clip(2, &clean(text)));
    };
    if let Some(row) = explanation.fate.row() {
        line(row.reason.sentence());
    }
    if let PathOutcome::LeftOut(_, Cause::BuiltIn(fire)) = &explanation.fate {
        line(&format!("It is taken for {}.", fire.sentence));
    }
    for exception in &explanation.exceptions {
        let Exception { path, over, by, reason } = exception;
        line(&format!(
            "{}: {} ({over}), but {}",
            clean::path(path.as_str()),
            reason.name(),
            keeper_words(by)
        ));
    }
    match explanation.fate.row() {
        Some(row) if explanation.tracked && row.reason == SkipReason::Ignored => {
            line("Git tracks it all the same; ignore files count for tracked files too, as in ripgrep.");
        }
        _ => {}
    }
    if let Some(remedy) = &explanation.remedy {
        line(&format!("To bring it back, write '{remedy}' into .spyhopignore at the root."));
    }
    out
}

fn keeper_words(keeper: &OverridingRule) -> String {
    match keeper {
        OverridingRule::Rule(rule) => format!("{rule} wants it"),
        OverridingRule::Git => "git tracks it".to_string(),
        OverridingRule::Option(name) => format!("--{} is given", name.replace('_', "-")),
        OverridingRule::NoRepository => "no repository says whether somebody keeps it".to_string(),
    }
}

/// Why a file ranks where it does.
pub fn why_not(answer: &WhyNot, root: &Path, style: &Style) -> String {
    let mut out = format!("{}\n", clean(&answer.text));
    if let Verdict::Skipped(entry) = &answer.verdict {
        let _ = writeln!(out, "  {}", style.clip(2, entry.reason.sentence()));
    }
    if let Some(hit) = &answer.hit {
        out.push('\n');
        out.push_str(&block(hit, None, root, Mode::Debug, style));
    }
    if !answer.missing.is_empty() {
        out.push_str("\nagainst the tenth hit:\n");
    }
    for gap in &answer.missing {
        let _ = writeln!(
            out,
            "  {:<13} {:+.3}, the tenth has {:+.3}",
            gap.signal.name(),
            gap.own + 0.0,
            gap.tenth + 0.0
        );
    }
    out
}

/// The languages, a line each.
pub fn languages(rows: &[LanguageRow], style: &Style) -> String {
    let mut out = String::new();
    let width = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or_default();
    for row in rows {
        let files = row.files.map_or(String::new(), |files| files.to_string());
        let name = style.paint(Ink::Symbol, &format!("{:<12}", row.name));
        let line = format!("{name} {:<width$} {files:>8}  {}", row.title, row.extensions.join(" "));
        let _ = writeln!(out, "{}{}", line.trim_end(), if row.overridden { "  (overridden)" } else { "" });
    }
    out
}

fn answer(reply: &SearchReply, queries: &[String], mode: Mode, style: &Style) -> String {
    if reply.results.is_empty() && reply.total > 0 {
        return format!("No further results for: {} ({} in all)\n", clean(&reply.query), reply.total);
    }
    if reply.results.is_empty() {
        return format!("No results found for: {}\n", clean(&reply.query));
    }
    let root = &reply.snapshot.root;
    let mut out = String::new();
    let mut before = None;
    for hit in &reply.results {
        let query = queries.get(hit.query_index).map(String::as_str);
        if mode == Mode::Compact {
            out.push_str(&compact(hit, query, root, style));
            continue;
        }
        // Neighbouring hits of one file stand together; a blank line begins the next file.
        if before.is_some_and(|path| path != &hit.path) {
            out.push('\n');
        }
        before = Some(&hit.path);
        out.push_str(&block(hit, query, root, mode, style));
    }
    if mode != Mode::Compact {
        let _ =
            writeln!(out, "\n{}", style.paint(Ink::Dim, &style.clip(0, &footer(reply, reply.results.len()))));
        if let (Mode::Debug, Some(time)) = (mode, reply.snapshot.checked_at) {
            let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("checked at {}", rfc3339(time))));
        }
    }
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean(next))));
    }
    out
}

/// One line a hit: `path:line: kind symbol  score band  reason`.
fn compact(hit: &Hit, query: Option<&str>, root: &Path, style: &Style) -> String {
    let mut line = format!("{}: {}  {}", place(hit, root, style), what(hit, style), grade(hit, style));
    if let Some(reason) = telling(&hit.reasons, 1).first() {
        let _ = write!(line, "  {}", style.paint(Ink::Dim, &style.clip(0, &clean(&reason.text))));
    }
    line.push_str(&marks(hit, query, style));
    line.push('\n');
    line
}

/// How many reasons stand above a hit's code; `debug` shows them all.
const REASONS: usize = 4;

/// A hit as a heading, its reasons and its code.
fn block(hit: &Hit, query: Option<&str>, root: &Path, mode: Mode, style: &Style) -> String {
    let mut out = format!("{}  {}  {}", place(hit, root, style), what(hit, style), grade(hit, style));
    out.push_str(&marks(hit, query, style));
    out.push('\n');
    if mode == Mode::Debug {
        for reason in &hit.reasons {
            let line =
                format!("{:+.3} {:<13} {}", reason.share + 0.0, reason.signal.name(), clean(&reason.text));
            let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &style.clip(2, &line)));
        }
    } else {
        let texts: Vec<String> =
            telling(&hit.reasons, REASONS).iter().map(|reason| clean(&reason.text)).collect();
        let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &style.clip(2, &texts.join(" · "))));
    }
    if let Some(snippet) = &hit.snippet {
        out.push_str(&code(snippet, style));
    }
    out
}

/// The snippet with line numbers, matches highlighted.
fn code(snippet: &Snippet, style: &Style) -> String {
    let digits = snippet.lines.last.to_string().len().max(4);
    let mut out = String::new();
    let mut follows = snippet.lines.first;
    for line in snippet.head.iter().rev() {
        let gap = if line.line + 1 < follows { format!("  {:>digits$} ┆\n", "") } else { String::new() };
        let number = style.paint(Ink::Line, &format!("{:>digits$}", line.line));
        let shown = format!("  {number} │ {}", clean(&line.text));
        out = format!("{}\n{gap}{out}", shown.trim_end());
        follows = line.line;
    }
    let mut start = 0;
    for (number, line) in (snippet.lines.first..).zip(snippet.text.split_inclusive('\n')) {
        let body = line.trim_end_matches(['\n', '\r']);
        let number = style.paint(Ink::Line, &format!("{number:>digits$}"));
        let painted = highlighted(body, start, &snippet.highlights, style);
        let _ = writeln!(out, "{}", format!("  {number} │ {painted}").trim_end());
        start += line.len();
    }
    if snippet.cut {
        let _ = writeln!(out, "  {:>digits$} ┆", "");
    }
    out
}

/// `body`, which stands at byte `offset` of a text, with the parts of `spans` that lie in it painted. A span that
/// cuts a character is left unpainted.
fn highlighted(body: &str, offset: usize, spans: &[Span], style: &Style) -> String {
    let mut out = String::new();
    let mut done = 0;
    for span in spans {
        let from = (span.start as usize).saturating_sub(offset).min(body.len());
        let to = (span.end as usize).saturating_sub(offset).min(body.len());
        if from < done || from >= to || !body.is_char_boundary(from) || !body.is_char_boundary(to) {
            continue;
        }
        out.push_str(&clean(&body[done..from]));
        out.push_str(&style.paint(Ink::Match, &clean(&body[from..to])));
        done = to;
    }
    out.push_str(&clean(&body[done..]));
    out
}

fn place(hit: &Hit, root: &Path, style: &Style) -> String {
    let path = hit.path.as_str();
    let path = if style.agent { clean::answer_path(path) } else { clean::path(path) };
    let path = style.paint(Ink::Path, &path);
    let line = style.paint(Ink::Line, &hit.lines.first.to_string());
    style.link(&hit.path.below(root), &format!("{path}:{line}"))
}

fn what(hit: &Hit, style: &Style) -> String {
    match &hit.symbol {
        Some(symbol) => format!("{} {}", hit.kind.name(), style.paint(Ink::Symbol, &clean(symbol))),
        None => hit.kind.name().to_string(),
    }
}

fn grade(hit: &Hit, style: &Style) -> String {
    let ink = match hit.band {
        Band::High => Ink::High,
        Band::Good | Band::Possible => Ink::Good,
        Band::Weak => Ink::Weak,
    };
    style.paint(ink, &format!("{:.2} {}", hit.score, hit.band.name()))
}

fn marks(hit: &Hit, query: Option<&str>, style: &Style) -> String {
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
    &[Signal::Chunks, Signal::Depth, Signal::File, Signal::PathKin, Signal::Size, Signal::Symbols];

/// Up to `most` reasons that say something about a hit's own place: those that speak for the place before those that
/// speak against it, the weightiest first. Where there are none, the first reason of all.
pub(super) fn telling(reasons: &[Reason], most: usize) -> Vec<&Reason> {
    let says = |reason: &&Reason| reason.signal != Signal::Base && !GENERAL.contains(&reason.signal);
    let (mut telling, against): (Vec<&Reason>, Vec<&Reason>) =
        reasons.iter().filter(says).partition(|reason| reason.share >= 0.0);
    telling.extend(against);
    telling.truncate(most);
    if telling.is_empty() {
        telling.extend(reasons.first());
    }
    telling
}

/// What a page of `shown` hits says about itself.
pub(super) fn footer(reply: &SearchReply, shown: usize) -> String {
    let snapshot = &reply.snapshot;
    let mut parts = vec![format!("{shown} of {}", count(reply.total, "result", "results"))];
    if reply.fallback_grep_hits > 0 {
        let at_least = if reply.complete { "" } else { "at least " };
        parts.push(format!(
            "{at_least}{} the query as written",
            count(reply.fallback_grep_hits, "line holds", "lines hold")
        ));
    }
    let commit = snapshot.commit.as_deref().map(|commit| commit.chars().take(10).collect::<String>());
    match (&snapshot.branch, commit) {
        (Some(branch), Some(commit)) => parts.push(format!("{}@{commit}", clean(branch))),
        (Some(name), None) => parts.push(clean(name)),
        (None, Some(commit)) => parts.push(commit),
        (None, None) => {}
    }
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

pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

pub(super) fn tally<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> String {
    let listed: Vec<String> = counts.map(|(name, files)| format!("{name} {files}")).collect();
    if listed.is_empty() { "-".to_string() } else { listed.join(", ") }
}

/// A number of bytes in binary units.
pub(super) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 would print as 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}
