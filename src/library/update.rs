//! Updating a source: a newer commit, a changed archive, or the present files of a folder.
//!
//! The new import is materialized and indexed beside the old one, which answers until the manifest is replaced.

use std::time::Duration;

use super::api::{AddProgress, OnAddProgress, PlannedUpdate, SourceBatch, UpdateStep, UpdatedSource};
use super::error::LibraryError;
use super::job::{Job, JobStage, PlannedSource};
use super::listing;
use super::manifest::{SourceKind, SourceManifest, SourceOrigin, SourceState};
use super::names::SourceId;
use super::open::Library;
use super::plan;
use super::protect::remove_tree;
use spyhop_base::store::{Lock, LockError};
use spyhop_context::memory::move_notes;
use spyhop_engine::Error;
use spyhop_engine::api::{Options, RefreshReport};
use spyhop_files::git::Reach;

impl Library {
    /// Imports the newest state of a source and indexes it. A folder that stays where it is is only indexed.
    ///
    /// # Errors
    /// `UnknownSource`, which names similar sources; otherwise as [`Library::add`]. After an error, the old import
    /// answers.
    pub fn update(
        &self,
        name: &str,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<UpdatedSource, Error> {
        let found = self.find(name)?;
        let (old, job) = match found.is_held() {
            true => self.bring_in_newer(&found, &options.git_reach, progress)?,
            false => (found, None),
        };
        let old_commit = old.commit.clone();
        match job {
            Some(job) => {
                let source = self.replace(&old, &job, options, progress)?;
                let report = Some(source.1);
                Ok(UpdatedSource { source: source.0, is_new: true, old_commit, report })
            }
            None => {
                if !old.is_held() {
                    plan::planned(&old.origin, &options.git_reach, None)?;
                } else if old.state == SourceState::Ready {
                    return Ok(UpdatedSource { source: old, is_new: false, old_commit, report: None });
                }
                let (source, report) = self.index_and_record(old, options, progress)?;
                Ok(UpdatedSource { source, is_new: false, old_commit, report: Some(report) })
            }
        }
    }

    /// Updates the sources of these names, or every source if `names` is empty.
    ///
    /// # Errors
    /// `Cancelled`, or an error of the library as a whole. Other errors are reported for their sources.
    pub fn update_all(
        &self,
        names: &[String],
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<SourceBatch<UpdatedSource>, Error> {
        self.each(names, |name| self.update(name, options, progress))
    }

    /// The plan of [`Library::update`]. Nothing is written, and a server on another machine is asked for its newest commit.
    ///
    /// # Errors
    /// As [`Library::update`], apart from errors of writing.
    pub fn plan_update(&self, name: &str, options: &Options) -> Result<PlannedUpdate, Error> {
        let source = self.find(name)?;
        let is_ready = source.state == SourceState::Ready;
        if !source.is_held() {
            plan::planned(&source.origin, &options.git_reach, None)?;
            let changed_files = self.status_of(source.clone(), options).stale_files;
            let is_current = is_ready && changed_files == Some(0);
            let step = if is_current { UpdateStep::Nothing } else { UpdateStep::Index };
            return Ok(PlannedUpdate { source, step, newest_commit: None, changed_files, resumes: None });
        }
        let newest = NewestState::of(&source.origin, &options.git_reach)?;
        let earlier = self.job(&source.id)?.filter(|job| newest.is_of(job));
        let step = match source.origin.kind {
            _ if earlier.is_none() && newest.is_imported(&source) && is_ready => UpdateStep::Nothing,
            _ if earlier.is_none() && newest.is_imported(&source) => UpdateStep::Index,
            SourceKind::Folder => UpdateStep::Copy,
            _ => UpdateStep::Import,
        };
        let resumes = earlier.map(|job| job.stage.name());
        let newest_commit = newest.planned.commit;
        Ok(PlannedUpdate { source, step, newest_commit, changed_files: None, resumes })
    }

    /// The plans of the sources of these names, or of every source if `names` is empty.
    ///
    /// # Errors
    /// As [`Library::update_all`].
    pub fn plan_update_all(
        &self,
        names: &[String],
        options: &Options,
    ) -> Result<SourceBatch<PlannedUpdate>, Error> {
        self.each(names, |name| self.plan_update(name, options))
    }

    /// Materializes the newest state of the source that was `found`; no job if that is the state of the manifest. Returns
    /// the present manifest too, because another process may have updated the source meanwhile.
    pub(super) fn bring_in_newer(
        &self,
        found: &SourceManifest,
        reach: &Reach,
        progress: OnAddProgress<'_>,
    ) -> Result<(SourceManifest, Option<Job>), LibraryError> {
        // While a server is asked, other processes may change the library.
        let asked = match found.origin.is_remote() {
            true => Some(NewestState::of(&found.origin, reach)?),
            false => None,
        };
        let lock = self.lock()?;
        let Some(old) = self.manifest(&found.id)? else {
            return Err(LibraryError::Changed { name: found.name.clone() });
        };
        self.check_unused(&old)?;
        let newest = asked.map_or_else(|| NewestState::of(&old.origin, reach), Ok)?;
        let mut earlier = self.job(&old.id)?;
        if let Some(job) = earlier.take_if(|job| !newest.is_of(job)) {
            self.drop_job(&job)?;
        }
        let mut job = match earlier {
            Some(job) => job,
            None if newest.is_imported(&old) => return Ok((old, None)),
            None => {
                let (settings, planned) = (old.settings.clone(), newest.planned);
                let job = Job::new(old.id.clone(), old.name.clone(), old.origin.clone(), settings, planned);
                Job { import: old.import + 1, ..job }
            }
        };
        let _lock = self.bring_in(&mut job, reach, progress, lock)?;
        debug_assert_eq!(job.stage, JobStage::Materialized);
        if job.materialized.as_ref().map(|done| &done.tree_hash) == old.tree_hash.as_ref()
            && old.origin.kind == SourceKind::Folder
        {
            self.remove_import(&job.id, job.import)?;
            self.end_job(&job.id)?;
            return Ok((old, None));
        }
        Ok((old, Some(job)))
    }

    /// Removes an import that no manifest names.
    fn drop_job(&self, job: &Job) -> Result<(), LibraryError> {
        let _lock = self.lock_index(&job.id, job.import, &job.name)?;
        self.end_job(&job.id)?;
        self.remove_import(&job.id, job.import)?;
        remove_tree(&self.paths.index(&job.id, job.import))
    }

    /// Removes the raw files of an import, which no manifest may name.
    pub(super) fn remove_import(&self, id: &SourceId, import: u32) -> Result<(), LibraryError> {
        match self.manifest(id)? {
            Some(manifest) if manifest.import == import => Err(LibraryError::Changed { name: manifest.name }),
            _ => remove_tree(&self.paths.import(id, import)),
        }
    }

    /// Takes the lock of an index that is about to be removed; `None` if there is no such folder.
    fn lock_index(&self, id: &SourceId, import: u32, name: &str) -> Result<Option<Lock>, LibraryError> {
        let index = self.paths.index(id, import);
        if !index.is_dir() {
            return Ok(None);
        }
        match Lock::acquire(&index.join("lock"), Duration::ZERO, &mut |_| ()) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::Held { holder }) => {
                Err(LibraryError::InUse { name: name.to_string(), by: holder })
            }
            Err(LockError::File(error)) => Err(error.into()),
        }
    }

