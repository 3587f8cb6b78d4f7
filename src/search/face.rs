//! The display of a hit: the symbol of a chunk that answers, or the whole chunk.

use super::error::SearchError;
use super::hits::Ranked;
use super::named_outline::{OutlineNames, named_outline};
use super::places::Place;
use super::snapshot::SearchSnapshot;
use crate::query::Query;
use spyhop_base::model::{KindSet, SymbolKind};
use spyhop_base::text::{Lines, Span};
use spyhop_index::inverted::DocColumns;
use spyhop_index::meta::OutlineSymbol;
use spyhop_index::tokenize::{PooledTokenizer, TermList, Tokenizers};

/// The display of a hit: its place, its chunk, or the symbol of the chunk that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitDisplay {
    pub span: Span,
    pub lines: Lines,
    pub kind: SymbolKind,
    /// The name that the hit defines or belongs to.
    pub symbol: Option<String>,
    /// The first lines of the symbol and of the symbol around it, outermost first.
    pub head: Vec<u32>,
    /// The line that answers, if there is one.
    pub wanted: Option<u32>,
}

/// The display of a hit. A place is shown unchanged. A chunk is shown as the symbol that answers, if there is one;
/// otherwise whole, under the name of its main symbol or of the symbol around it.
pub fn face(
    query: &Query,
    kinds: Option<KindSet>,
    snapshot: &SearchSnapshot,
    tokenizers: &Tokenizers,
    hit: &Ranked,
) -> Result<HitDisplay, SearchError> {
    let mut names = OutlineNames::default();
    let outline = named_outline(snapshot.version(snapshot.file_of_doc(hit.doc)), query, &mut names)?;
    if let Some(Place { span, lines, kind, symbol, wanted, .. }) = hit.place {
        let symbol = symbol.and_then(|at| outline.symbols.get(at as usize));
        let head = symbol.map(|symbol| head_lines(&outline.symbols, symbol)).unwrap_or_default();
        return Ok(HitDisplay {
            span,
            lines,
            kind,
            symbol: symbol.map(OutlineSymbol::qualified),
            head,
            wanted,
        });
    }
    // The query as written may occur anywhere in the chunk, so only a symbol with a name of the query narrows such a
    // hit.
    let enough = if hit.literal { 1.0 } else { 0.5 };
    let mut names = QueriedNames { query, tokenizer: tokenizers.take() };
    let exact = hit.exact.and_then(|at| outline.symbols.get(at as usize));
    Ok(face_among(&mut names, kinds, (&outline.symbols, exact), &snapshot.columns(hit.doc)?, enough))
}

/// The display of a whole chunk as the symbol with the line that says most about the hit, or without a name if no symbol of
/// the chunk has the line; `None` if the hit is a place, or shown as a symbol already.
pub fn face_of_line(
    face: &HitDisplay,
    kinds: Option<KindSet>,
    snapshot: &SearchSnapshot,
    hit: &Ranked,
    line: u32,
) -> Result<Option<HitDisplay>, SearchError> {
    let columns = snapshot.columns(hit.doc)?;
    if hit.place.is_some() || face.lines != columns.lines {
        return Ok(None);
    }
    let mut names = Default::default();
    let outline = snapshot.version(snapshot.file_of_doc(hit.doc)).outline(&mut names)?;
    Ok(symbol_of_line(face, kinds, &outline.symbols, &columns, line))
}

