//! The comments and strings of a text, by the signs in the manifest of its language.
//!
//! This module owns the one reading of a text from its start to its end, in linear time: what nothing closes is a matter of
//! [`LexMode`], so that one wrong sign does not hide the rest of a file, and the end of such a sign is not searched for again.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::grammar::{DelimiterPair, Lexis, lexis_of};
use spyhop_base::text::Span;

/// The most strings of forms that patterns describe for whose ends a text was searched without success; further ones are not looked for.
const MAX_UNCLOSED: usize = 64;

/// The bytes that the pattern of a string sees: from where it may begin, and before.
const HEAD: usize = 1024;
const BEHIND: usize = 64;

/// The deepest nesting of strings in the code of strings. Deeper code counts as text.
const MAX_DEPTH: usize = 16;

/// A comment or string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexedToken {
    pub span: Span,
    pub is_comment: bool,
    /// Whether a string documents the code.
    pub is_doc: bool,
    pub(super) spans_lines: bool,
}

/// How code inside strings is read, and comments and strings that nothing closes.
#[derive(Clone, Copy, Debug)]
pub enum LexMode<'c> {
    /// Strings are whole. A comment or string without an end goes up to the end of its line.
    Lines,
    /// As [`LexMode::Lines`]; what spans lines goes up to the end of the text, which is cut anywhere.
    Excerpt,
    /// Code inside strings is not part of them, and a string without an end is none. The comments are those given, if any.
    Code(Option<&'c [Span]>),
}

/// The language whose comments and strings are those of a language that the tree adds.
const COMMON: &str = "typescript";

/// The comments and strings of `text`, in order and not overlapping. `language` is a name in filters.
pub fn lex(language: &str, text: &str, mode: LexMode<'_>) -> Vec<LexedToken> {
    let lexis = lexis_of(language).or_else(|| lexis_of(COMMON));
    lexis.map_or_else(Vec::new, |lexis| tokens(text, lexis, mode))
}

/// `text` with blanks in place of the tokens that `takes` chooses. Line breaks and positions stay.
pub fn blanked(text: &str, tokens: &[LexedToken], takes: impl Fn(&LexedToken) -> bool) -> Vec<u8> {
    let mut code = text.as_bytes().to_vec();
    for token in tokens.iter().filter(|token| takes(token)) {
        let blank = |byte: &mut u8| *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        code[token.span.range()].iter_mut().for_each(blank);
    }
    code
}

/// The comments and strings of `text`, in order and not overlapping.
pub(crate) fn tokens(text: &str, lexis: &Lexis, mode: LexMode<'_>) -> Vec<LexedToken> {
    let comments = if let LexMode::Code(comments) = mode { comments } else { None };
    let mut lexer = StyleLexer {
        text: text.as_bytes(),
        lexis,
        mode,
        comments,
        next_comment: 0,
        at: 0,
        depth: 0,
        out: Vec::new(),
        unclosed: FxHashMap::default(),
        heredocs: Vec::new(),
    };
    lexer.line_start();
    lexer.code(None);
    lexer.out
}

/// A comment or string that begins, with the signs that close it. A heredoc begins with the next line; its word closes it.
struct Opened<'a> {
    pair: &'a DelimiterPair,
    /// The place of the pair.
    place: usize,
    /// The length of the signs that open it.
    len: usize,
    close: Cow<'a, [u8]>,
    /// The sign that opens another one inside.
    nests: Option<&'a [u8]>,
}

struct StyleLexer<'a> {
    text: &'a [u8],
    lexis: &'a Lexis,
    mode: LexMode<'a>,
    /// The comments, if they are known.
    comments: Option<&'a [Span]>,
    next_comment: usize,
    at: usize,
    /// The number of strings around the code.
    depth: usize,
    out: Vec<LexedToken>,
    /// By the place of a pair and its closing signs: up to where they were searched for without success.
    unclosed: FxHashMap<(usize, Vec<u8>), usize>,
    /// The heredocs of the line, whose texts follow.
    heredocs: Vec<Opened<'a>>,
}

