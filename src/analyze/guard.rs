//! What is decided on a file's bytes before and while it is parsed: whether it nests too deep, and when parsing has
//! taken too long.
//!
//! It owns those two measures; falling back is [`super`]'s. Depth is measured before parsing because tree-sitter's
//! progress callback is no guard against it: on nested brackets a parser can run for seconds between two calls.
//! The budget counts callbacks, never time, so that the same file is analysed the same way on every machine.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::grammar::Nesting;

/// How many brackets may be open at once. Hand-written code stays below 40, minified code and tables below 200, and
/// at this depth every linked parser is still fast.
const MAX_BRACKETS: u32 = 500;

/// How many quote and list markers, or steps of indentation, may open a line. The scanners of Markdown and YAML keep
/// their open blocks in a buffer of 1 KiB, and the process ends where it is full: in YAML with 254 blocks.
const MAX_MARKERS: u32 = 100;

/// How many elements may be open at once. The scanner of HTML copies all of them for every token.
const MAX_TAGS: usize = 500;

/// Callbacks that any file may take, however short.
const FREE_CALLBACKS: u64 = 20_000;

/// Further callbacks for each byte. A callback stands for about a hundred steps of the parser. In every file of five
/// large repositories, thousands of JavaScript files full of syntax errors among them, there were fewer than .1 a
/// byte.
const CALLBACKS_PER_BYTE: f64 = 0.2;

/// How many bytes the parser is given at a time.
const WINDOW: usize = 4096;

/// How often any file may be read from, however short. Some scanners look ahead to the end of the file for every
/// token, and neither see nor cause a callback while they do.
const FREE_READS: u64 = 10_000;

/// The same for each window of the file. Reading once from end to end takes one; among sources of nineteen languages
/// the most was 34, in Scala.
const READS_PER_WINDOW: u64 = 40;

/// Whether `text` nests too deep to be parsed. Brackets in strings and comments count too: telling them apart would
/// take a lexer for each language, and what they can cost is a file's structure, not the file.
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

/// Elements that have no end, or may go without: they stand beside each other and not in each other.
#[rustfmt::skip]
const FLAT_TAGS: [&str; 30] = [
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup",
    "option", "p", "param", "rb", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Whether too many elements are open at once. An end that fits none of them ends nothing, as in the parser.
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

/// Parses `text` within the budget. `None` when the budget ended; the parser is ready for the next file.
pub(super) fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_within(parser, text, FREE_CALLBACKS + (text.len() as f64 * CALLBACKS_PER_BYTE) as u64)
}

fn parse_within(parser: &mut Parser, text: &str, budget: u64) -> Option<Tree> {
    let mut callbacks = 0u64;
    let reads = Cell::new(0u64);
    let max_reads = FREE_READS + (text.len() / WINDOW) as u64 * READS_PER_WINDOW;
    let mut progress = |_: &tree_sitter::ParseState| {
        callbacks += 1;
        if callbacks > budget || reads.get() > max_reads {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        // A scanner in the middle of a token knows only one thing that stops it: the end of the file.
        // No character may be cut in two: the lexer would ask for its rest and use an empty answer unseen.
        let mut end = if reads.get() > max_reads { at } else { at.saturating_add(WINDOW).min(text.len()) };
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.as_bytes().get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let tree = tree.filter(|_| reads.get() <= max_reads);
    if tree.is_none() {
        parser.reset();
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammars;

    #[test]
    fn a_parser_out_of_budget_is_ready_for_the_next_file() {
        let grammars = Grammars::built_in();
        for row in grammars.list() {
            // What is one token for a parser is over before the first callback.
            let line = match &*row.name {
                "html" | "json" => "<i>[1]</i>\n",
                "php" => "<?php a(b); ?>\n",
                "yaml" => "- a: [b]\n",
                _ => "a(b);\n",
            };
            let text = line.repeat(5_000);
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(row.id).unwrap().language).unwrap();
            assert!(parse_within(&mut parser, &text, 10).is_none(), "{}", row.name);
            assert_eq!(parse(&mut parser, &text).unwrap().root_node().end_byte(), text.len(), "{}", row.name);
        }
    }

    #[test]
    fn a_scanner_that_looks_ahead_to_the_end_each_time_is_stopped() {
        let grammars = Grammars::built_in();
        let check = |language: &str, text: String| {
            let Ok(id) = grammars.by_name(language) else { return };
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
            assert!(parse(&mut parser, &text).is_none(), "{language}");
            assert!(parse(&mut parser, "a").is_some(), "{language}");
        };
        check("css", "/* ".repeat(100_000));
        check("css", "a:b".repeat(100_000));
        check("html", "<!-- ".repeat(60_000));
        let quoted = "let a = 'é';".repeat(80_000);
        check("kotlin", quoted.clone());
        check("lua", quoted.clone());
        check("scala", quoted);
    }

    #[test]
    fn characters_on_the_edge_of_a_window_are_whole() {
        let grammars = Grammars::built_in();
        let Ok(id) = grammars.by_name("rust") else { return };
        let mut parser = Parser::new();
        parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
        for shift in 0..4 {
            let text =
                format!("{}fn f() {{ let s = \"{}\"; }}", " ".repeat(shift), "𝄞".repeat(3 * WINDOW / 4));
            assert!(!parse(&mut parser, &text).unwrap().root_node().has_error(), "{shift}");
        }
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
