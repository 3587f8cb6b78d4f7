//! A page of hits that fits one screen.
//!
//! This module owns what a person sees by default: the first hit and every hit that is not weak with evidence and a few
//! lines of code, weak hits as a line each, and a count of what is left out. Programs read JSON, agents a form of their
//! own, and `--whole-page` or `--mode debug` show everything.

use std::fmt::Write;

use super::counts::count;
use super::parts::{
    CodeLimits, annotations, band_word, checkout, code_lines, language_and_lines, literal_lines, location,
    score_and_band,
};
use crate::render::command::in_sources;
use crate::render::paint::{Ink, Style, TextMarks, columns, shown, source};
use crate::render::places::RowPlaces;
use spyhop_base::clean::line as clean_line;
use spyhop_engine::api::{Band, Hit, HitCallers, Reason, SearchReply, Snapshot, SourceLine, SourceSnapshot};
use spyhop_search::profile::Signal;

/// The rows of a screen whose height is unknown.
const ROWS: usize = 40;
/// The most weak hits that are listed.
const WEAK: usize = 5;
/// The fewest lines of code under a hit where several hits have code, and the most.
const CODE: (usize, usize) = (2, 8);
/// The rows of the smallest screen that a page is made for.
const MIN_ROWS: usize = 14;
/// The fewest columns in which the text of a line tells anything.
const MIN_TEXT: usize = 12;

/// The hits of a page, on one screen: strong hits as blocks, and as lines where blocks do not fit; weak hits as lines.
pub(super) fn page(reply: &SearchReply, queries: &[String], style: &Style) -> String {
    let is_strong = |at: usize, hit: &Hit| at == 0 || hit.band != Band::Weak;
    let (strong, weak): (Vec<_>, Vec<_>) =
        reply.results.iter().enumerate().partition(|(at, hit)| is_strong(*at, hit));
    let rows = if style.height == 0 { ROWS } else { style.height.max(MIN_ROWS) };
    // The prompt, the footer and the cursor take rows too.
    let room = rows - 2 - usize::from(reply.next.is_some());
    let listed = weak.len().min(WEAK).min(rows / 5);
    let screen = PageLayout { reply, queries, style };
    let strong: Vec<&Hit> = strong.into_iter().map(|(_, hit)| hit).collect();
    let (blocks, code) = screen.fitting(&strong, listed, room);
    let mut out: String = strong[..blocks].iter().map(|hit| screen.block(hit, code, style)).collect();
    let room = room.saturating_sub(screen.rows(&strong[..blocks], code));
    let lines: Vec<&Hit> =
        strong[blocks..].iter().copied().chain(weak[..listed].iter().map(|(_, hit)| *hit)).collect();
    let shown = lines.len().min(room.saturating_sub(1));
    lines[..shown].iter().for_each(|hit| out.push_str(&screen.line(hit)));
    if shown > 0 {
        out.push('\n');
    }
    let mut ends = parts(reply, blocks + shown);
    let strong_left = (strong.len() - blocks).saturating_sub(shown);
    let weak_left = reply.results.len() - blocks - shown - strong_left;
    let left: Vec<String> = [(strong_left, "hit", "hits"), (weak_left, "weaker hit", "weaker hits")]
        .into_iter()
        .filter(|(left, ..)| *left > 0)
        .map(|(left, one, many)| count(left, one, many))
        .collect();
    if !left.is_empty() {
        let them = if strong_left + weak_left == 1 { "it" } else { "them" };
        ends.insert(1, format!("{}: --whole-page shows {them}", left.join(" and ")));
    }
    let _ = writeln!(out, "{}", style.paint(Ink::Dim, &style.clip(0, &ends.join(" · "))));
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean_line(next))));
    }
    out
}

/// What the hits of a page are shown with.
struct PageLayout<'r> {
    reply: &'r SearchReply,
    queries: &'r [String],
    style: &'r Style,
}

