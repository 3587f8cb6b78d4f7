//! Lines, context and highlight ranges of a span: what a hit shows.
//!
//! Pure: it gets the source text. A snippet is made of whole lines; only a line that is longer than the limit is cut, at
//! a character. Above a snippet stand the first lines of its item and of what encloses the item, unless they are in it.

use serde::{Deserialize, Serialize};

use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_index::tokenize::{TermList, TermPrefixFilter, Tokenizer, for_each_word, parts};

/// A snippet in the default mode has at most this many characters.
pub const DEFAULT_CHARS: usize = 500;

/// The most bytes of the line before a snippet and of the line after it together. Only long lines exceed the limit.
const CONTEXT_CHARS: usize = 400;

/// A line above a snippet has at most this many characters.
const HEAD_CHARS: usize = 160;

/// The most lines from the first line of an item to the line with its name. In C, the result type may be on separate
/// lines.
const LINES_TO_NAME: usize = 4;

/// A line of context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ContextLine {
    /// The line, from 1.
    pub line: u32,
    /// The text without the line break. A line around a match is truncated to 500 bytes, a line above a snippet to 160
    /// characters.
    pub text: String,
}

impl ContextLine {
    /// The line of this number, from 1, with its text.
    #[doc(hidden)]
    pub fn new(line: u32, text: String) -> ContextLine {
        ContextLine { line, text }
    }
}

/// A piece of source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Snippet {
    /// The first line of the item and of each enclosing item, such as the signature of a method and of its class, in the
    /// order of the file. Lines that are part of `text` are not repeated.
    pub head: Vec<ContextLine>,
    /// The text: whole lines, unless a line is too long.
    pub text: String,
    /// The lines of the text.
    pub lines: Lines,
    /// The matches, as spans of `text`, sorted, not overlapping.
    pub highlights: Vec<Span>,
    /// Whether `text` omits lines of the place.
    pub cut: bool,
}

impl Snippet {
    /// The snippet of one line, from 1; `cut` if `text` omits a part of it.
    #[doc(hidden)]
    pub fn of_line(line: u32, text: String, highlights: Vec<Span>, cut: bool) -> Snippet {
        Snippet { head: Vec::new(), text, lines: Lines { first: line, last: line }, highlights, cut }
    }
}

/// The one line of a hit that says most about the hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourceLine {
    /// The line, from 1.
    pub line: u32,
    /// The byte of the line, from 1, at which the first match begins, or else the text.
    pub column: u32,
    /// The text without its indentation and its end, truncated to 500 characters.
    pub text: String,
    /// The matches, as spans of `text`, sorted, not overlapping.
    pub highlights: Vec<Span>,
}

impl SourceLine {
    /// The line of this number, from 1, with the matches as spans of its text.
    #[doc(hidden)]
    pub fn new(line: u32, text: String, highlights: Vec<Span>) -> SourceLine {
        SourceLine { line, column: highlights.first().map_or(0, |span| span.start) + 1, text, highlights }
    }
}

/// The place that a snippet shows, and the limits of the snippet.
#[derive(Clone, Copy, Debug)]
pub struct SnippetRequest<'q> {
    pub lines: Lines,
    /// The bytes of the hit, which may be a part of a line.
    pub span: Span,
    /// The line of the hit that has to be in the snippet, if there is one.
    pub wanted: Option<u32>,
    /// The first line of the item and of each enclosing item, outermost first.
    pub head: &'q [u32],
    /// Lines of context before and after.
    pub expand: u32,
    /// The most characters, not counting context; `None` for no limit.
    pub max_chars: Option<usize>,
}

/// The lines that a snippet may show, without those above it.
pub fn extent(index: &LineIndex, request: &SnippetRequest<'_>) -> Lines {
    let last = index.count();
    let lines = Lines { first: request.lines.first.min(last), last: request.lines.last.min(last) };
    Lines {
        first: lines.first.saturating_sub(request.expand).max(1),
        last: lines.last.saturating_add(request.expand).min(last),
    }
}

