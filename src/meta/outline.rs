//! The outline of a file version as it is kept: its symbols without spans of text.
//!
//! Ranking looks at the definitions of some hundred files a query, so an outline is decoded alone, checked alone
//! (CRC-32 before it), and holds no more than ranking and display use; decoded names borrow from the mapped record.
//! Names stand together, because most queries look at nothing else; the rest is told from the symbol before:
//!
//! ```text
//! how many symbols; bytes of the names; of each name its length and itself
//! of each symbol: kind; how far back its parent stands, 0 for none; its container as [`Holder`] and, where that
//!     does not say it, the text; how far it begins behind the one before; its bytes; how far its first line is
//!     behind that of the one before, zigzag; its further lines
//! ```
//!
//! All numbers are varints.

use crate::model::SymbolKind;
use crate::store::{push_varint, take_varint};
use crate::text::{Lines, Span};

/// The symbols of a file version, sorted by start, an enclosing one before what it encloses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline<'a> {
    /// The symbols.
    pub symbols: Vec<OutlineSymbol<'a>>,
}

/// A symbol as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let (mut names, mut rest) = (Vec::new(), Vec::new());
        let mut before = Place::default();
        for (at, symbol) in self.symbols.iter().enumerate() {
            text(&mut names, symbol.name);
            let OutlineSymbol { kind, span, lines, container, parent, .. } = *symbol;
            rest.push(kind as u8);
            push_varint(&mut rest, parent.map_or(0, |parent| (at as u64).wrapping_sub(u64::from(parent))));
            let of_parent =
                parent.and_then(|parent| self.symbols.get(parent as usize)).map(|parent| parent.name);
            match container {
                None => rest.push(Holder::None as u8),
                Some(_) if container == of_parent => rest.push(Holder::Parent as u8),
                Some(_) if container == before.container => rest.push(Holder::Before as u8),
                Some(container) => {
                    rest.push(Holder::Text as u8);
                    text(&mut rest, container);
                }
            }
            push_varint(&mut rest, u64::from(span.start.wrapping_sub(before.start)));
            push_varint(&mut rest, u64::from(span.end.wrapping_sub(span.start)));
            let line = i64::from(lines.first) - i64::from(before.line);
            push_varint(&mut rest, (line << 1 ^ line >> 63) as u64);
            push_varint(&mut rest, u64::from(lines.last.wrapping_sub(lines.first)));
            before = Place { start: span.start, line: lines.first, container };
        }
        let mut body = Vec::with_capacity(names.len() + rest.len() + 8);
        push_varint(&mut body, self.symbols.len() as u64);
        push_varint(&mut body, names.len() as u64);
        body.extend(names);
        body.extend(rest);
        EncodedOutline { bytes: sealed(body), symbols: self.symbols.len() as u32 }
    }

    pub(super) fn decode(bytes: &'a [u8]) -> Option<Outline<'a>> {
        let (names, mut rest) = parts(bytes)?;
        let mut symbols: Vec<OutlineSymbol<'a>> = Vec::with_capacity(names.left);
        let mut before = Place::default();
        for name in names {
            let name = std::str::from_utf8(name).ok()?;
            let kind = SymbolKind::from_number(byte(&mut rest)?)?;
            let back = take_varint(&mut rest)? as usize;
            let parent = match back {
                0 => None,
                _ => Some(symbols.len().checked_sub(back)? as u32),
            };
            let container = match Holder::of(byte(&mut rest)?)? {
                Holder::None => None,
                Holder::Parent => Some(symbols[parent? as usize].name),
                Holder::Before => before.container,
                Holder::Text => Some(std::str::from_utf8(take_text(&mut rest)?).ok()?),
            };
            let start = before.start.wrapping_add(take_varint(&mut rest)? as u32);
            let end = start.wrapping_add(take_varint(&mut rest)? as u32);
            let line = take_varint(&mut rest)?;
            let line = (line >> 1) as i64 ^ -((line & 1) as i64);
            let first = u32::try_from(i64::from(before.line).checked_add(line)?).ok()?;
            let last = first.wrapping_add(take_varint(&mut rest)? as u32);
            before = Place { start, line: first, container };
            symbols.push(OutlineSymbol {
                name,
                kind,
                span: Span { start, end },
                lines: Lines { first, last },
                container,
                parent,
            });
        }
        Some(Outline { symbols })
    }
}

