//! The map: a bounded outline of an indexed tree, for callers who do not know the tree.
//!
//! Folders have rows down to a depth; if there are too many, the largest have rows. Deeper folders count for the folder
//! above. The remaining rows are dealt to the folders in turn, for their most used symbols. The use of a name is its
//! number of references per definition, so that `new` and `String` do not lead everywhere. For each folder, only a few
//! candidates are looked up in the index. They are selected by kind, depth and length, so the cost grows with the size
//! of the map, not with that of the tree.

mod outline;
mod plan;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use self::outline::{Entry, symbols};
use self::plan::{FileTally, MapPlan, MapRow};
use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::{Corpus, of_source};
use super::current::{self, Freshness};
use super::lookup::{self, check_rows};
use super::open_index::Viewed;
use super::operation::Operation;
use super::origin::sums;
use crate::error::{Error, ErrorKind};
use spyhop_base::path::RelPath;
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::Filter;

/// In a folder of so few files each is outlined by itself.
const FEW_FILES: usize = 20;

/// An outline of the tree, a folder or a file. Several trees are outlined one after the other: each gets an equal part of the
/// rows, and at least one, and a tree without the requested folder has no rows. It is an error if nothing below the path is
/// indexed.
impl Operation for MapRequest {
    const NAME: &'static str = "map";

    type Reply = MapReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<MapReply, Error> {
        check_rows("max_items", self.max_items, MAX_MAP_ITEMS)?;
        match corpus.alone() {
            Some(engine) => map_of_tree(engine, self, call),
            None => map_of_sources(corpus, self),
        }
    }
}

fn map_of_tree(engine: &Engine, request: &MapRequest, call: &Call<'_>) -> Result<MapReply, Error> {
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let path = request.filter.path.as_deref().map(RelPath::new).transpose()?.unwrap_or(RelPath::root());
    let span = tracing::info_span!("code.map", path = %path, project = %engine.root().display());
    let _entered = span.enter();
    current::with_snapshot(engine, call.progress(), |snapshot, freshness| {
        map_of(engine, snapshot, freshness, &filter, &path, request)
    })
}

fn map_of_sources(corpus: &Corpus, request: &MapRequest) -> Result<MapReply, Error> {
    let share = (request.max_items / corpus.members.len()).max(1);
    let of_each = MapRequest { max_items: share, ..request.clone() };
    let has_path = request.filter.path.is_some();
    let mut missing = None;
    let (answers, mut warnings) = corpus.each(|_, answers| match answers.ask(&of_each) {
        Err(error) if has_path && error.kind() == ErrorKind::BadRequest => {
            missing.get_or_insert(error);
            Ok(None)
        }
        answer => answer.map(Some),
    })?;
    let is_whole = warnings.is_empty();
    let (mut sources, mut entries) = (Vec::new(), Vec::new());
    let mut languages: FxHashMap<&'static str, usize> = FxHashMap::default();
    let mut sum = MapSum { all_rows_listed: is_whole, ..MapSum::default() };
    for (source, reply) in answers {
        let Some(reply) = reply else { continue };
        sum.add(&reply);
        sum.path.get_or_insert_with(|| reply.path.clone());
        reply.languages.iter().for_each(|(name, files)| *languages.entry(name).or_default() += files);
        warnings.extend(reply.warnings.iter().map(|text| of_source(source.name(), text)));
        let named = |entry| MapEntry { source: Some(source.name().clone()), ..entry };
        // Where sources are more than rows, the first of them have rows.
        let left = request.max_items.saturating_sub(entries.len());
        sum.all_rows_listed &= reply.entries.len() <= left;
        entries.extend(reply.entries.into_iter().take(left).map(named));
        sources.push(source.snapshot(reply.snapshot));
    }
    if let (true, Some(error)) = (sources.is_empty(), missing) {
        return Err(error);
    }
    let mut languages: Vec<_> = languages.into_iter().collect();
    languages.sort_by_key(|(name, files)| (Reverse(*files), *name));
    let mut reply = MapReply {
        path: sum.path.unwrap_or_else(RelPath::root),
        files: sum.files,
        lines: sum.lines,
        symbols: sum.symbols,
        languages,
        entries,
        all_rows_listed: sum.all_rows_listed,
        snapshot: sums(&sources),
        sources,
        warnings,
    };
    reply.settle_sources();
    Ok(reply)
}

