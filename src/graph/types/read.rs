//! Reading the tokens of items and of files.

use std::rc::Rc;
use std::sync::Arc;

use super::item::{FileReading, ItemTokens};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::scopes::Scopes;
use crate::tokens::Tokens;
use crate::words::comments;
use spyhop_base::text::Span;

/// The most bytes of an item that is read.
const MAX_ITEM: usize = 256 << 10;

impl Graph<'_> {
    /// The tokens of a part of a file.
    pub(crate) fn item(&self, file: u32, span: Span) -> Option<Rc<ItemTokens>> {
        let key = (file, span.start, span.end);
        if let Some(known) = self.types.items.borrow().get(&key) {
            return known.clone();
        }
        let item = self.text(file).and_then(|text| {
            let part = text.get(span.range()).filter(|part| part.len() <= MAX_ITEM)?;
            let (language, part) = (self.language(file), Arc::new(part.to_string()));
            let family = self.family(file);
            let has_facts = family.has_scopes() || matches!(family, Family::Other(_));
            let comments = match has_facts {
                true => self.facts(file).map_or_else(Vec::new, |facts| comments_in(facts.comments(), span)),
                false => comments(language, &part),
            };
            let tokens = Tokens::new(language, part, &comments, Rc::clone(&self.steps));
            Some(Rc::new(ItemTokens { span, tokens }))
        });
        self.types.items.borrow_mut().insert(key, item.clone());
        item
    }

    /// The tokens of a symbol, from its signature on in languages whose decorators name other symbols.
    pub(super) fn item_of(&self, own: &Definition) -> Option<Rc<ItemTokens>> {
        let signature = || Some(self.facts(own.file)?.symbols.get(own.place as usize)?.signature.start);
        let start = signature().filter(|_| self.family(own.file).has_scopes());
        let start = start.filter(|start| own.span.start < *start && *start < own.span.end);
        self.item(own.file, Span { start: start.unwrap_or(own.span.start), end: own.span.end })
    }

    /// The tokens of a file, and the declarations of languages whose scopes are read.
    pub(crate) fn reading(&self, file: u32) -> Option<Rc<FileReading>> {
        if let Some(known) = self.types.readings.borrow().get(&file) {
            return known.clone();
        }
        let reading = self.facts(file).map(|facts| {
            let family = self.family(file);
            let text = facts.text.clone();
            let tokens = Tokens::new(self.language(file), text, facts.comments(), Rc::clone(&self.steps));
            let scopes = Scopes::new(family, &tokens);
            let item = Rc::new(ItemTokens { span: Span::new(0, facts.text.len()), tokens });
            Rc::new(FileReading { item, scopes })
        });
        self.types.readings.borrow_mut().insert(file, reading.clone());
        reading
    }
}

/// The comments in a span, by their places in it.
fn comments_in(comments: &[Span], span: Span) -> Vec<Span> {
    let inside = comments.iter().filter(|comment| span.contains(**comment));
    inside.map(|own| Span { start: own.start - span.start, end: own.end - span.start }).collect()
}