/// The lines of a hit that its snippet has, without context: the whole hit, or the lines that match best.
pub fn shown_lines(
    source: &str,
    index: &LineIndex,
    request: &SnippetRequest<'_>,
    matcher: &mut SnippetMatcher<'_, '_>,
) -> Lines {
    let hit = extent(index, &SnippetRequest { expand: 0, ..*request });
    match request.max_chars {
        Some(max) => {
            // The query as written says more than the line that the hit names.
            let is_literal = |line: &u32| matcher.is_literal(line_of(source, index, *line));
            let wanted = request.wanted.filter(|line| (hit.first..=hit.last).contains(line));
            let mut lines = wanted.into_iter().chain(hit.first..=hit.last);
            let wanted = lines.find(is_literal).or(request.wanted);
            choose(source, index, (hit, wanted), max, matcher)
        }
        None => hit,
    }
}

/// Cuts the lines `best`, which are [`shown_lines`], out of `source`.
pub fn snippet(
    source: &str,
    index: &LineIndex,
    request: &SnippetRequest<'_>,
    best: Lines,
    matcher: &mut SnippetMatcher<'_, '_>,
) -> Snippet {
    let hit = extent(index, &SnippetRequest { expand: 0, ..*request });
    // Context stands around the lines that were shown, however many characters it has.
    let shown = extent(index, &SnippetRequest { lines: best, ..*request });
    let span = index.span_of(shown);
    let mut text = source[span.range()].trim_end_matches(['\n', '\r']);
    let mut cut = best != hit;
    let most = request.max_chars.map(|max| max + CONTEXT_CHARS * request.expand as usize);
    if let Some(max) = most
        && let Some((end, _)) = text.char_indices().nth(max)
    {
        // One long line: show the part of it that the hit names.
        let start = floor(text, (request.span.start.saturating_sub(span.start)) as usize);
        let start = if start + 1 >= text.len() || shown.count() > 1 { 0 } else { start };
        let end = text[start..]
            .char_indices()
            .nth(max)
            .map_or(text.len(), |(at, _)| start + at)
            .max(end.min(start));
        text = &text[start..end];
        cut = true;
    }
    let highlights = matcher.highlights(text);
    let head = head(source, index, request.head.iter().copied().filter(|line| *line < shown.first));
    Snippet { head, text: text.to_string(), lines: shown, highlights, cut }
}

/// The number of the line of a hit that says most about the hit: the line with the query as written, unless `signature`,
/// the first line of the item, has every word of the query; else the signature, and without one the line that matches
/// best.
pub fn representative_line(
    source: &str,
    index: &LineIndex,
    request: &SnippetRequest<'_>,
    signature: Option<u32>,
    matcher: &mut SnippetMatcher<'_, '_>,
) -> u32 {
    let hit = extent(index, &SnippetRequest { expand: 0, ..*request });
    let numbers = hit.first..=hit.last;
    // A signature with every word of the query tells more than a line of a comment that has them in a row.
    let has_all = |line: &u32| matcher.distinct(line_of(source, index, *line)) >= matcher.terms.len();
    // The head of the snippet shows the signature if the lines of the hit begin behind it.
    if let Some(line) = signature.filter(has_all) {
        return line;
    }
    let signature = signature.filter(|line| numbers.contains(line));
    let mut literal = numbers.clone().filter(|line| matcher.is_literal(line_of(source, index, *line)));
    if let Some(line) = literal.find(|line| signature.is_none_or(|signature| *line >= signature)) {
        return line;
    }
    let literal = || numbers.clone().find(|line| matcher.is_literal(line_of(source, index, *line)));
    if let Some(line) = literal().or(signature).or(request.wanted.filter(|line| numbers.contains(line))) {
        return line;
    }
    let is_blank = |line: u32| line_of(source, index, line).trim().is_empty();
    let mut best = (numbers.clone().find(|line| !is_blank(*line)).unwrap_or(hit.first), 0);
    for line in numbers {
        let worth = matcher.distinct(line_of(source, index, line));
        if worth > best.1 {
            best = (line, worth);
        }
    }
    best.0
}

