//! A page of hits that fits one screen.
//!
//! This module owns what a person sees by default: the first hit and every hit that is not weak with evidence and a few
//! lines of code, weak hits as a line each, and a count of what is left out. Programs read JSON, agents a form of their
//! own, and `--all` or `--mode debug` show everything.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use super::counts::count;
use super::parts::{
    annotations, checkout, code_lines, footer, kind_and_symbol, literal_lines, location, score_and_band,
    telling,
};
use crate::clean::{self, line as clean_line};
use crate::engine::api::{Band, Hit, Reason, SearchReply};
use crate::profile::Signal;
use crate::render::paint::{Ink, Style, columns, source};

/// The rows of a screen whose height is unknown.
const ROWS: usize = 40;
/// The most weak hits that are listed.
const WEAK: usize = 5;
/// The fewest lines of code under a hit, and the most.
const CODE: (usize, usize) = (1, 8);
/// The rows of a hit beside these lines: heading, evidence, the head of the place, gaps, a blank line.
const AROUND_CODE: usize = 7;
/// The rows of the smallest screen that a page is made for.
const LEAST_ROWS: usize = 14;

/// The hits of a page, on one screen.
pub(super) fn page(reply: &SearchReply, queries: &[String], style: &Style) -> String {
    let root = &reply.snapshot.root;
    let is_strong = |at: usize, hit: &Hit| at == 0 || hit.band != Band::Weak;
    let (strong, weak): (Vec<_>, Vec<_>) =
        reply.results.iter().enumerate().partition(|(at, hit)| is_strong(*at, hit));
    let rows = if style.height == 0 { ROWS } else { style.height.max(LEAST_ROWS) };
    let listed = weak.len().min(WEAK).min(rows / 5);
    // The footer, the cursor and the prompt take rows too, and a blank line follows the weak hits.
    let room = rows.saturating_sub(4 + listed + usize::from(listed > 0));
    let code = (room / strong.len().max(1)).saturating_sub(AROUND_CODE).clamp(CODE.0, CODE.1);
    let query_of = |hit: &Hit| queries.get(hit.query_index).map(String::as_str);
    let (mut out, mut shown, mut taken) = (String::new(), 0, 0);
    for (_, hit) in &strong {
        let block = block(hit, query_of(hit), root, code, style);
        taken += block.lines().count();
        if shown > 0 && taken > room {
            break;
        }
        out.push_str(&block);
        shown += 1;
    }
    for (_, hit) in weak.iter().take(listed) {
        let _ = writeln!(out, "{}{}", heading(hit, root, style), annotations(hit, query_of(hit), style));
    }
    if listed > 0 {
        out.push('\n');
    }
    let mut ends = vec![footer(reply, shown + listed)];
    let left_out = strong.len() - shown + weak.len() - listed;
    if left_out > 0 {
        ends.push(format!("{} more on this page: --all", left_out));
    }
    let _ = writeln!(out, "{}", style.paint(Ink::Dim, &style.clip(0, &ends.join(" · "))));
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean_line(next))));
    }
    out
}

/// A hit as a line `path:line:column: text` for programs; on a terminal as long as the screen is wide.
pub(super) fn hit_line(hit: &Hit, style: &Style) -> String {
    let path = clean::path(&style.paths.shown(hit.path.as_str())).into_owned();
    let Some(line) = &hit.telling_line else {
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
    format!("{}: {}\n", painted.join(":"), source(&line.text, 0, &line.highlights, room, style))
}

/// What a page of `shown` hits says about itself to people.
pub(super) fn parts(reply: &SearchReply, shown: usize) -> Vec<String> {
    let mut parts = vec![format!("{shown} of {}", count(reply.total, "result", "results"))];
    parts.extend(literal_lines(reply));
    parts.extend(checkout(reply));
    if reply.snapshot.stale_files > 0 {
        parts.push(format!("{} stale", reply.snapshot.stale_files));
    }
    parts
}

/// A hit with its evidence and up to `code` lines of code, and a blank line.
fn block(hit: &Hit, query: Option<&str>, root: &Path, code: usize, style: &Style) -> String {
    let mut out = format!("{}{}\n", heading(hit, root, style), annotations(hit, query, style));
    let evidence = evidence(&hit.reasons);
    if !evidence.is_empty() {
        let text = clean_line(&evidence.join(" · "));
        let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &style.clip(2, &text)));
    }
    if let Some(snippet) = &hit.snippet {
        out.push_str(&code_lines(snippet, code, style));
    }
    out.push('\n');
    out
}

fn heading(hit: &Hit, root: &Path, style: &Style) -> String {
    format!("{}  {}  {}", location(hit, root, style), kind_and_symbol(hit, style), score_and_band(hit, style))
}

/// Signals whose reasons a reader can check at a glance, the most telling first.
const CHECKABLE: [Signal; 9] = [
    Signal::Literal,
    Signal::Frame,
    Signal::Definition,
    Signal::Lexical,
    Signal::DefinedName,
    Signal::Reference,
    Signal::Comment,
    Signal::Mentions,
    Signal::Session,
];

/// Up to two reasons in words that help: what matches, and not how much of it.
fn evidence(reasons: &[Reason]) -> Vec<String> {
    let by_signal: HashMap<&str, &Reason> = reasons
        .iter()
        .filter(|reason| reason.share > 0.0)
        .map(|reason| (reason.signal.name(), reason))
        .collect();
    let checkable = CHECKABLE.iter().filter_map(|signal| by_signal.get(signal.name()));
    let mut texts: Vec<String> = checkable.take(2).map(|reason| in_words(&reason.text)).collect();
    if texts.is_empty() {
        texts.extend(telling(reasons, 1).iter().map(|reason| in_words(&reason.text)));
    }
    texts
}

/// A reason without the name of its signal and without brackets.
fn in_words(text: &str) -> String {
    let text = text.split_once(": ").map_or(text, |(_, text)| text);
    text.replace("matched tokens [", "matches [").replace("matched tokens", "matches").replace(['[', ']'], "")
}

/// What a reader can do about an answer without hits.
pub(super) fn nothing(query: &str) -> String {
    format!(
        "  Other or fewer words may help. `spyhop grep '{}'` finds text as written; `spyhop status` shows what is \
         indexed.\n",
        query.replace('\'', "'\\''")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_lose_their_signals_and_brackets() {
        assert_eq!(in_words("lexical: matched tokens [a, b]"), "matches a, b");
        assert_eq!(
            in_words("lexical: matched tokens [a], elsewhere in the file [b]"),
            "matches a, elsewhere in the file b"
        );
        assert_eq!(
            in_words("lexical: matched tokens elsewhere in the file [b]"),
            "matches elsewhere in the file b"
        );
        assert_eq!(in_words("definition: struct 'A' is defined here"), "struct 'A' is defined here");
    }

    #[test]
    fn a_query_is_quoted_for_the_shell() {
        assert!(nothing("it's").contains("spyhop grep 'it'\\''s'"), "{}", nothing("it's"));
    }
}
