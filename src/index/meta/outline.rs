//! The stored outline of a file version: its symbols without the text of their items.
//!
//! Ranking reads the definitions of some hundred files for each query, so each outline is decoded and checked by itself
//! (CRC-32 before it), and holds only what ranking and display use. All names are stored together, because most queries
//! read nothing else. Adjacent names often share a prefix, so each name is encoded by its difference from the one
//! before (front coding). The other data are encoded as differences as well, so that common values take one byte:
//!
//! ```text
//! number of symbols; bytes of all names; of each name the length of the prefix that it shares with the one before, and
//!     the length of its suffix, both as [`push_pair`], then the bytes of the suffix
//! of each symbol: kind and [`ParentCode`] in one byte; if the shape does not determine parent and container: the distance
//!     back to the parent, 0 for none, the container as [`ContainerCode`] and, for [`ContainerCode::Text`], the text; then the
//!     distance of the start from the end of the symbol before, or from its start if that symbol is the parent; the
//!     length in bytes; the distance of the first line from the last or first line of that symbol, and the number of
//!     further lines, as [`push_pair`]
//! ```
//!
//! All numbers are varints.

use spyhop_base::model::{Analysis, Symbol, SymbolKind, qualified_name};
use spyhop_base::store::{push_varint, take_varint};
use spyhop_base::text::{Lines, Span};

/// The symbols of a file version, sorted by start; an enclosing symbol comes before those that it encloses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline<'a> {
    pub symbols: Vec<OutlineSymbol<'a>>,
}

/// A stored symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineSymbol<'a> {
    /// The name alone, as written.
    pub name: &'a str,
    pub kind: SymbolKind,
    /// The span of the whole item in bytes, with its doc comment and attributes.
    pub span: Span,
    /// The lines of the item proper.
    pub lines: Lines,
    pub container: Option<&'a str>,
    /// The symbol that encloses this one.
    pub parent: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedOutline {
    pub(super) bytes: Vec<u8>,
    pub(super) symbols: u32,
}

impl OutlineSymbol<'_> {
    /// The name with its container before it: `Container.name`.
    pub fn qualified(&self) -> String {
        qualified_name(self.container, self.name)
    }
}

impl<'a> From<&'a Symbol> for OutlineSymbol<'a> {
    fn from(symbol: &'a Symbol) -> OutlineSymbol<'a> {
        OutlineSymbol {
            name: &symbol.name,
            kind: symbol.kind,
            span: symbol.span,
            lines: symbol.lines,
            container: symbol.container.as_deref(),
            parent: symbol.parent,
        }
    }
}

impl<'a> From<&'a Analysis> for Outline<'a> {
    fn from(analysis: &'a Analysis) -> Outline<'a> {
        Outline { symbols: analysis.symbols.iter().map(OutlineSymbol::from).collect() }
    }
}

impl<'a> Outline<'a> {
    /// How many symbols enclose symbol `index`.
    pub fn depth(&self, index: usize) -> usize {
        let mut depth = 0;
        let mut at = &self.symbols[index];
        // A parent comes before its child, so this loop ends; the checksum detects a damaged outline.
        while let Some(parent) = at.parent.and_then(|parent| self.symbols.get(parent as usize)) {
            depth += 1;
            if depth > self.symbols.len() {
                break;
            }
            at = parent;
        }
        depth
    }

    /// Encodes the outline, so that a build holds bytes and not symbols.
    pub fn encode(&self) -> EncodedOutline {
        let (mut names, mut rest) = (Vec::new(), Vec::new());
        let mut before = Before::default();
        for (at, symbol) in self.symbols.iter().enumerate() {
            push_name(&mut names, before.name, symbol.name);
            let OutlineSymbol { span, lines, container, parent, .. } = *symbol;
            let of_parent =
                parent.and_then(|parent| self.symbols.get(parent as usize)).map(|parent| parent.name);
            let shape = ParentCode::of(at, symbol, of_parent, &before);
            rest.push(symbol.kind as u8 | (shape as u8) << KIND_BITS);
            if shape == ParentCode::Other {
                push_varint(
                    &mut rest,
                    parent.map_or(0, |parent| (at as u64).wrapping_sub(u64::from(parent))),
                );
                let code = ContainerCode::for_container(container, of_parent, before.container);
                rest.push(code as u8);
                if let (ContainerCode::Text, Some(container)) = (code, container) {
                    text(&mut rest, container);
                }
            }
            let (from, line) = before.place(shape);
            push_varint(&mut rest, u64::from(span.start.wrapping_sub(from)));
            push_varint(&mut rest, u64::from(span.end.wrapping_sub(span.start)));
            push_pair(&mut rest, lines.first.wrapping_sub(line), lines.last.wrapping_sub(lines.first));
            before = Before::from(*symbol);
        }
        let mut body = Vec::with_capacity(names.len() + rest.len() + 8);
        push_varint(&mut body, self.symbols.len() as u64);
        push_varint(&mut body, names.len() as u64);
        body.extend(names);
        body.extend(rest);
        EncodedOutline { bytes: sealed(body), symbols: self.symbols.len() as u32 }
    }

