//! The insides of functions and of tables, which are not parsed.
//!
//! Most of a file stands in them, and nearly all that is wanted of it are the names that it uses and the
//! comments. Those are found token by token, some thirty times as fast as a parser builds a tree. So where a language's
//! manifest says how a body is told ([`BodyRules`]), the parser is given the file without what stands between the
//! braces; the tree outside is the same, and every node keeps its place.
//!
//! A body is taken out only where its braces are beyond doubt: every bracket in it has its partner, the last brace
//! stands where such braces are written, and nothing in it defines what the walk would have made a symbol of, nor
//! is a line of the preprocessor's. What is not taken out is parsed as ever.

mod lex;
mod units;
mod uses;

use tree_sitter::{Point, Range};

use self::lex::{Lexer, Piece, Token};
pub(super) use self::units::units;
use self::uses::Uses;
use crate::grammar::BodyRules;
use crate::model::Reference;
use crate::text::{LineIndex, Span};

/// A shorter inside is parsed: what a hole costs the parser is about that.
const LEAST: u32 = 32;

/// A file of more macros than this is a table, and what comes after them is not parsed: it is found by its text.
const MOST_MACROS: u32 = 1000;

/// What stands inside of functions.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// What is between the braces, in order.
    pub holes: Vec<Span>,
    /// The names used there, in order.
    pub references: Vec<Reference>,
    /// The comments there, in order.
    pub comments: Vec<Span>,
}

/// The insides of `text` that need no parser.
pub(super) fn find(text: &str, rules: &BodyRules) -> Bodies {
    let mut bodies = Bodies::default();
    let mut lexer = Lexer::new(text, Span::new(0, text.len()), rules);
    // The brackets that are open, none of them a body's.
    let mut open: Vec<u8> = Vec::new();
    let mut before: Option<Piece> = None;
    let mut table = Table::default();
    while let Some(piece) = lexer.next() {
        if matches!(piece.token, Token::Comment | Token::Directive) {
            table.take(text, piece, &mut bodies);
            continue;
        }
        table.end(&mut bodies);
        match piece.token {
            Token::Broken => break,
            Token::Open(b'{') if begins_body(text, rules, before, &open) => {
                match body(text, rules, &mut lexer, piece) {
                    Some(Body { inside, worth: true, uses }) => {
                        bodies.holes.push(inside);
                        bodies.references.extend(uses.references);
                        bodies.comments.extend(uses.comments);
                    }
                    Some(_) => {}
                    None if open.is_empty() => {
                        // Whatever was misread, a brace that begins a line ends what stands outside of all others.
                        let rest = &text[piece.span.end as usize..];
                        let Some(found) = rest.find("\n}") else { break };
                        lexer.skip_to(piece.span.end as usize + found + 2);
                    }
                    None => break,
                }
            }
            Token::Open(bracket) => open.push(bracket),
            Token::Close(bracket) => {
                if open.pop().map(closing) != Some(bracket) {
                    break;
                }
            }
            _ => {}
        }
        before = Some(piece);
    }
    table.end(&mut bodies);
    bodies
}

/// The macros of a file, and those beyond the first so many that follow each other.
#[derive(Default)]
struct Table {
    macros: u32,
    /// From the first of them to the last.
    run: Option<Span>,
    /// The comments in it and behind it.
    comments: Vec<Span>,
}

impl Table {
    /// Takes the next comment or directive.
    fn take(&mut self, text: &str, piece: Piece, bodies: &mut Bodies) {
        let written = text[piece.span.range()].trim_end();
        let span = Span { start: piece.span.start, end: piece.span.start + written.len() as u32 };
        if piece.token == Token::Comment {
            self.comments.push(span);
        } else if !written[1..].trim_start().starts_with("define") {
            self.end(bodies);
        } else {
            self.macros += 1;
            if self.macros > MOST_MACROS {
                let start = self.run.map_or(span.start, |run| run.start);
                if self.run.is_none() {
                    self.comments.clear();
                }
                self.run = Some(Span { start, end: span.end });
            }
        }
    }

    /// Ends what follows each other.
    fn end(&mut self, bodies: &mut Bodies) {
        let comments = std::mem::take(&mut self.comments);
        if let Some(run) = self.run.take().filter(|run| run.end - run.start >= LEAST) {
            bodies.comments.extend(comments.into_iter().filter(|comment| comment.end <= run.end));
            bodies.holes.push(run);
        }
    }
}

/// Whether a brace behind `before` begins a body.
fn begins_body(text: &str, rules: &BodyRules, before: Option<Piece>, open: &[u8]) -> bool {
    let Some(before) = before.filter(|_| open.iter().all(|bracket| *bracket == b'{')) else { return false };
    match before.token {
        Token::Word => rules.begins_behind_word(&text[before.span.range()]),
        Token::Close(sign) | Token::Sign(sign) => rules.begins_behind(sign),
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

/// A body that ends.
struct Body {
    /// What is between its braces.
    inside: Span,
    /// Whether it may be taken out.
    worth: bool,
    uses: Uses,
}

/// Reads the body that `brace` opens, up to the brace that closes it, if its brackets fit.
fn body(text: &str, rules: &BodyRules, lexer: &mut Lexer<'_>, brace: Piece) -> Option<Body> {
    let mut open = vec![b'{'];
    let mut uses = Uses::default();
    let mut worth = true;
    for piece in lexer {
        match piece.token {
            Token::Broken => return None,
            Token::Directive => worth = false,
            Token::Open(bracket) => open.push(bracket),
            Token::Close(bracket) => {
                if open.pop().map(closing) != Some(bracket) {
                    return None;
                }
                if open.is_empty() {
                    let inside = Span { start: brace.span.end, end: piece.span.start };
                    worth &= inside.end - inside.start >= LEAST && ends_well(text, brace, piece);
                    uses.end();
                    return Some(Body { inside, worth, uses });
                }
            }
            _ => {}
        }
        worth &= !uses.take(text, rules, piece);
    }
    None
}

/// Whether the brace at `end` stands where one is written that ends what `begin` began.
fn ends_well(text: &str, begin: Piece, end: Piece) -> bool {
    let indent = |at: u32| {
        let before = &text.as_bytes()[..at as usize];
        let start = memchr::memrchr(b'\n', before).map_or(0, |found| found + 1);
        let line = &text.as_bytes()[start..];
        &line[..line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()]
    };
    let own = indent(end.span.start);
    match end.first {
        true => own.is_empty() || own == indent(begin.span.start),
        false => !text[begin.span.start as usize..end.span.start as usize].contains('\n'),
    }
}

/// What is left of a text without `holes`, as a parser wants it; nothing where there are none.
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
