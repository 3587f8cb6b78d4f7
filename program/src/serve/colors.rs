//! Tokens with a colour, of pieces of text that the page shows.

use spyhop::render::{SyntaxClass, syntax};

/// The names of the classes, in the order of their numbers.
pub const CLASSES: [&str; 4] = ["keyword", "string", "comment", "number"];

/// A token: its bytes, and the number of its class.
pub type SyntaxToken = (u32, u32, usize);

/// The tokens of a piece of text.
pub fn tokens<'t>(language: &str, text: &'t str) -> impl Iterator<Item = SyntaxToken> + use<'t> {
    syntax(language, text).into_iter().map(|(span, class)| {
        let class = match class {
            SyntaxClass::Keyword => 0,
            SyntaxClass::Text => 1,
            SyntaxClass::Comment => 2,
            SyntaxClass::Number => 3,
        };
        (span.start, span.end, class)
    })
}
