//! The outline of the trees of a set, tree by tree.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::super::api::*;
use super::super::lookup::check_rows;
use super::set::SourceSet;
use super::{asking, origin};
use crate::error::{Error, ErrorKind};

impl SourceSet {
    /// Outlines the trees one after the other, as [`Engine::project_map`](crate::Engine::project_map) does. Each tree gets
    /// an equal part of the rows, and at least one. A tree without the requested folder has no rows.
    ///
    /// # Errors
    /// As [`SourceSet::search`]; `BadRequest` if no tree has the requested folder.
    pub fn project_map(&self, request: &MapRequest) -> Result<MapReply, Error> {
        check_rows("max_items", request.max_items, MAX_MAP_ITEMS)?;
        let share = (request.max_items / self.sources.len()).max(1);
        let of_each = MapRequest { max_items: share, ..request.clone() };
        let has_path = request.filter.path.is_some();
        let mut missing = None;
        let (answers, mut warnings) = self.each(|_, engine| match engine.project_map(&of_each) {
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
            warnings.extend(reply.warnings.iter().map(|text| asking::of_source(&source.name, text)));
            let named = |entry| MapEntry { source: Some(source.name.clone()), ..entry };
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
        Ok(MapReply {
            path: sum.path.unwrap_or_else(spyhop_base::path::RelPath::root),
            files: sum.files,
            lines: sum.lines,
            symbols: sum.symbols,
            languages,
            entries,
            all_rows_listed: sum.all_rows_listed,
            snapshot: origin::sums(&sources),
            sources,
            warnings,
        })
    }
}

/// The sums over the outlines of the trees.
#[derive(Default)]
struct MapSum {
    path: Option<spyhop_base::path::RelPath>,
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
