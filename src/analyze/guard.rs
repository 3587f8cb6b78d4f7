//! What is decided on a file's bytes before and while it is parsed: whether it nests too deep, and when parsing has
//! taken too long.
//!
//! It owns those two measures; falling back is [`super`]'s. Depth is measured before parsing because tree-sitter's
//! progress callback is no guard against it: on nested brackets a parser can run for seconds between two calls.
//! The budget counts callbacks, never time, so that the same file is analysed the same way on every machine.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::grammar::Nesting;

/// How many brackets may be open at once. Hand-written code stays below 40, minified code and tables below 200, and
/// at this depth every linked parser is still fast.
const MAX_BRACKETS: u32 = 500;

/// How many quote and list markers, or steps of indentation, may open a line. The scanner of Markdown keeps its open
/// blocks in a buffer of 1 KiB.
const MAX_MARKERS: u32 = 100;

/// Callbacks that any file may take, however short.
const FREE_CALLBACKS: u64 = 20_000;

/// Further callbacks for each byte. A callback stands for about a hundred steps of the parser. In every file of five
/// large repositories, thousands of JavaScript files full of syntax errors among them, there were fewer than .1 a
/// byte.
const CALLBACKS_PER_BYTE: f64 = 0.2;

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
                    b'-' | b'*' | b'+' if listed => half_steps += 2,
                    b'0'..=b'9' => {}
                    b'.' | b')' if listed => half_steps += 2,
                    _ => break,
                }
                at += 1;
            }
            half_steps > 2 * MAX_MARKERS
        }),
    }
}

/// Parses `text` within the budget. `None` when the budget ended; the parser is ready for the next file.
pub(super) fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_within(parser, text, FREE_CALLBACKS + (text.len() as f64 * CALLBACKS_PER_BYTE) as u64)
}

fn parse_within(parser: &mut Parser, text: &str, budget: u64) -> Option<Tree> {
    let mut callbacks = 0u64;
    let mut progress = |_: &tree_sitter::ParseState| {
        callbacks += 1;
        if callbacks > budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
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
        let text = "a(b);\n".repeat(5_000);
        for row in grammars.list() {
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(row.id).unwrap().language).unwrap();
            assert!(parse_within(&mut parser, &text, 10).is_none(), "{}", row.name);
            assert_eq!(parse(&mut parser, &text).unwrap().root_node().end_byte(), text.len(), "{}", row.name);
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
        check(&format!("a{}\n{}", " > ".repeat(200), "*".repeat(400)), Nesting::Markers, false);
    }
}
