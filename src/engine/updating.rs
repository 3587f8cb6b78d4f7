//! The update of an index: what an updater needs, and how often it is called.
//!
//! A worktree is updated again if another branch is checked out meanwhile. For the files of a host, one thread updates at a
//! time, and what the index has afterwards is recorded.

use std::sync::Arc;
use std::time::Duration;

use super::api::*;
use super::core::Engine;
use super::hosted::{ChangedSince, HostedFiles, TreeMoment};
use super::lock::lock;
use super::{cancel, fault};
use crate::error::Error;
use spyhop_base::store::Lock;
use spyhop_files::git::Tracked;
use spyhop_files::read::TreeSource;
use spyhop_index::update::{self, OnProgress, Since, UpdateError, Updater};
use spyhop_index::workspace::Committed;

/// How often an update is restarted because another branch was checked out meanwhile.
const SWITCHES: usize = 3;

impl Engine {
    /// Whether the folder has a committed index. The index may be of another branch, or damaged.
    pub fn has_index(&self) -> bool {
        self.index().workspace().stamp().is_some()
    }

    /// The number of files that an update would index or compare. Counting ends above `limit`, so a larger number is a
    /// lower bound. The count takes a fraction of a second for a hundred thousand files.
    ///
    /// # Errors
    /// `NoRoot` if the tree cannot be walked.
    pub fn count_files(&self, limit: usize) -> Result<usize, Error> {
        with_updater(self, |updater| Ok(updater.count(limit)?))
    }

    /// Whether this or another process is changing the index now.
    pub fn is_updating(&self) -> bool {
        Lock::holder(&self.index().workspace().lock_path()).is_some()
    }

    /// Updates the index, or builds the index if there is none. Only files with
    /// changed stat data are read, and only new content is parsed. The indexing threads call `progress`.
    ///
    /// # Errors
    /// `Locked` when another process is indexing and [`Options::wait`] has passed; `DiskFull`, `ReadOnly`,
    /// `Permission` or `Io` when the index cannot be written. The last commit still answers after any error.
    pub fn refresh(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        // An update needs the commit, but not the snapshot for ranking.
        let committed = self.index().committed().ok();
        refresh_from(self, committed.as_deref(), self.policy().wait, progress)
    }

    /// Rebuilds the index from the sources. The old index answers meanwhile.
    ///
    /// # Errors
    /// As for [`Engine::refresh`]; `BadRequest` if [`Options::view`] is set, because a rebuild would remove all other
    /// views.
    pub fn rebuild(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        self.tree().only_of_worktrees("rebuilding")?;
        update_anew(self, |updater| updater.rebuild(self.policy().wait, progress))
    }

    /// Removes the views of deleted branches and worktrees, the data that only these views use, and data of older
    /// formats; then merges segments. With `dry_run`, only reports what would be removed. Damaged data that was moved
    /// aside stays. `progress` reports when the call waits for another process.
    ///
    /// # Errors
    /// `NoIndex` if there is no index; otherwise as for [`Engine::refresh`].
    pub fn collect(&self, dry_run: bool, progress: OnProgress<'_>) -> Result<Collected, Error> {
        self.collect_within(None, dry_run, progress)
    }
}

/// What an update of the index needs, without the rules of a single call.
pub(super) fn updater<'e>(engine: &'e Engine, tracked: Option<&'e Tracked>) -> Result<Updater<'e>, Error> {
    let (tree, options) = (engine.tree(), engine.options());
    let head = tree.head();
    Ok(Updater {
        workspace: engine.index().workspace(),
        repo: tree.repo(),
        source_tree: tree.source_now(&head)?,
        head,
        tracked,
        grammars: engine.grammars(),
        isolation: engine.parsers().isolation(),
        extra_terms: engine.parsers().extra_terms(),
        settings: tree.settings(),
        threads: options.threads,
        max_memory: options.max_memory,
        checkpoint: update::FIRST_CHECKPOINT,
        racy: update::RACY,
        text_first: match (options.text_first, options.on_missing) {
            (false, _) => u64::MAX,
            (true, OnMissing::BuildText) => update::TEXT_ALONE,
            (true, _) => update::TEXT_FIRST,
        },
        since: None,
        on_list: None,
        cancel: cancel::current(),
        as_ripgrep: None,
    })
}