/// The line `line` of a hit, with its matches.
pub fn source_line(
    source: &str,
    index: &LineIndex,
    line: u32,
    matcher: &mut SnippetMatcher<'_, '_>,
) -> SourceLine {
    let whole = line_of(source, index, line);
    let trimmed = whole.trim();
    let text: String = trimmed.chars().take(DEFAULT_CHARS).collect();
    let highlights = matcher.highlights(&text);
    let indent = whole.len() - whole.trim_start().len();
    let first = highlights.first().map_or(0, |span| span.start);
    SourceLine { line, column: if text.is_empty() { 1 } else { indent as u32 + first + 1 }, text, highlights }
}

/// The number of lines from the first of `lines`, the lines of an item, to the one with the name of the item; 1 if none of
/// the first lines has the name. `symbol` may have a container before the name.
pub fn lines_to_name<'l>(lines: impl Iterator<Item = &'l str>, symbol: &str) -> usize {
    let name = symbol.rsplit(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or(symbol);
    let has_name = |line: &str| {
        let mut is_there = false;
        for_each_word(line, |word| is_there |= word == name);
        is_there
    };
    lines.take(LINES_TO_NAME).position(has_name).map_or(1, |place| place + 1)
}

/// The first line `first` of an item, and the lines after it up to the one with the name of the item.
pub fn lines_of_name(source: &str, index: &LineIndex, first: u32, symbol: &str) -> Lines {
    let lines = (first..=index.count()).map(|line| line_of(source, index, line));
    Lines { first, last: first + lines_to_name(lines, symbol) as u32 - 1 }
}

fn line_of<'s>(source: &'s str, index: &LineIndex, line: u32) -> &'s str {
    &source[index.span_of(Lines { first: line, last: line }).range()]
}

/// The lines above a snippet.
fn head(source: &str, index: &LineIndex, lines: impl Iterator<Item = u32>) -> Vec<ContextLine> {
    let text = |line: u32| source[index.span_of(Lines { first: line, last: line }).range()].trim_end();
    let cut = |text: &str| text.chars().take(HEAD_CHARS).collect();
    lines.map(|line| ContextLine { line, text: cut(text(line)) }).collect()
}

/// The largest character boundary that is not past `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The run of lines with the most matches within the limit, with the line `wanted`. Of equal runs, a run from the first
/// line is preferred.
fn choose(
    source: &str,
    index: &LineIndex,
    (hit, wanted): (Lines, Option<u32>),
    max: usize,
    matcher: &mut SnippetMatcher<'_, '_>,
) -> Lines {
    let lines: Vec<&str> = (hit.first..=hit.last)
        .map(|line| &source[index.span_of(Lines { first: line, last: line }).range()])
        .collect();
    let chars: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
    if chars.iter().sum::<usize>() <= max {
        return hit;
    }
    let wanted = wanted.and_then(|line| line.checked_sub(hit.first)).map(|line| line as usize);
    let worth: Vec<usize> = lines.iter().map(|line| matcher.distinct(line)).collect();
    let mut best = (0, 0, 0);
    for start in 0..lines.len() {
        let (mut end, mut size, mut sum) = (start, 0, 0);
        while end < lines.len() && (size + chars[end] <= max || end == start) {
            size += chars[end];
            sum += worth[end];
            end += 1;
        }
        let has_wanted = wanted.is_none_or(|line| line >= lines.len() || (start..end).contains(&line));
        if has_wanted && (best.2 == 0 || sum > best.1) {
            best = (start, sum, end);
        }
    }
    Lines { first: hit.first + best.0 as u32, last: hit.first + best.2 as u32 - 1 }
}

/// Finds what matched in the pieces of a text.
pub struct SnippetMatcher<'q, 't> {
    terms: &'q [String],
    term_prefixes: TermPrefixFilter,
    literal: &'q str,
    tokenizer: &'t mut Tokenizer,
    /// The terms of one part.
    scratch: TermList,
}

impl<'q, 't> SnippetMatcher<'q, 't> {
    /// Finds these terms, and the text `literal`. A tokenizer whose cache has the words of the text is faster.
    pub fn new(
        terms: &'q [String],
        literal: &'q str,
        tokenizer: &'t mut Tokenizer,
    ) -> SnippetMatcher<'q, 't> {
        let term_prefixes = TermPrefixFilter::new(terms.iter().map(String::as_str));
        SnippetMatcher { terms, term_prefixes, literal, tokenizer, scratch: TermList::default() }
    }

