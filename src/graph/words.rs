//! The identifiers of a text outside of comments and string literals.
//!
//! The analysis records calls, types and imports, but not every mention of a name: an argument, a type in quotes, the
//! class of an `except`. Mentions are found by their letters, which needs no rules of the language but for its quotes.

use super::family::Family;
use crate::text::Span;

/// The whole words `name` in `text` outside of `comments` and string literals, in order.
pub(super) fn mentions(family: Family, text: &str, name: &str, comments: &[Span]) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    let whole = text.match_indices(name).map(|(at, _)| Span::new(at, at + name.len())).filter(|span| {
        let range = span.range();
        !text[..range.start].ends_with(is_word) && !text[range.end..].starts_with(is_word)
    });
    let whole: Vec<Span> = whole.collect();
    if whole.is_empty() {
        return whole;
    }
    let skipped = skipped(family, text, comments);
    let is_skipped = |span: &Span| {
        let next = skipped.partition_point(|skipped| skipped.end <= span.start);
        skipped.get(next).is_some_and(|skipped| skipped.start <= span.start)
    };
    whole.into_iter().filter(|span| !is_skipped(span)).collect()
}

/// The whole words in `text` outside of `comments` and string literals that `takes` chooses, in order.
pub(super) fn words_where(
    family: Family,
    text: &str,
    comments: &[Span],
    mut takes: impl FnMut(&str) -> bool,
) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    let skipped = skipped(family, text, comments);
    let (mut found, mut at) = (Vec::new(), 0);
    for next in skipped.iter().copied().chain([Span::new(text.len(), text.len())]) {
        while let Some(start) = text.get(at..next.start as usize).and_then(|rest| rest.find(is_word)) {
            let start = at + start;
            let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
            at = start + length;
            if takes(&text[start..at]) {
                found.push(Span::new(start, at));
            }
        }
        at = at.max(next.end as usize);
    }
    found
}

/// The comments and string literals of a text, in order.
fn skipped(family: Family, text: &str, comments: &[Span]) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut comments = comments.iter().peekable();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        while comments.next_if(|comment| (comment.end as usize) <= at).is_some() {}
        if let Some(comment) = comments.next_if(|comment| comment.start as usize <= at) {
            found.push(*comment);
            at = (comment.end as usize).max(at + 1);
            continue;
        }
        let end = match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => end_of_literal(family, bytes, at, quote),
            _ => at,
        };
        if end > at {
            found.push(Span::new(at, end));
        }
        at = end.max(at + 1);
    }
    found
}

/// The end of the literal that begins at `start`; `start` if none begins there, as at a lifetime.
fn end_of_literal(family: Family, bytes: &[u8], start: usize, quote: u8) -> usize {
    let is_triple = family == Family::Python && bytes[start..].starts_with(&[quote; 3]);
    let is_char = quote == b'\'' && matches!(family, Family::Rust | Family::C | Family::Jvm | Family::Go);
    let (mut at, width) = (start + if is_triple { 3 } else { 1 }, if is_triple { 3 } else { 1 });
    let spans_lines = is_triple || quote == b'`' || family == Family::Rust;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !spans_lines || is_char => return start,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3][..width]) => return at + width,
            _ if is_char && at > start + 8 => return start,
            _ => {}
        }
        at += 1;
    }
    // A literal without an end is not one.
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, text: &str, expected: usize) {
        let comments: Vec<Span> = text.find('#').map(|at| Span::new(at, text.len())).into_iter().collect();
        assert_eq!(mentions(family, text, "take", &comments).len(), expected, "{text}");
    }

    #[test]
    fn mentions_are_outside_of_comments_and_literals() {
        check(Family::Python, "take(take, x.take)  # take", 3);
        check(Family::Python, "\"take\" + 'take' + take + \"\"\"a\ntake\n\"\"\"", 1);
        check(Family::Python, "mistake(take_all, take)", 1);
        check(Family::Rust, "fn f<'take>(x: &'take str) { take('\"', \"take\") }", 3);
        check(Family::Web, "`take ${x}` + take + 'it\\'s take'", 1);
        check(Family::Go, "take('\\'', \"take\")", 1);
    }
}
