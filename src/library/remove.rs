//! Removing and renaming sources, and making their raw files writable.

use super::api::RemovedSource;
use super::error::LibraryError;
use super::manifest::{ImportEvent, ImportRecord, SourceManifest};
use super::names;
use super::open::Library;
use super::paths;
use super::protect;
use spyhop_base::store::{self, Lock};
use spyhop_engine::Error;
use spyhop_index::workspace::unix_now;

impl Library {
    /// Removes a source: its index, and its raw files if they lie in the library. A folder of the user stays as it is. A project
    /// or an archive that the user dropped into the inbox moves to `intake/removed`, where it is writable.
    /// If the process is killed, the next change of the library ends the removal.
    ///
    /// # Errors
    /// `UnknownSource`; `Locked` if the source is being indexed.
    pub fn remove(&self, name: &str) -> Result<RemovedSource, Error> {
        Ok(self.remove_source(name)?)
    }

    fn remove_source(&self, name: &str) -> Result<RemovedSource, LibraryError> {
        let _lock = self.lock()?;
        let manifest = self.find(name)?;
        self.check_unused(&manifest)?;
        store::rename(&self.paths.manifest(&manifest.id), &self.paths.removed(&manifest.id))?;
        store::sync_folder(&self.paths.manifests())?;
        let kept_at = self.end_removal(&manifest.id)?;
        Ok(RemovedSource { source: manifest, kept_at })
    }

    /// Gives a source another name.
    ///
    /// # Errors
    /// `UnknownSource`; `NameTaken`; `BadRequest` if the name is not allowed.
    pub fn rename(&self, name: &str, new_name: &str) -> Result<SourceManifest, Error> {
        Ok(self.rename_source(name, new_name)?)
    }

    fn rename_source(&self, name: &str, new_name: &str) -> Result<SourceManifest, LibraryError> {
        names::check_name(new_name)?;
        let _lock = self.lock()?;
        let mut manifest = self.find(name)?;
        self.check_name_free(new_name, &manifest.id)?;
        manifest.name = new_name.to_string();
        self.save_with(&mut manifest, ImportEvent::Renamed)?;
        Ok(manifest)
    }

    /// Makes the raw files of a source writable. [`Library::verify`] tells whether they were changed.
    ///
    /// # Errors
    /// `UnknownSource`; `BadRequest` if no raw files of the source lie in the library.
    pub fn unprotect(&self, name: &str) -> Result<SourceManifest, Error> {
        Ok(self.unprotect_source(name)?)
    }

    fn unprotect_source(&self, name: &str) -> Result<SourceManifest, LibraryError> {
        let _lock = self.lock()?;
        let mut manifest = self.find(name)?;
        let protected = self.paths.protected_by_intake(&manifest.origin.path());
        if !manifest.is_held() && protected.is_none() {
            let text =
                format!("'{}' stays in {}, which is not protected", manifest.name, manifest.origin.location);
            return Err(LibraryError::BadParameter(text));
        }
        let tree = || paths::tree_in(&self.paths.import(&manifest.id, manifest.import));
        protect::unprotect(&protected.unwrap_or_else(tree))?;
        if manifest.is_protected {
            manifest.is_protected = false;
            self.save_with(&mut manifest, ImportEvent::Unprotected)?;
        }
        Ok(manifest)
    }

    fn save_with(&self, manifest: &mut SourceManifest, event: ImportEvent) -> Result<(), LibraryError> {
        manifest.history.push(ImportRecord {
            event,
            at: unix_now(),
            import: manifest.import,
            commit: manifest.commit.clone(),
            tree_hash: manifest.tree_hash.clone(),
        });
        self.save(manifest)
    }

    /// Fails if a process fetches a source, or changes its index or the index of an import that will replace the present one.
    pub(super) fn check_unused(&self, manifest: &SourceManifest) -> Result<(), LibraryError> {
        self.check_unfetched(&manifest.id, &manifest.name)?;
        let newer = self.job(&manifest.id)?.map(|job| job.import);
        for import in [manifest.import].into_iter().chain(newer) {
            if let Some(by) = Lock::holder(&self.paths.index(&manifest.id, import).join("lock")) {
                return Err(LibraryError::InUse { name: manifest.name.clone(), by });
            }
        }
        Ok(())
    }
}