impl<'a> StyleLexer<'a> {
    /// Reads code, to the end of the text or, inside a string, to the bracket that ends it.
    fn code(&mut self, brackets: Option<(u8, u8)>) {
        let (lexis, mut depth) = (self.lexis, 0);
        let mut outer = std::mem::take(&mut self.heredocs);
        while self.at < self.text.len() {
            let comment = self.known_comment();
            if let Some(comment) = comment.filter(|comment| comment.start as usize <= self.at) {
                self.push((comment.end as usize).clamp(self.at + 1, self.text.len()), true, false);
                continue;
            }
            let until =
                comment.map_or(self.text.len(), |comment| self.text.len().min(comment.start as usize));
            let rest = &self.text[self.at..until];
            let is_bracket = |byte: u8| brackets.is_some_and(|(open, close)| byte == open || byte == close);
            let next = match brackets {
                None => lexis.next_start(rest),
                Some(_) => rest.iter().position(|it| lexis.starts[usize::from(*it)] || is_bracket(*it)),
            };
            self.at = next.map_or(until, |next| self.at + next);
            let Some(byte) = next.map(|_| self.text[self.at]) else { continue };
            match brackets {
                Some((_, close)) if byte == close && depth == 0 => break,
                Some((_, close)) if byte == close => depth -= 1,
                Some((open, _)) if byte == open => depth += 1,
                _ => {}
            }
            if byte == b'\n' {
                self.at += 1;
                self.line_start();
            } else if !self.token(byte) {
                self.at += 1;
            }
        }
        // The texts of the others follow the line that the code ends in.
        outer.append(&mut self.heredocs);
        self.heredocs = outer;
    }

    /// The next of the known comments.
    fn known_comment(&mut self) -> Option<Span> {
        let comments = self.comments?;
        while comments.get(self.next_comment).is_some_and(|comment| comment.end as usize <= self.at) {
            self.next_comment += 1;
        }
        comments.get(self.next_comment).copied()
    }

