//! The place of an expression: its file, and the symbols and the item around it.

use std::rc::Rc;

use super::item::ItemTokens;
use crate::files::Graph;
use crate::uses::FileFacts;
use spyhop_base::model::SymbolKind;

/// The place of an expression.
pub(super) struct Site<'f> {
    pub file: u32,
    pub facts: &'f FileFacts,
    /// The symbol around the expression.
    pub owner: Option<u32>,
    /// The outermost function around the expression, or the whole file.
    pub item: Rc<ItemTokens>,
}

impl Site<'_> {
    /// Whether the name at a token has a dot before it, which is not the last one of `...`.
    pub fn is_member(&self, at: usize) -> bool {
        let tokens = &self.item.tokens;
        tokens.is(at - 1, b'.') && !(at > 2 && tokens.is_operator(at - 3, "..."))
    }

    /// The heads of the types and implementations around the expression.
    pub fn heads(&self, graph: &Graph<'_>) -> Vec<Rc<ItemTokens>> {
        let symbols = &self.facts.symbols;
        let parents = std::iter::successors(self.owner, |at| symbols[*at as usize].parent);
        let around = parents.map(|at| &symbols[at as usize]);
        let is_head = |kind: SymbolKind| kind == SymbolKind::Impl || kind.is_type_like();
        around
            .filter(|symbol| is_head(symbol.kind))
            .filter_map(|symbol| graph.item(self.file, symbol.signature))
            .collect()
    }
}
