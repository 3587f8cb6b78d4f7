//! Which lines stand in items of the kinds that are asked for.

use crate::model::{KindSet, SymbolKind};
use crate::search::{Corpus, SearchError};
use crate::text::{LineIndex, Lines};

/// A line that stands in no named item stands in a part of its file of one of these kinds.
const OF_PARTS: [SymbolKind; 3] = [SymbolKind::Doc, SymbolKind::Block, SymbolKind::Text];

/// How many of the lines that hold what begins `at` some places of a file's text stand in items of `kinds`.
pub(super) fn counted(
    corpus: &Corpus,
    kinds: Option<KindSet>,
    file: u32,
    source: &str,
    at: &[u32],
) -> Result<u32, SearchError> {
    let Some(kinds) = kinds else { return Ok(at.len() as u32) };
    let mut items: Vec<Lines> = Vec::new();
    let mut names = Vec::new();
    let outline = corpus.version(file).outline(&mut names)?;
    items.extend(outline.symbols.iter().filter(|it| kinds.contains(it.kind)).map(|it| it.lines));
    for doc in corpus.docs(file) {
        let columns = corpus.columns(doc)?;
        if OF_PARTS.contains(&columns.kind) && kinds.contains(columns.kind) {
            items.push(columns.lines);
        }
    }
    let index = LineIndex::new(source);
    let stands_in_item = |at: &&u32| {
        let line = index.line_of(**at);
        items.iter().any(|lines| lines.first <= line && line <= lines.last)
    };
    Ok(at.iter().filter(stands_in_item).count() as u32)
}
