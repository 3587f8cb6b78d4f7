//! The comments and strings of a text, by the signs in the manifest of its language.
//!
//! This module owns the reading of a text from its start to its end, in linear time: a comment or string of several lines that
//! nothing closes counts up to the end of its line only, so that one wrong sign does not hide the rest of a file, and the end
//! of such a sign is not searched for again.

use crate::grammar::{DelimiterPair, Lexis};
use spyhop_base::text::Span;

/// The most heredocs without an end in a text; further ones are not looked for.
const OPEN_HEREDOCS: usize = 8;

/// The longest line within which a heredoc is looked for.
const HEREDOC_LINE: usize = 1024;

/// A comment or string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LexedToken {
    pub span: Span,
    pub is_comment: bool,
    pub spans_lines: bool,
}

/// The comments and strings of `text`, in order and not overlapping.
pub(crate) fn tokens(text: &str, lexis: &Lexis) -> Vec<LexedToken> {
    let mut lexer = StyleLexer {
        text: text.as_bytes(),
        lexis,
        at: 0,
        out: Vec::new(),
        unclosed: vec![false; lexis.pairs.len()],
        open_heredocs: 0,
        heredocs: Vec::new(),
    };
    lexer.run();
    lexer.out
}

struct StyleLexer<'a> {
    text: &'a [u8],
    lexis: &'a Lexis,
    at: usize,
    out: Vec<LexedToken>,
    /// For each pair: whether a search for its end has reached the end of the text.
    unclosed: Vec<bool>,
    open_heredocs: usize,
    /// The words that end the heredocs whose text begins with the next line.
    heredocs: Vec<Vec<u8>>,
}

impl<'a> StyleLexer<'a> {
    fn run(&mut self) {
        self.line_start();
        while let Some(&byte) = self.text.get(self.at) {
            if byte == b'\n' {
                self.at += 1;
                self.line_start();
            } else if !self.lexis.starts[usize::from(byte)] || !self.token(byte) {
                self.at += 1;
            }
        }
    }

