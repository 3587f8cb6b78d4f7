//! Calls inside the arguments of Rust's macros. The parser leaves these arguments as tokens, so the analysis records no
//! uses in them, and a function that only `assert_eq!` calls would have no callers.

use std::sync::LazyLock;

use regex::Regex;

use spyhop_base::model::{Reference, ReferenceRole};
use spyhop_base::text::Span;

/// The calls inside the arguments of macros in `text`, outside of `comments`, in order.
pub(super) fn calls_in_macros(text: &str, comments: &[Span]) -> Vec<Reference> {
    static MACRO: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b([a-z_][a-z0-9_]*)!\s*[(\[{]").expect("a constant pattern"));
    let is_comment = |at: usize| {
        let next = comments.partition_point(|comment| comment.end as usize <= at);
        comments.get(next).is_some_and(|comment| comment.start as usize <= at)
    };
    let (mut found, mut after) = (Vec::new(), 0);
    for invoked in MACRO.captures_iter(text) {
        let (Some(whole), Some(name)) = (invoked.get(0), invoked.get(1)) else { continue };
        let is_definition = name.as_str() == "macro_rules";
        if whole.start() < after || is_definition || is_comment(whole.start()) {
            continue;
        }
        let open = whole.end() - 1;
        after = scan_arguments(text, open, &is_comment, &mut found);
    }
    found
}

/// Adds the calls between the bracket at `open` and the bracket that closes it, and returns the end.
fn scan_arguments(
    text: &str,
    open: usize,
    is_comment: &impl Fn(usize) -> bool,
    found: &mut Vec<Reference>,
) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, open);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth <= 1 => return at + 1,
            b')' | b']' | b'}' => depth -= 1,
            b'"' => at = end_of_string(bytes, at),
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            byte if is_word(byte) => {
                let end =
                    at + bytes[at..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - at);
                let is_call = bytes.get(end) == Some(&b'(') && !byte.is_ascii_digit();
                if is_call && !is_comment(at) && !text[..at].trim_end().ends_with("fn") {
                    found.push(Reference { span: Span::new(at, end), role: ReferenceRole::Call });
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// The last byte of the string literal that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_the_arguments_of_macros_only() {
        let text = "fn f() { g(1); assert_eq!(h(2), vec![Pool::take(3)], \"k(\\\"4)\"); println!(\"{}\", ')'); m(5) }";
        let calls = calls_in_macros(text, &[]);
        let names: Vec<&str> = calls.iter().map(|call| &text[call.span.range()]).collect();
        assert_eq!(names, ["h", "take"]);
    }
}