    /// The end of the line that contains `at`, without its line break.
    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |found| at + found)
    }

    fn push(&mut self, end: usize, is_comment: bool, is_doc: bool) {
        let (start, text) = (self.at, &self.text[self.at..end]);
        let spans_lines = memchr::memchr(b'\n', text).is_some();
        self.out.push(LexedToken { span: Span::new(start, end), is_comment, is_doc, spans_lines });
        self.at = end;
    }

    /// At the start of a line: the texts of heredocs, or a line that is a comment.
    fn line_start(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            self.take(&heredoc);
        }
        if let Some(pattern) = self.lexis.comment_lines.as_ref().filter(|_| self.comments.is_none()) {
            let end = self.line_end(self.at);
            let head = &self.text[self.at..end.min(self.at + HEAD)];
            if pattern.find(head).is_some_and(|found| found.start() == 0) {
                self.push(end, true, false);
            }
        }
    }

    /// The sign that begins code in a string of `pair`, if the code is read.
    fn code_sign(&self, pair: &'a DelimiterPair) -> Option<&'a [u8]> {
        let is_read = matches!(self.mode, LexMode::Code(_)) && self.depth < MAX_DEPTH;
        pair.code.as_deref().map(str::as_bytes).filter(|_| is_read)
    }

    /// Takes the string up to the `sign` of code at `at`, and reads the code.
    fn inner(&mut self, at: usize, sign: &[u8]) {
        // What stands behind the bracket of the sign is code: `{$` of PHP.
        let end = sign.iter().rposition(|byte| matches!(byte, b'(' | b'{')).map_or(sign.len(), |at| at + 1);
        self.push(at + end, false, false);
        let open = &sign[end - 1..end];
        self.depth += 1;
        self.code(Some((open[0], mirrored(open)[0])));
        self.depth -= 1;
    }

    /// Takes the comment or string that begins here with `byte`, if one does.
    fn token(&mut self, byte: u8) -> bool {
        let (lexis, rest) = (self.lexis, &self.text[self.at..]);
        let opened = self.opened(byte);
        if opened.is_none() && lexis.escapes_code && lexis.escape == Some(byte) {
            self.at += 1 + usize::from(rest.get(1).is_some_and(|next| *next != b'\n'));
            return true;
        }
        if let Some(opened) = opened {
            if !opened.pair.is_heredoc {
                return self.take(&opened);
            }
            self.at += opened.len.max(1);
            self.heredocs.push(Opened { len: 0, ..opened });
            return true;
        }
        let character = character(rest).filter(|_| byte == b'\'' && lexis.characters);
        if let Some(len) = character {
            self.push(self.at + len, false, false);
        }
        character.is_some()
    }

    /// The comment or string that begins here with `byte`.
    fn opened(&self, byte: u8) -> Option<Opened<'a>> {
        let (text, rest, lexis) = (self.text, &self.text[self.at..], self.lexis);
        let byte = if lexis.ignore_case { byte.to_ascii_lowercase() } else { byte };
        lexis.pairs.iter().enumerate().find_map(|(place, pair)| {
            let is_known = pair.is_comment && self.comments.is_some() && pair.close.as_deref() != Some("");
            let is_late = pair.pattern.is_some() && self.unclosed.len() >= MAX_UNCLOSED;
            if !pair.firsts.contains(&byte) || is_known || is_late || !self.may_open(pair) {
                return None;
            }
            let Some((open, behind)) = &pair.pattern else {
                let (open, close) = (pair.open.as_bytes(), pair.close.as_deref().unwrap_or_default());
                let nests = Some(open).filter(|_| pair.nested);
                let opened = Opened { pair, place, len: open.len(), close: close.as_bytes().into(), nests };
                return self.begins(rest, open).then_some(opened);
            };
            let head = &rest[..rest.len().min(HEAD)];
            let before = &text[self.at.saturating_sub(BEHIND)..self.at];
            let is_after =
                pair.after.is_empty() || before.last().is_some_and(|it| pair.after.as_bytes().contains(it));
            let groups = Some(open).filter(|open| is_after && open.is_match(head))?.captures(head)?;
            let behind = behind.as_ref().map(|behind| behind.captures(before).ok_or(())).transpose().ok()?;
            let len = groups.name("then").map_or(groups.get(0)?.end(), |then| then.start());
            let in_open =
                || (1..groups.len()).find_map(|group| groups.get(group).filter(|it| it.start() < len));
            let word = behind.and_then(|groups| groups.get(1)).or_else(in_open);
            let word = word.map_or(&head[..len], |word| word.as_bytes());
            let close = match &pair.close {
                Some(close) => close.replace("$1", &String::from_utf8_lossy(word)).into_bytes().into(),
                None => mirrored(word).into(),
            };
            let nests = Some(word).filter(|word| pair.close.is_none() && mirrored(word) != *word);
            Some(Opened { pair, place, len, close, nests })
        })
    }

    /// Takes the comment or string that begins here; `false` if it is none.
    fn take(&mut self, opened: &Opened<'a>) -> bool {
        let Opened { pair, place, len, ref close, nests } = *opened;
        let (start, next_comment) = (self.at, self.next_comment);
        let (n_out, n_heredocs) = (self.out.len(), self.heredocs.len());
        let is_searched = !self.unclosed.is_empty()
            && self.unclosed.get(&(place, close.to_vec())).is_some_and(|until| start < *until);
        let (mut at, mut depth) = (start + len, 0);
        let mut end = match (&pair.close, &pair.pattern) {
            (None, None) => Some(self.line_end(start)),
            (Some(close), None) if close.is_empty() => Some(self.text.len()),
            (Some(close), Some(_)) if close.is_empty() => Some(at),
            _ => None,
        };
        while end.is_none() && !is_searched && at < self.text.len() {
            let rest = &self.text[at..];
            if let Some(len) = self.end_of_heredoc(at, opened) {
                end = Some(at + len);
            } else if let Some(kept) = pair.kept.iter().find(|kept| self.begins(rest, kept.as_bytes())) {
                at += kept.len();
            } else if let Some(sign) = self.code_sign(pair).filter(|sign| rest.starts_with(sign)) {
                self.inner(at, sign);
                at = self.at;
            } else if pair.escapes && Some(rest[0]) == self.lexis.escape {
                at += 2;
            } else if rest[0] == b'\n' && !self.heredocs.is_empty() {
                self.push(at + 1, false, false);
                self.line_start();
                at = self.at;
            } else if !pair.is_heredoc
                && self.begins(rest, close)
                && (!pair.closes_line || self.stands_at_line_start(at))
            {
                at += close.len();
                // A comment that ends with a line of its own takes all of that line.
                end = (depth == 0).then(|| if pair.closes_line { self.line_end(at) } else { at });
                depth = usize::saturating_sub(depth, 1);
            } else if let Some(open) = nests.filter(|open| self.begins(rest, open)) {
                (at, depth) = (at + open.len(), depth + 1);
            } else if rest[0] == b'\n' && !pair.spans_lines {
                break;
            } else {
                at += 1;
            }
        }
        if end.is_none() {
            self.out.truncate(n_out);
            self.heredocs.truncate(n_heredocs);
            (self.at, self.next_comment) = (start, next_comment);
            if !is_searched {
                self.unclosed.insert((place, close.to_vec()), at);
            }
            end = self.end_of_unclosed(opened);
        }
        if let Some(end) = end {
            self.push(end.min(self.text.len()), pair.is_comment, pair.is_doc);
        }
        end.is_some()
    }

    /// The length of what ends a heredoc at `at`, the start of a line: blanks and the word.
    fn end_of_heredoc(&self, at: usize, opened: &Opened<'a>) -> Option<usize> {
        if !opened.pair.is_heredoc || !self.stands_at_line_start(at) {
            return None;
        }
        let line = &self.text[at..self.line_end(at)];
        let rest = line.trim_ascii_start().strip_prefix(&*opened.close)?.trim_ascii_end();
        let indent = line.len() - line.trim_ascii_start().len();
        rest.iter().all(|byte| b";,)".contains(byte)).then_some(indent + opened.close.len())
    }

    /// The end of a comment or string that nothing closes; `None` if its first signs are neither.
    fn end_of_unclosed(&self, opened: &Opened<'a>) -> Option<usize> {
        let line_end = self.line_end(self.at);
        match self.mode {
            _ if opened.pair.is_heredoc => None,
            LexMode::Code(_) => opened.pair.is_comment.then_some(self.text.len()),
            LexMode::Excerpt if opened.pair.spans_lines => Some(self.text.len()),
            _ => {
                let from = (self.at + opened.len).min(line_end);
                let close = memchr::memmem::find(&self.text[from..line_end], &opened.close);
                Some(close.map_or(line_end, |close| from + close + opened.close.len()))
            }
        }
    }

    fn begins(&self, rest: &[u8], sign: &[u8]) -> bool {
        match rest.get(..sign.len()) {
            Some(head) if self.lexis.ignore_case => head.eq_ignore_ascii_case(sign),
            head => head == Some(sign),
        }
    }

    /// Whether a pair that needs a line start or white space before it can open here.
    fn may_open(&self, pair: &DelimiterPair) -> bool {
        let before = self.at.checked_sub(1).map_or(b'\n', |at| self.text[at]);
        let is_free = before.is_ascii_whitespace() || before == b';';
        (!pair.opens_line || before == b'\n') && (!pair.is_spaced || is_free)
    }

    fn stands_at_line_start(&self, at: usize) -> bool {
        at == 0 || self.text[at - 1] == b'\n'
    }
}

/// The signs that close what `open` opens.
fn mirrored(open: &[u8]) -> &[u8] {
    match open {
        b"(" => b")",
        b"[" => b"]",
        b"{" => b"}",
        b"<" => b">",
        sign => sign,
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