    /// Decodes the outline; its names are written into `names`.
    pub(super) fn decode(bytes: &'a [u8], names: &'a mut Vec<u8>) -> Option<Outline<'a>> {
        let (ends, mut rest) = take_names(checked(bytes)?, names)?;
        let mut symbols: Vec<OutlineSymbol<'a>> = Vec::with_capacity(ends.len());
        let (mut before, mut start) = (Before::default(), 0);
        for end in ends {
            let name = std::str::from_utf8(&names[start..end]).ok()?;
            start = end;
            let symbol = symbol(name, &mut rest, &symbols, &before)?;
            before = Before::from(symbol);
            symbols.push(symbol);
        }
        Some(Outline { symbols })
    }
}

/// Decodes the next symbol, which follows `symbols`.
fn symbol<'a>(
    name: &'a str,
    rest: &mut &'a [u8],
    symbols: &[OutlineSymbol<'a>],
    before: &Before<'a>,
) -> Option<OutlineSymbol<'a>> {
    let head = byte(rest)?;
    let kind = SymbolKind::from_number(head & ((1 << KIND_BITS) - 1))?;
    let shape = ParentCode::from_number(head >> KIND_BITS)?;
    let of = |parent: Option<u32>| Some(symbols[parent? as usize].name);
    let (parent, container) = match shape {
        ParentCode::Top => (None, None),
        ParentCode::Sibling => (before.parent, Some(of(before.parent)?)),
        ParentCode::Child => {
            let parent = Some(symbols.len().checked_sub(1)? as u32);
            (parent, of(parent))
        }
        ParentCode::Alike => (before.parent, before.container),
        ParentCode::Other => {
            let parent = match take_varint(rest)? as usize {
                0 => None,
                back => Some(symbols.len().checked_sub(back)? as u32),
            };
            let container = match ContainerCode::of(byte(rest)?)? {
                ContainerCode::None => None,
                ContainerCode::Parent => Some(of(parent)?),
                ContainerCode::Before => before.container,
                ContainerCode::Text => Some(std::str::from_utf8(take_text(rest)?).ok()?),
            };
            (parent, container)
        }
    };
    let (from, line) = before.place(shape);
    let start = from.wrapping_add(take_varint(rest)? as u32);
    let end = start.wrapping_add(take_varint(rest)? as u32);
    let (ahead, further) = take_pair(rest)?;
    let first = line.wrapping_add(ahead);
    let lines = Lines { first, last: first.wrapping_add(further) };
    Some(OutlineSymbol { name, kind, span: Span { start, end }, lines, container, parent })
}

/// The previous symbol, relative to which the next one is encoded.
#[derive(Clone, Copy, Default)]
struct Before<'a> {
    name: &'a str,
    span: Span,
    lines: Lines,
    container: Option<&'a str>,
    parent: Option<u32>,
}

impl<'a> Before<'a> {
    fn from(symbol: OutlineSymbol<'a>) -> Before<'a> {
        let OutlineSymbol { name, span, lines, container, parent, .. } = symbol;
        Before { name, span, lines, container, parent }
    }

    /// The byte and line relative to which the next symbol is encoded.
    fn place(&self, shape: ParentCode) -> (u32, u32) {
        match shape {
            ParentCode::Child => (self.span.start, self.lines.first),
            _ => (self.span.end, self.lines.last),
        }
    }
}

/// How many bits of a symbol's first byte hold its kind; the others hold its shape.
pub(super) const KIND_BITS: u32 = 5;

const _: () = assert!(SymbolKind::ALL.len() <= 1 << KIND_BITS);

/// A common combination of parent and container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParentCode {
    /// No parent and no container.
    Top,
    /// The parent of the symbol before; the container is this parent.
    Sibling,
    /// The symbol before is both parent and container.
    Child,
    /// Parent and container are those of the symbol before.
    Alike,
    /// Parent and container are encoded explicitly.
    Other,
}

