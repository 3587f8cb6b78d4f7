//! Cuts a file into chunks, at the positions where it may be cut.
//!
//! This module owns every limit on the size of a chunk and the decision where to cut. Others find the possible positions:
//! [`super::walk`] in a syntax tree, [`super::bodies`] in a body that the parser does not get (Go and C), and
//! [`super::lines`] without a parser. The module is pure and knows no language: its input is lines, levels and two bits for
//! each position. So its guarantee is cheap to test on any text: chunks cover a file exactly once, in order.

use spyhop_base::model::{Chunk, KindSet, Symbol, SymbolKind};
use spyhop_base::text::{LineIndex, Lines, Span};

/// The number of lines of a window, and the size up to which a run of statements grows. About a screen: enough to read
/// a function whole, and short enough for a chunk to have a single topic. Ranking measured best between 30 and 50.
pub(super) const TARGET_LINES: u32 = 40;

/// Items with fewer lines are joined with their neighbours; larger items stay separate. Below this size, an item has
/// too few words to be told apart from others, and the index would hold more documents than text.
const GATHER_LINES: u32 = 25;

/// The most lines of an item or of joined items. Twice the target, so that a function slightly above the target is not
/// split for a few lines.
const MAX_LINES: u32 = 80;

/// [`MAX_LINES`] in bytes: eighty lines of fifty bytes. Dense lines count as more.
pub(super) const MAX_BYTES: u32 = 4096;

/// The size up to which a piece without positions to cut stays whole: an item of the largest size with its comment and
/// closing lines.
const WHOLE_LINES: u32 = 100;

/// [`WHOLE_LINES`] in bytes.
const WHOLE_BYTES: u32 = 5 * 1024;

/// A remainder with at most this many lines is joined to the piece before it.
const SLIVER_LINES: u32 = 8;

/// A position where the file may be cut, always the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    /// The first byte of the line.
    pub at: u32,
    pub line: u32,
    /// The number of open nodes that were split.
    pub level: u16,
    /// Whether the text before the boundary is only the header of what begins here.
    pub glued: bool,
    /// Whether an item begins here, and not a statement, an element or a remark.
    pub item: bool,
}

/// Whether an item of this size needs no split.
pub(super) fn fits(lines: u32, bytes: u32) -> bool {
    lines <= MAX_LINES && bytes <= MAX_BYTES
}

/// The spans into which a text is cut, given its possible boundaries.
pub(super) fn cut(text: &str, lines: &LineIndex, boundaries: &[Boundary]) -> Vec<Span> {
    let pieces = windows(text, lines, &glue(pieces(text, lines, boundaries)));
    gather(&pieces).into_iter().map(|piece| Span { start: piece.start, end: piece.end }).collect()
}

/// The text between two neighbouring boundaries, or several such pieces joined.
#[derive(Clone, Copy, Debug)]
struct TextPiece {
    start: u32,
    end: u32,
    lines: u32,
    /// The level of the first part.
    level: u16,
    /// The level of the last part.
    inner: u16,
    glued: bool,
    item: bool,
}

impl TextPiece {
    fn joined(&self, next: &TextPiece) -> TextPiece {
        TextPiece { end: next.end, lines: self.lines + next.lines, inner: next.inner, ..*self }
    }

    fn fits(&self) -> bool {
        fits(self.lines, self.end - self.start)
    }
}

/// The pieces of a text: one before each boundary and one after the last.
fn pieces(text: &str, lines: &LineIndex, boundaries: &[Boundary]) -> Vec<TextPiece> {
    let mut pieces = Vec::with_capacity(boundaries.len() + 1);
    let mut open = Boundary { at: 0, line: 1, level: 0, glued: false, item: false };
    let end = Boundary { at: text.len() as u32, line: lines.count() + 1, ..open };
    for &next in boundaries.iter().chain([&end]) {
        if next.at > open.at {
            pieces.push(TextPiece {
                start: open.at,
                end: next.at,
                lines: next.line - open.line,
                level: open.level,
                inner: open.level,
                glued: open.glued,
                item: open.item,
            });
            open = next;
        } else if next.at == open.at {
            open = Boundary { item: open.item || next.item, ..next };
        }
        // In a broken file, a body may have a lower position than an earlier boundary; such a boundary is ignored.
    }
    pieces
}

/// Joins the header of a split node to the node's first part, if the two fit into one chunk.
fn glue(pieces: Vec<TextPiece>) -> Vec<TextPiece> {
    let mut out: Vec<TextPiece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(last) if piece.glued && last.joined(&piece).fits() => *last = last.joined(&piece),
            _ => out.push(piece),
        }
    }
    out
}

