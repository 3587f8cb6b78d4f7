//! The stored details of a file version: its minor symbols, and which symbols of its outline were found by line rules.
//!
//! Only look-ups by name, and searches for nothing but names, read the details, so that other searches, which read hundreds of
//! outlines, do not pay for fields and variants. Most names come in the order of the text, so all numbers are differences. An empty list of bytes has no details:
//!
//! ```text
//! number of symbols of the outline that line rules found; of each the distance of its place from that of the one before
//! number of minor symbols; bytes of all names; the names, as those of an outline
//! of each minor symbol: its kind and [`ContainerCode`] in one byte; the text of the container for [`ContainerCode::Text`];
//!     the place of the parent, from 1, less that of the symbol before; the distance of the start from that of the symbol
//!     before; the length in bytes; the distance of the first line from that of the symbol before, and the number of
//!     further lines, as [`push_pair`]
//! ```
//!
//! All numbers are varints.

use super::outline::{
    ContainerCode, KIND_BITS, Outline, OutlineSymbol, SymbolNames, byte, checked, parts, push_name,
    push_pair, sealed, take_names, take_pair, take_text, text,
};
use spyhop_base::model::{Analysis, SymbolKind};
use spyhop_base::store::{push_varint, take_varint};
use spyhop_base::text::{Lines, Span};

/// What only look-ups by name read of a file version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details<'a> {
    /// The fields and variants, sorted by start. The parent of each is a symbol of the outline.
    pub minor: Vec<OutlineSymbol<'a>>,
    /// The places of the symbols of the outline that line rules found, in order.
    pub by_rule: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedDetails {
    pub(super) bytes: Vec<u8>,
}

const NO_SYMBOL: OutlineSymbol<'static> = OutlineSymbol {
    name: "",
    kind: SymbolKind::Field,
    span: Span { start: 0, end: 0 },
    lines: Lines { first: 0, last: 0 },
    container: None,
    parent: None,
};

impl<'a> From<&'a Analysis> for Details<'a> {
    fn from(analysis: &'a Analysis) -> Details<'a> {
        Details {
            minor: analysis.minor.iter().map(OutlineSymbol::from).collect(),
            by_rule: analysis.by_rule.clone(),
        }
    }
}

impl<'a> Details<'a> {
    /// The symbols of `outline` and the minor symbols, in the order of the text, each with whether line rules found the symbol.
    pub fn with(self, outline: Outline<'a>) -> Vec<(OutlineSymbol<'a>, bool)> {
        let symbols = (0..).zip(outline.symbols);
        let marked = symbols.map(|(place, symbol)| (symbol, self.by_rule.binary_search(&place).is_ok()));
        let mut all: Vec<_> = marked.chain(self.minor.into_iter().map(|symbol| (symbol, false))).collect();
        all.sort_by_key(|(symbol, _)| symbol.span.start);
        all
    }

    /// Encodes the details of `outline`.
    pub fn encode(&self, outline: &Outline<'_>) -> EncodedDetails {
        if self.minor.is_empty() && self.by_rule.is_empty() {
            return EncodedDetails::default();
        }
        let (mut names, mut rest) = (Vec::new(), Vec::new());
        let mut before = NO_SYMBOL;
        for symbol in &self.minor {
            push_name(&mut names, before.name, symbol.name);
            let OutlineSymbol { span, lines, container, .. } = *symbol;
            let code = ContainerCode::for_container(
                container,
                parent_name(outline, symbol.parent),
                before.container,
            );
            rest.push(symbol.kind as u8 | (code as u8) << KIND_BITS);
            if let (ContainerCode::Text, Some(container)) = (code, container) {
                text(&mut rest, container);
            }
            let place = |parent: Option<u32>| parent.map_or(0, |parent| parent + 1);
            push_varint(&mut rest, u64::from(place(symbol.parent).wrapping_sub(place(before.parent))));
            push_varint(&mut rest, u64::from(span.start.wrapping_sub(before.span.start)));
            push_varint(&mut rest, u64::from(span.end.wrapping_sub(span.start)));
            push_pair(
                &mut rest,
                lines.first.wrapping_sub(before.lines.first),
                lines.last.wrapping_sub(lines.first),
            );
            before = *symbol;
        }
        let mut body = Vec::with_capacity(names.len() + rest.len() + self.by_rule.len() + 8);
        push_varint(&mut body, self.by_rule.len() as u64);
        let mut before = 0;
        for place in &self.by_rule {
            push_varint(&mut body, u64::from(place - before));
            before = *place;
        }
        push_varint(&mut body, self.minor.len() as u64);
        push_varint(&mut body, names.len() as u64);
        body.extend(names);
        body.extend(rest);
        EncodedDetails { bytes: sealed(body) }
    }