    /// Calls `each` with the words of `text` of which a part may match. Other words are not split and stemmed.
    fn for_each_likely_word<'w>(
        &mut self,
        text: &'w str,
        mut each: impl FnMut(&mut PartMatcher<'_>, &'w str),
    ) {
        let SnippetMatcher { terms, term_prefixes, tokenizer, scratch, .. } = self;
        let mut parts = PartMatcher { terms, tokenizer, scratch };
        term_prefixes.for_each_word(text, |word, may_hold| {
            if may_hold && term_prefixes.possible_terms(word.as_bytes()).mask != 0 {
                each(&mut parts, word);
            }
        });
    }

    /// The number of distinct matching words of a line. The query text counts as three.
    fn distinct(&mut self, line: &str) -> usize {
        let mut seen: Vec<&str> = Vec::new();
        self.for_each_likely_word(line, |matcher, word| {
            for part in parts(word) {
                if !seen.contains(&part) && matcher.is_match(part) {
                    seen.push(part);
                }
            }
        });
        seen.len() + if self.is_literal(line) { 3 } else { 0 }
    }

    fn is_literal(&self, text: &str) -> bool {
        self.literal.len() > 1 && text.contains(self.literal)
    }

    fn highlights(&mut self, text: &str) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        if self.is_literal(text) {
            spans.extend(text.match_indices(self.literal).map(|(at, found)| Span::new(at, at + found.len())));
        }
        self.for_each_likely_word(text, |matcher, word| {
            let place = |piece: &str| {
                let start = piece.as_ptr() as usize - text.as_ptr() as usize;
                Span::new(start, start + piece.len())
            };
            let before = spans.len();
            for part in parts(word) {
                if matcher.is_match(part) {
                    spans.push(place(part));
                }
            }
            // A term such as `sha256` is not a single part.
            if spans.len() == before && matcher.is_match(word) {
                spans.push(place(word));
            }
        });
        spans.sort_unstable();
        let mut merged: Vec<Span> = Vec::new();
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        merged
    }
}

/// Compares parts of words with terms.
struct PartMatcher<'m> {
    terms: &'m [String],
    tokenizer: &'m mut Tokenizer,
    /// The terms of one part.
    scratch: &'m mut TermList,
}

