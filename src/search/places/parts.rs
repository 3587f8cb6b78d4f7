//! The parts of a file: each part is the intersection of a unit and a chunk. Terms are counted by part, a position is
//! mapped to its unit by part, and a long unit is shown by one of its parts.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::units::{self, Unit};
use spyhop_base::model::{KindSet, SymbolKind};
use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_index::inverted::DocColumns;
use spyhop_index::meta::OutlineSymbol;

/// A unit of more lines, such as a table, is shown by one part.
const MAX_LINES: u32 = 120;

pub(crate) struct FilePart {
    pub span: Span,
    pub unit: usize,
    /// The score of the chunk; `None` if the chunk does not match.
    pub worth: Option<f32>,
    /// The terms of the query in the part, without those in the lines before the item.
    pub mask: u64,
}

/// A file, divided into parts.
pub(crate) struct FileParts<'t> {
    text: &'t str,
    /// The line index of the text.
    pub index: LineIndex,
    pub units: Vec<Unit>,
    /// The parts in the order of the text. Text outside units has parts only in matching chunks.
    pub all: Vec<FilePart>,
    /// By unit: the range from its first to its last part.
    ranges: Vec<Range<usize>>,
}

impl<'t> FileParts<'t> {
    /// Divides `text`. Of `symbols`, the first `n_outline` are those of the outline. `chunks` are all its chunks in order, with their scores.
    pub fn new(
        text: &'t str,
        (symbols, n_outline): (&[OutlineSymbol<'_>], usize),
        kinds: Option<KindSet>,
        chunks: &[(DocColumns, Option<f32>)],
    ) -> FileParts<'t> {
        let (mut units, pieces) = units::units((symbols, n_outline), text.len() as u32, kinds);
        let mut all: Vec<FilePart> = Vec::new();
        // By chunk: the unit of its text outside other units. A field or variant that the query names ends such a unit.
        let mut loose: FxHashMap<u32, usize> = FxHashMap::default();
        for piece in pieces {
            let named = piece.unit.and_then(|unit| units[unit as usize].symbol);
            if named.is_some_and(|named| named as usize >= n_outline) {
                loose.clear();
            }
            let from = chunks.partition_point(|(columns, _)| columns.span.end <= piece.span.start);
            let within = chunks[from..].iter().take_while(|(columns, _)| columns.span.start < piece.span.end);
            for (columns, worth) in within {
                let start = piece.span.start.max(columns.span.start);
                let span = Span { start, end: piece.span.end.min(columns.span.end) };
                let Some(part_text) = text.get(span.range()) else { continue };
                let unit = match piece.unit {
                    Some(unit) => unit as usize,
                    None if worth.is_none() || part_text.trim().is_empty() => continue,
                    None => *loose.entry(columns.span.start).or_insert_with(|| {
                        units.push(loose_unit(symbols, span, columns.kind));
                        units.len() - 1
                    }),
                };
                if !units[unit].is_named {
                    units[unit].span.end = span.end;
                }
                all.push(FilePart { span, unit, worth: *worth, mask: 0 });
            }
        }
        let index = LineIndex::new(text);
        for unit in units.iter_mut().filter(|unit| !unit.is_named) {
            unit.lines = index.lines_of(trimmed(text, unit.span));
        }
        let mut ranges = vec![0..0; units.len()];
        for (at, part) in all.iter().enumerate() {
            let range: &mut Range<usize> = &mut ranges[part.unit];
            let first = if range.end == 0 { at } else { range.start };
            *range = first..at + 1;
        }
        FileParts { text, index, units, all, ranges }
    }

    pub(crate) fn part_text(&self, part: usize) -> &'t str {
        &self.text[self.all[part].span.range()]
    }

    /// The first byte of a line that is not white space.
    pub(crate) fn first_of_line(&self, line: u32) -> u32 {
        trimmed(self.text, self.index.span_of(Lines { first: line, last: line })).start
    }

    pub(crate) fn part_at(&self, byte: u32) -> Option<usize> {
        let part = self.all.partition_point(|part| part.span.end <= byte);
        self.all.get(part).filter(|part| part.span.start <= byte).map(|_| part)
    }

    /// Whether a span covers its lines, except for white space.
    pub(crate) fn is_whole_lines(&self, span: Span) -> bool {
        let lines = self.index.span_of(self.index.lines_of(span));
        trimmed(self.text, lines) == span
    }

