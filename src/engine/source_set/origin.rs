//! The origin of a reply of several sources.

use std::time::SystemTime;

use super::super::answer::ReplyOrigin;
use super::super::api::*;
use super::super::open_index::Viewed;
use super::super::set_source::SetSource;
use super::asking::AskedSet;
use crate::lookup;
use spyhop_base::id::Generation;

impl SetSource {
    /// Where the rows of this source come from.
    pub(super) fn snapshot(&self, snapshot: Snapshot) -> SourceSnapshot {
        SourceSnapshot { name: self.name.clone(), snapshot, provenance: self.provenance.clone() }
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
        root: std::path::PathBuf::new(),
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

impl ReplyOrigin {
    /// The origin of a reply of the sources of a set.
    pub(super) fn of_set(asked: &AskedSet<'_>) -> ReplyOrigin {
        let mut is_whole = asked.silent.is_empty();
        let mut warnings = asked.silent.clone();
        let mut sources = Vec::with_capacity(asked.ready.len());
        for ready in &asked.ready {
            let name = &ready.source.name;
            is_whole &= !ready.snapshot.key().staged;
            warnings
                .extend(ready.freshness.warnings.iter().map(|warning| format!("source '{name}': {warning}")));
            let viewed = Some(Viewed::from_snapshot(&ready.snapshot));
            sources.push(ready.source.snapshot(lookup::snapshot(
                ready.engine.tree(),
                viewed,
                &ready.freshness,
            )));
        }
        ReplyOrigin { snapshot: sums(&sources), sources, is_whole, warnings }
    }
}