impl ParentCode {
    fn of(at: usize, symbol: &OutlineSymbol<'_>, of_parent: Option<&str>, before: &Before<'_>) -> ParentCode {
        let OutlineSymbol { container, parent, .. } = *symbol;
        let is_in_parent = parent.is_some() && container.is_some() && container == of_parent;
        match parent {
            None if container.is_none() => ParentCode::Top,
            Some(parent) if is_in_parent && parent as usize + 1 == at => ParentCode::Child,
            Some(_) if is_in_parent && parent == before.parent => ParentCode::Sibling,
            _ if (parent, container) == (before.parent, before.container) => ParentCode::Alike,
            _ => ParentCode::Other,
        }
    }

    fn from_number(number: u8) -> Option<ParentCode> {
        use ParentCode::*;
        [Top, Sibling, Child, Alike, Other].get(number as usize).copied()
    }
}

/// The encoding of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerCode {
    None,
    /// The name of the parent.
    Parent,
    /// The container of the symbol before.
    Before,
    /// The text that follows.
    Text,
}

impl ContainerCode {
    /// The code for `container`, given the name of the parent and the container of the symbol before.
    pub fn for_container(
        container: Option<&str>,
        parent: Option<&str>,
        before: Option<&str>,
    ) -> ContainerCode {
        match container {
            None => ContainerCode::None,
            Some(_) if container == parent => ContainerCode::Parent,
            Some(_) if container == before => ContainerCode::Before,
            Some(_) => ContainerCode::Text,
        }
    }

    pub fn of(number: u8) -> Option<ContainerCode> {
        [ContainerCode::None, ContainerCode::Parent, ContainerCode::Before, ContainerCode::Text]
            .get(number as usize)
            .copied()
    }
}

/// An iterator over the names of an outline's symbols, in order, as bytes: ranking compares all of them and selects
/// few, so only the selected names are converted to text.
#[derive(Clone, Debug, Default)]
pub struct SymbolNames<'a> {
    left: usize,
    rest: &'a [u8],
    name: Vec<u8>,
}

impl<'a> SymbolNames<'a> {
    pub(super) fn decode(bytes: &'a [u8]) -> Option<SymbolNames<'a>> {
        Some(parts(checked(bytes)?)?.0)
    }

    /// The next name, and the length of the prefix that it shares with the name before.
    pub fn advance(&mut self) -> Option<(&[u8], usize)> {
        self.left = self.left.checked_sub(1)?;
        let (shared, len) = take_pair(&mut self.rest)?;
        let (suffix, rest) = self.rest.split_at_checked(len as usize)?;
        self.rest = rest;
        let shared = shared as usize;
        if shared > self.name.len() {
            return None;
        }
        self.name.truncate(shared);
        self.name.extend_from_slice(suffix);
        Some((&self.name, shared))
    }
}

/// Writes the names in a body into `names`. Returns the end of each, and the bytes after them.
pub(super) fn take_names<'b>(body: &'b [u8], names: &mut Vec<u8>) -> Option<(Vec<usize>, &'b [u8])> {
    let (mut folded, rest) = parts(body)?;
    names.clear();
    let mut ends: Vec<usize> = Vec::with_capacity(folded.left);
    while folded.left > 0 {
        names.extend_from_slice(folded.advance()?.0);
        ends.push(names.len());
    }
    Some((ends, rest))
}

/// The names in a body, and the bytes after them.
pub(super) fn parts(body: &[u8]) -> Option<(SymbolNames<'_>, &[u8])> {
    let mut rest = body;
    let (left, len) = (take_varint(&mut rest)? as usize, take_varint(&mut rest)? as usize);
    let (names, rest) = rest.split_at_checked(len)?;
    // Every name takes at least one byte.
    (left <= names.len()).then_some((SymbolNames { left, rest: names, name: Vec::new() }, rest))
}

pub(super) fn push_name(bytes: &mut Vec<u8>, before: &str, name: &str) {
    let alike = before.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
    let suffix = &name.as_bytes()[alike..];
    push_pair(bytes, alike as u32, suffix.len() as u32);
    bytes.extend_from_slice(suffix);
}

/// The marker in half a byte for a larger number, which follows as a varint reduced by this value.
const IN_HALF: u32 = 15;

