//! A library: its folder, its lock, and its manifests.

use std::path::PathBuf;
use std::time::Duration;

use super::api::LibraryOptions;
use super::error::LibraryError;
use super::intake::give_back;
use super::job::Job;
use super::manifest::{MANIFEST_FORMAT, SourceManifest};
use super::names::{self, SourceId};
use super::paths::{self, LibraryPaths};
use super::protect::remove_tree;
use super::records;
use spyhop_base::similar;
use spyhop_base::store::{self, Lock};
use spyhop_engine::Error;

/// How many names an error suggests.
const OFFERED: usize = 8;

/// A library of sources. Threads share a library by reference; processes change it one after the other.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) paths: LibraryPaths,
    pub(super) wait: Duration,
}

/// The manifests that can be read, and the errors of the others.
pub(super) type ReadManifests = (Vec<SourceManifest>, Vec<(SourceId, LibraryError)>);

/// The file that marks a library.
#[derive(serde::Serialize, serde::Deserialize)]
struct LibraryMarker {
    format: u32,
}

impl Library {
    /// The library in a folder, which need not exist: the first source that is added creates the folder.
    ///
    /// # Errors
    /// `NewerFormat` if a newer version of this program made the library; `BadRequest` if the folder has other files.
    pub fn open(options: LibraryOptions) -> Result<Library, Error> {
        let paths = LibraryPaths::resolve(options.root.as_deref())?;
        let library = Library { paths, wait: options.wait };
        library.check_marker()?;
        Ok(library)
    }

    /// The paths of the library.
    pub fn paths(&self) -> &LibraryPaths {
        &self.paths
    }

    /// Whether the folder is a library, and none that this program cannot use.
    fn check_marker(&self) -> Result<bool, LibraryError> {
        if records::read::<LibraryMarker>(&self.paths.marker())?.is_some() {
            return Ok(true);
        }
        let root = self.paths.root();
        // A process that was killed while it created the library leaves its folders.
        let known: Vec<&str> =
            LibraryPaths::folders().iter().filter_map(|path| path.split('/').next()).collect();
        let is_of_library = |name: &String| {
            known.contains(&name.as_str()) || name == "lock" || name.starts_with(store::TEMPORARY_PREFIX)
        };
        match records::names(root)?.iter().all(is_of_library) {
            true => Ok(false),
            false => Err(LibraryError::NotALibrary { root: root.to_path_buf() }),
        }
    }

    /// Takes the lock of a library, which must exist, and changes nothing else.
    pub(super) fn lock_only(&self) -> Result<Lock, LibraryError> {
        Lock::acquire(&self.paths.lock(), self.wait, &mut |_| ())
            .map_err(|error| LibraryError::lock(self.paths.root(), error))
    }

    /// Creates what is missing, takes the lock, and ends removals that were interrupted.
    pub(super) fn lock(&self) -> Result<Lock, LibraryError> {
        let root = self.paths.root();
        store::create_private_dir(root)?;
        let lock = self.lock_only()?;
        for folder in LibraryPaths::folders() {
            store::create_private_dir(&root.join(folder))?;
        }
        if !self.check_marker()? {
            records::write(&self.paths.marker(), &LibraryMarker { format: MANIFEST_FORMAT })?;
        }
        for id in records::ids(&self.paths.manifests(), ".removed")? {
            self.end_removal(&id)?;
        }
        for job in self.jobs()? {
            if self.manifest(&job.id)?.is_some_and(|manifest| manifest.import >= job.import) {
                self.end_job(&job.id)?;
            }
        }
        Ok(lock)
    }

    /// Removes everything of a source whose manifest was set aside.
    ///
    /// Returns the place of an entry of the inbox that the source was made of.
    pub(super) fn end_removal(&self, id: &SourceId) -> Result<Option<PathBuf>, LibraryError> {
        let mut kept_at = None;
        // A source may have been added again after an interrupted removal.
        if self.manifest(id)?.is_none() {
            self.end_job(id)?;
            kept_at = self.give_back_dropped(id)?;
            remove_tree(&self.paths.raw_of(id))?;
            remove_tree(&self.paths.derived_of(id))?;
        }
        store::remove_file(&self.paths.removed(id))?;
        Ok(kept_at)
    }

