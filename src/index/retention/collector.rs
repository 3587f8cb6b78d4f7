//! A collection on request: drops views and versions, and merges segments.

use std::time::Duration;

use super::collected::{Collected, Collection, Dropped};
use super::judge::{Judged, Strictness, judge};
use crate::inverted::{IndexError, Writer};
use crate::meta::{self, Meta, RecordBuilder, ViewKey};
use crate::workspace::{Workspace, WriteError};
use spyhop_base::id::Generation;
use spyhop_base::store::{self, LockHolder};
use spyhop_files::git::Repo;

/// The inputs of a collection.
pub struct Collector<'e> {
    pub workspace: &'e Workspace,
    /// The repository around the root, if there is one.
    pub repo: Option<&'e Repo>,
    /// The view of the caller, which is never dropped.
    pub view_key: ViewKey,
}

impl Collector<'_> {
    /// Drops views that cannot be needed again, the versions that only they name, and data of older formats, and merges
    /// segments. Then makes room if `asked` has a space target. A dry run only reports what would be dropped.
    pub fn collect(
        &self,
        asked: &Collection,
        timeout: Duration,
        on_wait: &mut dyn FnMut(Option<&LockHolder>),
    ) -> Result<Collected, WriteError> {
        self.workspace.open()?;
        let _lock = self.workspace.lock(timeout, on_wait)?;
        let bytes = || store::bytes_below(self.workspace.dir());
        let bytes_before = bytes();
        let before = self.workspace.open()?;
        self.workspace.check_has_tree(&before)?;
        let (mut collected, gone) = self.collect_from(&before.meta, asked.dry_run)?;
        collected.segments_before = before.reader.segments().len();
        drop(before);
        collected.others = self.workspace.others(Duration::ZERO);
        if !asked.dry_run {
            self.workspace.remove_others(&collected.others)?;
            self.workspace.remove_leftovers()?;
        }
        (collected.bytes_before, collected.bytes_after) = (bytes_before, bytes());
        if let Some(max_bytes) = asked.max_bytes {
            self.make_room(asked, max_bytes, &gone, &mut collected)?;
        }
        collected.segments_after = self.workspace.open()?.reader.segments().len();
        collected.aside = self.workspace.aside();
        Ok(Collected { bytes_after: bytes(), ..collected })
    }

    /// Drops the views that cannot be needed again with the versions that only they name, and merges segments. Returns
    /// these views as well. The caller holds the lock.
    fn collect_from(&self, meta: &Meta, dry_run: bool) -> Result<(Collected, Vec<ViewKey>), WriteError> {
        let key = &self.view_key;
        let versions = meta.view_versions(key)?;
        let judged = judge(meta, self.workspace, key, &versions, Strictness::Thorough(self.repo));
        let gone = judged.views.iter().map(|(key, _)| key.clone()).collect();
        let mut collected = Collected {
            generation: meta.commit().generation,
            dropped: judged.views.iter().map(|(key, why)| Dropped::new(key, *why)).collect(),
            versions: judged.dead.len(),
            ..Collected::default()
        };
        if !dry_run {
            collected.generation = self.drop_judged(meta, judged)?;
        }
        Ok((collected, gone))
    }

    /// Commits the removal of views and versions, and merges segments. Returns the resulting generation. The caller
    /// holds the lock.
    pub(super) fn drop_judged(&self, meta: &Meta, judged: Judged) -> Result<Generation, WriteError> {
        let Judged { views, dead } = judged;
        let dir = self.workspace.segment_dir();
        let failed = |source: IndexError| WriteError::Index { dir: dir.clone(), source };
        let mut generation = meta.commit().generation;
        let mut writer = Writer::open(&dir).map_err(failed)?;
        if !(views.is_empty() && dead.is_empty() && meta.commit().records.len() == 1) {
            let gone = |key: &ViewKey| views.iter().any(|(view, _)| view == key);
            self.workspace.forget_marks(meta.views().map(|(key, _)| key).filter(|key| !gone(key)));
            let mut record = RecordBuilder::new();
            views.into_iter().for_each(|(key, _)| record.drop_view(key));
            dead.iter().for_each(|version| record.collect(*version));
            writer.delete_all(&dead).map_err(failed)?;
            let meta_dir = self.workspace.meta_dir();
            let commit = meta.commit();
            let commit = record.write(&meta_dir, meta, &commit.fingerprint, commit.next_version, true)?;
            writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(failed)?;
            meta::remove_garbage(&meta_dir, &[&commit])?;
            generation = commit.generation;
        }
        writer.compact().map_err(failed)?;
        writer.close().map_err(failed)?;
        self.workspace.write_derived();
        Ok(generation)
    }
}