impl PageLayout<'_> {
    /// How many hits are shown as blocks, and with how many lines of code: as many hits as fit beside a line for each
    /// other hit, then as much code as fits.
    fn fitting(&self, strong: &[&Hit], listed: usize, room: usize) -> (usize, usize) {
        for blocks in (1..=strong.len()).rev() {
            let lines = strong.len() - blocks + listed;
            let room = room.saturating_sub(lines + usize::from(lines > 0));
            let least = if blocks == 1 { 1 } else { CODE.0 };
            let fits = |code: &usize| self.rows(&strong[..blocks], *code) <= room;
            if let Some(code) = (least..=CODE.1).rev().find(fits) {
                return (blocks, code);
            }
        }
        (1, 1)
    }

    /// The rows that hits take as blocks.
    fn rows(&self, hits: &[&Hit], code: usize) -> usize {
        let plain = Style { color: false, hyperlinks: false, ..self.style.clone() };
        let rows = |line: &str| if plain.width == 0 { 1 } else { columns(line).div_ceil(plain.width).max(1) };
        hits.iter().map(|hit| self.block(hit, code, &plain).lines().map(rows).sum::<usize>()).sum()
    }

    fn places(&self) -> RowPlaces<'_> {
        RowPlaces::new(&self.reply.snapshot, &self.reply.sources)
    }

    fn query_of(&self, hit: &Hit) -> Option<&str> {
        hit.query_index.and_then(|at| self.queries.get(at)).map(String::as_str)
    }

    /// A hit with its evidence and up to `code` lines of code, and a blank line.
    fn block(&self, hit: &Hit, code: usize, style: &Style) -> String {
        let (score, notes) = (score_and_band(hit, style), annotations(hit, self.query_of(hit), style));
        let path = self.places().clean(style, hit.source.as_ref(), &hit.path);
        let place = columns(&format!("{path}:{}", hit.lines.first));
        let rest = columns(&format!("  {}   0.00 {}", hit.kind.name(), band_word(hit.band)));
        // Beside a long path there is no room for a name; both stay whole on lines of their own.
        let is_split = style.width > 0 && place + rest + MIN_TEXT > style.width;
        let beside = if is_split { rest } else { place + rest };
        let symbol = hit.symbol.as_ref().map(|symbol| {
            let room = style.width.saturating_sub(beside).max(MIN_TEXT);
            let room = if style.width == 0 { 0 } else { room };
            format!(
                " {}",
                style.paint(Ink::Symbol, &source(symbol, 0, TextMarks::default(), room, &Style::default()))
            )
        });
        let name = format!("{}{}", hit.kind.name(), symbol.unwrap_or_default());
        let between = if is_split { "\n  " } else { "  " };
        let mut out = format!("{}{between}{name}  {score}{notes}\n", location(hit, self.places(), style));
        out.push_str(&evidence_line(hit, style));
        if let Some(snippet) = &hit.snippet {
            let named = (hit.lines.first, hit.symbol.as_deref().unwrap_or_default());
            let limits = CodeLimits { most: code, clips: true, named: Some(named) };
            out.push_str(&code_lines(snippet, hit.language, limits, style));
        }
        out.push('\n');
        out
    }

    /// A hit on one line: `path:line  band  text`, without the band if it has no word, with the source line that says most about the hit.
    fn line(&self, hit: &Hit) -> String {
        let style = self.style;
        let number = hit.representative_line.as_ref().map_or(hit.lines.first, |line| line.line);
        let shown = self.places().clean(style, hit.source.as_ref(), &hit.path);
        let place =
            format!("{}:{}", style.paint(Ink::Path, &shown), style.paint(Ink::Line, &number.to_string()));
        let word = band_word(hit.band);
        let band =
            if word.is_empty() { String::new() } else { format!("  {}", style.paint(Ink::Weak, word)) };
        let notes = annotations(hit, self.query_of(hit), &Style::default());
        let gap = if word.is_empty() { 2 } else { 4 };
        let before = columns(&format!("{shown}:{number}{word}")) + gap;
        let room = style.width.saturating_sub(before + columns(&notes));
        let text = match &hit.representative_line {
            _ if style.width > 0 && room < MIN_TEXT => String::new(),
            Some(line) => source(&line.text, 0, matches(line), room, style),
            None => {
                let symbol = hit.symbol.as_ref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
                source(&format!("{}{symbol}", hit.kind.name()), 0, TextMarks::default(), room, style)
            }
        };
        let place = style.link(&self.places().file(hit.source.as_ref(), &hit.path), &place);
        // Beside a long path there is room for less.
        let fits = |taken: usize| style.width == 0 || taken <= style.width;
        let band_end = before - 2;
        let line = if !text.is_empty() {
            format!("{place}{band}  {text}{}", style.paint(Ink::Alarm, &notes))
        } else if fits(band_end + columns(&notes)) {
            format!("{place}{band}{}", style.paint(Ink::Alarm, &notes))
        } else if fits(columns(&format!("{shown}:{number}{notes}"))) {
            format!("{place}{}", style.paint(Ink::Alarm, &notes))
        } else {
            place
        };
        format!("{}\n", line.trim_end())
    }
}

