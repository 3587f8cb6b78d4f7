//! Finds where a body that is too large for a chunk may be cut: before its statements, and before the nested statements
//! of those that are too large themselves.

use super::lex::{CodeToken, Lexer};
use crate::analyze::chunk::fits;
use crate::grammar::BodyRules;
use spyhop_base::text::{LineIndex, Span};

/// A position where a body may be cut: the first line of a statement, or of the comment before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyUnit {
    /// The first byte of the line.
    pub at: u32,
    pub line: u32,
    /// The number of enclosing statements that were split.
    pub level: u16,
    /// Whether the text before the cut is only the header of what begins here.
    pub glued: bool,
}

/// A line on which a statement or a comment begins.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    line: u32,
    /// The number of brackets that are open before the line.
    depth: u16,
}

/// The units of `body`, in order.
pub fn units(text: &str, lines: &LineIndex, rules: &BodyRules, body: Span) -> Vec<BodyUnit> {
    let starts = starts(text, lines, rules, body);
    let end = Start { at: body.end, line: lines.line_of(body.end), depth: 0 };
    let mut units = Vec::new();
    split(&starts, end, 0, 0, &mut units);
    units
}

/// Adds the units among `starts`, which are the lines of a block at `depth` that is split; `end` is the position after
/// the block.
fn split(starts: &[Start], end: Start, depth: u16, level: u16, units: &mut Vec<BodyUnit>) {
    let mut rest = starts;
    let mut glued = true;
    while let Some(place) = rest.iter().position(|start| start.depth == depth) {
        let unit = rest[place];
        rest = &rest[place + 1..];
        let next = rest.iter().position(|start| start.depth <= depth).unwrap_or(rest.len());
        let after = rest.get(next).copied().unwrap_or(end);
        units.push(BodyUnit { at: unit.at, line: unit.line, level, glued: std::mem::take(&mut glued) });
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
    // The last byte of the code before, and the line of the comment before if no code is between.
    let (mut last, mut comment) = (b'{', None);
    for piece in Lexer::new(text, body, rules) {
        let line = lines.line_of(piece.span.start);
        let is_comment = piece.token == CodeToken::Comment;
        let closes = matches!(piece.token, CodeToken::Close(_));
        if piece.first && !closes && (is_comment || ends_statement(last, rules.newlines)) {
            let led = comment.is_some_and(|above| above + 1 >= line);
            if !led {
                starts.push(Start { at: lines.start_of(line), line, depth });
            }
        }
        match piece.token {
            CodeToken::Open(_) => depth += 1,
            CodeToken::Close(_) => depth = depth.saturating_sub(1),
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

/// Whether a statement or a list element may begin on the line after code whose last byte is `last`.
fn ends_statement(last: u8, newlines: bool) -> bool {
    matches!(last, b';' | b'{' | b'}' | b':' | b',')
        || newlines
            && (last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']' | b'"' | b'`' | b'\''))
}
