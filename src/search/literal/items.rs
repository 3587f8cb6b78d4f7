//! Counting the matching lines inside items of the kinds of the filter.

use crate::error::SearchError;
use crate::snapshot::SearchSnapshot;
use spyhop_base::model::{KindSet, SymbolKind};
use spyhop_base::text::{LineIndex, Lines};

/// The kinds of chunks for lines outside named items.
const OF_PARTS: [SymbolKind; 3] = [SymbolKind::Doc, SymbolKind::Block, SymbolKind::Text];

/// The number of matches inside items of `kinds`. `at` are the positions of the matches.
pub(super) fn count_in_items(
    snapshot: &SearchSnapshot,
    kinds: Option<KindSet>,
    file: u32,
    source: &str,
    at: &[u32],
) -> Result<u32, SearchError> {
    let Some(kinds) = kinds else { return Ok(at.len() as u32) };
    let mut items: Vec<Lines> = Vec::new();
    let mut names = Vec::new();
    let outline = snapshot.version(file).outline(&mut names)?;
    items.extend(outline.symbols.iter().filter(|it| kinds.contains(it.kind)).map(|it| it.lines));
    for doc in snapshot.docs(file) {
        let columns = snapshot.columns(doc)?;
        if OF_PARTS.contains(&columns.kind) && kinds.contains(columns.kind) {
            items.push(columns.lines);
        }
    }
    // Items that overlap become one, so that one item decides.
    items.sort_unstable_by_key(|lines| lines.first);
    items.dedup_by(|next, before| {
        let overlaps = next.first <= before.last;
        before.last = if overlaps { before.last.max(next.last) } else { before.last };
        overlaps
    });
    let index = LineIndex::new(source);
    let stands_in_item = |at: &&u32| {
        let line = index.line_of(**at);
        let next = items.partition_point(|lines| lines.last < line);
        items.get(next).is_some_and(|lines| lines.first <= line)
    };
    Ok(at.iter().filter(stands_in_item).count() as u32)
}
