//! Checks on a file's bytes before parsing: whether the file nests too deep, and whether its parser would crash on it.
//!
//! Depth is measured before parsing because nothing stops a parser on nested brackets: it can run for seconds between
//! two progress callbacks. [`super::budget`] stops parsers in all other cases.

use crate::grammar::Nesting;

/// The most brackets that may be open at once. Hand-written code stays below 40, minified code and tables below 200,
/// and at this depth every linked parser is still fast.
const MAX_BRACKETS: u32 = 500;

/// The most quote and list markers, or steps of indentation, at the start of a line. The scanners of Markdown and YAML
/// keep their open blocks in a buffer of 1 KiB, and the process aborts when the buffer is full: in YAML with 254
/// blocks.
const MAX_MARKERS: u32 = 100;

/// The most elements that may be open at once. The scanner of HTML copies all of them for every token.
const MAX_TAGS: usize = 500;

/// Whether `text` nests too deep to be parsed. Brackets in strings and comments count too: telling them apart would
/// take a lexer for each language, and a wrong count costs only a file's structure, not the file.
pub(super) fn too_deep(text: &str, nesting: Nesting) -> bool {
    match nesting {
        Nesting::Brackets => {
            let mut open = 0u32;
            for &byte in text.as_bytes() {
                match byte {
                    b'(' | b'[' | b'{' => {
                        open += 1;
                        if open > MAX_BRACKETS {
                            return true;
                        }
                    }
                    b')' | b']' | b'}' => open = open.saturating_sub(1),
                    _ => {}
                }
            }
            false
        }
        Nesting::Markers => text.as_bytes().split(|&byte| byte == b'\n').any(|line| {
            let (mut half_steps, mut at) = (0, 0);
            while let Some(&byte) = line.get(at) {
                let listed = line.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || *next == b'>');
                match byte {
                    b' ' => half_steps += 1,
                    b'\t' => half_steps += 4,
                    b'>' => half_steps += 2,
                    b'-' | b'*' | b'+' | b'?' | b':' if listed => half_steps += 2,
                    b'0'..=b'9' => {}
                    b'.' | b')' if listed => half_steps += 2,
                    _ => break,
                }
                at += 1;
            }
            half_steps > 2 * MAX_MARKERS
        }),
        Nesting::Tags => tags_too_deep(text.as_bytes()),
    }
}

/// Elements without an end tag, or with an optional one: they are siblings and do not nest.
#[rustfmt::skip]
const FLAT_TAGS: [&str; 30] = [
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup",
    "option", "p", "param", "rb", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Whether too many elements are open at once. An end tag that matches no open element is ignored, as in the parser.
fn tags_too_deep(text: &[u8]) -> bool {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    let find = |what: &[u8], from: usize| {
        memchr::memmem::find(&text[from..], what).map_or(text.len(), |found| from + found)
    };
    while let Some(found) = memchr::memchr(b'<', &text[at..]) {
        at += found + 1;
        let rest = &text[at..];
        if rest.starts_with(b"!--") {
            at = find(b"-->", at);
            continue;
        }
        let closes = rest.first() == Some(&b'/');
        let start = at + usize::from(closes);
        let named = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_');
        let name = &text[start..start + text[start..].iter().take_while(named).count()];
        if !name.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        at = find(b">", start + name.len());
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        if closes {
            if let Some(place) = open.iter().rposition(|other| is(other)) {
                open.truncate(place);
            }
        } else if is(b"script") || is(b"style") {
            at = find(b"</", at);
        } else if text[at - 1] != b'/' && !FLAT_TAGS.iter().any(|flat| is(flat.as_bytes())) {
            open.push(name);
            if open.len() > MAX_TAGS {
                return true;
            }
        }
    }
    false
}

/// Replaces by `_` every byte of the characters that a scanner would look up out of bounds in a table of 256: in Bash,
/// a wide character after `{`, `{1`, `{1..` or `{1..2` (tree-sitter-bash 0.25.1, issue 337). `None` when there are
/// none, which is nearly always. Every other byte keeps its position.
pub(super) fn narrowed(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digits = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut out: Option<String> = None;
    for open in memchr::memchr_iter(b'{', bytes) {
        let mut at = digits(open + 1);
        if bytes[at..].starts_with(b"..") {
            at = digits(at + 2);
        }
        if let Some(wide) = text[at..].chars().next().filter(|&it| it > '\u{FF}') {
            let end = at + wide.len_utf8();
            out.get_or_insert_with(|| text.to_string()).replace_range(at..end, &"_".repeat(end - at));
        }
    }
    out
}

/// Replaces each `@` by a blank in a last line without a line break. `None` when there are none. The scanner of Kotlin
/// (tree-sitter-kotlin-ng 1.1.0) looks for white space after `@`, or for the end of the line after `@a(`, and does not
/// stop at the end of the file.
pub(super) fn without_open_annotation(text: &str) -> Option<String> {
    let start = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
    text[start..].contains('@').then(|| text[..start].to_string() + &text[start..].replace('@', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_at_the_end_of_a_file_is_hidden() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(without_open_annotation(text).as_deref(), expected)
        };
        check("val a = 1\n@", Some("val a = 1\n "));
        check("@A val a = 1\n  @Jv(@B c", Some("@A val a = 1\n   Jv( B c"));
        check("@Foo", Some(" Foo"));
        check("@Foo\n", None);
        check("@Foo\nval a", None);
        check("", None);
    }

    #[test]
    fn wide_characters_behind_braces_are_hidden() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(narrowed(text).as_deref(), expected, "{text}");
        check("echo {\u{31860}}", Some("echo {____}"));
        check("{\u{4E2D}\u{4E2D}{12..\u{100}{9\u{31860}", Some("{___\u{4E2D}{12..__{9____"));
        check("{1..23\u{31860}", Some("{1..23____"));
        check("{a\u{31860}, {\u{E9}, {.\u{31860}, {1...\u{31860}, {", None);
        check("\u{31860}{", None);
        check("{1..", None);
    }

    #[test]
    fn depth_is_measured_on_bytes() {
        let check = |text: &str, nesting: Nesting, expected: bool| {
            assert_eq!(too_deep(text, nesting), expected, "{:.20}", text);
        };
        check(&"(".repeat(500), Nesting::Brackets, false);
        check(&"(".repeat(501), Nesting::Brackets, true);
        check(&"()".repeat(10_000), Nesting::Brackets, false);
        check(&")".repeat(10_000), Nesting::Brackets, false);
        check(&">".repeat(100), Nesting::Markers, false);
        check(&">".repeat(101), Nesting::Markers, true);
        check(&"- ".repeat(101), Nesting::Markers, true);
        check(&format!("{}x", " ".repeat(201)), Nesting::Markers, true);
        check(&"? ".repeat(101), Nesting::Markers, true);
        check(&": ".repeat(101), Nesting::Markers, true);
        check(&"<div>".repeat(500), Nesting::Tags, false);
        check(&"<div>".repeat(501), Nesting::Tags, true);
        check(&"<a></b>".repeat(501), Nesting::Tags, true);
        check(&"<div><br><p></DIV>".repeat(1000), Nesting::Tags, false);
        check(&"<script>a<b</script><style>".repeat(1000), Nesting::Tags, false);
        check(&"<li><!-- <a> --><x/>< a>".repeat(1000), Nesting::Tags, false);
        check("</<!--<a", Nesting::Tags, false);
        check(&format!("a{}\n{}", " > ".repeat(200), "*".repeat(400)), Nesting::Markers, false);
    }
}
