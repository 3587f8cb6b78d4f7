//! The units of a file: the spans that can become places, and the text that belongs to each.
//!
//! A unit is a function, a method, a type, a constant or a section of a document. The text of an inner unit does not
//! belong to the outer unit. Text outside all units, such as imports and statements, makes one unit per chunk.

use spyhop_base::model::{KindSet, SymbolKind};
use spyhop_base::text::{Lines, Span};
use spyhop_index::meta::OutlineSymbol;

/// A function inside a function with more lines is a separate unit.
const MAX_OUTER_LINES: u32 = 80;

/// A span that can become a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// The bytes, with comments and attributes before the item.
    pub span: Span,
    pub lines: Lines,
    pub kind: SymbolKind,
    /// The symbol that names the unit.
    pub symbol: Option<u32>,
    /// Whether the unit is the item of the symbol, and not text inside that item.
    pub is_named: bool,
}

/// A piece of text that belongs to one unit, or to no unit yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitPiece {
    pub span: Span,
    pub unit: Option<u32>,
}

/// The units of symbols, and the pieces of a text of `len` bytes, in order and without gaps. Of `symbols`, the first `n_outline` are
/// those of the outline; each other symbol is a unit.
pub fn units(
    (symbols, n_outline): (&[OutlineSymbol<'_>], usize),
    len: u32,
    kinds: Option<KindSet>,
) -> (Vec<Unit>, Vec<UnitPiece>) {
    let mut units: Vec<Unit> = Vec::new();
    let mut pieces: Vec<UnitPiece> = Vec::new();
    // The numbers of the units around the current position.
    let mut open: Vec<u32> = Vec::new();
    // By unit: whether it has a member so far.
    let mut has_members: Vec<bool> = Vec::new();
    let mut at = 0;
    let mut piece = |from: &mut u32, to: u32, unit: Option<u32>| {
        if *from < to {
            pieces.push(UnitPiece { span: Span { start: *from, end: to }, unit });
            *from = to;
        }
    };
    // The fields and variants that a query names are behind the other symbols.
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    if n_outline < symbols.len() {
        order.sort_by_key(|place| symbols[*place].span.start);
    }
    for place in order {
        let symbol = &symbols[place];
        let is_unit = place >= n_outline || is_unit(symbols, place, kinds);
        if !is_unit || symbol.span.end > len {
            continue;
        }
        while let Some(&last) = open.last() {
            let end = units[last as usize].span.end;
            if symbol.span.start < end {
                break;
            }
            piece(&mut at, end, direct_unit(&units, &has_members, Some(last)));
            open.pop();
        }
        piece(&mut at, symbol.span.start, direct_unit(&units, &has_members, open.last().copied()));
        if let Some(&outer) = open.last() {
            has_members[outer as usize] = true;
            let outer = &mut units[outer as usize];
            // A type is shown up to its first member.
            if !outer.kind.is_function() && symbol.lines.first > outer.lines.first {
                outer.lines.last = outer.lines.last.min(symbol.lines.first - 1);
            }
        }
        open.push(units.len() as u32);
        has_members.push(false);
        units.push(Unit {
            span: symbol.span,
            lines: symbol.lines,
            kind: symbol.kind,
            symbol: Some(place as u32),
            is_named: true,
        });
    }
    while let Some(last) = open.pop() {
        piece(&mut at, units[last as usize].span.end, direct_unit(&units, &has_members, Some(last)));
    }
    piece(&mut at, len, None);
    (units, pieces)
}

/// The unit of text directly inside `unit`. A type is shown up to its first member, so text after a member belongs to
/// no unit.
fn direct_unit(units: &[Unit], has_members: &[bool], unit: Option<u32>) -> Option<u32> {
    unit.filter(|unit| units[*unit as usize].kind.is_function() || !has_members[*unit as usize])
}

fn is_unit(symbols: &[OutlineSymbol<'_>], place: usize, kinds: Option<KindSet>) -> bool {
    let symbol = &symbols[place];
    if kinds.is_some_and(|kinds| kinds.contains(symbol.kind)) {
        return true;
    }
    let outer = || {
        let parent =
            |at: usize| symbols[at].parent.map(|parent| parent as usize).filter(|parent| *parent < at);
        std::iter::successors(parent(place), move |at| parent(*at)).map(|at| &symbols[at])
    };
    let function = || outer().find(|outer| outer.kind.is_function());
    match symbol.kind {
        SymbolKind::Fn | SymbolKind::Method | SymbolKind::Macro => {
            function().is_none_or(|outer| outer.lines.count() > MAX_OUTER_LINES)
        }
        SymbolKind::Const => outer().all(|outer| matches!(outer.kind, SymbolKind::Module | SymbolKind::Impl)),
        SymbolKind::Doc => true,
        kind if kind.is_type_like() => function().is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(
        name: &str,
        kind: SymbolKind,
        span: (u32, u32),
        lines: (u32, u32),
        parent: Option<u32>,
    ) -> OutlineSymbol<'_> {
        OutlineSymbol {
            name,
            kind,
            span: Span { start: span.0, end: span.1 },
            lines: Lines { first: lines.0, last: lines.1 },
            container: None,
            parent,
        }
    }

    #[test]
    fn text_belongs_to_the_innermost_unit() {
        let symbols = [
            symbol("A", SymbolKind::Class, (10, 90), (2, 9), None),
            symbol("x", SymbolKind::Field, (20, 30), (3, 3), Some(0)),
            symbol("f", SymbolKind::Method, (40, 60), (5, 6), Some(0)),
            symbol("g", SymbolKind::Fn, (45, 50), (5, 5), Some(2)),
            symbol("h", SymbolKind::Method, (60, 80), (7, 8), Some(0)),
            symbol("C", SymbolKind::Const, (95, 99), (11, 11), None),
        ];
        let (units, pieces) = units((&symbols, symbols.len()), 100, None);
        let named: Vec<u32> = units.iter().filter_map(|unit| unit.symbol).collect();
        assert_eq!(named, [0, 2, 4, 5]);
        assert_eq!(units[0].lines, Lines { first: 2, last: 4 });
        let pieces: Vec<_> =
            pieces.iter().map(|piece| (piece.span.start, piece.span.end, piece.unit)).collect();
        let expected = [
            (0, 10, None),
            (10, 40, Some(0)),
            (40, 60, Some(1)),
            (60, 80, Some(2)),
            (80, 90, None),
            (90, 95, None),
            (95, 99, Some(3)),
            (99, 100, None),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_kind_that_is_asked_for_is_a_unit() {
        let symbols = [
            symbol("A", SymbolKind::Class, (0, 90), (1, 9), None),
            symbol("x", SymbolKind::Field, (20, 30), (3, 3), Some(0)),
        ];
        let kinds = [SymbolKind::Field].into_iter().collect();
        assert_eq!(units((&symbols, 2), 90, Some(kinds)).0.len(), 2);
    }

    #[test]
    fn a_symbol_behind_the_outline_is_a_unit() {
        let symbols = [
            symbol("A", SymbolKind::Class, (0, 90), (1, 9), None),
            symbol("f", SymbolKind::Method, (10, 50), (2, 6), Some(0)),
            symbol("x", SymbolKind::Field, (60, 70), (8, 8), Some(0)),
        ];
        let (units, pieces) = units((&symbols, 2), 90, None);
        let named: Vec<u32> = units.iter().filter_map(|unit| unit.symbol).collect();
        assert_eq!(named, [0, 1, 2]);
        assert!(pieces.contains(&UnitPiece { span: Span { start: 60, end: 70 }, unit: Some(2) }));
    }
}
