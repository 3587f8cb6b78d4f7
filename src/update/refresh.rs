//! Updating an index: which steps need the lock, which commit is the newest, and what happens to an index that cannot
//! be read.

use std::time::Duration;

use super::keep::Collected;
use super::room::Collection;
use super::run::Run;
use super::workspace::WorkspaceError;
use super::{Committed, OnProgress, Plan, Progress, RefreshReport, Stage, UpdateError, Updater, tell};
use crate::index::IndexError;
use crate::meta::Meta;
use crate::store::{self, Holder, Lock};

impl Updater<'_> {
    /// Updates the index, creating it if there is none. `committed` is the commit that the caller has open, if it is
    /// still the newest. Waits at most `patience` for another process that is indexing.
    pub fn refresh(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        tell(progress, Stage::Scan, 0, 0);
        let mut known = None;
        if let Some(committed) = committed {
            self.check_sources(committed)?;
            let plan = self.plan(Some(committed))?;
            let has_view = committed.meta.view_info(&self.view_key()).is_some();
            if has_view && (plan.is_empty() || self.is_settled(&plan, &committed.meta)?) {
                let generation = committed.meta.commit().generation;
                return Ok(RefreshReport { generation, ..RefreshReport::default() });
            }
            known = Some((committed, plan));
        }
        let _lock = self.lock(patience, progress)?;
        let stamp = self.workspace.stamp();
        if let Some((committed, plan)) = known
            && stamp.as_deref() == Some(committed.reader.stamp())
        {
            let report = self.run(&committed.meta, true, plan, progress);
            return report.or_else(|error| self.unless_damaged(error, progress));
        }
        let (current, put_aside) = self.open_or_put_aside()?;
        current.as_ref().map_or(Ok(()), |current| self.check_sources(current))?;
        let nothing = self.nothing();
        let meta = current.as_ref().map_or(&nothing, |committed| &committed.meta);
        let report = self.plan(current.as_ref()).and_then(|plan| self.run(meta, true, plan, progress));
        let report = report.or_else(|error| self.unless_damaged(error, progress))?;
        Ok(RefreshReport { put_aside: report.put_aside.or(put_aside), ..report })
    }

    /// Refuses to compare an index that was imported with its sources with a tree that is absent.
    fn check_sources(&self, committed: &Committed) -> Result<(), UpdateError> {
        let dir = || self.workspace.dir().to_path_buf();
        committed.meta.sources().map_or(Ok(()), |_| Err(UpdateError::NoSources { dir: dir() }))
    }

    /// Rebuilds an index that turned out to be damaged while it was being updated; any other error is returned. The
    /// caller holds the lock.
    fn unless_damaged(
        &self,
        error: UpdateError,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        use IndexError::Damaged;
        let is_suspicious =
            matches!(&error, UpdateError::Meta(_) | UpdateError::Index { source: Damaged(_), .. });
        match if is_suspicious { self.workspace.damage() } else { None } {
            Some(reason) => self.begin_anew(&reason, progress),
            None => Err(error),
        }
    }

    /// Rebuilds the index from the sources; the old index answers until the new one is committed.
    pub fn rebuild(
        &self,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let _lock = self.lock(patience, progress)?;
        if let Some(reason) = self.workspace.damage() {
            return self.begin_anew(&reason, progress);
        }
        let (current, put_aside) = self.open_or_put_aside()?;
        let nothing = self.nothing();
        let meta = current.as_ref().map_or(&nothing, |committed| &committed.meta);
        let plan = Plan::new(self.walk()?, &nothing, None, |_| false);
        let report = self.run(meta, false, plan, progress)?;
        Ok(RefreshReport { put_aside, ..report })
    }

    /// Puts aside an index that turned out to be damaged when it was read, and rebuilds it. `seen` is the commit that
    /// was read: if there is a newer commit, that commit is updated instead.
    pub fn repair(
        &self,
        seen: &Committed,
        reason: &str,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        {
            let _lock = self.lock(patience, progress)?;
            self.check_sources(seen)?;
            if self.workspace.stamp().as_deref() == Some(seen.reader.stamp()) {
                return self.begin_anew(reason, progress);
            }
        }
        self.refresh(None, patience, progress)
    }

    /// Drops views that cannot be needed again, the versions that only they name, and data of older formats, and merges
    /// segments. Then makes room if `asked` has a space target. A dry run only reports what would be dropped.
    pub fn collect(
        &self,
        asked: &Collection,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<Collected, UpdateError> {
        self.workspace.open()?;
        let _lock = self.lock(patience, progress)?;
        let bytes = || store::bytes_below(self.workspace.dir());
        let bytes_before = bytes();
        let before = self.workspace.open()?;
        self.check_sources(&before)?;
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

    /// Takes the lock and claims the folder for this tree.
    pub(super) fn lock(&self, patience: Duration, progress: OnProgress<'_>) -> Result<Lock, UpdateError> {
        self.workspace.check_owner()?;
        store::create_private_dir(self.workspace.dir())?;
        let mut waits = |holder: Option<&Holder>| {
            let holder = holder.copied();
            progress(Progress {
                stage: Stage::Wait,
                files: 0,
                total_files: 0,
                bytes: 0,
                total_bytes: 0,
                holder,
            });
        };
        let lock = Lock::acquire(&self.workspace.lock_path(), patience, &mut waits)?;
        self.workspace.claim()?;
        Ok(lock)
    }

    /// The newest commit, or the folder to which a commit that cannot be read was moved, so that the index is rebuilt.
    /// The caller holds the lock.
    fn open_or_put_aside(&self) -> Result<(Option<Committed>, Option<std::path::PathBuf>), UpdateError> {
        match self.workspace.open() {
            Ok(committed) => Ok((Some(committed), None)),
            Err(WorkspaceError::Missing { .. }) => Ok((None, None)),
            Err(WorkspaceError::Damaged { reason, .. }) => {
                Ok((None, Some(self.workspace.put_aside(&reason)?)))
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Puts the existing index aside and rebuilds it. The caller holds the lock.
    fn begin_anew(&self, reason: &str, progress: OnProgress<'_>) -> Result<RefreshReport, UpdateError> {
        let put_aside = Some(self.workspace.put_aside(reason)?);
        let nothing = self.nothing();
        let plan = Plan::new(self.walk()?, &nothing, None, |_| false);
        let report = self.run(&nothing, true, plan, progress)?;
        Ok(RefreshReport { put_aside, ..report })
    }

    fn nothing(&self) -> Meta {
        Meta::empty(self.workspace.fingerprint())
    }

    /// Carries out a plan. `reuse` says whether versions of `meta` may be used instead of indexing the files again.
    fn run(
        &self,
        meta: &Meta,
        reuse: bool,
        plan: Plan,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let root = self.workspace.root().display();
        let span = tracing::info_span!("code.index.build", path = %root, fileCount = plan.read.len());
        let _entered = span.enter();
        Run::new(self, meta, reuse, plan, progress)?.run()
    }
}
