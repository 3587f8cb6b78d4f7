//! The symbols of a map: candidates are selected by kind, depth and length, ordered by use, and dealt to the rows in
//! turn.

use std::cmp::Reverse;

use super::plan::{MapPlan, MapRow};
use crate::api::MapSymbol;
use spyhop_base::model::{KindSet, SymbolKind, qualified_name};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_index::meta::{Details, Outline, OutlineSymbol};
use spyhop_search::filter::Filter;
use spyhop_search::{SearchError, SearchSnapshot};

/// The most types and modules, and the most functions, of a row that are looked up in the index.
const TYPES: usize = 16;
const FUNCTIONS: usize = 12;

/// The symbols of a row.
#[derive(Default)]
pub struct Entry {
    /// The shown symbols.
    pub symbols: Vec<MapSymbol>,
    /// The number of candidates.
    pub total: usize,
}

/// A symbol that a row may show.
struct SymbolCandidate<'c> {
    path: &'c str,
    name: &'c str,
    container: Option<&'c str>,
    kind: SymbolKind,
    lines: Lines,
    depth: u32,
    /// Whether the path is that of a test, or of generated, vendored or compatibility code.
    is_aside: bool,
    /// The number of folders between the file and the row.
    below: usize,
}

/// The symbols of each row of `plan`. Rows and symbols together are at most `max_items`.
pub fn symbols(
    snapshot: &SearchSnapshot,
    filter: &Filter,
    plan: &MapPlan,
    max_items: usize,
) -> Result<Vec<Entry>, SearchError> {
    let mut entries = Vec::with_capacity(plan.rows.len());
    let mut queues = Vec::with_capacity(plan.rows.len());
    for row in &plan.rows {
        let mut names = vec![<[Vec<u8>; 2]>::default(); row.symbol_files.len()];
        let all = candidates(snapshot, filter, row, &mut names)?;
        entries.push(Entry { symbols: Vec::new(), total: all.len() });
        queues.push(if plan.is_file {
            all.into_iter().map(symbol).collect::<Vec<_>>()
        } else {
            chosen(snapshot, all)?.into_iter().map(symbol).collect()
        });
    }
    let mut room = max_items.saturating_sub(plan.rows.len());
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    let mut queues: Vec<_> = queues.into_iter().map(Vec::into_iter).collect();
    for _ in 0..longest {
        for (entry, queue) in entries.iter_mut().zip(&mut queues) {
            if room > 0
                && let Some(symbol) = queue.next()
            {
                entry.symbols.push(symbol);
                room -= 1;
            }
        }
    }
    // The symbols of a file are shown in the order of the file.
    for (entry, row) in entries.iter_mut().zip(&plan.rows) {
        if !row.is_dir {
            entry.symbols.sort_by_key(|symbol| (symbol.lines.first, symbol.depth));
        }
    }
    Ok(entries)
}

fn symbol(candidate: SymbolCandidate<'_>) -> MapSymbol {
    MapSymbol {
        name: qualified_name(candidate.container, candidate.name),
        kind: candidate.kind,
        path: RelPath::new(candidate.path).expect("checked when it was indexed"),
        lines: candidate.lines,
        depth: candidate.depth,
    }
}

/// The symbols of a row's files that pass the filter, sorted by path and line. Without a filter by kind, fields, variants and
/// blocks of text are excluded. `names` holds the decoded names, two buffers for each file.
fn candidates<'c>(
    snapshot: &'c SearchSnapshot,
    filter: &Filter,
    row: &MapRow,
    names: &'c mut [[Vec<u8>; 2]],
) -> Result<Vec<SymbolCandidate<'c>>, SearchError> {
    use SymbolKind::*;
    let mut candidates = Vec::new();
    let with_minor = filter.kinds().is_some_and(|kinds| kinds.meets([Field, Variant].into_iter().collect()));
    for (&file, [names, minor]) in row.symbol_files.iter().zip(names) {
        let path = snapshot.path(file);
        let is_aside = spyhop_search::is_aside(path);
        let below =
            if row.is_dir { path[row.path.len()..].trim_matches('/').matches('/').count() } else { 0 };
        let version = snapshot.version(file);
        let outline: Outline<'c> = version.outline(names)?;
        let details = if with_minor { version.details(&outline, minor)? } else { Details::default() };
        let in_parent =
            |symbol: &OutlineSymbol<'_>| symbol.parent.map_or(0, |at| outline.depth(at as usize) + 1);
        for symbol in outline.symbols.iter().chain(&details.minor) {
            let kinds: KindSet = [symbol.kind].into_iter().collect();
            let is_plain = filter.kinds().is_none() && matches!(symbol.kind, Field | Variant | Block | Text);
            if is_plain || !filter.takes_kinds(kinds) {
                continue;
            }
            let OutlineSymbol { name, kind, lines, container, .. } = *symbol;
            let depth = in_parent(symbol) as u32;
            candidates.push(SymbolCandidate { path, name, container, kind, lines, depth, is_aside, below });
        }
    }
    Ok(candidates)
}

/// The main symbols of a row, the most used first.
fn chosen<'c>(
    snapshot: &SearchSnapshot,
    all: Vec<SymbolCandidate<'c>>,
) -> Result<Vec<SymbolCandidate<'c>>, SearchError> {
    let (mut types, mut others): (Vec<SymbolCandidate<'c>>, Vec<SymbolCandidate<'c>>) =
        all.into_iter().filter(|it| rank(it.kind) < u8::MAX).partition(|it| rank(it.kind) <= 1);
    for (list, most) in [(&mut types, TYPES), (&mut others, FUNCTIONS)] {
        list.sort_by_key(|it| {
            let lines = Reverse(it.lines.count());
            (it.is_aside, rank(it.kind), it.depth, it.below, lines, it.path, it.lines.first, it.name)
        });
        // A name with several definitions in a folder, such as an overloaded function, has one row.
        let mut seen = rustc_hash::FxHashSet::default();
        list.retain(|it| seen.insert((it.container, it.name)));
        list.truncate(most);
    }
    let mut chosen = Vec::with_capacity(types.len() + others.len());
    for it in types.into_iter().chain(others) {
        let usage = spyhop_search::usage(snapshot, it.name)?;
        let worth = u64::from(usage.references) * 1_000 / u64::from(usage.definitions.max(1));
        chosen.push((it.is_aside, Reverse(worth), rank(it.kind), it));
    }
    chosen.sort_by(|a, b| {
        let key = |(aside, worth, rank, it): &(bool, Reverse<u64>, u8, SymbolCandidate<'c>)| {
            (*aside, *worth, *rank, it.path, it.lines.first)
        };
        key(a).cmp(&key(b)).then_with(|| a.3.name.cmp(b.3.name))
    });
    Ok(chosen.into_iter().map(|(.., it)| it).collect())
}

/// The order of kinds: types, modules, functions, then the others. `u8::MAX` excludes implementation blocks and blocks
/// of text.
fn rank(kind: SymbolKind) -> u8 {
    use SymbolKind::*;
    match kind {
        Struct | Class | Enum | Trait | Interface | Type => 0,
        Module => 1,
        Fn | Macro => 2,
        Method => 3,
        Const => 4,
        Doc => 5,
        Field | Variant => 6,
        Impl | Block | Text => u8::MAX,
    }
}