    /// Decodes the details of `outline`; the names of minor symbols are written into `names`.
    pub(super) fn decode(
        bytes: &'a [u8],
        outline: &Outline<'a>,
        names: &'a mut Vec<u8>,
    ) -> Option<Details<'a>> {
        if bytes.is_empty() {
            return Some(Details::default());
        }
        let (by_rule, rest) = by_rule(bytes)?;
        let (ends, mut rest) = take_names(rest, names)?;
        let mut details = Details { minor: Vec::with_capacity(ends.len()), by_rule };
        let (mut before, mut start) = (NO_SYMBOL, 0);
        for end in ends {
            let name = std::str::from_utf8(&names[start..end]).ok()?;
            start = end;
            before = symbol(name, &mut rest, outline, &before)?;
            details.minor.push(before);
        }
        Some(details)
    }
}

/// The names of the minor symbols.
pub(super) fn minor_names(bytes: &[u8]) -> Option<SymbolNames<'_>> {
    match by_rule(bytes)?.1 {
        [] => Some(SymbolNames::default()),
        rest => Some(parts(rest)?.0),
    }
}

/// The places of the symbols that line rules found, and the bytes after them.
pub(super) fn by_rule(bytes: &[u8]) -> Option<(Vec<u32>, &[u8])> {
    let mut rest = if bytes.is_empty() { bytes } else { checked(bytes)? };
    let left = if rest.is_empty() { 0 } else { take_varint(&mut rest)? };
    let mut place = 0u32;
    let next = |_| {
        place = place.wrapping_add(take_varint(&mut rest)? as u32);
        Some(place)
    };
    let places = (0..left).map(next).collect::<Option<Vec<u32>>>()?;
    Some((places, rest))
}

/// Decodes the next minor symbol.
fn symbol<'a>(
    name: &'a str,
    rest: &mut &'a [u8],
    outline: &Outline<'a>,
    before: &OutlineSymbol<'a>,
) -> Option<OutlineSymbol<'a>> {
    let head = byte(rest)?;
    let kind = SymbolKind::from_number(head & ((1 << KIND_BITS) - 1))?;
    let code = ContainerCode::of(head >> KIND_BITS)?;
    let written = match code {
        ContainerCode::Text => Some(std::str::from_utf8(take_text(rest)?).ok()?),
        _ => None,
    };
    let place = before.parent.map_or(0, |parent| parent + 1).wrapping_add(take_varint(rest)? as u32);
    let parent = place.checked_sub(1);
    if parent.is_some_and(|parent| parent as usize >= outline.symbols.len()) {
        return None;
    }
    let container = match code {
        ContainerCode::None => None,
        ContainerCode::Parent => Some(parent_name(outline, parent)?),
        ContainerCode::Before => before.container,
        ContainerCode::Text => written,
    };
    let start = before.span.start.wrapping_add(take_varint(rest)? as u32);
    let end = start.wrapping_add(take_varint(rest)? as u32);
    let (ahead, further) = take_pair(rest)?;
    let first = before.lines.first.wrapping_add(ahead);
    let lines = Lines { first, last: first.wrapping_add(further) };
    Some(OutlineSymbol { name, kind, span: Span { start, end }, lines, container, parent })
}

fn parent_name<'a>(outline: &Outline<'a>, parent: Option<u32>) -> Option<&'a str> {
    outline.symbols.get(parent? as usize).map(|parent| parent.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_read_back_and_damage_is_none() {
        let symbol = |name, kind, start, line, container, parent| OutlineSymbol {
            name,
            kind,
            span: Span { start, end: start + 7 },
            lines: Lines { first: line, last: line + 20 },
            container,
            parent,
        };
        let outline = Outline {
            symbols: vec![
                symbol("Pool", SymbolKind::Struct, 0, 1, None, None),
                symbol("State", SymbolKind::Enum, 900, 70_000, None, None),
            ],
        };
        let details = Details {
            minor: vec![
                symbol("size", SymbolKind::Field, 10, 2, Some("Pool"), Some(0)),
                symbol("size_max", SymbolKind::Field, 30, 2, Some("Pool"), Some(0)),
                symbol("Open", SymbolKind::Variant, 950, 70_001, Some("Other"), Some(1)),
                symbol("Shut", SymbolKind::Variant, 960, 70_002, Some("Other"), Some(1)),
                symbol("größe", SymbolKind::Field, 990, 70_003, None, None),
            ],
            by_rule: vec![0, 1],
        };
        let bytes = details.encode(&outline).bytes;
        assert_eq!(Details::decode(&bytes, &outline, &mut Vec::new()), Some(details));
        assert_eq!(Details::decode(&bytes[..bytes.len() - 1], &outline, &mut Vec::new()), None);
        assert_eq!(Details::default().encode(&outline).bytes, Vec::<u8>::new());
        assert_eq!(Details::decode(&[], &outline, &mut Vec::new()), Some(Details::default()));
        // A parent beyond the outline is damage.
        assert_eq!(Details::decode(&bytes, &Outline::default(), &mut Vec::new()), None);
    }
}
