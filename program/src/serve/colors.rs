//! Tokens with a colour, of pieces of text that the page shows.

use std::ops::Range;

use spyhop_engine::Engine;
use spyhop_interface::render::syntax;

/// The names of the classes of a syntax tree, in the order of their numbers. Those of a lexer are the first four.
pub const CLASSES: [&str; 10] =
    ["keyword", "string", "comment", "number", "constant", "type", "function", "tag", "attribute", "heading"];

/// The longest text that a parser colours, in bytes.
pub const MAX_PARSED: usize = 512 << 10;

/// A token: its bytes, and the number of its class.
pub type SyntaxToken = (u32, u32, usize);

/// The tokens of a piece of text, by a lexer: a piece begins and ends anywhere, and a page of results has many.
pub fn tokens<'t>(language: &str, text: &'t str) -> impl Iterator<Item = SyntaxToken> + use<'t> {
    syntax(language, text).into_iter().map(|(span, class)| (span.start, span.end, class as usize))
}

/// The tokens of a whole file, by its syntax tree; `None` if the text is too long, or if there is no tree.
pub fn file_tokens(engine: &Engine, language: &str, text: &str) -> Option<Vec<SyntaxToken>> {
    let colors = if text.len() <= MAX_PARSED { engine.colors(language, text)? } else { return None };
    Some(colors.into_iter().map(|(span, class)| (span.start, span.end, class as usize)).collect())
}

/// The tokens in a part of a text, with their places in that part.
pub fn within(tokens: Vec<SyntaxToken>, part: Range<usize>) -> Vec<SyntaxToken> {
    let place = |at: u32| (at as usize).clamp(part.start, part.end) - part.start;
    let own = tokens.into_iter().map(|(start, end, class)| (place(start) as u32, place(end) as u32, class));
    own.filter(|(start, end, _)| start < end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_cut_at_the_ends_of_a_part() {
        let tokens = vec![(0, 2, 0), (3, 6, 1), (6, 7, 2), (8, 12, 3), (12, 13, 4)];
        assert_eq!(within(tokens, 4..10), [(0, 2, 1), (2, 3, 2), (4, 6, 3)]);
    }
}
