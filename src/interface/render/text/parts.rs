//! The parts of a text that several replies share: places, names, grades, code, counts.

use std::fmt::Write;
use std::ops::Range;

use super::counts::count;
use crate::render::paint::{Ink, Style, TextMarks, source};
use crate::render::places::{RowPlaces, agent_path};
use spyhop_base::clean::line as clean;
use spyhop_engine::api::{Band, Hit, SearchReply, Snippet};
use spyhop_search::snippet::lines_to_name;
use spyhop_syntax::analyze::syntax;

/// How much of a snippet is shown.
#[derive(Clone, Copy)]
pub(super) struct CodeLimits<'s> {
    /// The most lines of the snippet's own text; more only where the lines down to the name are more.
    pub most: usize,
    /// Whether lines are truncated to the width of the screen.
    pub clips: bool,
    /// The first line of the hit and the symbol. The lines from this line down to the name of the symbol are always shown
    /// if the snippet begins with them.
    pub named: Option<(u32, &'s str)>,
}

/// The snippet with line numbers, matches highlighted.
pub(super) fn code(snippet: &Snippet, language: &str, style: &Style) -> String {
    code_lines(snippet, language, CodeLimits { most: usize::MAX, clips: false, named: None }, style)
}

/// The lines of a snippet that are shown, by their positions: the first lines down to the name of the symbol, and
/// the run of lines with the most bytes of matches, the first of these runs.
fn shown_lines(lines: &[&str], snippet: &Snippet, limits: CodeLimits<'_>) -> (Range<usize>, Range<usize>) {
    if lines.len() <= limits.most {
        return (0..0, 0..lines.len());
    }
    let named = limits.named.filter(|(first, _)| *first == snippet.lines.first);
    let first = named.map_or(0, |(_, symbol)| lines_to_name(lines.iter().copied(), symbol));
    let mut ends = Vec::with_capacity(lines.len() + 1);
    ends.push(0);
    lines.iter().for_each(|line| ends.push(ends[ends.len() - 1] + line.len()));
    // A match of several words says more than a word.
    let matches_in = |run: Range<usize>| -> usize {
        let bytes = ends[run.start]..ends[run.end];
        let inside = snippet.highlights.iter().filter(|span| bytes.contains(&(span.start as usize)));
        inside.map(|span| span.len()).sum()
    };
    let from_first = 0..limits.most.max(first);
    let most = limits.most.saturating_sub(first);
    let rest = first..lines.len();
    let best = (rest.start..(rest.end + 1).saturating_sub(most.max(1)))
        .map(|start| start..start + most)
        .max_by_key(|run| (matches_in(run.clone()), std::cmp::Reverse(run.start)));
    match best.filter(|run| matches_in(0..first) + matches_in(run.clone()) > matches_in(from_first.clone())) {
        Some(run) => (0..first, run),
        None => (0..0, from_first),
    }
}

/// As [`code`], within limits.
pub(super) fn code_lines(snippet: &Snippet, language: &str, limits: CodeLimits<'_>, style: &Style) -> String {
    let tokens = |text: &str| if style.color { syntax(language, text) } else { Vec::new() };
    let digits = snippet.lines.last.to_string().len().max(4);
    let room =
        if limits.clips && style.width > 0 { style.width.saturating_sub(digits + 5).max(1) } else { 0 };
    let gap = format!("  {:>digits$} ┆\n", "");
    let mut out = String::new();
    let mut follows = None;
    let mut add = |number: u32, text: &str| {
        if follows.is_some_and(|follows| follows < number) {
            out.push_str(&gap);
        }
        let shown = format!("  {} │ {text}", style.paint(Ink::Line, &format!("{number:>digits$}")));
        let _ = writeln!(out, "{}", shown.trim_end());
        follows = Some(number + 1);
    };
    for line in &snippet.head {
        let marks = TextMarks { tokens: &tokens(&line.text), matches: &[] };
        add(line.line, &source(&line.text, 0, marks, room, style));
    }
    let lines: Vec<&str> = snippet.text.split_inclusive('\n').collect();
    let (first, run) = shown_lines(&lines, snippet, limits);
    let marks = TextMarks { tokens: &tokens(&snippet.text), matches: &snippet.highlights };
    let mut start = 0;
    for (at, (number, line)) in (snippet.lines.first..).zip(&lines).enumerate() {
        if first.contains(&at) || run.contains(&at) {
            add(number, &source(line.trim_end_matches(['\n', '\r']), start, marks, room, style));
        }
        start += line.len();
    }
    if snippet.cut || run.end < lines.len() {
        out.push_str(&gap);
    }
    out
}

pub(super) fn location(hit: &Hit, places: RowPlaces<'_>, style: &Style) -> String {
    let source = hit.source.as_ref();
    let path = match style.agent {
        true => agent_path(source, &hit.path).into_owned(),
        false => places.clean(style, source, &hit.path),
    };
    let path = style.paint(Ink::Path, &path);
    let line = style.paint(Ink::Line, &hit.lines.first.to_string());
    style.link(&places.file(source, &hit.path), &format!("{path}:{line}"))
}

pub(super) fn kind_and_symbol(hit: &Hit, style: &Style) -> String {
    match &hit.symbol {
        Some(symbol) => format!("{} {}", hit.kind.name(), style.paint(Ink::Symbol, &clean(symbol))),
        None => hit.kind.name().to_string(),
    }
}