    /// Gives back the project or archive that the user had dropped into the inbox for a source whose manifest was set aside: the
    /// next intake would add it again, and it may be the user's only copy. A record that cannot be read names none.
    pub(super) fn give_back_dropped(&self, id: &SourceId) -> Result<Option<PathBuf>, LibraryError> {
        let removed: Option<SourceManifest> = records::read(&self.paths.removed(id)).ok().flatten();
        let path = removed.map(|removed| removed.origin.path());
        let dropped = path.filter(|path| self.paths.is_dropped(path) && path.symlink_metadata().is_ok());
        dropped.map(|path| give_back(&path, &self.paths)).transpose()
    }

    /// Removes the record and the staging folder of an import.
    pub(super) fn end_job(&self, id: &SourceId) -> Result<(), LibraryError> {
        let job = self.paths.job(id);
        if job.exists() {
            store::remove_file(&job)?;
        }
        remove_tree(&self.paths.staging_of(id))
    }

    /// The record of an import, if there is one.
    pub(super) fn job(&self, id: &SourceId) -> Result<Option<Job>, LibraryError> {
        records::read(&self.paths.job(id))
    }

    pub(super) fn jobs(&self) -> Result<Vec<Job>, LibraryError> {
        let ids = records::ids(&self.paths.jobs(), ".json")?;
        let jobs: Result<Vec<Option<Job>>, _> = ids.iter().map(|id| self.job(id)).collect();
        Ok(jobs?.into_iter().flatten().collect())
    }

    pub(super) fn manifest(&self, id: &SourceId) -> Result<Option<SourceManifest>, LibraryError> {
        records::read(&self.paths.manifest(id))
    }

    pub(super) fn save(&self, manifest: &SourceManifest) -> Result<(), LibraryError> {
        records::write(&self.paths.manifest(&manifest.id), manifest)
    }

    /// The manifests by name, and the errors of those that cannot be read.
    pub(super) fn manifests(&self) -> Result<(Vec<SourceManifest>, Vec<LibraryError>), LibraryError> {
        let (manifests, errors) = self.all_manifests()?;
        Ok((manifests, errors.into_iter().map(|(_, error)| error).collect()))
    }

    /// The manifests by name, and for each that cannot be read, the id and the error.
    pub(super) fn all_manifests(&self) -> Result<ReadManifests, LibraryError> {
        let (mut manifests, mut errors) = (Vec::new(), Vec::new());
        for id in records::ids(&self.paths.manifests(), ".json")? {
            match self.manifest(&id) {
                Ok(found) => manifests.extend(found),
                Err(error) => errors.push((id, error)),
            }
        }
        manifests.sort_by(|a: &SourceManifest, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok((manifests, errors))
    }

    /// Fails if a source or an unfinished import other than `except` has this name.
    pub(super) fn check_name_free(&self, name: &str, except: &SourceId) -> Result<(), LibraryError> {
        let (manifests, _) = self.manifests()?;
        let jobs = self.jobs()?.into_iter().map(|job| (job.id, job.name, job.origin.location));
        let sources = manifests.into_iter().map(|known| (known.id, known.name, known.origin.location));
        let taken: Vec<(SourceId, String, String)> =
            sources.chain(jobs).filter(|(id, ..)| id != except).collect();
        let Some((_, _, location)) = taken.iter().find(|(_, taken, _)| taken == name) else { return Ok(()) };
        let is_taken = |name: &str| taken.iter().any(|(_, taken, _)| taken == name);
        Err(LibraryError::NameTaken {
            name: name.to_string(),
            location: location.clone(),
            free: names::free_name(name, is_taken),
        })
    }

    /// The error for a name that no source has. `near` are the known names.
    pub(super) fn unknown(&self, name: &str, mut near: Vec<String>) -> LibraryError {
        near.sort();
        near.dedup();
        similar::sort(&mut near, name);
        near.truncate(OFFERED);
        let root = self.paths.root().to_path_buf();
        LibraryError::UnknownSource { name: name.to_string(), root, near }
    }

    /// The source with this name or, if there is none, with this id.
    pub(super) fn find(&self, name: &str) -> Result<SourceManifest, LibraryError> {
        let (mut manifests, errors) = self.manifests()?;
        let with_name = manifests.iter().position(|found| found.name == name);
        if let Some(at) = with_name.or_else(|| manifests.iter().position(|found| found.id.as_str() == name)) {
            return Ok(manifests.swap_remove(at));
        }
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        Err(self.unknown(name, manifests.into_iter().map(|found| found.name).collect()))
    }

    /// The folder that is searched.
    pub(super) fn root_of(&self, manifest: &SourceManifest) -> PathBuf {
        let base = match manifest.is_held() {
            true => paths::tree_in(&self.paths.import(&manifest.id, manifest.import)),
            false => manifest.origin.path(),
        };
        manifest.root.below(&base)
    }
}
