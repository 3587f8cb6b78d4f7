//! A lexer for brace matching: words, brackets, comments, quoted text, directives.
//!
//! The lexer knows just enough of a language not to mistake a bracket in a string for a real one, by the few marks that
//! the manifest names. Text that it cannot interpret is [`CodeToken::Broken`], and nothing after such a token is reported.

use crate::grammar::BodyRules;
use spyhop_base::text::Span;

/// The type of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeToken {
    /// A name, a keyword or a number.
    Word,
    /// One of `(`, `[`, `{`.
    Open(u8),
    /// One of `)`, `]`, `}`.
    Close(u8),
    Comment,
    /// A string or a character literal.
    Quoted,
    /// A preprocessor line, with its continuation lines.
    Directive,
    /// Any other byte that is not white space.
    Sign(u8),
    /// Quoted text or a comment without an end.
    Broken,
}

/// A token with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedToken {
    pub token: CodeToken,
    pub span: Span,
    /// Whether only white space precedes the token on its line.
    pub first: bool,
}

/// An iterator over the tokens of a text, in order.
pub(super) struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
    fresh: bool,
    rules: &'t BodyRules,
}

impl<'t> Lexer<'t> {
    /// A lexer for the part `span` of `text`, which must not start at a line's first token unless it starts the text.
    pub fn new(text: &'t str, span: Span, rules: &'t BodyRules) -> Lexer<'t> {
        let (at, end) = (span.start as usize, span.end as usize);
        Lexer { bytes: text.as_bytes(), at, end, fresh: at == 0, rules }
    }

    /// Continues at `at`, which is the end of a line or of the text.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes[..self.end].get(at).copied()
    }

    /// The end of the line that `at` is on, including its continuation lines.
    fn line_end(&self, mut at: usize) -> usize {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.bytes[at..self.end]) else { return self.end };
            at += found;
            let before = self.bytes[..at].strip_suffix(b"\r").unwrap_or(&self.bytes[..at]);
            if !(self.rules.directives && before.ends_with(b"\\")) {
                return at;
            }
            at += 1;
        }
    }

    /// The position after the quote that closes the quote at `at`. Only raw text may span lines.
    fn quoted_end(&self, at: usize, quote: u8) -> Option<usize> {
        let inside = &self.bytes[at + 1..self.end];
        if self.rules.raw == Some(quote) {
            return memchr::memchr(quote, inside).map(|found| at + found + 2);
        }
        let mut from = 0;
        loop {
            let found = from + memchr::memchr3(quote, b'\\', b'\n', &inside[from..])?;
            match inside[found] {
                b'\\' => from = (found + 2).min(inside.len()),
                b'\n' => return None,
                _ => return Some(at + found + 2),
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = PlacedToken;

    fn next(&mut self) -> Option<PlacedToken> {
        while let Some(byte) = self.byte(self.at).filter(u8::is_ascii_whitespace) {
            self.fresh |= byte == b'\n';
            self.at += 1;
        }
        let (start, first) = (self.at, std::mem::take(&mut self.fresh));
        let byte = self.byte(start)?;
        let (token, end) = match byte {
            b'/' if self.byte(start + 1) == Some(b'/') => (CodeToken::Comment, self.line_end(start)),
            b'/' if self.byte(start + 1) == Some(b'*') => {
                match memchr::memmem::find(&self.bytes[start + 2..self.end], b"*/") {
                    Some(found) => (CodeToken::Comment, start + found + 4),
                    None => (CodeToken::Broken, self.end),
                }
            }
            b'#' if first && self.rules.directives => (CodeToken::Directive, self.line_end(start)),
            b'"' | b'\'' | b'`' => match self.quoted_end(start, byte) {
                Some(end) => (CodeToken::Quoted, end),
                None => (CodeToken::Broken, self.end),
            },
            b'(' | b'[' | b'{' => (CodeToken::Open(byte), start + 1),
            b')' | b']' | b'}' => (CodeToken::Close(byte), start + 1),
            _ if is_word(byte) => {
                let rest = &self.bytes[start..self.end];
                (CodeToken::Word, start + rest.iter().take_while(|byte| is_word(**byte)).count())
            }
            _ => (CodeToken::Sign(byte), start + 1),
        };
        self.at = end;
        Some(PlacedToken { token, span: Span::new(start, end), first })
    }
}

/// Whether a byte can be part of a name; bytes that are not ASCII count as letters.
fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}
