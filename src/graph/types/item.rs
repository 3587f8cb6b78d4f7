//! The tokens of one item, such as a function or a type, and those of a file with its declarations.

use std::rc::Rc;

use crate::scopes::Scopes;
use crate::tokens::Tokens;
use spyhop_base::text::Span;

/// The tokens of a part of a file.
pub(crate) struct ItemTokens {
    pub span: Span,
    pub tokens: Tokens,
}

impl ItemTokens {
    pub(crate) fn index_at(&self, byte: u32) -> usize {
        self.tokens.index_at(byte.saturating_sub(self.span.start))
    }

    /// The byte of the file at which a token begins.
    pub fn byte_of(&self, index: usize) -> u32 {
        self.tokens.at(index).map_or(0, |token| token.start) + self.span.start
    }

    pub fn span_of(&self, index: usize) -> Span {
        let (token, start) = (self.tokens.at(index), self.span.start);
        token.map_or(Span::new(0, 0), |token| Span { start: token.start + start, end: token.end + start })
    }
}

/// The tokens of a file with its declarations, in languages whose scopes are read.
pub(crate) struct FileReading {
    pub item: Rc<ItemTokens>,
    pub scopes: Scopes,
}
