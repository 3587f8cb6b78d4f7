//! Updating an index: which steps need the lock, which commit is the newest, and what happens to an index that cannot
//! be read.

use std::time::Duration;

use super::error::UpdateError;
use super::plan::{ReadAgain, UpdatePlan};
use super::progress::{OnProgress, Stage, tell, tell_waiting};
use super::report::RefreshReport;
use super::run::{Extent, UpdateRun};
use super::updater::Updater;
use crate::inverted::IndexError;
use crate::meta::Meta;
use crate::workspace::{Committed, WorkspaceError, WriteError};

impl Updater<'_> {
    /// Updates the index, creating it if there is none. `committed` is the commit that the caller has open, if it is
    /// still the newest. Waits at most `patience` for another process that is indexing.
    pub fn refresh(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        self.refresh_to(Extent::Whole, committed, patience, progress)
    }

    /// Like [`Updater::refresh`], but if the tree is large and has no index yet, only its text is indexed. The next
    /// update goes on with the structure.
    pub fn refresh_text(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        self.refresh_to(Extent::Text, committed, patience, progress)
    }

    fn refresh_to(
        &self,
        extent: Extent,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        tell(progress, Stage::Scan, 0, 0);
        let mut known = None;
        if let Some(committed) = committed {
            self.workspace.check_has_tree(committed)?;
            let plan = self.plan(Some(committed))?;
            let has_view = committed.meta.view_info(&self.view_key()).is_some();
            if has_view && (plan.is_empty() || self.is_settled(&plan, &committed.meta)?) {
                self.write_missing_vectors(committed);
                let generation = committed.meta.commit().generation;
                return Ok(RefreshReport { generation, ..RefreshReport::default() });
            }
            known = Some((committed, plan));
        }
        let _lock = self.workspace.lock(patience, &mut tell_waiting(progress))?;
        let stamp = self.workspace.stamp();
        if let Some((committed, plan)) = known
            && stamp.as_deref() == Some(committed.reader.stamp())
        {
            let report = self.run_to(extent, &committed.meta, plan, progress);
            return report.or_else(|error| self.unless_damaged(error, progress));
        }
        let (current, put_aside) = self.open_or_put_aside()?;
        current.as_ref().map_or(Ok(()), |current| self.workspace.check_has_tree(current))?;
        let nothing = self.nothing();
        let meta = current.as_ref().map_or(&nothing, |committed| &committed.meta);
        let report = self.plan(current.as_ref()).and_then(|plan| self.run_to(extent, meta, plan, progress));
        let report = report.or_else(|error| self.unless_damaged(error, progress))?;
        Ok(RefreshReport { put_aside: report.put_aside.or(put_aside), ..report })
    }

    /// Writes the vectors of an index that an older program made, although nothing else is to be done. A process that
    /// holds the lock writes them itself.
    fn write_missing_vectors(&self, committed: &Committed) {
        if committed.reader.lacks_vectors()
            && let Ok(_lock) = self.workspace.lock(Duration::ZERO, &mut |_| {})
        {
            self.workspace.write_derived();
        }
    }

    /// Rebuilds an index that turned out to be damaged while it was being updated; any other error is returned. The
    /// caller holds the lock, so no other process has committed meanwhile, and a file that is gone is lost.
    fn unless_damaged(
        &self,
        error: UpdateError,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        use IndexError::{Damaged, Moved};
        let is_suspicious = matches!(
            &error,
            UpdateError::Write(WriteError::Meta(_) | WriteError::Index { source: Damaged(_) | Moved(_), .. })
        );
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
        let _lock = self.workspace.lock_to_rebuild(patience, &mut tell_waiting(progress))?;
        self.quarantine().forget_doubtful()?;
        if let Some(reason) = self.workspace.damage() {
            return self.begin_anew(&reason, progress);
        }
        let (current, put_aside) = self.open_or_put_aside()?;
        let nothing = self.nothing();
        let meta = current.as_ref().map_or(&nothing, |committed| &committed.meta);
        let plan = UpdatePlan::new(self.walk()?, &nothing, None, ReadAgain::NOTHING);
        let report = self.run(meta, false, plan, progress)?;
        Ok(RefreshReport { put_aside, ..report })
    }

    /// Compares the tree with an index that was imported: stat data prove nothing yet, and those of the tree are
    /// recorded even for a single file. The caller holds the lock.
    pub(crate) fn adopt(
        &self,
        committed: &Committed,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let plan = self.plan(Some(committed))?;
        UpdateRun::new(self, &committed.meta, true, plan, progress)?.proving().run()
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
            let _lock = self.workspace.lock(patience, &mut tell_waiting(progress))?;
            self.workspace.check_has_tree(seen)?;
            if self.workspace.stamp().as_deref() == Some(seen.reader.stamp()) {
                return self.begin_anew(reason, progress);
            }
        }
        self.refresh(None, patience, progress)
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
        let plan = UpdatePlan::new(self.walk()?, &nothing, None, ReadAgain::NOTHING);
        let report = self.run(&nothing, true, plan, progress)?;
        Ok(RefreshReport { put_aside, ..report })
    }

    fn nothing(&self) -> Meta {
        Meta::empty(self.workspace.fingerprint())
    }

    /// Carries out a plan, as far as `extent`, with the versions of `meta`.
    fn run_to(
        &self,
        extent: Extent,
        meta: &Meta,
        plan: UpdatePlan,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let _entered = self.span(&plan).entered();
        UpdateRun::new(self, meta, true, plan, progress)?.limited(extent).run()
    }

    fn span(&self, plan: &UpdatePlan) -> tracing::Span {
        let root = self.workspace.root().display();
        tracing::info_span!("code.index.build", path = %root, fileCount = plan.read.len())
    }

    /// Carries out a plan. `reuse` says whether versions of `meta` may be used instead of indexing the files again.
    fn run(
        &self,
        meta: &Meta,
        reuse: bool,
        plan: UpdatePlan,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let _entered = self.span(&plan).entered();
        UpdateRun::new(self, meta, reuse, plan, progress)?.run()
    }
}
