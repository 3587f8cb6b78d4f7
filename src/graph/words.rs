//! The identifiers of a text outside of comments and string literals.
//!
//! The analysis records calls, types and imports, but not every mention of a name: an argument, a type in quotes, the
//! class of an `except`. Mentions are found by their letters, which needs no rules of the language but for its quotes.

use rustc_hash::FxHashMap;

use super::family::{CSHARP, Family};
use super::ruby_literals;
use spyhop_base::text::Span;

/// The whole words `name` in `text`, in order.
pub(super) fn whole_words(text: &str, name: &str) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    if name.is_empty() {
        return Vec::new();
    }
    let all = memchr::memmem::find_iter(text.as_bytes(), name.as_bytes());
    let all = all.map(|at| Span::new(at, at + name.len()));
    all.filter(|span| {
        let range = span.range();
        !text[..range.start].ends_with(is_word) && !text[range.end..].starts_with(is_word)
    })
    .collect()
}

/// The length of the mark at `at`, the end of a word, that belongs to the name: `x`, `x?` and `x!` are three methods.
pub(super) fn mark_at(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at..).unwrap_or_default() {
        [b'?' | b'!', b'=', next, ..] => usize::from(matches!(next, b'=' | b'~' | b'>')),
        [b'?' | b'!', b'='] => 0,
        [b'?' | b'!', ..] => 1,
        _ => 0,
    }
}

/// Whether a span begins in one of the `skipped` spans, which are in order.
pub(super) fn is_skipped(skipped: &[Span], span: Span) -> bool {
    let next = skipped.partition_point(|skipped| skipped.end <= span.start);
    skipped.get(next).is_some_and(|skipped| skipped.start <= span.start)
}

/// The whole words in a `part` of `text` outside of the `skipped` spans that `takes` chooses, in order.
pub(super) fn words_where(
    family: Family,
    text: &str,
    part: Span,
    skipped: &[Span],
    mut takes: impl FnMut(&str) -> bool,
) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    let (mut found, mut at, to) = (Vec::new(), part.start as usize, part.end as usize);
    let next = skipped.partition_point(|skipped| skipped.end <= part.start);
    for next in skipped[next..].iter().copied().chain([Span::new(to, to)]) {
        while let Some(start) = text.get(at..to.min(next.start as usize)).and_then(|rest| rest.find(is_word))
        {
            let start = at + start;
            let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
            at = start + length;
            at += if family.calls_without_signs() { mark_at(text, at) } else { 0 };
            if takes(&text[start..at]) {
                found.push(Span::new(start, at));
            }
        }
        at = at.max(next.end as usize);
    }
    found
}

/// The comments and string literals of a text, in order. The code inside of a literal, as in `f"{x}"`, is not part of it.
pub(super) fn skipped(family: Family, text: &str, comments: &[Span]) -> Vec<Span> {
    if family.calls_without_signs() {
        return ruby_literals::skipped(text, comments);
    }
    let (bytes, unclosed) = (text.as_bytes(), UnclosedLiterals::default());
    let mut scanner = Scanner { family, bytes, comments, next_comment: 0, unclosed, found: Vec::new() };
    scanner.scan(0, text.len());
    scanner.found
}

/// The comments of a text in a language with `//` and `/* */`, for texts whose analysis is not at hand.
pub(super) fn comments(family: Family, text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut unclosed) = (Vec::new(), 0, UnclosedLiterals::default());
    while let Some(next) = memchr::memchr3(b'/', b'"', b'\'', &bytes[at..]).map(|next| at + next) {
        // Few literals are between backquotes.
        let next = memchr::memchr(b'`', &bytes[at..next]).map_or(next, |before| at + before);
        let end = match bytes[next] {
            b'/' => end_of_comment(family, bytes, next),
            quote => end_of_literal(family, bytes, (next, quote), &mut unclosed),
        };
        if bytes[next] == b'/' && end > next {
            found.push(Span::new(next, end));
        }
        at = end.max(next + 1);
    }
    found
}