impl PartMatcher<'_> {
    fn is_match(&mut self, part: &str) -> bool {
        self.scratch.clear();
        self.tokenizer.terms(part, self.scratch);
        self.scratch.iter().any(|term| self.terms.iter().any(|wanted| wanted == term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        source: &str,
        lines: (u32, u32),
        expand: u32,
        max: Option<usize>,
        terms: &[&str],
        expected: &str,
    ) {
        let index = LineIndex::new(source);
        let lines = Lines { first: lines.0, last: lines.1 };
        let terms: Vec<String> = terms.iter().map(|term| term.to_string()).collect();
        let (span, wanted, max_chars) = (index.span_of(lines), None, max);
        let request = SnippetRequest { lines, span, wanted, head: &[], expand, max_chars };
        let mut tokenizer = Tokenizer::new();
        let mut matcher = SnippetMatcher::new(&terms, "", &mut tokenizer);
        let best = shown_lines(source, &index, &request, &mut matcher);
        let snippet = snippet(source, &index, &request, best, &mut matcher);
        let mut shown = String::new();
        let mut at = 0;
        for span in &snippet.highlights {
            shown += &snippet.text[at..span.start as usize];
            shown += &format!("[{}]", &snippet.text[span.range()]);
            at = span.end as usize;
        }
        shown += &snippet.text[at..];
        let cut = if snippet.cut { " cut" } else { "" };
        assert_eq!(format!("{}-{}{cut}: {shown}", snippet.lines.first, snippet.lines.last), expected);
    }

    #[test]
    fn the_name_of_an_item_may_follow_its_first_line() {
        let check = |source: &str, symbol: &str, expected: (u32, u32)| {
            let lines = lines_of_name(source, &LineIndex::new(source), 2, symbol);
            assert_eq!((lines.first, lines.last), expected, "{source}");
        };
        check("\nstatic int\nresolve(int a)\n{\n", "resolve", (2, 3));
        check("\nstatic int\nresolve_all(int a)\n{\n", "resolve", (2, 2));
        check("\nfn take(&self) {\n  take()\n", "Pool.take", (2, 2));
        check("\na\nb\nc\nd\ntake()\n", "take", (2, 2));
    }

    #[test]
    fn snippets() {
        let source = "one\ntwo apiKeys\nthree\nfour api_key x\n";
        check(source, (2, 2), 0, None, &["api", "key"], "2-2: two [apiKeys]");
        check(source, (2, 2), 1, None, &["key"], "1-3: one\ntwo api[Keys]\nthree");
        check(source, (1, 4), 9, None, &[], "1-4: one\ntwo apiKeys\nthree\nfour api_key x");
        check(source, (1, 4), 0, Some(16), &["api", "key"], "1-2 cut: one\ntwo [apiKeys]");
        // Context is around the best lines, and does not push them out.
        check(source, (1, 4), 1, Some(8), &["four"], "3-4 cut: three\n[four] api_key x");
        check("", (1, 1), 3, Some(10), &["x"], "1-1: ");
        check("sha256 sha", (1, 1), 0, None, &["sha256"], "1-1: [sha256] sha");
        check("ääääää", (1, 1), 0, Some(3), &[], "1-1 cut: äää");
    }

    #[test]
    fn a_telling_line_is_a_signature_or_has_the_query() {
        let source = "/// The api key.\nfn key_of() {\n    x\n    // an api key\n}\n";
        let index = LineIndex::new(source);
        let check = |terms: &[&str], literal: &str, signature: Option<u32>, expected: (u32, u32, &str)| {
            let lines = Lines { first: 1, last: 5 };
            let terms: Vec<String> = terms.iter().map(|term| term.to_string()).collect();
            let (span, wanted, head, expand, max_chars) = (index.span_of(lines), None, &[][..], 0, None);
            let request = SnippetRequest { lines, span, wanted, head, expand, max_chars };
            let mut tokenizer = Tokenizer::new();
            let mut matcher = SnippetMatcher::new(&terms, literal, &mut tokenizer);
            let line = representative_line(source, &index, &request, signature, &mut matcher);
            let shown = source_line(source, &index, line, &mut matcher);
            assert_eq!((shown.line, shown.column, shown.text.as_str()), expected);
        };
        check(&["key"], "key", Some(2), (2, 4, "fn key_of() {"));
        check(&["api", "key"], "api key", Some(2), (4, 11, "// an api key"));
        check(&["the", "api", "key"], "The api key", Some(2), (1, 5, "/// The api key."));
        check(&["x", "y"], "x y", Some(2), (2, 1, "fn key_of() {"));
        check(&["x", "y"], "x y", None, (3, 5, "x"));
    }

    #[test]
    fn a_snippet_has_the_wanted_line_below_the_heads_of_its_item() {
        let source = "class A:\n    x = 1\n    def f(self):\n        key\n        two\n        three\n";
        let index = LineIndex::new(source);
        let lines = Lines { first: 3, last: 6 };
        let shown_of = |wanted: Option<u32>, literal: &str| {
            let terms = ["key".to_string()];
            let span = index.span_of(lines);
            let (head, max_chars) = (&[1, 3][..], Some(14));
            let request = SnippetRequest { lines, span, wanted, head, expand: 0, max_chars };
            let mut tokenizer = Tokenizer::new();
            let mut matcher = SnippetMatcher::new(&terms, literal, &mut tokenizer);
            let best = shown_lines(source, &index, &request, &mut matcher);
            let snippet = snippet(source, &index, &request, best, &mut matcher);
            let head: Vec<u32> = snippet.head.iter().map(|line| line.line).collect();
            (head, snippet.lines.first, snippet.lines.last)
        };
        let shown = |wanted: Option<u32>| shown_of(wanted, "");
        assert_eq!(shown_of(Some(3), "two"), (vec![1, 3], 5, 5));
        assert_eq!(shown_of(Some(6), "e"), (vec![1, 3], 6, 6));
        assert_eq!(shown(None), (vec![1, 3], 4, 4));
        assert_eq!(shown(Some(6)), (vec![1, 3], 6, 6));
        assert_eq!(shown(Some(3)), (vec![1], 3, 3));
    }
}
