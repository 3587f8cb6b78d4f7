//! What of a chunk is shown: the symbol in it that answers, or the chunk.

use super::SearchError;
use super::corpus::Corpus;
use super::hits::Ranked;
use super::places::Place;
use crate::index::Columns;
use crate::meta::OutlineSymbol;
use crate::model::{KindSet, SymbolKind};
use crate::query::Query;
use crate::text::{Lines, Span};
use crate::tokenize::{TermList, Tokenizer};

/// What a hit is shown as: its chunk or, where one symbol of it answers, that symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitDisplay {
    /// Its bytes.
    pub span: Span,
    /// Its lines.
    pub lines: Lines,
    /// What it is.
    pub kind: SymbolKind,
    /// The name it defines or belongs to.
    pub symbol: Option<String>,
    /// The first lines of the symbol and of what encloses it, outermost first.
    pub head: Vec<u32>,
    /// The line that answers, where one does.
    pub wanted: Option<u32>,
}

/// A place is shown as it is. A chunk is shown as the symbol in it that answers, where one does; else as itself, under
/// the name of its main symbol or of what it is a part of.
pub fn face(
    query: &Query,
    kinds: Option<KindSet>,
    corpus: &Corpus,
    hit: &Ranked,
) -> Result<HitDisplay, SearchError> {
    let mut names = Vec::new();
    let version = corpus.meta().version(hit.version);
    let outline = version.map(|version| version.outline(&mut names)).transpose()?.unwrap_or_default();
    if let Some(Place { span, lines, kind, symbol, wanted, .. }) = hit.place {
        let symbol = symbol.and_then(|at| outline.symbols.get(at as usize));
        let head = symbol.map(|symbol| head(&outline.symbols, symbol)).unwrap_or_default();
        return Ok(HitDisplay {
            span,
            lines,
            kind,
            symbol: symbol.map(OutlineSymbol::qualified),
            head,
            wanted,
        });
    }
    // The query as written may stand anywhere in the chunk, so only what it names narrows such a hit.
    let enough = if hit.literal { 1.0 } else { 0.5 };
    Ok(face_among(query, kinds, &outline.symbols, &corpus.columns(hit.doc)?, enough))
}

fn face_among(
    query: &Query,
    kinds: Option<KindSet>,
    symbols: &[OutlineSymbol<'_>],
    columns: &Columns,
    enough: f32,
) -> HitDisplay {
    let whole = |kind: SymbolKind, symbol: Option<&OutlineSymbol<'_>>| HitDisplay {
        span: columns.span,
        lines: columns.lines,
        kind,
        symbol: symbol.map(OutlineSymbol::qualified),
        head: symbol.map(|symbol| head(symbols, symbol)).unwrap_or_default(),
        wanted: None,
    };
    let begins_here = |symbol: &OutlineSymbol| {
        columns.span.start <= symbol.span.start && symbol.span.start < columns.span.end
    };
    let mut tokenizer = Tokenizer::new();
    let mut best: Option<(f32, &OutlineSymbol)> = None;
    for symbol in symbols.iter().filter(|symbol| begins_here(symbol)) {
        if kinds.is_some_and(|kinds| !kinds.contains(symbol.kind)) {
            continue;
        }
        // A constant is rarely the answer beside a function or type, unless it is what was asked for.
        let is_data = matches!(symbol.kind, SymbolKind::Const | SymbolKind::Field);
        let worth = match answers(query, &mut tokenizer, symbol.name) {
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
            whole(columns.kind, Some(main(symbols, columns).unwrap_or(symbol)))
        }
        _ => {
            let enclosing = symbols.iter().rfind(|symbol| symbol.span.contains(columns.span));
            whole(columns.kind, enclosing)
        }
    }
}

/// The first lines of a symbol and of the type or function around it, outermost first. A module has none that tells
/// anything, and the sections of a document none but their own.
fn head(symbols: &[OutlineSymbol<'_>], symbol: &OutlineSymbol<'_>) -> Vec<u32> {
    let outer = symbol.parent.and_then(|parent| symbols.get(parent as usize));
    let tells = |outer: &&OutlineSymbol<'_>| !matches!(outer.kind, SymbolKind::Module | SymbolKind::Doc);
    let lines = outer.filter(tells).into_iter().chain([symbol]).map(|symbol| symbol.lines.first);
    let mut head: Vec<u32> = lines.collect();
    head.dedup();
    head
}

/// The symbol that a chunk's kind comes from.
fn main<'o, 'a>(symbols: &'o [OutlineSymbol<'a>], columns: &Columns) -> Option<&'o OutlineSymbol<'a>> {
    symbols.iter().find(|symbol| {
        columns.span.start <= symbol.span.start
            && symbol.span.start < columns.span.end
            && symbol.kind == columns.kind
    })
}

/// How well a name answers the query: 1 when the query has it as written, else .9 of the share of its terms that the
/// query has.
fn answers(query: &Query, tokenizer: &mut Tokenizer, name: &str) -> f32 {
    if query.names.iter().any(|wanted| wanted == name) {
        return 1.0;
    }
    let mut terms = TermList::default();
    tokenizer.terms(name, &mut terms);
    let found = terms.iter().filter(|term| query.terms.iter().any(|wanted| wanted.term == *term)).count();
    if found == 0 { 0.0 } else { 0.9 * found as f32 / terms.count as f32 }
}