/// Appends two numbers, which share a byte when both are small.
pub(super) fn push_pair(bytes: &mut Vec<u8>, one: u32, other: u32) {
    bytes.push((one.min(IN_HALF) << 4 | other.min(IN_HALF)) as u8);
    for number in [one, other] {
        if number >= IN_HALF {
            push_varint(bytes, u64::from(number - IN_HALF));
        }
    }
}

pub(super) fn take_pair(bytes: &mut &[u8]) -> Option<(u32, u32)> {
    let both = u32::from(byte(bytes)?);
    let mut number = |half: u32| match half {
        IN_HALF => IN_HALF.checked_add(u32::try_from(take_varint(bytes)?).ok()?),
        small => Some(small),
    };
    Some((number(both >> 4)?, number(both & IN_HALF)?))
}

pub(super) fn text(bytes: &mut Vec<u8>, text: &str) {
    push_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

pub(super) fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

pub(super) fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = take_varint(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(text)
}

/// An item of a heap: its checksum, then the body.
pub(super) fn sealed(body: Vec<u8>) -> Vec<u8> {
    let mut bytes = crc32fast::hash(&body).to_le_bytes().to_vec();
    bytes.extend(body);
    bytes
}

/// The body after the checksum, if the checksum is right.
pub(super) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (check, body) = bytes.split_first_chunk::<4>()?;
    // A forger of records computes their checksums as well, so fuzzing skips the comparison.
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
            [("größe", None), ("grün", Some(0)), (&long[..], Some(0)), (&long[1..], Some(2)), ("", None)];
        let container = |parent: Option<u32>| parent.map(|parent| ["größe", "", &long][parent as usize]);
        let symbols: Vec<OutlineSymbol<'_>> =
            symbols.into_iter().map(|(name, parent)| symbol(name, container(parent), parent)).collect();
        let outline = Outline { symbols };
        let EncodedOutline { mut bytes, .. } = outline.encode();
        assert_eq!(Outline::decode(&bytes, &mut Vec::new()), Some(outline.clone()));
        let expected: Vec<&[u8]> = outline.symbols.iter().map(|symbol| symbol.name.as_bytes()).collect();
        assert_eq!(all_names(&bytes).unwrap(), expected);
        *bytes.last_mut().unwrap() ^= 1;
        assert!(SymbolNames::decode(&bytes).is_none());
        assert!(Outline::decode(&bytes, &mut Vec::new()).is_none());
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
            at(symbol("alike", Some("Other"), None), 3_000_000_002, 127, 15),
            at(symbol("child", Some("alike"), Some(4)), 3_000_000_002, 128, 15),
            at(symbol("sibling", Some("alike"), Some(4)), 3_000_000_130, 1, 30),
            at(symbol("held by nobody", None, Some(4)), 3_000_000_131, 1, 31),
            at(symbol("top", None, None), 3_000_000_132, 300, 3_000),
            at(symbol("back", Some("Type"), Some(0)), u32::MAX - 1, 1, u32::MAX - 9),
        ];
        let outline = Outline { symbols };
        let EncodedOutline { bytes, symbols } = outline.encode();
        assert_eq!((Outline::decode(&bytes, &mut Vec::new()), symbols), (Some(outline), 10));
    }

    #[test]
    fn usual_symbols_take_few_bytes() {
        let names: Vec<String> = (0..100).map(|number| format!("DRIVER_REGISTER_{number:02}")).collect();
        let symbols = names.iter().zip(0..).map(|(name, place)| OutlineSymbol {
            kind: SymbolKind::Macro,
            span: Span { start: place * 30, end: place * 30 + 29 },
            lines: Lines { first: place, last: place },
            ..symbol(name, None, None)
        });
        let EncodedOutline { bytes, .. } = Outline { symbols: symbols.collect() }.encode();
        assert!(bytes.len() < 800, "{} bytes for 100 macros", bytes.len());
    }

    fn all_names(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut names = SymbolNames::decode(bytes)?;
        let mut all = Vec::new();
        while names.left > 0 {
            all.push(names.advance()?.0.to_vec());
        }
        Some(all)
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_outline_or_none(body: Vec<u8>) {
            let bytes = sealed(body);
            let names = all_names(&bytes).map(|names| names.len());
            if let Some(outline) = Outline::decode(&bytes, &mut Vec::new()) {
                proptest::prop_assert_eq!(names, Some(outline.symbols.len()));
            }
        }
    }
}