fn map_of(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    freshness: Freshness,
    filter: &Filter,
    path: &RelPath,
    request: &MapRequest,
) -> Result<MapReply, Error> {
    let mut files: Vec<u32> = (0..snapshot.n_files() as u32)
        .filter(|file| filter.takes_file(snapshot.path(*file), snapshot.version(*file).language()))
        .collect();
    files.sort_unstable_by_key(|file| snapshot.path(*file));
    if files.is_empty() && !path.as_str().is_empty() {
        let text = format!("there is no indexed file at '{path}' that the other filters let through");
        return Err(Error::bad(text));
    }
    let plan = MapPlan::new(snapshot, &files, path, request);
    let entries = symbols(snapshot, filter, &plan, request.max_items)?;
    let whole = FileTally::count(snapshot, &files);
    let incomplete_file = |entry: &Entry| plan.is_file && entry.symbols.len() < entry.total;
    Ok(MapReply {
        files: files.len(),
        lines: whole.lines,
        symbols: whole.symbols,
        languages: languages_of(engine, &whole),
        all_rows_listed: plan.left_out == 0 && !entries.iter().any(incomplete_file),
        entries: plan.rows.iter().zip(entries).map(|(row, entry)| map_entry(engine, row, entry)).collect(),
        snapshot: lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(snapshot)), &freshness),
        sources: Vec::new(),
        warnings: freshness.warnings,
        path: path.clone(),
    })
}

fn languages_of(engine: &Engine, tally: &FileTally) -> Vec<(&'static str, usize)> {
    let mut languages: Vec<(&'static str, usize)> =
        tally.languages.iter().map(|(language, files)| (engine.grammars().name(*language), *files)).collect();
    languages.sort_by_key(|(name, files)| (Reverse(*files), *name));
    languages
}

fn map_entry(engine: &Engine, row: &MapRow, entry: Entry) -> MapEntry {
    MapEntry {
        source: None,
        path: RelPath::new(&row.path).expect("a part of a path that is one"),
        is_dir: row.is_dir,
        depth: row.depth,
        files: row.tally.files,
        lines: row.tally.lines,
        languages: languages_of(engine, &row.tally),
        symbols: entry.symbols,
        total_symbols: entry.total,
    }
}

impl MapPlan {
    /// The rows for `files`, which are sorted by path and lie at or below `path`.
    fn new(snapshot: &SearchSnapshot, files: &[u32], path: &RelPath, request: &MapRequest) -> MapPlan {
        let is_file = files.len() == 1 && snapshot.path(files[0]) == path.as_str();
        let each_file = files.len() <= FEW_FILES;
        let mut rows: BTreeMap<Vec<&str>, MapRow> = BTreeMap::new();
        for &file in files {
            let whole = snapshot.path(file);
            for place in Self::places(whole, path.as_str(), request.depth, each_file) {
                let (is_dir, depth) = (place.len() < whole.len(), Self::depth(place, path.as_str()));
                let row = rows.entry(place.split('/').filter(|part| !part.is_empty()).collect());
                let row = row.or_insert_with(|| MapRow {
                    path: place.to_string(),
                    is_dir,
                    depth,
                    tally: FileTally::default(),
                    symbol_files: Vec::new(),
                });
                row.tally.add(snapshot, file);
            }
        }
        // A third of the rows is for symbols.
        let room = if is_file { 1 } else { (request.max_items * 2 / 3).max(1) };
        let left_out = rows.len().saturating_sub(room);
        if left_out > 0 {
            let mut order: Vec<(u32, Reverse<usize>, Vec<&str>)> =
                rows.iter().map(|(key, row)| (row.depth, Reverse(row.tally.files), key.clone())).collect();
            order.sort();
            order.into_iter().skip(room).for_each(|(.., key)| _ = rows.remove(&key));
        }
        for &file in files {
            let mut key: Vec<&str> = snapshot.path(file).split('/').collect();
            loop {
                if let Some(row) = rows.get_mut(&key) {
                    row.symbol_files.push(file);
                    break;
                }
                if key.pop().is_none() {
                    break;
                }
            }
        }
        MapPlan { rows: rows.into_values().collect(), is_file, left_out }
    }

    /// The folders from `base` down to the depth, and the file itself where each has a row, as parts of `whole`.
    fn places<'p>(whole: &'p str, base: &str, depth: u32, each_file: bool) -> Vec<&'p str> {
        if whole == base {
            return vec![whole];
        }
        let start = if base.is_empty() { 0 } else { base.len() + 1 };
        let ends = whole[start..].match_indices('/').map(|(at, _)| start + at).take(depth as usize);
        let mut places: Vec<&str> =
            std::iter::once(base.len()).chain(ends).map(|end| &whole[..end]).collect();
        if each_file {
            places.push(whole);
        }
        places
    }

    /// How many parts `place` has more than `base`.
    fn depth(place: &str, base: &str) -> u32 {
        let parts = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
        (parts(place) - parts(base)) as u32
    }
}

/// The sums over the outlines of the trees.
#[derive(Default)]
struct MapSum {
    path: Option<RelPath>,
    files: usize,
    lines: u64,
    symbols: usize,
    all_rows_listed: bool,
}

impl MapSum {
    fn add(&mut self, reply: &MapReply) {
        self.files += reply.files;
        self.lines += reply.lines;
        self.symbols += reply.symbols;
        self.all_rows_listed &= reply.all_rows_listed;
    }
}
