//! The tokens of a text without its comments: words, numbers, literals and single signs, with the partner of each bracket.
//!
//! Rules about scopes and types read declarations from tokens. A token needs no syntax tree, so a question can read a file
//! that it has not parsed.

use std::rc::Rc;
use std::sync::Arc;

use super::family::Family;
use super::steps::Steps;
use spyhop_base::text::Span;
use spyhop_syntax::analyze::{LexMode, lex};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    /// A literal with quotes.
    Literal,
    /// One character that is none of the above.
    Sign(u8),
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainToken {
    pub start: u32,
    pub end: u32,
    pub kind: TokenKind,
    /// The indentation of the line that the token begins; `None` for a later token of a line.
    pub indent: Option<u32>,
}

/// The tokens of a text.
pub(super) struct Tokens {
    text: Arc<String>,
    all: Vec<PlainToken>,
    /// For each bracket the index of its partner; the index of the token for a bracket without one, and for other tokens.
    partner: Vec<u32>,
    /// For each token the index of the innermost open bracket around it; the index of the token if there is none.
    around: Vec<u32>,
    /// Each look at a token takes a step.
    steps: Rc<Steps>,
}

impl Tokens {
    pub fn new(language: &'static str, text: Arc<String>, comments: &[Span], steps: Rc<Steps>) -> Tokens {
        let (bytes, mut all) = (text.as_bytes(), Vec::new());
        let (mut at, mut indent, mut line_start) = (0, Some(0), 0);
        let mut literals =
            lex(Family::lexis(language), &text, LexMode::Code(Some(comments))).into_iter().peekable();
        while at < bytes.len() {
            let start = at as u32;
            if let Some(token) = literals.next_if(|token| token.span.start <= start) {
                let column = (at - line_start) as u32;
                at = (token.span.end as usize).max(at + 1);
                if !token.is_comment {
                    let (end, indent) = (at as u32, indent.take().map(|_| column));
                    all.push(PlainToken { start: token.span.start, end, kind: TokenKind::Literal, indent });
                }
                if indent.is_some() && bytes[start as usize..at].contains(&b'\n') {
                    line_start = at;
                }
                continue;
            }
            let is_word =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || *byte >= 0x80;
            let length = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
            let kind = match bytes[at] {
                byte if byte.is_ascii_whitespace() || byte == b'\\' => {
                    at += 1;
                    (indent, line_start) = if byte == b'\n' { (Some(0), at) } else { (indent, line_start) };
                    continue;
                }
                byte if length == 0 => TokenKind::Sign(byte),
                byte if byte.is_ascii_digit() => TokenKind::Number,
                _ => TokenKind::Word,
            };
            let indent = indent.take().map(|_| (at - line_start) as u32);
            at += length.max(1);
            all.push(PlainToken { start, end: at as u32, kind, indent });
        }
        let (partner, around) = brackets(&all);
        steps.take(all.len());
        Tokens { text, all, partner, around, steps }
    }

    /// Whether the question does further work.
    pub fn goes_on(&self) -> bool {
        !self.steps.is_ended()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn at(&self, index: usize) -> Option<&PlainToken> {
        self.all.get(index)
    }

    /// The text of a token; empty past the end.
    pub fn word(&self, index: usize) -> &str {
        self.all.get(index).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    pub fn text(&self, from: usize, to: usize) -> &str {
        match (self.all.get(from), to.checked_sub(1).and_then(|last| self.all.get(last))) {
            (Some(first), Some(last)) if from < to => &self.text[first.start as usize..last.end as usize],
            _ => "",
        }
    }

    pub fn is(&self, index: usize, sign: u8) -> bool {
        self.all.get(index).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    /// Whether the signs of `operator` stand at `index` without blanks between them.
    pub fn is_operator(&self, index: usize, operator: &str) -> bool {
        let start = self.all.get(index).map_or(0, |token| token.start);
        operator.bytes().enumerate().all(|(offset, sign)| {
            self.is(index + offset, sign) && self.all[index + offset].start == start + offset as u32
        })
    }

    pub fn is_word(&self, index: usize) -> bool {
        self.all.get(index).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// The bracket that closes or opens the one at `index`; `None` without a partner.
    pub fn partner(&self, index: usize) -> Option<usize> {
        let partner = *self.partner.get(index)? as usize;
        (partner != index).then_some(partner)
    }

    /// The innermost open bracket around a token.
    pub fn around(&self, index: usize) -> Option<usize> {
        let around = *self.around.get(index)? as usize;
        (around != index).then_some(around)
    }

    /// The first token that starts at `byte` or later.
    pub(crate) fn index_at(&self, byte: u32) -> usize {
        self.all.partition_point(|token| token.start < byte)
    }

    /// The next index in `from..to` outside of further brackets for which `is_end` holds, or `to`.
    pub fn find(&self, from: usize, to: usize, is_end: impl Fn(usize) -> bool) -> usize {
        let mut at = from;
        while at < to.min(self.all.len()) && self.steps.take(1) {
            if is_end(at) {
                return at;
            }
            at = match self.partner(at) {
                Some(close) if close > at => close + 1,
                _ => at + 1,
            };
        }
        to.min(self.all.len())
    }

    /// The parts of `from..to` between commas outside of further brackets, without empty ones.
    pub fn split(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let (mut parts, mut start) = (Vec::new(), from);
        while start < to && self.goes_on() {
            let end = self.find(start, to, |at| self.is(at, b','));
            if end > start {
                parts.push((start, end));
            }
            start = end + 1;
        }
        parts
    }
}

/// The partner of each token, and the innermost bracket around it.
fn brackets(all: &[PlainToken]) -> (Vec<u32>, Vec<u32>) {
    let mut partner: Vec<u32> = (0..all.len() as u32).collect();
    let mut around = partner.clone();
    let mut open: Vec<(u32, usize)> = Vec::new();
    // The number of open brackets of each kind, so that no partner is looked for where there is none.
    let mut counts = [0u32; 3];
    for (index, token) in (0..).zip(all) {
        let kind = match token.kind {
            TokenKind::Sign(sign) => b"([{)]}".iter().position(|known| *known == sign),
            _ => None,
        };
        if let Some(closed) = kind.and_then(|kind| kind.checked_sub(3)).filter(|kind| counts[*kind] > 0) {
            while let Some((opening, kind)) = open.pop() {
                counts[kind] -= 1;
                if kind == closed {
                    (partner[index as usize], partner[opening as usize]) = (opening, index);
                    break;
                }
            }
        }
        around[index as usize] = open.last().map_or(index, |(open, _)| *open);
        if let Some(kind) = kind.filter(|kind| *kind < 3) {
            counts[kind] += 1;
            open.push((index, kind));
        }
    }
    (partner, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_numbers_literals_and_signs_with_partners() {
        let text = "def f(a, b=\"x)\"):  # c\n    return g[1]\n";
        let comment = text.find('#').map(|at| Span::new(at, at + 3)).unwrap();
        let tokens = Tokens::new("python", Arc::new(text.to_string()), &[comment], Rc::default());
        let words: Vec<&str> = (0..tokens.len()).map(|at| tokens.word(at)).collect();
        let expected =
            ["def", "f", "(", "a", ",", "b", "=", "\"x)\"", ")", ":", "return", "g", "[", "1", "]"];
        assert_eq!(words, expected);
        assert_eq!(tokens.partner(2), Some(8));
        assert_eq!(tokens.around(3), Some(2));
        assert_eq!(tokens.at(10).and_then(|token| token.indent), Some(4));
        assert_eq!(tokens.split(3, 8), [(3, 4), (5, 8)]);
    }
}
