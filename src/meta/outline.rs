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
        let body = postcard::to_stdvec(self).expect("plain data");
        let mut bytes = crc32fast::hash(&body).to_le_bytes().to_vec();
        bytes.extend(body);
        EncodedOutline { bytes, symbols: self.symbols.len() as u32 }
    }

    pub(super) fn decode(bytes: &'a [u8]) -> Option<Outline<'a>> {
        let (check, body) = bytes.split_first_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*check) {
            return None;
        }
        postcard::from_bytes(body).ok()
    }
}