/// A hit as a line `path:line:column: text` for programs; on a terminal as long as the screen is wide.
pub(super) fn hit_line(hit: &Hit, places: RowPlaces<'_>, style: &Style) -> String {
    let path = places.clean(style, hit.source.as_ref(), &hit.path);
    let Some(line) = &hit.representative_line else {
        let symbol = hit.symbol.as_ref().map(|symbol| format!(" {}", clean_line(symbol))).unwrap_or_default();
        let stale = if hit.stale { ", changed since indexed" } else { "" };
        return format!("{path}:{}:1: {}{symbol}{stale}\n", hit.lines.first, hit.kind.name());
    };
    let place = format!("{path}:{}:{}: ", line.line, line.column);
    let room = if style.width == 0 { 0 } else { style.width.saturating_sub(columns(&place)).max(1) };
    let painted = [
        style.paint(Ink::Path, &path),
        style.paint(Ink::Line, &line.line.to_string()),
        style.paint(Ink::Line, &line.column.to_string()),
    ];
    format!("{}: {}\n", painted.join(":"), source(&line.text, 0, matches(line), room, style))
}

fn matches(line: &SourceLine) -> TextMarks<'_> {
    TextMarks { matches: &line.highlights, tokens: &[] }
}

/// What a page of `shown` hits says about itself to people.
pub fn parts(reply: &SearchReply, shown: usize) -> Vec<String> {
    let mut parts = vec![format!("{shown} of {}", count(reply.total, "result", "results"))];
    parts.extend(literal_lines(reply));
    parts.extend(checkout(reply));
    if reply.snapshot.stale_files > 0 {
        parts.push(format!("{} stale", reply.snapshot.stale_files));
    }
    parts
}

/// The language and the lines of a hit, and the evidence that helps, on one line.
pub(super) fn evidence_line(hit: &Hit, style: &Style) -> String {
    let parts: Vec<String> = std::iter::once(language_and_lines(hit)).chain(evidence(hit)).collect();
    let text = clean_line(&parts.join(" · "));
    format!("  {}\n", style.paint(Ink::Dim, &style.clip(2, &text)))
}

/// Signals whose reasons a reader can check at a glance, the most telling first.
const CHECKABLE: [Signal; 13] = [
    Signal::Literal,
    Signal::Frame,
    Signal::Definition,
    Signal::Lexical,
    Signal::DefinedName,
    Signal::Reference,
    Signal::Comment,
    Signal::Mentions,
    Signal::Session,
    Signal::Path,
    Signal::FileName,
    Signal::FileNameRelated,
    Signal::Folder,
];
/// The number of leading [`CHECKABLE`] signals of which two are shown together; of the others only the first.
const OF_PLACE: usize = 9;

