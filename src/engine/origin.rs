//! What a reply says of its origin: the snapshots of its trees, and their warnings.

use std::path::PathBuf;
use std::time::SystemTime;

use super::api::cursor::page_cursor;
use super::api::*;
use super::core::Engine;
use super::corpus::{AskedMembers, CorpusMember, of_source};
use super::current::Freshness;
use super::lookup;
use super::open_index::Viewed;
use super::remote::RemoteState;
use spyhop_base::id::Generation;
use spyhop_search::SearchSnapshot;

/// What a reply says of its origin.
pub(crate) struct ReplyOrigin {
    pub snapshot: Snapshot,
    /// The named trees; empty for a tree alone.
    pub sources: Vec<SourceSnapshot>,
    /// Whether every tree that was asked answers, from a view that is complete.
    pub is_whole: bool,
    pub warnings: Vec<String>,
    /// The file that set the threshold of scores, if the caller has set none.
    pub default_min_score: Option<&'static str>,
}

impl ReplyOrigin {
    /// The origin of a reply of one engine.
    pub fn of(engine: &Engine, snapshot: &SearchSnapshot, freshness: Freshness) -> ReplyOrigin {
        ReplyOrigin {
            snapshot: lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(snapshot)), &freshness),
            sources: Vec::new(),
            is_whole: !snapshot.key().staged,
            warnings: freshness.warnings,
            default_min_score: None,
        }
    }

    /// The origin of a reply of remote members, which answer as one tree.
    pub fn of_remote(state: RemoteState) -> ReplyOrigin {
        let RemoteState { snapshot, is_whole, warnings } = state;
        ReplyOrigin { snapshot, sources: Vec::new(), is_whole, warnings, default_min_score: None }
    }

    /// The origin of a reply of the members of a corpus.
    pub fn of_members(asked: &AskedMembers<'_>) -> ReplyOrigin {
        let mut is_whole = asked.silent.is_empty();
        let mut warnings = asked.silent.clone();
        let mut sources = Vec::with_capacity(asked.ready.len());
        for ready in &asked.ready {
            let viewed = Some(Viewed::from_snapshot(&ready.snapshot));
            let snapshot = lookup::snapshot(ready.engine.tree(), viewed, &ready.freshness);
            is_whole &= !ready.snapshot.key().staged;
            let Some(name) = &ready.member.name else {
                let warnings = ready.freshness.warnings.clone();
                return ReplyOrigin { snapshot, sources, is_whole, warnings, default_min_score: None };
            };
            warnings.extend(ready.freshness.warnings.iter().map(|warning| of_source(name, warning)));
            sources.push(ready.member.snapshot(snapshot));
        }
        ReplyOrigin { snapshot: sums(&sources), sources, is_whole, warnings, default_min_score: None }
    }

    /// Whether all trees answer; `None` for a tree alone, which answers, or the call fails.
    pub fn complete(&self) -> Option<bool> {
        (!self.sources.is_empty()).then_some(self.is_whole)
    }

    /// The cursor of the page after `end`, if there is one.
    pub fn next(&self, end: usize, total: usize) -> Option<String> {
        (end < total).then(|| page_cursor(self.snapshot.generation, end))
    }
}

impl CorpusMember {
    /// Where the rows of this member come from. The member is not alone.
    pub(super) fn snapshot(&self, snapshot: Snapshot) -> SourceSnapshot {
        SourceSnapshot::new(self.name(), snapshot, self.provenance.clone())
    }
}

/// The sums over the snapshots of sources, without branch and commit.
pub(super) fn sums(sources: &[SourceSnapshot]) -> Snapshot {
    let all = || sources.iter().map(|source| &source.snapshot);
    // Files that the library holds do not change, and are not compared.
    let compared =
        sources.iter().filter(|source| !source.is_fixed()).map(|source| source.snapshot.checked_at);
    let checked: Option<Vec<SystemTime>> = compared.collect();
    Snapshot {
        root: PathBuf::new(),
        branch: None,
        commit: None,
        generation: Generation(all().map(|snapshot| snapshot.generation.0).sum()),
        checked_at: checked.and_then(|times| times.into_iter().min()),
        indexed_files: all().map(|snapshot| snapshot.indexed_files).sum(),
        skipped_files: all().map(|snapshot| snapshot.skipped_files).sum(),
        stale_files: all().map(|snapshot| snapshot.stale_files).sum(),
        building: None,
    }
}