    /// The end of the line that contains `at`, without its line break.
    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |found| at + found)
    }

    fn push(&mut self, end: usize, is_comment: bool) {
        let (start, text) = (self.at, &self.text[self.at..end]);
        let spans_lines = memchr::memchr(b'\n', text).is_some();
        self.out.push(LexedToken { span: Span::new(start, end), is_comment, spans_lines });
        self.at = end;
    }

    /// At the start of a line: the texts of heredocs, or a line that is a comment.
    fn line_start(&mut self) {
        for word in std::mem::take(&mut self.heredocs) {
            self.heredoc(&word);
        }
        if let Some(pattern) = &self.lexis.comment_lines {
            let end = self.line_end(self.at);
            let head = &self.text[self.at..end.min(self.at + HEREDOC_LINE)];
            if pattern.find(head).is_some_and(|found| found.start() == 0) {
                self.push(end, true);
            }
        }
    }

    /// Takes the lines up to the one that consists of `word`.
    fn heredoc(&mut self, word: &[u8]) {
        let mut at = self.at;
        while at < self.text.len() {
            let end = self.line_end(at);
            let line = self.text[at..end].trim_ascii();
            if line.strip_prefix(word).is_some_and(|rest| rest.iter().all(|byte| b";,)".contains(byte))) {
                if at > self.at {
                    self.push(at, false);
                }
                return;
            }
            at = (end + 1).min(self.text.len());
        }
        self.open_heredocs += 1;
    }

    /// Takes the comment or string that begins here with `byte`, if one does.
    fn token(&mut self, byte: u8) -> bool {
        let rest = &self.text[self.at..];
        let block = self.pair(rest);
        if block.is_none() && self.lexis.escapes_code && self.lexis.escape == Some(byte) {
            self.at += 1 + usize::from(rest.get(1).is_some_and(|next| *next != b'\n'));
            return true;
        }
        let comment = self.lexis.comments.iter().filter(|sign| self.begins(rest, sign) && self.may_comment());
        let longest = comment.map(|sign| sign.len()).max().unwrap_or(0);
        if let Some(place) = block.filter(|place| self.lexis.pairs[*place].open.len() >= longest) {
            let end = self.end_of_pair(place);
            let is_comment = self.lexis.pairs[place].is_comment;
            self.push(end, is_comment);
            return true;
        }
        if longest > 0 {
            self.push(self.line_end(self.at), true);
            return true;
        }
        if byte == b'\'' && self.lexis.characters {
            if let Some(len) = character(rest) {
                self.push(self.at + len, false);
                return true;
            }
            return false;
        }
        self.opens_heredoc(rest)
    }

    fn opens_heredoc(&mut self, rest: &[u8]) -> bool {
        if self.open_heredocs >= OPEN_HEREDOCS || self.lexis.heredocs.is_empty() {
            return false;
        }
        let head = &rest[..rest.len().min(64)];
        let found = self.lexis.heredocs.iter().find_map(|pattern| {
            let groups = pattern.captures(head)?;
            let whole = groups.get(0).filter(|whole| whole.start() == 0)?;
            Some((whole.end(), groups.get(1).map_or(&b""[..], |word| word.as_bytes()).to_vec()))
        });
        let Some((len, word)) = found else { return false };
        self.heredocs.push(word);
        self.at += len.max(1);
        true
    }

    fn begins(&self, rest: &[u8], sign: &str) -> bool {
        match rest.get(..sign.len()) {
            Some(head) if self.lexis.ignore_case => head.eq_ignore_ascii_case(sign.as_bytes()),
            head => head == Some(sign.as_bytes()),
        }
    }

    fn may_comment(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.text[at]);
        !self.lexis.spaced || before.is_none_or(|before| before.is_ascii_whitespace() || before == b';')
    }

    fn stands_at_line_start(&self, at: usize) -> bool {
        at == 0 || self.text[at - 1] == b'\n'
    }

    /// The place of the pair that begins here.
    fn pair(&self, rest: &[u8]) -> Option<usize> {
        self.lexis.pairs.iter().position(|pair| {
            self.begins(rest, &pair.open) && (!pair.opens_line || self.stands_at_line_start(self.at))
        })
    }

    /// The end of what begins here with the pair at `place`.
    fn end_of_pair(&mut self, place: usize) -> usize {
        let pair = &self.lexis.pairs[place];
        let line_end = self.line_end(self.at);
        let from = self.at + pair.open.len();
        if !pair.spans_lines {
            return self.close(pair, from, line_end).unwrap_or(line_end);
        }
        if self.unclosed[place] {
            return self.close(pair, from, line_end).unwrap_or(line_end);
        }
        let end = self.close(pair, from, self.text.len());
        self.unclosed[place] = end.is_none();
        end.unwrap_or(line_end)
    }

    /// The position behind the sign that closes `pair`, before `limit`.
    fn close(&self, pair: &DelimiterPair, from: usize, limit: usize) -> Option<usize> {
        let (open, close) = (&*pair.open, &*pair.close);
        if close.is_empty() {
            return Some(limit);
        }
        let text = &self.text[..limit];
        let mut depth = 1;
        let mut at = from;
        while at < limit {
            let byte = text[at];
            let kept = self.lexis.kept.iter().find(|kept| self.begins(&text[at..], kept));
            if pair.escapes && Some(byte) == self.lexis.escape {
                at += 2;
            } else if let Some(kept) = kept.filter(|kept| kept.len() > close.len() && !pair.is_comment) {
                at += kept.len();
            } else if self.begins(&text[at..], close) && (!pair.closes_line || self.stands_at_line_start(at))
            {
                at += close.len();
                depth -= 1;
                if depth == 0 {
                    // A comment that ends with a line of its own takes all of that line.
                    return Some(if pair.closes_line { self.line_end(at).min(limit) } else { at });
                }
            } else if pair.nested && self.begins(&text[at..], open) {
                at += open.len();
                depth += 1;
            } else {
                at += 1;
            }
        }
        None
    }
}

/// The length of the character in quotes at the start of `rest`.
fn character(rest: &[u8]) -> Option<usize> {
    let inner = rest.get(1..)?;
    let len = match inner.first()? {
        b'\\' => 2 + memchr::memchr(b'\'', inner.get(2..inner.len().min(14))?)?,
        b'\n' | b'\'' => return None,
        first if first.is_ascii() => 1,
        _ => inner.iter().skip(1).take(3).take_while(|byte| **byte & 0xC0 == 0x80).count() + 1,
    };
    (inner.get(len) == Some(&b'\'')).then_some(len + 2)
}

/// `text` with blanks in place of comments and of strings of several lines, and of all strings if `strings` is set. Line breaks
/// and positions stay.
pub(super) fn masked(text: &str, tokens: &[LexedToken], strings: bool) -> Vec<u8> {
    let mut code = text.as_bytes().to_vec();
    for token in tokens {
        if token.is_comment || token.spans_lines || strings {
            let blank = |byte: &mut u8| *byte = if *byte == b'\n' { b'\n' } else { b' ' };
            code[token.span.range()].iter_mut().for_each(blank);
        }
    }
    code
}
