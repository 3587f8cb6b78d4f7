//! The lines at which a text may be cut, from the items that were found in it.

use crate::analyze::chunk::{Boundary, fits};
use spyhop_base::model::Symbol;
use spyhop_base::text::{LineIndex, Span};

/// The boundaries of a text: before and after each item, and after empty lines, unless an item around them is small enough to
/// stay whole.
pub(in crate::analyze) fn boundaries(text: &str, lines: &LineIndex, symbols: &[Symbol]) -> Vec<Boundary> {
    let mut out = Vec::new();
    let mut levels: Vec<Option<u16>> = Vec::with_capacity(symbols.len());
    let mut whole: Vec<Span> = Vec::new();
    for symbol in symbols {
        let level = symbol.parent.map_or(Some(0), |parent| levels[parent as usize]);
        let first = lines.line_of(symbol.span.start);
        let inside = level.filter(|_| !fits(symbol.lines.last + 1 - first, symbol.span.len() as u32));
        levels.push(inside.map(|level| level.saturating_add(1)));
        let Some(level) = level else { continue };
        let mut add = |line: u32, item: bool, level: u16, glued: bool| {
            let at = lines.start_of(line);
            out.push(Boundary { at, line, level, glued, item });
        };
        add(first, true, level, false);
        if inside.is_some() {
            // What precedes the first item inside is the header.
            let body = symbol.lines.first + 1;
            if body <= symbol.lines.last {
                add(body, false, level.saturating_add(1), true);
            }
        } else {
            whole.push(symbol.span);
        }
        add(symbol.lines.last + 1, false, level, false);
    }
    paragraphs(text, lines, &whole, &mut out);
    out.retain(|boundary| boundary.line > 1 && boundary.at < text.len() as u32);
    out.sort_by_key(|boundary| (boundary.at, std::cmp::Reverse(boundary.item)));
    out.dedup_by(|next, kept| {
        let is_same = next.at == kept.at;
        if is_same {
            kept.glued |= next.glued;
            kept.level = if kept.item { kept.level } else { kept.level.max(next.level) };
        }
        is_same
    });
    out
}

/// Adds a boundary after each run of empty lines outside the items that stay whole. Its level is that of the boundary before.
fn paragraphs(text: &str, lines: &LineIndex, whole: &[Span], out: &mut Vec<Boundary>) {
    out.sort_by_key(|boundary| boundary.at);
    let known = out.len();
    let (mut place, mut item, mut level) = (0, 0, 0);
    for line in 2..=lines.count() {
        let (before, at) = (lines.start_of(line - 1) as usize, lines.start_of(line));
        let is_behind_blank = text.as_bytes()[before..at as usize].iter().all(u8::is_ascii_whitespace);
        while place < known && out[place].at <= at {
            level = out[place].level;
            place += 1;
        }
        while whole.get(item).is_some_and(|span| span.end <= at) {
            item += 1;
        }
        let is_inside = whole.get(item).is_some_and(|span| span.start < at);
        if is_behind_blank && !is_inside {
            out.push(Boundary { at, line, level, glued: false, item: false });
        }
    }
}
