//! A manifest's rules for function bodies, compiled for fast lookup by word.

use rustc_hash::FxHashMap;

use super::manifest::{BodySection, TypePlace};

/// The rules for recognizing and reading bodies, see [`BodySection`].
pub struct BodyRules {
    pub raw: Option<u8>,
    /// See [`BodySection::directives`].
    pub directives: bool,
    /// See [`BodySection::newlines`].
    pub newlines: bool,
    /// See [`BodySection::types`].
    pub types: TypePlace,
    /// See [`BodySection::behind`].
    behind: Box<[u8]>,
    /// Whether a brace after a word begins a body, unless the word opens a type.
    behind_words: bool,
    /// Bits of [`word`] for each word with a meaning.
    words: FxHashMap<Box<str>, u8>,
    /// The length of the longest such word.
    longest: usize,
}

/// Bits of a word's meaning.
mod word {
    pub(crate) const TYPE_BRACE: u8 = 1;
    pub(crate) const ITEM: u8 = 1 << 1;
    pub const BLOCK: u8 = 1 << 2;
    pub(crate) const ANNOUNCES: u8 = 1 << 3;
    pub const RESERVED: u8 = 1 << 4;
}

impl BodyRules {
    pub(super) fn new(bodies: &BodySection) -> BodyRules {
        let mut words: FxHashMap<Box<str>, u8> = FxHashMap::default();
        let lists = [
            (&bodies.type_braces, word::TYPE_BRACE),
            (&bodies.items, word::ITEM),
            (&bodies.blocks, word::BLOCK),
            (&bodies.announce, word::ANNOUNCES),
            (&bodies.reserved, word::RESERVED),
        ];
        for (list, bit) in lists {
            for text in list {
                *words.entry(text.as_str().into()).or_default() |= bit;
            }
        }
        BodyRules {
            raw: bodies.raw.and_then(|raw| u8::try_from(raw).ok()),
            directives: bodies.directives,
            newlines: bodies.newlines,
            types: bodies.types,
            behind: bodies.behind.iter().filter_map(|sign| u8::try_from(*sign).ok()).collect(),
            behind_words: !bodies.type_braces.is_empty(),
            longest: words.keys().map(|word| word.len()).max().unwrap_or(0),
            words,
        }
    }

    fn is(&self, text: &str, bit: u8) -> bool {
        text.len() <= self.longest && self.words.get(text).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether a brace after this sign begins a body.
    pub(crate) fn begins_behind(&self, sign: u8) -> bool {
        self.behind.contains(&sign)
    }

    /// Whether a brace after this word begins a body.
    pub(crate) fn begins_behind_word(&self, text: &str) -> bool {
        self.behind_words && !self.is(text, word::TYPE_BRACE)
    }

    /// Whether a line that begins with this word defines something.
    pub fn is_item(&self, text: &str) -> bool {
        self.is(text, word::ITEM)
    }

    /// Whether this word defines something if a brace follows.
    pub(crate) fn opens_block(&self, text: &str) -> bool {
        self.is(text, word::BLOCK)
    }

    /// Whether a type follows this word.
    pub(crate) fn announces_type(&self, text: &str) -> bool {
        self.is(text, word::ANNOUNCES)
    }

    /// Whether this word cannot be a name.
    pub(crate) fn is_reserved(&self, text: &str) -> bool {
        self.is(text, word::RESERVED)
    }
}
