//! The bodies of functions and tables, which are not parsed.
//!
//! Bodies make up most of a file, and nearly all that is needed of them are the names that they use and their comments.
//! A lexer finds those some thirty times as fast as a parser builds a tree. So where a language's manifest says how to
//! recognize a body ([`BodyRules`]), the parser gets the file without the text between the braces; the tree outside of
//! bodies is the same, and every node keeps its position.
//!
//! A body is removed only where its braces are beyond doubt: every bracket in it has a partner, the last brace is where
//! such braces are written, and the body contains neither a definition that the walk would make a symbol of, nor a
//! preprocessor line. Every other body is parsed as usual.

mod lex;
mod units;
mod uses;

use tree_sitter::{Point, Range};

use self::lex::{CodeToken, Lexer, PlacedToken};
pub(super) use self::units::units;
use self::uses::Uses;
use crate::grammar::BodyRules;
use spyhop_base::model::Reference;
use spyhop_base::text::{LineIndex, Span};

/// The shortest body to remove, in bytes: about the length whose parsing costs as much as a hole.
const MIN_BODY_BYTES: u32 = 32;

/// Macros after this many in a file count as a table, which is not parsed: they can be found by their text.
const MAX_MACROS: u32 = 1000;

/// The bodies of functions that need no parser.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// The ranges between the braces, in order.
    pub holes: Vec<Span>,
    /// The names used in the bodies, in order.
    pub references: Vec<Reference>,
    /// The comments in the bodies, in order.
    pub comments: Vec<Span>,
}

/// Finds the bodies in `text` that need no parser.
pub(super) fn find(text: &str, rules: &BodyRules) -> Bodies {
    let mut bodies = Bodies::default();
    let mut lexer = Lexer::new(text, Span::new(0, text.len()), rules);
    // The open brackets that do not belong to a body.
    let mut open: Vec<u8> = Vec::new();
    let mut before: Option<PlacedToken> = None;
    let mut table = MacroRuns::default();
    while let Some(piece) = lexer.next() {
        if matches!(piece.token, CodeToken::Comment | CodeToken::Directive) {
            table.take(text, piece, &mut bodies);
            continue;
        }
        table.end(&mut bodies);
        match piece.token {
            CodeToken::Broken => break,
            CodeToken::Open(b'{') if begins_body(text, rules, before, &open) => {
                match body(text, rules, &mut lexer, piece) {
                    Some(FunctionBody { inside, worth: true, uses }) => {
                        bodies.holes.push(inside);
                        bodies.references.extend(uses.references);
                        bodies.comments.extend(uses.comments);
                    }
                    Some(_) => {}
                    None if open.is_empty() => {
                        // Resynchronize: whatever was misread, a brace at the start of a line ends a top-level body.
                        let rest = &text[piece.span.end as usize..];
                        let Some(found) = rest.find("\n}") else { break };
                        lexer.skip_to(piece.span.end as usize + found + 2);
                    }
                    None => break,
                }
            }
            CodeToken::Open(bracket) => open.push(bracket),
            CodeToken::Close(bracket) if open.pop().map(closing) != Some(bracket) => {
                break;
            }
            _ => {}
        }
        before = Some(piece);
    }
    table.end(&mut bodies);
    bodies
}

/// Counts the macros of a file, and collects runs of consecutive macros beyond the limit.
#[derive(Default)]
struct MacroRuns {
    macros: u32,
    /// The range from the first to the last macro of the run.
    run: Option<Span>,
    /// The comments inside the run and after it.
    comments: Vec<Span>,
}

impl MacroRuns {
    /// Processes the next comment or directive.
    fn take(&mut self, text: &str, piece: PlacedToken, bodies: &mut Bodies) {
        let written = text[piece.span.range()].trim_end();
        let span = Span { start: piece.span.start, end: piece.span.start + written.len() as u32 };
        if piece.token == CodeToken::Comment {
            self.comments.push(span);
        } else if !written[1..].trim_start().starts_with("define") {
            self.end(bodies);
        } else {
            self.macros += 1;
            if self.macros > MAX_MACROS {
                let start = self.run.map_or(span.start, |run| run.start);
                if self.run.is_none() {
                    self.comments.clear();
                }
                self.run = Some(Span { start, end: span.end });
            }
        }
    }