/// What the next symbol is told from.
#[derive(Clone, Copy, Default)]
struct Place<'a> {
    start: u32,
    line: u32,
    container: Option<&'a str>,
}

/// What the container of a symbol is.
#[derive(Clone, Copy)]
enum Holder {
    None,
    /// The name of the parent.
    Parent,
    /// The container of the symbol before.
    Before,
    /// The text that follows.
    Text,
}

impl Holder {
    fn of(number: u8) -> Option<Holder> {
        [Holder::None, Holder::Parent, Holder::Before, Holder::Text].get(number as usize).copied()
    }
}

/// The names of an outline's symbols, in their order, as bytes: ranking looks at all of them and takes few, so text is
/// made of those only.
#[derive(Clone, Debug)]
pub struct SymbolNames<'a> {
    left: usize,
    rest: &'a [u8],
}

impl<'a> SymbolNames<'a> {
    pub(super) fn decode(bytes: &'a [u8]) -> Option<SymbolNames<'a>> {
        Some(parts(bytes)?.0)
    }
}

impl<'a> Iterator for SymbolNames<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        take_text(&mut self.rest)
    }
}

/// The names of an outline, and what follows them.
fn parts(bytes: &[u8]) -> Option<(SymbolNames<'_>, &[u8])> {
    let mut rest = checked(bytes)?;
    let (left, len) = (take_varint(&mut rest)? as usize, take_varint(&mut rest)? as usize);
    let (names, rest) = rest.split_at_checked(len)?;
    // A name takes a byte at least.
    (left <= names.len()).then_some((SymbolNames { left, rest: names }, rest))
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    push_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = take_varint(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(text)
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
    // Who makes a record up computes its checks as well: what is behind them is fuzzed without them.
    (cfg!(fuzzing) || crc32fast::hash(body) == u32::from_le_bytes(*check)).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol<'a>(name: &'a str, container: Option<&'a str>, parent: Option<u32>) -> OutlineSymbol<'a> {
        OutlineSymbol {
            name,
            kind: SymbolKind::Method,
            span: Span { start: 5, end: 70_000 },
            lines: Lines { first: 300, last: 301 },
            container,
            parent,
        }
    }

    #[test]
    fn names_are_those_of_the_outline() {
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

    #[test]
    fn containers_and_places_come_back_however_they_are_told() {
        let at = |symbol: OutlineSymbol<'static>, start: u32, len: u32, first: u32| OutlineSymbol {
            span: Span { start, end: start + len },
            lines: Lines { first, last: first + len / 10 },
            kind: *SymbolKind::ALL.last().unwrap(),
            ..symbol
        };
        let symbols = vec![
            at(symbol("Type", None, None), 0, 9, 1),
            at(symbol("of_parent", Some("Type"), Some(0)), 4, 4_000_000, 1),
            at(symbol("of_another", Some("Other"), Some(1)), 4, 1, 70_000),
            at(symbol("the_same", Some("Other"), None), 3_000_000_000, 1, 2),
            at(symbol("back", Some("Type"), Some(0)), u32::MAX - 1, 1, u32::MAX - 9),
        ];
        let outline = Outline { symbols };
        let EncodedOutline { bytes, symbols } = outline.encode();
        assert_eq!((Outline::decode(&bytes), symbols), (Some(outline), 5));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_outline_or_none(body: Vec<u8>) {
            let bytes = sealed(body);
            let names = SymbolNames::decode(&bytes).map(Iterator::count);
            if let Some(outline) = Outline::decode(&bytes) {
                proptest::prop_assert_eq!(names, Some(outline.symbols.len()));
            }
        }
    }
}
