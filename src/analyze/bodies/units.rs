//! Where a body that is too large for a chunk may be cut: before its statements, and before those of the statements
//! that are too large themselves.

use super::lex::{Lexer, Token};
use crate::analyze::chunk::fits;
use crate::grammar::BodyRules;
use crate::text::{LineIndex, Span};

/// The first line of a statement, or of the comment before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyze) struct Unit {
    /// The first byte of the line.
    pub at: u32,
    /// The line.
    pub line: u32,
    /// How many statements that were split it stands in.
    pub level: u16,
    /// Whether what stands before is only the header of what begins here.
    pub glued: bool,
}

/// A line on which a statement or a comment begins.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    line: u32,
    /// How many brackets are open before it.
    depth: u16,
}

/// The units of `body`, in order.
pub(in crate::analyze) fn units(text: &str, lines: &LineIndex, rules: &BodyRules, body: Span) -> Vec<Unit> {
    let starts = starts(text, lines, rules, body);
    let end = Start { at: body.end, line: lines.line_of(body.end), depth: 0 };
    let mut units = Vec::new();
    split(&starts, end, 0, 0, &mut units);
    units
}

/// Takes in the units among `starts`, what is split open at `depth`; `end` is what follows.
fn split(starts: &[Start], end: Start, depth: u16, level: u16, units: &mut Vec<Unit>) {
    let mut rest = starts;
    let mut glued = true;
    while let Some(place) = rest.iter().position(|start| start.depth == depth) {
        let unit = rest[place];
        rest = &rest[place + 1..];
        let next = rest.iter().position(|start| start.depth <= depth).unwrap_or(rest.len());
        let after = rest.get(next).copied().unwrap_or(end);
        units.push(Unit { at: unit.at, line: unit.line, level, glued: std::mem::take(&mut glued) });
        if !fits(after.line - unit.line, after.at - unit.at) {
            let inner = rest[..next].iter().map(|start| start.depth).min();
            if let Some(inner) = inner {
                split(&rest[..next], after, inner, level + 1, units);
            }
        }
        rest = &rest[next..];
    }
}

fn starts(text: &str, lines: &LineIndex, rules: &BodyRules, body: Span) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    let mut depth = 0u16;
    // The last byte of the code before, and the line of the comment before where no code stands between.
    let (mut last, mut comment) = (b'{', None);
    for piece in Lexer::new(text, body, rules) {
        let line = lines.line_of(piece.span.start);
        let is_comment = piece.token == Token::Comment;
        let closes = matches!(piece.token, Token::Close(_));
        if piece.first && !closes && (is_comment || ends_statement(last, rules.newlines)) {
            let led = comment.is_some_and(|above| above + 1 >= line);
            if !led {
                starts.push(Start { at: lines.start_of(line), line, depth });
            }
        }
        match piece.token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        let end = lines.line_of(piece.span.end - 1);
        comment = (is_comment && (piece.first || comment.is_some())).then_some(end);
        if !is_comment {
            last = text.as_bytes()[piece.span.end as usize - 1];
        }
    }
    starts
}

/// Whether a statement, or an element of a list, may begin on the line after code that ends in `last`.
fn ends_statement(last: u8, newlines: bool) -> bool {
    matches!(last, b';' | b'{' | b'}' | b':' | b',')
        || newlines
            && (last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']' | b'"' | b'`' | b'\''))
}
