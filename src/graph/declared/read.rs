//! Reading the tokens of items.

use std::rc::Rc;
use std::sync::Arc;

use super::item::ItemTokens;
use crate::family::Family;
use crate::files::Graph;
use crate::tokens::Tokens;
use crate::words::comments;
use spyhop_base::text::Span;

/// The most bytes of an item that is read.
const MAX_ITEM: usize = 256 << 10;

impl Graph<'_> {
    /// The tokens of a part of a file.
    pub(crate) fn item(&self, file: u32, span: Span) -> Option<Rc<ItemTokens>> {
        let key = (file, span.start, span.end);
        if let Some(known) = self.declared.items.borrow().get(&key) {
            return known.clone();
        }
        let item = self.text(file).and_then(|text| {
            let part = text.get(span.range()).filter(|part| part.len() <= MAX_ITEM)?;
            let (family, part) = (self.family(file), Arc::new(part.to_string()));
            let tokens = Tokens::new(family, part.clone(), &comments(family, &part), Rc::clone(&self.steps));
            Some(Rc::new(ItemTokens { span, tokens }))
        });
        self.declared.items.borrow_mut().insert(key, item.clone());
        item
    }

    /// Whether types of receivers are followed in a file.
    pub(crate) fn follows_declarations(&self, file: u32) -> bool {
        match self.family(file) {
            Family::Go | Family::Rust => true,
            Family::Jvm => self.language(file) == "java",
            _ => false,
        }
    }
}
