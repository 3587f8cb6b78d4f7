//! A line as it is shown: the text with its matches. A long line is truncated around its first match.

use grep_matcher::{Match, Matcher};
use grep_regex::RegexMatcher;

use spyhop_base::text::Span;

/// The most bytes of a line that are shown.
pub const MAX_LINE_BYTES: usize = 500;

/// The number of bytes of a long line that are shown before its first match.
const LEAD_BYTES: usize = 100;

/// A line that matches, as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    /// The line, or a part of it.
    pub text: String,
    pub highlights: Vec<Span>,
    /// The byte of the whole line at which the first match begins, from 1.
    pub column: u32,
    /// Whether the line is truncated.
    pub cut: bool,
}

/// The lines of a match that contains the line: the line itself, or all lines of a multi-line match.
#[derive(Clone, Copy)]
pub(crate) struct MatchBlock<'b> {
    pub bytes: &'b [u8],
    /// The byte of the block at which the line begins.
    pub start: usize,
}

impl MatchBlock<'_> {
    /// Calls `each` with the matches in `line`, clipped to the line, until `each` returns false.
    fn matches(self, line: &[u8], matcher: &RegexMatcher, mut each: impl FnMut(Match) -> bool) {
        let end = self.start + line.len();
        // This matcher returns no errors.
        let _ = matcher.find_iter(without_end(self.bytes), |found| {
            if found.end() >= self.start && found.start() <= end {
                let at = |place: usize| place.clamp(self.start, end) - self.start;
                return each(Match::new(at(found.start()), at(found.end())));
            }
            found.start() <= end
        });
    }
}

/// Prepares a matching line of `block`. If `masked` is given, its text is shown in place of `line`.
pub fn shown(line: &[u8], masked: Option<&[u8]>, matcher: &RegexMatcher, block: MatchBlock<'_>) -> Shown {
    let line = without_end(line);
    let visible = masked.map_or(line, |masked| &masked[..line.len()]);
    let mut first = None;
    block.matches(line, matcher, |found| first.replace(found).is_some());
    let first = first.unwrap_or(Match::zero(0));
    let (from, to) = window(line, first);
    let mut matches: Vec<(usize, usize)> = Vec::new();
    block.matches(line, matcher, |found| {
        let (start, end) = (found.start().max(from), found.end().min(to));
        if start < end {
            matches.push((start - from, end - from));
        }
        found.end() < to
    });
    let (text, places) = lossy(&visible[from..to]);
    let place = |at: usize| places.as_ref().map_or(at, |places| places[at]);
    let mut highlights: Vec<Span> = Vec::new();
    for (start, end) in matches {
        let (start, end) = widened(&text, place(start), place(end));
        match highlights.last_mut() {
            Some(last) if start <= last.end as usize => last.end = last.end.max(end as u32),
            _ => highlights.push(Span::new(start, end)),
        }
    }
    let column = u32::try_from(first.start() + 1).unwrap_or(u32::MAX);
    Shown { text, highlights, column, cut: (from, to) != (0, line.len()) }
}

/// `start..end` widened to whole characters, because a pattern may match a part of a character.
fn widened(text: &str, start: usize, end: usize) -> (usize, usize) {
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=start).rev().find(is_boundary).unwrap_or(0);
    (start, (end..=text.len()).find(is_boundary).unwrap_or(text.len()))
}

pub fn context(line: &[u8]) -> String {
    let line = without_end(line);
    let to = boundary(line, line.len().min(MAX_LINE_BYTES));
    lossy(&line[..to]).0
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The part of `line` that is shown: the whole line, or `MAX_LINE_BYTES` bytes that begin shortly before `first`.
fn window(line: &[u8], first: Match) -> (usize, usize) {
    if line.len() <= MAX_LINE_BYTES {
        return (0, line.len());
    }
    let from = first.start().saturating_sub(LEAD_BYTES).min(line.len() - MAX_LINE_BYTES);
    (boundary(line, from), boundary(line, from + MAX_LINE_BYTES))
}

/// The last byte at or before `at` at which a UTF-8 character may begin.
fn boundary(line: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // A character has at most three bytes after its first byte; a longer run is not UTF-8.
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}

/// `bytes` as text. For invalid UTF-8, also the offset in the text of each byte and of the end.
fn lossy(bytes: &[u8]) -> (String, Option<Vec<usize>>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_string(), None);
    }
    let mut text = String::new();
    let mut places = Vec::with_capacity(bytes.len() + 1);
    for chunk in bytes.utf8_chunks() {
        places.extend(text.len()..text.len() + chunk.valid().len());
        text.push_str(chunk.valid());
        places.extend(std::iter::repeat_n(text.len(), chunk.invalid().len()));
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    places.push(text.len());
    (text, Some(places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Pattern, Wanted};

    /// The line with its matches in brackets, its column, and whether it is cut.
    fn check(line: &[u8], pattern: &str, expected: &str) {
        let pattern = Pattern::new(&Wanted::new(pattern)).unwrap();
        let shown = shown(line, None, &pattern.matcher, MatchBlock { bytes: line, start: 0 });
        let mut text = String::new();
        let mut at = 0;
        for span in &shown.highlights {
            text += &shown.text[at..span.start as usize];
            text += &format!("[{}]", &shown.text[span.range()]);
            at = span.end as usize;
        }
        text += &shown.text[at..];
        let cut = if shown.cut { " cut" } else { "" };
        assert_eq!(format!("{}{cut}: {text}", shown.column), expected);
    }

    #[test]
    fn matches_are_marked() {
        check(b"let a = bab;\r\n", "b", "9: let a = [b]a[b];");
        check(b"aaab", "a", "1: [aaa]b");
        check(b"ab", "x*", "1: ab");
        check("größe größe\n".as_bytes(), "größe$", "9: größe [größe]");
        check(b"a\xff\xfeb c\xe4", "b", "4: a\u{fffd}\u{fffd}[b] c\u{fffd}");
        check(b"\xffb", "(?-u:.)b", "1: [\u{fffd}b]");
        check("äb".as_bytes(), r"(?-u:\xa4)b", "2: [äb]");
    }

    #[test]
    fn a_long_line_is_cut_around_its_first_match() {
        let line = format!("{}needle{} needle", "a".repeat(1_000), "b".repeat(1_000));
        let expected = format!("1001 cut: {}[needle]{}", "a".repeat(100), "b".repeat(394));
        check(line.as_bytes(), "needle", &expected);
        let line = format!("{}needle", "a".repeat(1_000));
        check(line.as_bytes(), "needle", &format!("1001 cut: {}[needle]", "a".repeat(494)));
        let line = format!("xx{}", "ä".repeat(300));
        check(line.as_bytes(), "^.", &format!("1 cut: [x]x{}", "ä".repeat(249)));
        let line = "ü".repeat(600);
        check(line.as_bytes(), "^.*$", &format!("1 cut: [{}]", "ü".repeat(250)));
    }

    #[test]
    fn context_is_cut_behind() {
        assert_eq!(context(b"a\r\n"), "a");
        assert_eq!(context(&[b'a'; 501]).len(), 500);
        assert_eq!(context("ä".repeat(400).as_bytes()), "ä".repeat(250));
        assert_eq!(context(format!("a{}", "ä".repeat(400)).as_bytes()), format!("a{}", "ä".repeat(249)));
    }
}
