//! Freeing space: what killed imports, removals and updates have left behind.

use std::path::{Path, PathBuf};

use super::api::CollectedSources;
use super::error::LibraryError;
use super::names::SourceId;
use super::open::Library;
use super::protect::remove_tree;
use super::records;
use spyhop_base::store::{self, Lock};
use spyhop_context::memory::move_notes;
use spyhop_engine::Error;
use spyhop_index::workspace::unix_now;

/// An import that was not resumed for this long, in seconds, is given up.
const PATIENCE: u64 = 7 * 24 * 3600;

impl Library {
    /// Removes files that no source and no import of the last week needs. With `dry_run`, only reports them.
    ///
    /// # Errors
    /// `Locked` if another process changes the library; `Io` or `Permission` if files cannot be removed.
    pub fn collect(&self, dry_run: bool) -> Result<CollectedSources, Error> {
        Ok(self.collect_all(dry_run)?)
    }

    fn collect_all(&self, dry_run: bool) -> Result<CollectedSources, LibraryError> {
        if !self.paths.lock().exists() {
            return Ok(CollectedSources { is_dry_run: dry_run, ..CollectedSources::default() });
        }
        // A change ends removals that were interrupted, which a dry run must only report.
        let _lock = self.lock_only()?;
        let mut garbage = Vec::new();
        let (manifests, errors) = self.manifests()?;
        // An unreadable manifest may name any of the folders.
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        let mut kept: Vec<(SourceId, u32)> =
            manifests.iter().map(|manifest| (manifest.id.clone(), manifest.import)).collect();
        for job in self.jobs()? {
            let is_ended = manifests.iter().any(|known| known.id == job.id && known.import >= job.import);
            let lock = self.paths.index(&job.id, job.import).join("lock");
            let is_old = unix_now().saturating_sub(job.begun_at) > PATIENCE && Lock::holder(&lock).is_none();
            match is_ended || is_old {
                true => garbage.push(self.paths.job(&job.id)),
                false => kept.push((job.id, job.import)),
            }
        }
        for folder in [self.paths.raw(), self.paths.derived()] {
            garbage.extend(self.unneeded_imports(&folder, &kept, dry_run)?);
        }
        let has_job = |id: &String| {
            SourceId::try_from(id.clone()).is_ok_and(|id| {
                let job = self.paths.job(&id);
                job.exists() && !garbage.contains(&job)
            })
        };
        let staged = records::names(&self.paths.staging())?.into_iter().filter(|id| !has_job(id));
        let staged: Vec<PathBuf> = staged.map(|id| self.paths.staging().join(id)).collect();
        garbage.extend(staged);
        for folder in [self.paths.root().to_path_buf(), self.paths.manifests(), self.paths.jobs()] {
            let names = records::names(&folder)?.into_iter();
            let temporary = names.filter(|name| name.starts_with(store::TEMPORARY_PREFIX));
            garbage.extend(temporary.map(|name| folder.join(name)));
        }
        // The manifest that was set aside is removed last, so that a killed collection leaves an interrupted removal.
        let removed = records::ids(&self.paths.manifests(), ".removed")?;
        for id in &removed {
            if !dry_run && self.manifest(id)?.is_none() {
                self.give_back_dropped(id)?;
            }
            garbage.push(self.paths.removed(id));
        }
        self.drop_all(garbage, dry_run)
    }

    /// The imports in `folder`, which is the one of raw files or of indexes, that are not among `kept`. Unless this is a
    /// dry run, notes beside an old index move to the present one.
    fn unneeded_imports(
        &self,
        folder: &Path,
        kept: &[(SourceId, u32)],
        dry_run: bool,
    ) -> Result<Vec<PathBuf>, LibraryError> {
        let mut unneeded = Vec::new();
        for id in records::names(folder)? {
            let of_source = folder.join(&id);
            let imports: Vec<_> = kept.iter().filter(|(known, _)| known.as_str() == id).collect();
            let Some((source, present)) = imports.first() else {
                unneeded.push(of_source);
                continue;
            };
            let is_kept = |name: &String| imports.iter().any(|(_, import)| *name == format!("r{import}"));
            let old = records::names(&of_source)?.into_iter().filter(|name| !is_kept(name));
            let old: Vec<PathBuf> = old.map(|name| of_source.join(name)).collect();
            if !dry_run && folder == self.paths.derived() {
                // An update that was killed has left the notes beside the old index.
                let index = self.paths.index(source, *present);
                old.iter().try_for_each(|old| move_notes(old, &index))?;
            }
            unneeded.extend(old);
        }
        Ok(unneeded)
    }

    fn drop_all(&self, garbage: Vec<PathBuf>, dry_run: bool) -> Result<CollectedSources, LibraryError> {
        let mut collected = CollectedSources { is_dry_run: dry_run, ..CollectedSources::default() };
        for path in garbage {
            collected.bytes += size_of(&path);
            if !dry_run {
                match path.is_dir() {
                    true => remove_tree(&path)?,
                    false => store::remove_file(&path)?,
                }
            }
            collected.removed.push(path);
        }
        Ok(collected)
    }
}

fn size_of(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => store::bytes_below(path),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}
