//! Cuts a text into parts: the texts that get vectors.
//!
//! A part begins at an item if it can: small items are joined, and large ones are cut between lines. Parts have no gaps
//! between them. Sizes are in bytes, so that the same text has the same parts for every model.

use spyhop_base::text::Span;

/// The size up to which items are joined, about 300 tokens: one function of usual size.
const JOINED: usize = 1_000;

/// The most bytes of a part; within the window of small models.
const MOST: usize = 1_600;

/// The parts of a text; `starts` are the starts of items, in any order. Parts without letters or digits are left out.
pub fn parts(text: &str, starts: &[u32]) -> Vec<Span> {
    let mut cuts: Vec<usize> = starts.iter().map(|start| line_start(text, *start as usize)).collect();
    cuts.push(text.len());
    cuts.sort_unstable();
    cuts.dedup();
    let (mut spans, mut begin, mut end) = (Vec::new(), 0, 0);
    for cut in cuts {
        if cut - begin > JOINED && end > begin {
            split(text, begin, end, &mut spans);
            begin = end;
        }
        end = cut;
    }
    split(text, begin, end, &mut spans);
    spans.retain(|span| text[span.range()].bytes().any(|byte| byte.is_ascii_alphanumeric() || byte > 127));
    spans
}

/// The start of the line of a byte, or the end of the text.
fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1)
}

/// Adds `begin..end` in pieces of about one size, none above [`MOST`], cut between lines if there are any.
fn split(text: &str, begin: usize, end: usize, spans: &mut Vec<Span>) {
    let mut at = begin;
    while end - at > MOST {
        let pieces = (end - at).div_ceil(MOST);
        let wanted = (end - at) / pieces;
        let window = &text.as_bytes()[at..at + MOST];
        let after_line = |range: &[u8]| range.iter().rposition(|byte| *byte == b'\n');
        let cut = match window[wanted - 1..].iter().position(|byte| *byte == b'\n') {
            Some(found) => wanted + found,
            None => after_line(&window[..wanted]).map_or(wanted, |found| found + 1),
        };
        let mut cut = at + cut;
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        spans.push(Span::new(at, cut));
        at = cut;
    }
    if at < end {
        spans.push(Span::new(at, end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, starts: &[u32], expected: &[(u32, u32)]) {
        let found: Vec<(u32, u32)> = parts(text, starts).iter().map(|span| (span.start, span.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn small_items_are_joined_and_large_ones_are_cut_between_lines() {
        let item = |n: usize| "abcdefghi\n".repeat(n);
        check("", &[], &[]);
        check("a", &[0], &[(0, 1)]);
        check(" {\n}\n", &[], &[]);
        // Two items of 400 bytes are joined, the third begins a part.
        check(&item(120), &[0, 400, 800], &[(0, 800), (800, 1200)]);
        // A large item is cut in equal pieces.
        check(&item(300), &[0], &[(0, 1500), (1500, 3000)]);
        // A start inside of a line is moved to the start of the line.
        check(&item(120), &[404, 803], &[(0, 800), (800, 1200)]);
    }

    #[test]
    fn lines_without_ends_are_cut_between_characters() {
        let text = "ä".repeat(2_000);
        let found = parts(&text, &[]);
        assert!(found.iter().all(|span| span.len() <= MOST), "{found:?}");
        let joined: String = found.iter().map(|span| &text[span.range()]).collect();
        assert_eq!(joined, text);
    }
}
