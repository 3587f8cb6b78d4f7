//! The views that an index keeps: whose they are, when they were last used, and what each costs beyond the others.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use super::api::*;
use super::{Engine, Error, index_bytes, lock};
use crate::meta::ViewKey;
use crate::store;
use crate::update::{self, Collection, Costs, OnProgress};

/// An engine that answers often notes so seldom that a view is used.
const MARK_EVERY: Duration = Duration::from_secs(60);

impl Engine {
    /// Every view that the index keeps, the last used first. Never makes or changes an index.
    ///
    /// # Errors
    /// `NoIndex` when there is none.
    pub fn views(&self) -> Result<ViewsReply, Error> {
        let stamp = self.workspace.stamp();
        let committed =
            self.committed_with(stamp.as_deref()).map_err(|error| self.or_no_index(error.into()))?;
        let own = update::view_key(&self.workspace, &self.head(), &self.settings);
        let costs = Costs::new(&committed.meta, &self.workspace).map_err(crate::search::SearchError::from)?;
        let kept = committed.meta.views().map(|(key, info)| KeptView {
            is_current: *key == own,
            used: self.workspace.last_used(key, info),
            cost: costs.of(key),
            commit: info.commit.clone(),
            view: ViewRow::new(key, info),
        });
        let mut views: Vec<KeptView> = kept.collect();
        views.sort_by_key(|kept| (Reverse(kept.used), kept.view.root.clone(), kept.view.head.clone()));
        Ok(ViewsReply {
            index_path: self.index_dir().to_path_buf(),
            index_bytes: index_bytes(&self.workspace),
            home_bytes: self.home.as_deref().map(store::bytes_below),
            home: self.home.clone(),
            views,
        })
    }

    /// As [`Engine::collect`]; then, while the indexes take more than `max_bytes`, the least recently used views go, and
    /// after them the indexes of other trees that lie beside this one, the longest unused first. The view of this
    /// engine stays, and so does an index that another process changes or watches.
    ///
    /// # Errors
    /// As [`Engine::collect`].
    pub fn collect_within(
        &self,
        max_bytes: Option<u64>,
        dry_run: bool,
        progress: OnProgress<'_>,
    ) -> Result<Collected, Error> {
        let asked = Collection { dry_run, max_bytes, home: self.home.clone() };
        let collected = self.with_updater(|updater| updater.collect(&asked, self.options.wait, progress));
        collected.map_err(|error| self.or_no_index(error))
    }

    fn or_no_index(&self, error: Error) -> Error {
        match error.kind() {
            super::ErrorKind::NoIndex => self.no_index(),
            _ => error,
        }
    }

    /// Notes that a view answers.
    pub(super) fn mark_used(&self, key: &ViewKey) {
        let mut marked = lock(&self.marked);
        if !marked.as_ref().is_some_and(|(last, at)| last == key && at.elapsed() < MARK_EVERY) {
            self.workspace.mark_used(key);
            *marked = Some((key.clone(), Instant::now()));
        }
    }
}