    /// The lines of a unit that are shown, and the terms of the query in them. The lines include the byte `wanted`,
    /// even before the item. A long unit is shown by the part with that byte, or by its best part.
    pub fn shown(&self, unit: usize, wanted: Option<u32>, lead: u64) -> (Lines, u64) {
        let whole = self.units[unit].lines;
        let parts = || self.all[self.ranges[unit].clone()].iter().filter(move |part| part.unit == unit);
        let mut lines = whole;
        if whole.count() > MAX_LINES {
            let inside = || parts().filter(|part| self.index.lines_of(part.span).overlaps(whole));
            let best = || inside().max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.span.cmp(&a.span)));
            let part = match wanted {
                // The byte is before the item, for example in its comment.
                Some(byte) if self.index.line_of(byte) < whole.first => inside().next(),
                Some(byte) => inside().find(|part| byte < part.span.end).or_else(best),
                None => best(),
            };
            if let Some(part) = part {
                let part = self.index.lines_of(part.span);
                lines = Lines { first: part.first.max(whole.first), last: part.last.min(whole.last) };
            }
        }
        let mut mask = 0;
        if let Some(byte) = wanted {
            let line = self.index.line_of(byte);
            lines.last = lines.last.max(line);
            if line < lines.first {
                // All lines before the item are shown, so that `lead` is true of the shown lines.
                lines.first = line.min(self.index.line_of(self.units[unit].span.start));
                mask = lead;
            }
        }
        let span = self.index.span_of(lines);
        mask |= parts().filter(|part| part.span.overlaps(span)).fold(0, |mask, part| mask | part.mask);
        (lines, mask)
    }
}

fn worth(part: &FilePart) -> f32 {
    part.worth.unwrap_or(0.0)
}

/// A unit for text outside all units, named by the innermost symbol around it.
fn loose_unit(symbols: &[OutlineSymbol<'_>], part: Span, kind: SymbolKind) -> Unit {
    let kind = if matches!(kind, SymbolKind::Text | SymbolKind::Doc) { kind } else { SymbolKind::Block };
    let symbol = symbols.iter().rposition(|symbol| symbol.span.contains(part)).map(|at| at as u32);
    Unit { span: part, lines: Lines { first: 1, last: 1 }, kind, symbol, is_named: false }
}

/// A span without white space at its ends.
fn trimmed(text: &str, span: Span) -> Span {
    let part_text = text.get(span.range()).unwrap_or_default();
    let start = span.start + (part_text.len() - part_text.trim_start().len()) as u32;
    Span { start, end: (start + part_text.trim().len() as u32).max(start) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::id::VersionId;

    /// A file of one function of `n` lines below a comment, in chunks of ten lines; that of the lines 31 to 40 matches best.
    fn cut<T>(n: u32, check: impl FnOnce(&FileParts<'_>) -> T) -> T {
        let text = format!("// lead\n{}", "    step();\n".repeat(n as usize));
        let symbol = OutlineSymbol {
            name: "f",
            kind: SymbolKind::Fn,
            span: Span { start: 0, end: text.len() as u32 },
            lines: Lines { first: 2, last: n + 1 },
            container: None,
            parent: None,
        };
        let index = LineIndex::new(&text);
        let chunk = |first: u32| {
            let lines = Lines { first, last: (first + 9).min(n + 1) };
            let kind = SymbolKind::Fn;
            let (span, version) = (index.span_of(lines), VersionId(0));
            let columns = DocColumns { version, span, lines, kind, kinds: KindSet::default() };
            (columns, Some(if first == 31 { 2.0 } else { 1.0 }))
        };
        let chunks: Vec<_> = (1..=n + 1).step_by(10).map(chunk).collect();
        check(&FileParts::new(&text, (&[symbol], 1), None, &chunks))
    }

    #[test]
    fn of_a_long_unit_the_part_is_shown_that_is_wanted_or_matches_best() {
        let shown = |n: u32, wanted: Option<u32>| {
            cut(n, |parts| parts.shown(0, wanted.map(|line| parts.first_of_line(line)), 0).0)
        };
        assert_eq!(shown(50, None), Lines { first: 2, last: 51 });
        assert_eq!(shown(50, Some(1)), Lines { first: 1, last: 51 });
        assert_eq!(shown(200, None), Lines { first: 31, last: 40 });
        assert_eq!(shown(200, Some(77)), Lines { first: 71, last: 80 });
        assert_eq!(shown(200, Some(1)), Lines { first: 1, last: 10 });
    }

    #[test]
    fn a_place_in_the_text_has_its_part() {
        cut(50, |parts| {
            assert_eq!(parts.part_at(parts.first_of_line(12)), Some(1));
            assert_eq!(parts.part_at(u32::MAX), None);
            let line = parts.index.span_of(Lines { first: 3, last: 3 });
            assert!(parts.is_whole_lines(Span { start: line.start + 4, end: line.end - 1 }));
            assert!(!parts.is_whole_lines(Span { start: line.start + 4, end: line.end - 3 }));
        });
    }
}