/// The language of a hit, and its lines if there are several: `rust, lines 9-11`.
pub(super) fn language_and_lines(hit: &Hit) -> String {
    match hit.lines.first == hit.lines.last {
        true => hit.language.to_string(),
        false => format!("{}, lines {}-{}", hit.language, hit.lines.first, hit.lines.last),
    }
}

/// The score, with a word if the word tells more than the number.
pub(super) fn score_and_band(hit: &Hit, style: &Style) -> String {
    let ink = match hit.band {
        Band::High => Ink::High,
        Band::Good | Band::Possible => Ink::Good,
        Band::Weak => Ink::Weak,
    };
    style.paint(ink, format!("{:.2} {}", hit.score, band_word(hit.band)).trim_end())
}

/// The word for a band; empty for scores in the middle, of which a word would say too much or too little.
pub(super) fn band_word(band: Band) -> &'static str {
    if band == Band::Possible { "" } else { band.name() }
}

/// Where else a hit is, if other files have its content: `also in vendor/a.ts and 2 more`.
pub fn also_in(hit: &Hit) -> Option<String> {
    let (first, more) = hit.also_in.split_first()?;
    Some(match more.len() {
        0 => format!("also in {first}"),
        n => format!("also in {first} and {n} more"),
    })
}

pub(super) fn annotations(hit: &Hit, query: Option<&str>, style: &Style) -> String {
    let mut out = String::new();
    if let Some(page) = hit.page {
        let _ = write!(out, "  {}", style.paint(Ink::Dim, &format!("page {page}")));
    }
    if hit.stale {
        let _ = write!(out, "  {}", style.paint(Ink::Alarm, "changed since indexed"));
    }
    if let Some(copies) = also_in(hit) {
        let _ = write!(out, "  {}", style.paint(Ink::Dim, &clean(&copies)));
    }
    if let Some(query) = query {
        let _ = write!(out, "  {}", style.paint(Ink::Dim, &format!("← {}", clean(query))));
    }
    out
}

/// How many lines have the query as written, if any.
pub(super) fn literal_lines(reply: &SearchReply) -> Option<String> {
    let at_least = if reply.literal_complete { "" } else { "at least " };
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
pub(super) fn footer(reply: &SearchReply, shown: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::text::{Lines, Span};
    use spyhop_engine::api::ContextLine;

    /// The numbers of the lines that are shown, `┆` for a gap. A run of `*` in the text is a match.
    fn check(head: &[u32], first: u32, text: &str, (most, symbol): (usize, &str), expected: &str) {
        let starts = text.match_indices('*').map(|(at, _)| at).filter(|at| !text[..*at].ends_with('*'));
        let end = |at: usize| at + text[at..].bytes().take_while(|byte| *byte == b'*').count();
        let highlights = starts.map(|at| Span::new(at, end(at))).collect();
        let head = head.iter().map(|line| ContextLine { line: *line, text: "head".into() }).collect();
        let last = first + text.lines().count() as u32 - 1;
        let snippet =
            Snippet { head, text: text.to_string(), lines: Lines { first, last }, highlights, cut: false };
        let limits = CodeLimits { most, clips: false, named: Some((10, symbol)) };
        let shown = code_lines(&snippet, "c", limits, &Style::default());
        let starts = shown.lines().map(|line| line.split_whitespace().next().unwrap());
        assert_eq!(starts.collect::<Vec<_>>().join(" "), expected, "{shown}");
    }

    #[test]
    fn the_lines_down_to_the_name_are_shown_before_the_lines_with_most_matches() {
        let function = "static int\nresolve(\n  int a)\n{\n  b;\n  c *;\n  d *;\n}\n";
        check(&[], 10, function, (8, "resolve"), "10 11 12 13 14 15 16 17");
        check(&[], 10, function, (4, "resolve"), "10 11 ┆ 15 16 ┆");
        check(&[], 10, function, (3, "resolve"), "10 11 ┆ 15 ┆");
        check(&[], 10, function, (1, "resolve"), "10 11 ┆");
        check(&[], 10, function, (3, "Other.none"), "10 ┆ 15 16 ┆");
        check(&[3], 10, function, (4, "Pool.resolve"), "3 ┆ 10 11 ┆ 15 16 ┆");
        check(&[2], 12, "  int a)\n{\n  b;\n  c *;\n  d *;\n}\n", (2, "resolve"), "2 ┆ 15 16 ┆");
        check(&[8, 9], 10, function, (4, "resolve"), "8 9 10 11 ┆ 15 16 ┆");
    }

    #[test]
    fn a_long_match_is_shown_before_several_short_ones() {
        check(&[], 12, "a\n* *\n*\nb\nc ******\n", (2, "x"), "15 16");
        check(&[], 12, "a\n** **\n**\nb\nc ***\n", (2, "x"), "13 14 ┆");
    }

    #[test]
    fn two_gaps_never_follow_each_other() {
        check(&[1, 4], 10, "a\nb\nc *\nd\n", (1, "x"), "1 ┆ 4 ┆ 10 ┆");
        check(&[1], 10, "a\nb\nc *\nd\n", (2, "x"), "1 ┆ 10 ┆ 12 ┆");
    }
}
