//! The cost of each view of an index beyond the others: the file versions that only this view names, and the stored
//! bytes of the view itself.
//!
//! Postings of many files lie in one segment, so their bytes on disk cannot be separated; a version is charged a share
//! of the segments by the number of its chunks.

use rustc_hash::FxHashMap;

use crate::meta::{Meta, MetaError, ViewKey};
use crate::workspace::Workspace;
use spyhop_base::id::VersionId;
use spyhop_base::store;

/// The cost of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Cost {
    /// File versions that no other view names.
    pub files: usize,
    /// Bytes of their sources.
    pub source_bytes: u64,
    /// Bytes of the index, as far as they can be separated.
    pub index_bytes: u64,
}

/// The views of an index, and how many name each file version.
pub struct Costs<'m> {
    meta: &'m Meta,
    views: FxHashMap<ViewKey, Vec<VersionId>>,
    named: FxHashMap<VersionId, u32>,
    segment_bytes: u64,
    chunks: u64,
}

impl<'m> Costs<'m> {
    pub fn new(meta: &'m Meta, workspace: &Workspace) -> Result<Costs<'m>, MetaError> {
        let (mut views, mut named) = (FxHashMap::default(), FxHashMap::default());
        for (key, _) in meta.views() {
            let versions = meta.view_versions(key)?;
            versions.iter().for_each(|version| *named.entry(*version).or_default() += 1);
            views.insert(key.clone(), versions);
        }
        let chunks = meta.versions().map(|version| u64::from(version.chunks())).sum();
        let segment_bytes = store::bytes_below(&workspace.segment_dir());
        Ok(Costs { meta, views, named, segment_bytes, chunks })
    }

    /// The cost that dropping this view would save.
    pub fn of_view(&self, key: &ViewKey) -> Cost {
        let versions = self.views.get(key).map_or(&[][..], Vec::as_slice);
        let unshared = versions.iter().filter(|version| self.named.get(*version) == Some(&1));
        let (mut cost, mut chunks) = (Cost::default(), 0);
        for version in unshared.filter_map(|version| self.meta.version(*version)) {
            cost.files += 1;
            cost.source_bytes += version.bytes();
            chunks += u64::from(version.chunks());
        }
        let share = u128::from(self.segment_bytes) * u128::from(chunks) / u128::from(self.chunks.max(1));
        cost.index_bytes = share as u64 + self.meta.bytes_of_view_alone(key);
        cost
    }

    /// Removes a view and returns the cost that this saves.
    pub fn remove(&mut self, key: &ViewKey) -> Cost {
        let cost = self.of_view(key);
        for version in self.views.remove(key).unwrap_or_default() {
            self.named.entry(version).and_modify(|count| *count -= 1);
        }
        cost
    }

    /// The versions that no view names any more.
    pub fn dead(&self) -> Vec<VersionId> {
        let is_dead = |id: &VersionId| self.named.get(id).is_none_or(|count| *count == 0);
        self.meta.version_ids().filter(is_dead).collect()
    }
}
