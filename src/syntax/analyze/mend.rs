//! What a parser cannot read, replaced in a text with errors, so that the parser reads what stands around.
//!
//! This module owns the replacement and the comparison of two trees; the manifest of a language says what is replaced. A text
//! without errors is parsed once. Replacing always, as [`super::macros`] does, would change what a parser reads well.

use regex::bytes::Regex;
use tree_sitter::Tree;

/// The most passes over a text with one pattern: the matches of a pass do not overlap.
const MAX_PASSES: usize = 4;

/// `text` with signs and blanks in place of what the patterns of `mends` find, or with a name of underscores where they are an
/// underscore; `None` if they find nothing.
pub(super) fn mended(text: &str, mends: &[(Regex, Box<str>)]) -> Option<String> {
    let mut out = text.as_bytes().to_vec();
    for (pattern, with) in mends {
        for _ in 0..MAX_PASSES {
            let found: Vec<_> =
                pattern.captures_iter(&out).filter_map(|groups| Some(groups.name("at")?.range())).collect();
            if found.is_empty() {
                break;
            }
            for range in found {
                let part = &mut out[range];
                let fill = if &**with == "_" { b'_' } else { b' ' };
                part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = fill);
                part.iter_mut().zip(with.bytes()).for_each(|(byte, sign)| *byte = sign);
            }
        }
    }
    String::from_utf8(out).ok().filter(|out| out != text)
}

/// The bytes in the outermost errors of `tree`, and the number of all its errors.
pub(super) fn errors(tree: &Tree) -> (usize, usize) {
    let mut cursor = tree.walk();
    let (mut bytes, mut count, mut end) = (0, 0, 0);
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            count += 1;
            if node.end_byte() > end {
                bytes += node.byte_range().len();
                end = node.end_byte();
            }
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (bytes, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_pattern_finds_is_replaced() {
        let mends = [
            (Regex::new(r"[^\s{;,>](?<at> )\}").unwrap(), ";".into()),
            (Regex::new(r"\b(?<at>hide)\b").unwrap(), " ".into()),
        ];
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(mended(text, &mends).as_deref(), expected);
        check("{ a } } } { }", Some("{ a;};};} { }"));
        check("a hide hidden é", Some("a      hidden é"));
        check("a }", Some("a;}"));
        check("", None);
    }
}
