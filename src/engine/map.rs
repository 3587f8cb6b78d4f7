//! The map: a bounded outline of a tree from what the index holds, for those who meet it first.
//!
//! Folders come down to a depth, the largest first where there are too many; what lies deeper belongs to the folder
//! above. Each then gets symbols in turn until the rows are used up, the most used ones first: how often a name is
//! used, for each of its definitions, so that `new` and `String` do not lead everywhere. Only a few candidates a
//! folder are looked up in the index, chosen by kind, place and length, so the cost follows the size of the map and
//! not that of the tree.

mod outline;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use self::outline::{Entry, symbols};
use super::api::*;
use super::current::{Freshness, Viewed};
use super::lookup::rows;
use super::{Engine, Error};
use crate::filter::Filter;
use crate::path::RelPath;
use crate::search::Corpus;
use crate::update::OnProgress;

/// In a folder of so few files each is outlined by itself.
const FEW_FILES: usize = 20;

impl Engine {
    /// Outlines the tree, a folder or a file.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` when nothing below the path is indexed.
    pub fn project_map(&self, request: &MapRequest) -> Result<MapReply, Error> {
        self.project_map_with_progress(request, &|_| ())
    }

    /// [`Engine::project_map`], reporting the progress of an index update that has to come first.
    ///
    /// # Errors
    /// As [`Engine::project_map`].
    pub fn project_map_with_progress(
        &self,
        request: &MapRequest,
        progress: OnProgress<'_>,
    ) -> Result<MapReply, Error> {
        rows("max_items", request.max_items, MAX_MAP_ITEMS)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let path = request.filter.path.as_deref().map(RelPath::new).transpose()?.unwrap_or(RelPath::root());
        let span = tracing::info_span!("code.map", path = %path, project = %self.root().display());
        let _entered = span.enter();
        self.answered(progress, |corpus, freshness| {
            Ok(self.masked_map(self.map_of(corpus, freshness, &filter, &path, request)?))
        })
    }

    fn map_of(
        &self,
        corpus: &Corpus,
        freshness: Freshness,
        filter: &Filter,
        path: &RelPath,
        request: &MapRequest,
    ) -> Result<MapReply, Error> {
        let mut files: Vec<u32> = (0..corpus.n_files() as u32)
            .filter(|file| filter.takes_file(corpus.path(*file), corpus.version(*file).language()))
            .collect();
        files.sort_unstable_by_key(|file| corpus.path(*file));
        if files.is_empty() && !path.as_str().is_empty() {
            let text = format!("there is no indexed file at '{path}' that the other filters let through");
            return Err(Error::bad(text));
        }
        let plan = Plan::new(corpus, &files, path, request);
        let entries = symbols(corpus, filter, &plan, request.max_items)?;
        let whole = Tally::of(corpus, &files);
        let incomplete_file = |entry: &Entry| plan.is_file && entry.symbols.len() < entry.total;
        Ok(MapReply {
            files: files.len(),
            lines: whole.lines,
            symbols: whole.symbols,
            languages: self.languages_of(&whole),
            complete: plan.left_out == 0 && !entries.iter().any(incomplete_file),
            entries: plan.rows.iter().zip(entries).map(|(row, entry)| self.map_entry(row, entry)).collect(),
            snapshot: self.snapshot(Some(Viewed::of(corpus)), &freshness),
            warnings: freshness.warnings,
            path: path.clone(),
        })
    }

    fn languages_of(&self, tally: &Tally) -> Vec<(&'static str, usize)> {
        let mut languages: Vec<(&'static str, usize)> =
            tally.languages.iter().map(|(language, files)| (self.grammars.name(*language), *files)).collect();
        languages.sort_by_key(|(name, files)| (Reverse(*files), *name));
        languages
    }

    fn map_entry(&self, row: &Row, entry: Entry) -> MapEntry {
        MapEntry {
            path: RelPath::new(&row.path).expect("a part of a path that is one"),
            is_dir: row.is_dir,
            depth: row.depth,
            files: row.tally.files,
            lines: row.tally.lines,
            languages: self.languages_of(&row.tally),
            symbols: entry.symbols,
            total_symbols: entry.total,
        }
    }
}

/// What is counted of some files.
#[derive(Clone, Debug, Default)]
struct Tally {
    files: usize,
    lines: u64,
    symbols: usize,
    languages: BTreeMap<crate::id::LanguageId, usize>,
}

impl Tally {
    fn of(corpus: &Corpus, files: &[u32]) -> Tally {
        let mut tally = Tally::default();
        files.iter().for_each(|file| tally.add(corpus, *file));
        tally
    }

    fn add(&mut self, corpus: &Corpus, file: u32) {
        let version = corpus.version(file);
        self.files += 1;
        self.lines += u64::from(version.lines());
        self.symbols += version.symbols() as usize;
        *self.languages.entry(version.language()).or_default() += 1;
    }
}

/// A folder or file that has a row.
struct Row {
    path: String,
    is_dir: bool,
    depth: u32,
    tally: Tally,
    /// The files whose symbols it shows.
    own: Vec<u32>,
}

/// The rows of a map without their symbols, each before what it holds.
struct Plan {
    rows: Vec<Row>,
    /// Whether it is of one file.
    is_file: bool,
    /// How many rows there was no room for.
    left_out: usize,
}

impl Plan {
    /// The rows for `files`, which are sorted by path and lie at or below `path`.
    fn new(corpus: &Corpus, files: &[u32], path: &RelPath, request: &MapRequest) -> Plan {
        let is_file = files.len() == 1 && corpus.path(files[0]) == path.as_str();
        let each_file = files.len() <= FEW_FILES;
        let mut rows: BTreeMap<Vec<&str>, Row> = BTreeMap::new();
        for &file in files {
            let whole = corpus.path(file);
            for place in Self::places(whole, path.as_str(), request.depth, each_file) {
                let (is_dir, depth) = (place.len() < whole.len(), Self::depth(place, path.as_str()));
                let row = rows.entry(place.split('/').filter(|part| !part.is_empty()).collect());
                let row = row.or_insert_with(|| Row {
                    path: place.to_string(),
                    is_dir,
                    depth,
                    tally: Tally::default(),
                    own: Vec::new(),
                });
                row.tally.add(corpus, file);
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
            let mut key: Vec<&str> = corpus.path(file).split('/').collect();
            loop {
                if let Some(row) = rows.get_mut(&key) {
                    row.own.push(file);
                    break;
                }
                if key.pop().is_none() {
                    break;
                }
            }
        }
        Plan { rows: rows.into_values().collect(), is_file, left_out }
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
