//! The place of an expression: its file, and the symbols and the item around it.

use std::rc::Rc;

use super::item::ItemTokens;
use crate::cpp_roles::is_member_macro;
use crate::files::Graph;
use crate::syntax_facts::SyntaxFacts;
use crate::uses::FileFacts;
use spyhop_base::model::SymbolKind;

/// The place of an expression.
pub(super) struct Site<'f> {
    pub file: u32,
    pub facts: &'f FileFacts,
    /// The language of the file, by its name in filters.
    pub language: &'static str,
    /// The symbol around the expression.
    pub owner: Option<u32>,
    /// The outermost function around the expression, or the whole file.
    pub item: Rc<ItemTokens>,
}

impl Site<'_> {
    pub fn syntax(&self) -> &'static SyntaxFacts {
        SyntaxFacts::of(self.language)
    }

    /// Whether the languages of rules for Go and Rust are those of the file.
    pub fn is_go_or_rust(&self) -> bool {
        matches!(self.language, "go" | "rust")
    }

    /// The last token of the receiver of the name at a token; `None` without a receiver.
    pub fn receiver_end(&self, at: usize) -> Option<usize> {
        let tokens = &self.item.tokens;
        let before = at.checked_sub(1)?;
        if tokens.is(before, b'.') && self.language != "php" {
            let is_rest = at > 2 && tokens.is_operator(at - 3, "...");
            return before.checked_sub(1).filter(|_| !is_rest);
        }
        // A reference to a method, as in `pool::take`.
        let is_reference = at > 2
            && matches!(self.language, "java" | "kotlin" | "groovy")
            && tokens.is_operator(at - 2, "::")
            && tokens.word(at - 3).starts_with(char::is_lowercase);
        if self.is_connected(at) {
            return self.connected_object(at);
        }
        (is_reference || self.has_arrow(at)).then(|| at.checked_sub(3)).flatten()
    }

    /// Whether the name at a token is that of a slot or signal of Qt behind an object: `connect(pool, SIGNAL(taken()))`.
    pub fn is_connected(&self, at: usize) -> bool {
        let tokens = &self.item.tokens;
        at > 3 && self.syntax().pointers && tokens.is(at - 1, b'(') && is_member_macro(tokens.word(at - 2))
    }

    /// The last token of the object before the slot or signal at a token; `None` for a slot of the object itself.
    fn connected_object(&self, at: usize) -> Option<usize> {
        let tokens = &self.item.tokens;
        let last = at.checked_sub(4).filter(|_| tokens.is(at - 3, b','))?;
        let open = tokens.partner(last).filter(|_| tokens.is(last, b')'));
        let is_macro = open.is_some_and(|open| open > 0 && is_member_macro(tokens.word(open - 1)));
        (!is_macro).then_some(last)
    }

    /// Whether the sign `->` is before the name at a token, in a language in which a receiver stands before the sign.
    pub fn has_arrow(&self, at: usize) -> bool {
        let has_arrows = matches!(self.language, "c" | "cpp" | "objc" | "php" | "perl");
        has_arrows && at > 2 && self.item.tokens.is_operator(at - 2, "->")
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