    /// Indexes a new import, and lets the manifest name it.
    fn replace(
        &self,
        old: &SourceManifest,
        job: &Job,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<(SourceManifest, RefreshReport), LibraryError> {
        let new = self.manifest_of(job, Some(old))?;
        let report = self.index(&new, options, &|now: AddProgress| progress(now))?;
        let _lock = self.lock()?;
        // Another process may have replaced the import that was indexed here.
        let is_same_job = self.job(&job.id)?.is_some_and(|now| now == *job);
        let now = self.manifest(&old.id)?.filter(|now| is_same_job && now.import == old.import);
        let Some(now) = now else { return Err(LibraryError::Changed { name: old.name.clone() }) };
        // The source may have been renamed while it was indexed.
        let mut history = now.history;
        history.extend(new.history.last().cloned());
        let new = SourceManifest { state: SourceState::Ready, name: now.name, history, ..new };
        self.save(&new)?;
        // The new import answers from here on. If the process is killed or fails, the next collection does the rest.
        if let Err(error) = self.drop_import(old, &new) {
            tracing::warn!("an old import of '{}' is left in the library: {error}", new.name);
        }
        Ok((new, report))
    }

    /// Removes the import of the manifest `old`, whose notes move to the index of `new`.
    fn drop_import(&self, old: &SourceManifest, new: &SourceManifest) -> Result<(), LibraryError> {
        let index = self.paths.index(&old.id, old.import);
        move_notes(&index, &self.paths.index(&new.id, new.import))?;
        self.end_job(&old.id)?;
        let _lock = self.lock_index(&old.id, old.import, &old.name)?;
        self.remove_import(&old.id, old.import)?;
        remove_tree(&index)
    }
}

/// The present state of an origin.
struct NewestState {
    planned: PlannedSource,
    /// The hash of a file.
    hash: Option<String>,
}

impl NewestState {
    fn of(origin: &SourceOrigin, reach: &Reach) -> Result<NewestState, LibraryError> {
        let planned = plan::planned(origin, reach, None)?;
        let hash = match origin.kind {
            SourceKind::Git | SourceKind::Folder => None,
            SourceKind::Zip | SourceKind::Tar | SourceKind::File => {
                let path = origin.path();
                Some(listing::hash_of(&path).map_err(|error| LibraryError::io("read", &path, error))?)
            }
        };
        Ok(NewestState { planned, hash })
    }

    /// Whether this is the state of a manifest. The state of a folder is known only after its files were copied.
    fn is_imported(&self, manifest: &SourceManifest) -> bool {
        match manifest.origin.kind {
            SourceKind::Git => self.planned.commit == manifest.commit,
            SourceKind::Folder => false,
            SourceKind::Zip | SourceKind::Tar | SourceKind::File => self.hash == manifest.archive_hash,
        }
    }

    /// Whether this is the state that an import of an earlier call has acquired.
    fn is_of(&self, job: &Job) -> bool {
        match job.origin.kind {
            SourceKind::Git => self.planned.commit == job.planned.commit,
            SourceKind::Folder => false,
            SourceKind::Zip | SourceKind::Tar | SourceKind::File => {
                job.acquired.as_ref().is_some_and(|acquired| self.hash == acquired.hash)
            }
        }
    }
}