/// Runs `act` with an updater, and again if another branch was checked out meanwhile.
pub(super) fn with_updater<T>(
    engine: &Engine,
    mut act: impl FnMut(&Updater<'_>) -> Result<T, UpdateError>,
) -> Result<T, Error> {
    let mut tries = 0;
    loop {
        let tracked = engine.tree().tracked();
        let updater = updater(engine, tracked.as_ref())?;
        // The outer result is that of the call, the inner one that of the update.
        match fault::guarded("the update of the index", || Ok(act(&updater)))? {
            Err(UpdateError::Switched) if tries < SWITCHES => tries += 1,
            other => return Ok(other?),
        }
    }
}

/// Calls `update` with an updater of the whole tree, whatever the index has, and records for a hosted tree what the
/// index has afterwards.
pub(super) fn update_anew(
    engine: &Engine,
    update: impl Fn(&Updater<'_>) -> Result<RefreshReport, UpdateError>,
) -> Result<RefreshReport, Error> {
    let Some(hosted) = engine.tree().hosted() else { return with_updater(engine, update) };
    let _one = lock(&hosted.updating);
    fault::guarded("the update of the index", || {
        update_since(engine, hosted, hosted.now(), None, |updater| update(updater))
    })
}

/// Calls `update` with an updater of the hosted tree, unless the index has the tree as it is now, and records what
/// the index has afterwards.
pub(super) fn update_hosted(
    engine: &Engine,
    hosted: &HostedFiles,
    update: impl Fn(&Updater<'_>, Option<&Committed>) -> Result<RefreshReport, UpdateError>,
) -> Result<RefreshReport, Error> {
    let _one = lock(&hosted.updating);
    fault::guarded("the update of the index", || {
        let moment = hosted.now();
        if let Some(recorded) = engine.recorded() {
            let viewed = recorded.viewed();
            // Another thread may have updated meanwhile.
            if hosted.is_indexed(&viewed.token(), &moment) {
                return Ok(RefreshReport::of(viewed.meta().commit().generation));
            }
        }
        let changed = hosted.changed_since(&moment);
        let committed = engine.index().committed().ok();
        update_since(engine, hosted, moment, changed.as_ref(), |updater| {
            update(updater, committed.as_deref())
        })
    })
}

/// Calls `update` with an updater of the hosted tree at `moment`, which differs from the index where `changed` says,
/// or anywhere. The caller holds the lock [`HostedFiles::updating`].
fn update_since(
    engine: &Engine,
    hosted: &HostedFiles,
    moment: Arc<TreeMoment>,
    changed: Option<&ChangedSince>,
    update: impl FnOnce(&Updater<'_>) -> Result<RefreshReport, UpdateError>,
) -> Result<RefreshReport, Error> {
    let since = changed.map(|ChangedSince { stamp, key, region }| Since { stamp, key, region });
    let source_tree = TreeSource::Tree(moment.tree.clone());
    let report = update(&Updater { since, source_tree, ..updater(engine, None)? })?;
    // Another process may have committed since, if the index is in a folder that others use.
    if let Some(recorded) = engine.recorded() {
        let viewed = recorded.viewed();
        if viewed.meta().commit().generation == report.generation && !viewed.key.staged {
            hosted.set_indexed(viewed.committed.reader.stamp(), viewed.key, viewed.token(), moment);
        }
    }
    Ok(report)
}

/// Updates the index from its commit `committed`, or builds it.
pub(super) fn refresh_from(
    engine: &Engine,
    committed: Option<&Committed>,
    patience: Duration,
    progress: OnProgress<'_>,
) -> Result<RefreshReport, Error> {
    if let Some(hosted) = engine.tree().hosted() {
        return update_hosted(engine, hosted, |updater, committed| {
            updater.refresh(committed, patience, progress)
        });
    }
    with_updater(engine, |updater| updater.refresh(committed, patience, progress))
}