fn symbol_of_line(
    face: &HitDisplay,
    kinds: Option<KindSet>,
    symbols: &[OutlineSymbol<'_>],
    columns: &DocColumns,
    line: u32,
) -> Option<HitDisplay> {
    // A chunk that is a part of one symbol is shown whole.
    if !symbols.iter().any(|own| columns.span.start < own.span.start && own.span.start < columns.span.end) {
        return None;
    }
    // A long line may be cut into several chunks.
    let is_inside =
        |own: &OutlineSymbol<'_>| own.span.start < columns.span.end && columns.span.start < own.span.end;
    let has_line =
        |own: &&OutlineSymbol<'_>| own.lines.first <= line && line <= own.lines.last && is_inside(own);
    let is_wanted = |own: &&OutlineSymbol<'_>| kinds.is_none_or(|kinds| kinds.contains(own.kind));
    let innermost = symbols.iter().filter(has_line).filter(is_wanted).min_by_key(|own| own.lines.count());
    let Some(symbol) = innermost else {
        return Some(HitDisplay { kind: SymbolKind::Block, symbol: None, head: Vec::new(), ..face.clone() });
    };
    let lines = Lines {
        first: symbol.lines.first.max(columns.lines.first),
        last: symbol.lines.last.min(columns.lines.last),
    };
    let span =
        Span { start: symbol.span.start.max(columns.span.start), end: symbol.span.end.min(columns.span.end) };
    let (head, name) = (head_lines(symbols, symbol), Some(symbol.qualified()));
    Some(HitDisplay { span, lines, kind: symbol.kind, symbol: name, head, wanted: None })
}

fn face_among(
    names: &mut QueriedNames<'_>,
    kinds: Option<KindSet>,
    (symbols, exact): (&[OutlineSymbol<'_>], Option<&OutlineSymbol<'_>>),
    columns: &DocColumns,
    enough: f32,
) -> HitDisplay {
    let whole = |kind: SymbolKind, symbol: Option<&OutlineSymbol<'_>>| HitDisplay {
        span: columns.span,
        lines: columns.lines,
        kind,
        symbol: symbol.map(OutlineSymbol::qualified),
        head: symbol.map(|symbol| head_lines(symbols, symbol)).unwrap_or_default(),
        wanted: None,
    };
    let begins_here = |symbol: &OutlineSymbol| {
        columns.span.start <= symbol.span.start && symbol.span.start < columns.span.end
    };
    let is_wanted = |symbol: &OutlineSymbol| kinds.is_none_or(|kinds| kinds.contains(symbol.kind));
    let mut best: Option<(f32, &OutlineSymbol)> =
        exact.filter(|symbol| begins_here(symbol) && is_wanted(symbol)).map(|symbol| (1.0, symbol));
    for symbol in symbols.iter().filter(|symbol| begins_here(symbol)) {
        if !is_wanted(symbol) {
            continue;
        }
        // A constant rarely answers if there is a function or type, unless the query has its name.
        let is_data = matches!(symbol.kind, SymbolKind::Const | SymbolKind::Field);
        let worth = match names.match_of(symbol.name) {
            worth if is_data && worth < 1.0 => worth / 2.0,
            worth => worth,
        };
        if best.is_none_or(|(known, _)| worth > known) {
            best = Some((worth, symbol));
        }
    }
    match best {
        Some((worth, symbol)) if worth >= enough || kinds.is_some() => {
            let lines = Lines {
                first: symbol.lines.first,
                last: symbol.lines.last.min(columns.lines.last).max(symbol.lines.first),
            };
            let span = Span { start: symbol.span.start, end: symbol.span.end.min(columns.span.end) };
            HitDisplay { span, lines, ..whole(symbol.kind, Some(symbol)) }
        }
        Some((_, symbol)) if columns.kind != SymbolKind::Block => {
            whole(columns.kind, Some(main_symbol(symbols, columns).unwrap_or(symbol)))
        }
        _ => {
            let enclosing = symbols.iter().rfind(|symbol| symbol.span.contains(columns.span));
            whole(columns.kind, enclosing)
        }
    }
}

/// The first lines of a symbol and of the type or function around it, outermost first. The first line of a module is
/// not informative, and neither is the heading of an outer section.
fn head_lines(symbols: &[OutlineSymbol<'_>], symbol: &OutlineSymbol<'_>) -> Vec<u32> {
    let outer = symbol.parent.and_then(|parent| symbols.get(parent as usize));
    let tells = |outer: &&OutlineSymbol<'_>| !matches!(outer.kind, SymbolKind::Module | SymbolKind::Doc);
    let lines = outer.filter(tells).into_iter().chain([symbol]).map(|symbol| symbol.lines.first);
    let mut head: Vec<u32> = lines.collect();
    head.dedup();
    head
}

/// The symbol that determines the kind of a chunk.
fn main_symbol<'o, 'a>(
    symbols: &'o [OutlineSymbol<'a>],
    columns: &DocColumns,
) -> Option<&'o OutlineSymbol<'a>> {
    symbols.iter().find(|symbol| {
        columns.span.start <= symbol.span.start
            && symbol.span.start < columns.span.end
            && symbol.kind == columns.kind
    })
}

/// Compares names with a query.
struct QueriedNames<'q> {
    query: &'q Query,
    tokenizer: PooledTokenizer<'q>,
}

impl QueriedNames<'_> {
    /// How well a name matches the query: 1 if the query has the name as written, otherwise .9 of the share of its terms
    /// that are in the query.
    fn match_of(&mut self, name: &str) -> f32 {
        if self.query.names.iter().any(|wanted| wanted == name) {
            return 1.0;
        }
        let mut terms = TermList::default();
        self.tokenizer.terms(name, &mut terms);
        let is_wanted = |term: &&str| self.query.terms.iter().any(|wanted| wanted.term == *term);
        let found = terms.iter().filter(is_wanted).count();
        if found == 0 { 0.0 } else { 0.9 * found as f32 / terms.count as f32 }
    }
}