/// The end of the comment that begins at `start`; `start` if none begins there.
fn end_of_comment(family: Family, bytes: &[u8], start: usize) -> usize {
    match bytes.get(start + 1) {
        Some(b'/') => memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |next| start + next),
        Some(b'*') => {
            let (mut at, mut depth) = (start + 2, 1);
            while let Some(next) = memchr::memchr2(b'*', b'/', &bytes[at..]).map(|next| at + next) {
                at = next + 2;
                match bytes.get(next..next + 2) {
                    Some(b"*/") if depth == 1 => return at,
                    Some(b"*/") => depth -= 1,
                    Some(b"/*") if family == Family::Rust => depth += 1,
                    _ => at = next + 1,
                }
            }
            bytes.len()
        }
        _ => start,
    }
}

/// The search for comments and literals.
struct Scanner<'t> {
    family: Family,
    bytes: &'t [u8],
    comments: &'t [Span],
    next_comment: usize,
    unclosed: UnclosedLiterals,
    found: Vec<Span>,
}

impl Scanner<'_> {
    fn scan(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            while self.comments.get(self.next_comment).is_some_and(|comment| comment.end as usize <= at) {
                self.next_comment += 1;
            }
            if let Some(comment) =
                self.comments.get(self.next_comment).filter(|comment| comment.start as usize <= at)
            {
                self.found.push(*comment);
                at = (comment.end as usize).max(at + 1);
                continue;
            }
            let until = self.comments.get(self.next_comment).map_or(to, |next| to.min(next.start as usize));
            let Some(quote) = memchr::memchr3(b'"', b'\'', b'`', &self.bytes[at..until]) else {
                at = until;
                continue;
            };
            at += quote;
            let end = end_of_literal(self.family, self.bytes, (at, self.bytes[at]), &mut self.unclosed);
            if end > at {
                self.literal(at, end);
            }
            at = end.max(at + 1);
        }
    }

    /// Adds the parts of a literal that are not code.
    fn literal(&mut self, start: usize, end: usize) {
        let mut from = start;
        if let Some(open) = self.interpolation(start) {
            let mut at = start + 1;
            while at < end {
                if self.bytes[at..end].starts_with(b"{{") && open == b"{" {
                    at += 2;
                } else if self.bytes[at..end].starts_with(open) {
                    let inner = at + open.len();
                    let close = end_of_braces(&self.bytes[..end], inner);
                    self.found.push(Span::new(from, inner));
                    self.scan(inner, close);
                    (at, from) = (close, close);
                } else {
                    at += 1;
                }
            }
        }
        self.found.push(Span::new(from, end));
    }

    /// The sign that begins code inside of the literal at `start`, if the literal may hold code.
    fn interpolation(&self, start: usize) -> Option<&'static [u8]> {
        let is_formatted = || {
            let prefix = self.bytes[..start].iter().rev().take_while(|byte| byte.is_ascii_alphabetic());
            let prefix: Vec<u8> = prefix.take(3).copied().collect();
            prefix.len() < 3 && prefix.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'))
        };
        match self.family {
            Family::Web if self.bytes[start] == b'`' => Some(b"${"),
            Family::Python if is_formatted() => Some(b"{"),
            CSHARP if self.bytes[start] == b'"' => match CsharpPrefix::before(self.bytes, start).n_dollars {
                0 => None,
                1 => Some(b"{"),
                _ => Some(b"{{"),
            },
            _ => None,
        }
    }
}

/// The signs before a literal of C#, which say what may stand in it.
struct CsharpPrefix {
    /// Each one is a brace more before code.
    n_dollars: usize,
    /// Whether the literal may span lines and has no escapes but a doubled quote.
    is_verbatim: bool,
}

