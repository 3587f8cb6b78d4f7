//! The outline of a file version as it is kept: its symbols without spans of text.
//!
//! Ranking looks at the definitions of some hundred files a query, so an outline is decoded alone, checked alone
//! (CRC-32 before it), and holds no more than ranking and display use; decoded names
//! borrow from the mapped record.

use serde::{Deserialize, Serialize};

use crate::model::SymbolKind;
use crate::text::{Lines, Span};

/// The symbols of a file version, sorted by start, an enclosing one before what it encloses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline<'a> {
    /// The symbols.
    #[serde(borrow)]
    pub symbols: Vec<OutlineSymbol<'a>>,
}

/// A symbol as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineSymbol<'a> {
    /// The name alone, as written.
    pub name: &'a str,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole item in bytes, with what leads it.
    pub span: Span,
    /// The lines of the item proper.
    pub lines: Lines,
    /// The name of what holds it.
    pub container: Option<&'a str>,
    /// The symbol that encloses it.
    pub parent: Option<u32>,
}

/// An outline in its kept form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedOutline {
    pub(super) bytes: Vec<u8>,
    pub(super) symbols: u32,
}

impl OutlineSymbol<'_> {
    /// Its name after its container's: `Container.name`.
    pub fn qualified(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}.{}", self.name),
            None => self.name.to_string(),
        }
    }
}

impl<'a> Outline<'a> {
    /// How many symbols enclose symbol `index`.
    pub fn depth(&self, index: usize) -> usize {
        let mut depth = 0;
        let mut at = &self.symbols[index];
        // A parent stands before its child, so this ends; a damaged outline is caught by its check.
        while let Some(parent) = at.parent.and_then(|parent| self.symbols.get(parent as usize)) {
            depth += 1;
            if depth > self.symbols.len() {
                break;
            }
            at = parent;
        }
        depth
    }

    /// The outline as it is kept, so that a build holds bytes and not symbols.
    pub fn encode(&self) -> EncodedOutline {
        let bytes = sealed(postcard::to_stdvec(self).expect("plain data"));
        EncodedOutline { bytes, symbols: self.symbols.len() as u32 }
    }

    pub(super) fn decode(bytes: &'a [u8]) -> Option<Outline<'a>> {
        postcard::from_bytes(checked(bytes)?).ok()
    }
}

/// The names of an outline's symbols, in their order, as bytes: ranking looks at all of them and takes few, so text is
/// made of those only.
#[derive(Clone, Debug)]
pub struct SymbolNames<'a> {
    left: usize,
    rest: &'a [u8],
}

/// [`OutlineSymbol`] with bytes for text, which are the same as kept.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    name: &'a [u8],
    _kind: SymbolKind,
    _span: Span,
    _lines: Lines,
    #[serde(borrow)]
    _container: Option<&'a [u8]>,
    _parent: Option<u32>,
}

impl<'a> SymbolNames<'a> {
    pub(super) fn decode(bytes: &'a [u8]) -> Option<SymbolNames<'a>> {
        let (left, rest) = postcard::take_from_bytes(checked(bytes)?).ok()?;
        Some(SymbolNames { left, rest })
    }
}

impl<'a> Iterator for SymbolNames<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        let (Row { name, .. }, rest) = postcard::take_from_bytes(self.rest).ok()?;
        self.rest = rest;
        Some(name)
    }
}

/// An item of a heap: its check, then itself.
pub(super) fn sealed(body: Vec<u8>) -> Vec<u8> {
    let mut bytes = crc32fast::hash(&body).to_le_bytes().to_vec();
    bytes.extend(body);
    bytes
}

/// What stands behind the check, if that is right.
pub(super) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (check, body) = bytes.split_first_chunk::<4>()?;
    (crc32fast::hash(body) == u32::from_le_bytes(*check)).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_outline() {
        let symbol = |name, container, parent| OutlineSymbol {
            name,
            kind: SymbolKind::Method,
            span: Span { start: 5, end: 70_000 },
            lines: Lines { first: 300, last: 301 },
            container,
            parent,
        };
        let long = "n".repeat(300);
        let symbols =
            vec![symbol("größe", None, None), symbol(&long, Some("größe"), Some(0)), symbol("", None, None)];
        let outline = Outline { symbols };
        let EncodedOutline { mut bytes, .. } = outline.encode();
        assert_eq!(Outline::decode(&bytes), Some(outline.clone()));
        let names: Vec<&[u8]> = SymbolNames::decode(&bytes).unwrap().collect();
        assert_eq!(names, outline.symbols.iter().map(|symbol| symbol.name.as_bytes()).collect::<Vec<_>>());
        *bytes.last_mut().unwrap() ^= 1;
        assert!(SymbolNames::decode(&bytes).is_none() && Outline::decode(&bytes).is_none());
    }
}