    /// Ends the current run.
    fn end(&mut self, bodies: &mut Bodies) {
        let comments = std::mem::take(&mut self.comments);
        if let Some(run) = self.run.take().filter(|run| run.end - run.start >= MIN_BODY_BYTES) {
            bodies.comments.extend(comments.into_iter().filter(|comment| comment.end <= run.end));
            bodies.holes.push(run);
        }
    }
}

/// Whether a brace after `before` begins a body.
fn begins_body(text: &str, rules: &BodyRules, before: Option<PlacedToken>, open: &[u8]) -> bool {
    let Some(before) = before.filter(|_| open.iter().all(|bracket| *bracket == b'{')) else { return false };
    match before.token {
        CodeToken::Word => rules.begins_behind_word(&text[before.span.range()]),
        CodeToken::Close(sign) | CodeToken::Sign(sign) => rules.begins_behind(sign),
        _ => false,
    }
}

/// The bracket that closes `open`.
fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// A complete body.
struct FunctionBody {
    /// The range between the braces.
    inside: Span,
    /// Whether the body may be removed before parsing.
    worth: bool,
    uses: Uses,
}

/// Reads the body that `brace` opens, up to its closing brace. `None` if the brackets do not match.
fn body(text: &str, rules: &BodyRules, lexer: &mut Lexer<'_>, brace: PlacedToken) -> Option<FunctionBody> {
    let mut open = vec![b'{'];
    let mut uses = Uses::default();
    let mut worth = true;
    for piece in lexer {
        match piece.token {
            CodeToken::Broken => return None,
            CodeToken::Directive => worth = false,
            CodeToken::Open(bracket) => open.push(bracket),
            CodeToken::Close(bracket) => {
                if open.pop().map(closing) != Some(bracket) {
                    return None;
                }
                if open.is_empty() {
                    let inside = Span { start: brace.span.end, end: piece.span.start };
                    worth &= inside.end - inside.start >= MIN_BODY_BYTES && ends_well(text, brace, piece);
                    uses.end();
                    return Some(FunctionBody { inside, worth, uses });
                }
            }
            _ => {}
        }
        worth &= !uses.take(text, rules, piece);
    }
    None
}

/// Whether the brace at `end` is in a usual position to close the brace at `begin`.
fn ends_well(text: &str, begin: PlacedToken, end: PlacedToken) -> bool {
    let indent = |at: u32| {
        let before = &text.as_bytes()[..at as usize];
        let start = memchr::memrchr(b'\n', before).map_or(0, |found| found + 1);
        let line = &text.as_bytes()[start..];
        &line[..line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()]
    };
    let indent_of_end = indent(end.span.start);
    match end.first {
        true => indent_of_end.is_empty() || indent_of_end == indent(begin.span.start),
        false => !text[begin.span.start as usize..end.span.start as usize].contains('\n'),
    }
}

/// The ranges of a text outside `holes`, in the parser's form; empty without holes.
pub(super) fn ranges(text: &str, lines: &LineIndex, holes: &[Span]) -> Vec<Range> {
    if holes.is_empty() {
        return Vec::new();
    }
    let point = |at: u32| {
        let line = lines.line_of(at);
        Point::new(line as usize - 1, (at - lines.start_of(line)) as usize)
    };
    let ends = holes.iter().map(|hole| hole.start).chain([text.len() as u32]);
    let starts = [0].into_iter().chain(holes.iter().map(|hole| hole.end));
    let range = |(start, end): (u32, u32)| Range {
        start_byte: start as usize,
        end_byte: end as usize,
        start_point: point(start),
        end_point: point(end),
    };
    starts.zip(ends).map(range).collect()
}

#[cfg(test)]
mod tests;