impl CsharpPrefix {
    fn before(bytes: &[u8], start: usize) -> CsharpPrefix {
        let signs =
            || bytes[..start].iter().rev().take_while(|byte| matches!(byte, b'$' | b'@')).take(MAX_SIGNS);
        CsharpPrefix {
            n_dollars: signs().filter(|byte| **byte == b'$').count(),
            is_verbatim: signs().any(|byte| *byte == b'@'),
        }
    }
}

/// The most signs before a literal of C# that are read.
const MAX_SIGNS: usize = 8;

/// The end of the literal of C# whose first quote is at `start`; `None` if the literal has no end, or is a common one.
fn end_of_csharp_string(bytes: &[u8], start: usize) -> Option<usize> {
    let CsharpPrefix { n_dollars, is_verbatim } = CsharpPrefix::before(bytes, start);
    let n_quotes = bytes[start..].iter().take_while(|byte| **byte == b'"').count();
    if !is_verbatim && n_quotes > 2 {
        let inside = start + n_quotes;
        let found = memchr::memmem::find(&bytes[inside..], &bytes[start..inside]);
        return found.map(|at| inside + at + n_quotes);
    }
    if !is_verbatim && n_dollars == 0 {
        return None;
    }
    let (mut at, mut depth) = (start + 1, 0_usize);
    while at < bytes.len() {
        let is_doubled = bytes.get(at + 1) == Some(&bytes[at]);
        match bytes[at] {
            b'"' if depth > 0 => at = end_of_csharp_string(bytes, at).unwrap_or(at + 1).max(at + 1) - 1,
            b'"' if is_verbatim && is_doubled => at += 1,
            b'"' => return Some(at + 1),
            b'\\' if !is_verbatim && depth == 0 => at += 1,
            b'\n' if !is_verbatim => return None,
            b'{' if n_dollars > 0 && is_doubled && depth == 0 => at += 1,
            b'{' if n_dollars > 0 => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The position of the brace that closes the one before `from`, or the last byte.
fn end_of_braces(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    bytes.len() - 1
}

/// How far the text was searched for the end of a literal that has none, by the quote and the number of quotes.
type UnclosedLiterals = FxHashMap<(u8, usize), usize>;

/// The end of the literal that begins at `start`; `start` if none begins there, as at a lifetime.
fn end_of_literal(
    family: Family,
    bytes: &[u8],
    (start, quote): (usize, u8),
    unclosed: &mut UnclosedLiterals,
) -> usize {
    if family == Family::Rust
        && quote == b'"'
        && let Some(end) = end_of_raw_string(bytes, start)
    {
        return end;
    }
    if family == CSHARP
        && quote == b'"'
        && let Some(end) = end_of_csharp_string(bytes, start)
    {
        return end;
    }
    let has_triple = family == Family::Python || family == Family::Jvm && quote == b'"';
    let is_triple = has_triple && bytes[start..].starts_with(&[quote; 3]);
    let is_char = quote == b'\'' && matches!(family, Family::Rust | Family::C | Family::Jvm | Family::Go);
    let (mut at, width) = (start + if is_triple { 3 } else { 1 }, if is_triple { 3 } else { 1 });
    // A quote of Rust without an escape is a literal of one character or the sign of a lifetime.
    if is_char && family == Family::Rust && bytes.get(start + 1) != Some(&b'\\') {
        let rest = bytes.get(start + 1..(start + 6).min(bytes.len())).unwrap_or_default();
        let length = rest.iter().skip(1).take_while(|byte| **byte & 0xC0 == 0x80).count() + 1;
        return if rest.get(length) == Some(&b'\'') { start + length + 2 } else { start };
    }
    let spans_lines = is_triple || quote == b'`' || family == Family::Rust;
    let until = unclosed.entry((quote, width)).or_insert(0);
    if start < *until {
        return start;
    }
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !spans_lines || is_char => break,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3][..width]) => return at + width,
            _ if is_char && at > start + 8 => return start,
            _ => {}
        }
        at += 1;
    }
    // A literal without an end is not one, and neither is what begins with a quote inside of it: that quote is escaped, so
    // that the rest has no other quote.
    *until = if is_char { 0 } else { at };
    start
}

