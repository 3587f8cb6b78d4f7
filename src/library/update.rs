//! Updating a source: a newer commit, a changed archive, or the present files of a folder.
//!
//! The new import is materialized and indexed beside the old one, which answers until the manifest is replaced.

use super::api::{AddProgress, OnAddProgress, UpdatedSource};
use super::error::LibraryError;
use super::job::{Job, JobStage};
use super::listing;
use super::manifest::{SourceKind, SourceManifest, SourceState};
use super::open::Library;
use super::plan;
use super::protect::remove_tree;
use super::records;
use crate::engine::Error;
use crate::engine::api::Options;
use crate::memory::move_notes;

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
        let old = self.find(name)?;
        let job = if old.is_held() { self.bring_in_newer(&old, progress)? } else { None };
        let old_commit = old.commit.clone();
        match job {
            Some(job) => {
                let source = self.replace(&old, &job, options, progress)?;
                let report = Some(source.1);
                Ok(UpdatedSource { source: source.0, is_new: true, old_commit, report })
            }
            None => {
                if !old.is_held() {
                    plan::planned(&old.origin)?;
                } else if old.state == SourceState::Ready {
                    return Ok(UpdatedSource { source: old, is_new: false, old_commit, report: None });
                }
                let (source, report) = self.index_and_record(old, options, progress)?;
                Ok(UpdatedSource { source, is_new: false, old_commit, report: Some(report) })
            }
        }
    }

    /// Materializes the newest state of a source; `None` if that is the state of the manifest.
    fn bring_in_newer(
        &self,
        old: &SourceManifest,
        progress: OnAddProgress<'_>,
    ) -> Result<Option<Job>, LibraryError> {
        let _lock = self.lock()?;
        self.check_unused(old)?;
        let mut job = match self.job(&old.id)? {
            Some(job) => job,
            None => {
                let planned = plan::planned(&old.origin)?;
                let is_same = match old.origin.kind {
                    SourceKind::Git => planned.commit == old.commit,
                    SourceKind::Folder => false,
                    SourceKind::Zip | SourceKind::Tar | SourceKind::File => {
                        let path = old.origin.path();
                        let hash = listing::hash_of(&path);
                        let hash = hash.map_err(|error| LibraryError::io("read", &path, error))?;
                        Some(hash) == old.archive_hash
                    }
                };
                if is_same {
                    return Ok(None);
                }
                let settings = old.settings.clone();
                let job = Job::new(old.id.clone(), old.name.clone(), old.origin.clone(), settings, planned);
                Job { import: old.import + 1, ..job }
            }
        };
        records::write(&self.paths.job(&job.id), &job)?;
        self.bring_in(&mut job, progress)?;
        debug_assert_eq!(job.stage, JobStage::Materialized);
        if job.materialized.as_ref().map(|done| &done.tree_hash) == old.tree_hash.as_ref()
            && old.origin.kind == SourceKind::Folder
        {
            remove_tree(&self.paths.import(&job.id, job.import))?;
            self.end_job(&job.id)?;
            return Ok(None);
        }
        Ok(Some(job))
    }

    /// Indexes a new import, and lets the manifest name it.
    fn replace(
        &self,
        old: &SourceManifest,
        job: &Job,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<(SourceManifest, crate::engine::api::RefreshReport), LibraryError> {
        let new = self.manifest_of(job, Some(old))?;
        let report = self.index(&new, options, &|now: AddProgress| progress(now))?;
        let _lock = self.lock()?;
        let now = self.manifest(&old.id)?.filter(|now| now.import == old.import);
        let Some(now) = now else { return Err(LibraryError::Changed { name: old.name.clone() }) };
        let new = SourceManifest { state: SourceState::Ready, name: now.name, ..new };
        self.save(&new)?;
        self.end_job(&old.id)?;
        remove_tree(&self.paths.import(&old.id, old.import))?;
        // If the process is killed before this, the next collection moves the notes.
        let index = self.paths.index(&old.id, old.import);
        move_notes(&index, &self.paths.index(&new.id, new.import))?;
        remove_tree(&index)?;
        Ok((new, report))
    }
}