/// Cuts pieces that are too large and have no boundary inside into windows of lines, and overlong lines by bytes.
fn windows(text: &str, lines: &LineIndex, pieces: &[TextPiece]) -> Vec<TextPiece> {
    let mut out = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if piece.lines <= WHOLE_LINES && piece.end - piece.start <= WHOLE_BYTES {
            out.push(*piece);
            continue;
        }
        // The first window keeps the properties of the piece; the others count as parts of it.
        let mut part = TextPiece { end: piece.start, lines: 0, ..*piece };
        let mut flush = |part: &mut TextPiece| {
            if part.end > part.start {
                out.push(*part);
                *part = TextPiece { start: part.end, lines: 0, level: piece.inner, item: false, ..*part };
            }
        };
        let first = lines.line_of(piece.start);
        let last = lines.line_of(piece.end - 1);
        for line in first..=last {
            let span = lines.span_of(Lines { first: line, last: line });
            let left = last + 1 - line;
            let full = part.lines >= TARGET_LINES && left > SLIVER_LINES;
            if full || span.end - part.start > MAX_BYTES {
                flush(&mut part);
            }
            while span.end - part.start > MAX_BYTES {
                let mut end = part.start + MAX_BYTES;
                while !text.is_char_boundary(end as usize) {
                    end -= 1;
                }
                (part.end, part.lines) = (end, 1);
                flush(&mut part);
            }
            part.end = span.end;
            part.lines += 1;
        }
        flush(&mut part);
    }
    out
}

/// Joins small neighbouring pieces.
fn gather(pieces: &[TextPiece]) -> Vec<TextPiece> {
    let mut out: Vec<TextPiece> = Vec::new();
    for piece in pieces {
        match out.last_mut() {
            Some(last) if belong(last, piece) => *last = last.joined(piece),
            _ => out.push(*piece),
        }
    }
    out
}

/// Whether `next` goes into the same chunk as `last`, the piece before it.
fn belong(last: &TextPiece, next: &TextPiece) -> bool {
    let both = last.joined(next);
    if !both.fits() {
        return false;
    }
    // A new topic begins after the end of a container: only small pieces are joined across that end.
    if next.level < last.inner {
        return both.lines <= GATHER_LINES || (!next.item && next.lines <= SLIVER_LINES);
    }
    if next.item {
        return last.lines < GATHER_LINES && next.lines < GATHER_LINES;
    }
    both.lines <= TARGET_LINES || next.lines <= SLIVER_LINES
}

/// The input for the chunks of a file.
pub(super) struct ChunkInput<'a> {
    pub text: &'a str,
    pub lines: &'a LineIndex,
    pub symbols: &'a [Symbol],
    pub comments: &'a [Span],
    /// The kind of a chunk in which no symbol begins.
    pub otherwise: SymbolKind,
}

/// The chunks for `spans`, which cover the text.
pub(super) fn chunks(spans: &[Span], parts: &ChunkInput<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::with_capacity(spans.len().max(1));
    let symbols = parts.symbols;
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    let empty = [Span { start: 0, end: 0 }];
    for (place, &span) in if spans.is_empty() { &empty } else { spans }.iter().enumerate() {
        open.retain(|&it| symbols[it as usize].span.end > span.start);
        let context = open.clone();
        let first = next;
        let is_last = place + 1 >= spans.len();
        while symbols.get(next).is_some_and(|it| it.span.start < span.end || is_last) {
            open.push(next as u32);
            next += 1;
        }
        let begun = &symbols[first..next];
        let kind = match begun.first() {
            Some(symbol) => symbol.kind,
            None if is_comment(parts, span) => SymbolKind::Doc,
            None => parts.otherwise,
        };
        let mut kinds: KindSet = begun.iter().map(|symbol| symbol.kind).collect();
        kinds.insert(kind);
        chunks.push(Chunk {
            span,
            lines: parts.lines.lines_of(span),
            kind,
            kinds,
            symbols: first as u32..next as u32,
            context,
        });
    }
    chunks
}

/// Whether `span` contains comments and nothing else.
fn is_comment(parts: &ChunkInput<'_>, span: Span) -> bool {
    let from = parts.comments.partition_point(|comment| comment.end <= span.start);
    let mut at = span.start;
    let blank = |start: u32, end: u32| {
        parts.text.as_bytes()[start as usize..end.max(start) as usize].iter().all(u8::is_ascii_whitespace)
    };
    let mut any = false;
    for comment in parts.comments[from..].iter().take_while(|comment| comment.start < span.end) {
        if !blank(at, comment.start) {
            return false;
        }
        any = true;
        at = comment.end.min(span.end);
    }
    any && blank(at, span.end)
}