/// Up to two reasons in words that help: what matches, and not how much of it. A definition that the query names is
/// described by its uses, because what else matches is the name again. Empty if only statistics speak for the hit.
pub fn evidence(hit: &Hit) -> Vec<String> {
    evidence_of(&hit.reasons, hit.callers.as_ref())
}

fn evidence_of(reasons: &[Reason], callers: Option<&HitCallers>) -> Vec<String> {
    let reason_of = |signal: &Signal| {
        let is_own = |reason: &&Reason| {
            // The reason about comments says what matches in these alone.
            let is_empty = reason.text.contains("[]") || reason.text.contains(" in its comments [");
            reason.signal == *signal && reason.contribution > 0.0 && !is_empty
        };
        reasons.iter().find(is_own).map(in_words)
    };
    let called = callers.map(called_by).or_else(|| reason_of(&Signal::Reference));
    let named: Vec<String> = reason_of(&Signal::Definition).into_iter().chain(called).collect();
    if named.len() == 2 {
        return named;
    }
    // What another part of the file says is told if nothing speaks for the lines that are shown.
    let is_elsewhere = |text: &String| text.contains(" of the file");
    let all: Vec<String> = CHECKABLE[..OF_PLACE].iter().filter_map(reason_of).collect();
    let (elsewhere, own): (Vec<String>, Vec<String>) = all.into_iter().partition(is_elsewhere);
    let mut texts = if own.is_empty() { elsewhere } else { own };
    texts.truncate(2);
    match texts.is_empty() {
        true => CHECKABLE[OF_PLACE..].iter().find_map(reason_of).into_iter().collect(),
        false => texts,
    }
}

fn called_by(callers: &HitCallers) -> String {
    match (&callers.names[..], callers.has_more) {
        ([], _) => "called by tests".to_string(),
        (names, true) => format!("called by {} and others", names.join(", ")),
        (names, false) => format!("called by {}", names.join(", ")),
    }
}

/// A reason without the name of its signal, without brackets and without numbers that measure.
pub fn in_words(reason: &Reason) -> String {
    let text = reason.text.split_once(": ").map_or(reason.text.as_str(), |(_, text)| text);
    let quoted = || text.split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\'')).map(|(name, _)| name);
    match reason.signal {
        Signal::FileName | Signal::FileNameRelated => {
            quoted().map_or("the file name matches".to_string(), |name| format!("file name '{name}' matches"))
        }
        Signal::Folder => "the name of the folder matches".to_string(),
        Signal::Path => text.replace("component '", "'").replace("matches query", "in the path matches"),
        _ => text
            .replace("matched tokens [", "matches [")
            .replace("matched tokens", "matches")
            .replace(['[', ']'], ""),
    }
}

/// What a reader can do about an answer without hits.
pub(super) fn nothing(query: &str, snapshot: &Snapshot, sources: &[SourceSnapshot]) -> String {
    if snapshot.indexed_files == 0 {
        return nothing_indexed(snapshot);
    }
    let query = clean_line(query).replace('\'', "'\\''");
    let sources = in_sources(sources.iter().map(|source| source.name.as_str()));
    format!(
        "  Other or fewer words may help. `spyhop grep '{query}'{sources}` finds text as written; \
         `spyhop status{sources}` shows what is indexed.\n"
    )
}