/// The end of the raw string of Rust whose first quote is at `start`; `None` if the quote begins another literal.
fn end_of_raw_string(bytes: &[u8], start: usize) -> Option<usize> {
    let n_hashes = bytes[..start].iter().rev().take_while(|byte| **byte == b'#').count();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = &bytes[..start - n_hashes];
    let prefix = before.iter().rev().take_while(|byte| is_word(byte)).count();
    if !matches!(&before[before.len() - prefix..], b"r" | b"br" | b"cr") {
        return None;
    }
    let end = format!("\"{}", "#".repeat(n_hashes));
    let found = memchr::memmem::find(&bytes[start + 1..], end.as_bytes());
    Some(found.map_or(bytes.len(), |at| start + 1 + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, text: &str, expected: usize) {
        let comments: Vec<Span> = text.find('#').map(|at| Span::new(at, text.len())).into_iter().collect();
        let skipped = skipped(family, text, &comments);
        let found = whole_words(text, "take").into_iter().filter(|span| !is_skipped(&skipped, *span));
        assert_eq!(found.count(), expected, "{text}");
    }

    fn check_comments(family: Family, text: &str, expected: &[&str]) {
        let found: Vec<&str> = comments(family, text).iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_outside_of_literals() {
        let all = "a(r#\"\" // no\"#, \"// no\", '\"', '\\'') // yes\n/* and */ b";
        check_comments(Family::Rust, all, &["// yes", "/* and */"]);
        check_comments(Family::Rust, "fn f<'a, 'b>(a: &'a str) {} // 'a'", &["// 'a'"]);
        check_comments(Family::Rust, "/* a /* b */ c */ d", &["/* a /* b */ c */"]);
        check_comments(Family::Jvm, "/* a /* b */ c /**/ d / e", &["/* a /* b */", "/**/"]);
        check_comments(Family::Go, "a := `// no` // yes", &["// yes"]);
        check_comments(Family::Go, "a := 'x' /", &[]);
    }

    #[test]
    fn a_text_may_end_inside_of_anything() {
        for text in ["'\\", "'", "\"\\", "/*", "/* *", "//", "/", "`", "r#\"", "'é"] {
            for family in [Family::Rust, Family::Go, Family::Jvm] {
                assert!(comments(family, text).len() <= 1, "{text}");
                skipped(family, text, &[]);
            }
        }
    }

    #[test]
    fn mentions_are_outside_of_comments_and_literals() {
        check(Family::Python, "take(take, x.take)  # take", 3);
        check(Family::Python, "\"take\" + 'take' + take + \"\"\"a\ntake\n\"\"\"", 1);
        check(Family::Python, "mistake(take_all, take)", 1);
        check(Family::Rust, "fn f<'take>(x: &'take str) { take('\"', \"take\") }", 3);
        check(Family::Web, "`take ${x}` + take + 'it\\'s take'", 1);
        check(Family::Web, "`take ${take(1)} take`", 1);
        check(Family::Python, "f\"take {take!r} {{take}}\" + \"{take}\"", 1);
        check(Family::Go, "take('\\'', \"take\")", 1);
        check(Family::Rust, "take(r\"take\\\", take)", 2);
        check(Family::Jvm, "\"\"\"\n take \"take\" \\\"\"\" take\n\"\"\" + take", 1);
        check(CSHARP, "\"take {take}\" + take", 1);
        check(CSHARP, "$\"take {take} {{take}} {f(\"take\")} {take:N2}\" + take", 3);
        check(CSHARP, "@\"take \"\"take\"\" \\\" + take", 1);
        check(CSHARP, "$@\"take \n {take}\" + take", 2);
        check(CSHARP, "\"\"\"take \"take\" {take}\"\"\" + take", 1);
        check(CSHARP, "$$\"\"\"take {take} {{take}}\"\"\" + take", 2);
    }
}
