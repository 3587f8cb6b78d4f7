//! The tokens of one item, such as a function or a type, and what is known already.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::evaluations::KnownEvaluations;
use super::written::WrittenType;
use crate::definition::Definition;
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

    pub fn span_of(&self, index: usize) -> Span {
        let (token, start) = (self.tokens.at(index), self.span.start);
        token.map_or(Span::new(0, 0), |token| Span { start: token.start + start, end: token.end + start })
    }
}

/// Items by file, start and end; `None` for an item that cannot be read.
type ItemsBySpan = FxHashMap<(u32, u32, u32), Option<Rc<ItemTokens>>>;

/// The types that a name means, by the file that names them, and by the package before the name.
type TypesByName = FxHashMap<(u32, Box<str>, Option<Box<str>>), Vec<Definition>>;

/// An expression: the file, the item, the symbol around the expression, and the last token.
pub(super) type ExpressionKey = (u32, Span, Option<u32>, u32);

/// The types of an expression, and its first token; `None` for what is not an expression.
pub(super) type TypedExpression = Option<(Vec<WrittenType>, usize)>;

/// The known types of a graph.
#[derive(Default)]
pub(crate) struct DeclaredTypes {
    pub(super) items: RefCell<ItemsBySpan>,
    pub(super) expressions: KnownEvaluations<ExpressionKey, TypedExpression>,
    /// The definitions of types by the file that names them.
    pub(super) types: RefCell<TypesByName>,
}
