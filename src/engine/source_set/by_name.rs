//! Files and definitions by name, in all trees of a set: one order over all of them.

use super::super::answer::ReplyOrigin;
use super::super::api::cursor::page_cursor;
use super::super::api::*;
use super::super::files::FileLookup;
use super::super::member::MemberTrees;
use super::super::symbols::SymbolLookup;
use super::set::SourceSet;
use crate::error::Error;

impl SourceSet {
    /// Finds files by name, as [`Engine::files`](crate::Engine::files) does, in one order over all trees. Equal matches are
    /// sorted by path, then by source.
    ///
    /// # Errors
    /// As [`SourceSet::search`].
    pub fn files(&self, request: &FilesRequest) -> Result<FilesReply, Error> {
        let lookup = FileLookup::new(self.first_engine()?, request)?;
        self.with_joined(|asked, snapshot| {
            let trees = MemberTrees::joined(&asked.ready, snapshot)?;
            let found = lookup.answer(snapshot, &|file| trees.of_file(file).name.clone())?;
            let origin = ReplyOrigin::of_set(asked);
            let end = found.offset.saturating_add(found.files.len());
            Ok(FilesReply {
                next: (end < found.total).then(|| page_cursor(origin.snapshot.generation, end)),
                snapshot: origin.snapshot,
                sources: origin.sources,
                all_answer: origin.is_whole,
                warnings: origin.warnings,
                ..found
            })
        })
    }

    /// Finds definitions by name, as [`Engine::symbols`](crate::Engine::symbols) does, in one order over all trees. Equal
    /// matches are sorted by path, then by source.
    ///
    /// # Errors
    /// As [`SourceSet::search`].
    pub fn symbols(&self, request: &SymbolsRequest) -> Result<SymbolsReply, Error> {
        let lookup = SymbolLookup::new(self.first_engine()?, request)?;
        self.with_joined(|asked, snapshot| {
            let trees = MemberTrees::joined(&asked.ready, snapshot)?;
            let found = lookup.answer(snapshot, &|file| trees.of_file(file).name.clone())?;
            let origin = ReplyOrigin::of_set(asked);
            let end = found.offset.saturating_add(found.symbols.len());
            Ok(trees.masking_engine().policy().masked(SymbolsReply {
                next: (end < found.total).then(|| page_cursor(origin.snapshot.generation, end)),
                snapshot: origin.snapshot,
                sources: origin.sources,
                all_answer: origin.is_whole,
                warnings: origin.warnings.into_iter().chain(found.warnings).collect(),
                ..found
            }))
        })
    }
}
