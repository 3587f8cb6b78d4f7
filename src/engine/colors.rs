//! The colours of a text, from its syntax tree.

use super::core::Engine;
use spyhop_syntax::analyze::ColoredSpan;

impl Engine {
    /// The coloured parts of `text`, in order and not overlapping, from the syntax tree of a parser worker. `None` if
    /// the engine has no workers, if `language` has no highlight query, or if the parser fails or takes too long;
    /// the caller colours the text by words then.
    #[doc(hidden)]
    pub fn colors(&self, language: &str, text: &str) -> Option<Vec<ColoredSpan>> {
        let language = self.grammars().by_name(language).ok()?;
        self.parsers().analyzer().colors(language, text)
    }
}
