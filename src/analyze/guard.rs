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
/// large repositories, thousands of JavaScript files full of syntax errors among them, there were fewer than .03 a
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
    let budget = FREE_CALLBACKS + (text.len() as f64 * CALLBACKS_PER_BYTE) as u64;
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