/// What a reader can do about a tree without a file that can be searched.
pub(super) fn nothing_indexed(snapshot: &Snapshot) -> String {
    let root = shown(&snapshot.root);
    match snapshot.skipped_files {
        0 => format!("  {root} has no files. --root DIR or --path DIR searches another tree.\n"),
        skipped => format!(
            "  {root} has no file that is searched; {} left out. `spyhop skipped` says why, --no-ignore, --hidden \
             and --no-built-in take them in, --root DIR searches another tree.\n",
            count(skipped, "file is", "files are")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(signal: Signal, text: &str) -> Reason {
        Reason { signal, contribution: 0.1, text: text.to_string() }
    }

    #[test]
    fn reasons_lose_their_signals_and_brackets() {
        let check = |signal: Signal, text: &str, expected: &str| {
            assert_eq!(in_words(&reason(signal, text)), expected)
        };
        check(Signal::Lexical, "lexical: matched tokens [a, b]", "matches a, b");
        check(
            Signal::Lexical,
            "lexical: matched tokens [a], elsewhere in the file [b]",
            "matches a, elsewhere in the file b",
        );
        check(
            Signal::Lexical,
            "lexical: matched tokens elsewhere in the file [b]",
            "matches elsewhere in the file b",
        );
        check(Signal::Definition, "definition: struct 'A' is defined here", "struct 'A' is defined here");
        check(Signal::FileName, "file-name: the query names 50 % of 'merger'", "file name 'merger' matches");
        check(Signal::Path, "path: component 'auth' matches query", "'auth' in the path matches");
    }

    #[test]
    fn evidence_is_what_a_reader_can_check() {
        let comment = reason(Signal::Comment, "comment: its comments mention []");
        let size = reason(Signal::Size, "size: 20 lines");
        let path = reason(Signal::Path, "path: component 'auth' matches query");
        let lexical = reason(Signal::Lexical, "lexical: matched tokens [key]");
        assert_eq!(evidence_of(&[size.clone(), comment.clone()], None), Vec::<String>::new());
        assert_eq!(evidence_of(&[size.clone(), path.clone()], None), ["'auth' in the path matches"]);
        assert_eq!(evidence_of(&[path, size, comment, lexical.clone()], None), ["matches key"]);
        let other = reason(Signal::DefinedName, "defined-name: KeyRing on line 9 of the file matches 'key'");
        assert_eq!(evidence_of(&[other.clone(), lexical.clone()], None), ["matches key"]);
        assert_eq!(evidence_of(&[other], None), ["KeyRing on line 9 of the file matches 'key'"]);
        let definition = reason(Signal::Definition, "definition: fn 'key' is defined here");
        let literal = reason(Signal::Literal, "literal: contains the query as written");
        let used = reason(Signal::Reference, "reference: 'key' is used in 3 places");
        let callers = |names: &[&str], has_more| HitCallers {
            names: names.iter().map(|name| name.to_string()).collect(),
            has_more,
        };
        for (callers, expected) in [
            (callers(&["a", "B.c"], false), "called by a, B.c"),
            (callers(&["a"], true), "called by a and others"),
            (callers(&[], true), "called by tests"),
        ] {
            let shown = evidence_of(&[definition.clone(), used.clone()], Some(&callers));
            assert_eq!(shown, ["fn 'key' is defined here", expected]);
        }
        let named = [literal.clone(), lexical.clone(), definition.clone()];
        assert_eq!(evidence_of(&named, None), ["contains the query as written", "fn 'key' is defined here"]);
        let named = [literal, lexical, used, definition];
        assert_eq!(evidence_of(&named, None), ["fn 'key' is defined here", "'key' is used in 3 places"]);
    }

    #[test]
    fn a_reader_is_told_what_to_do() {
        let snapshot = |indexed_files, skipped_files| Snapshot {
            root: "/w/tree".into(),
            branch: None,
            commit: None,
            generation: spyhop_base::id::Generation(1),
            checked_at: None,
            indexed_files,
            skipped_files,
            stale_files: 0,
            building: None,
        };
        let check = |snapshot: Snapshot, expected: &str| {
            let got = nothing("it's", &snapshot, &[]);
            assert!(got.contains(expected), "{got}");
        };
        check(snapshot(3, 0), "spyhop grep 'it'\\''s'");
        check(snapshot(0, 0), "/w/tree has no files. --root DIR");
        check(snapshot(0, 2), "2 files are left out. `spyhop skipped`");
    }
}
