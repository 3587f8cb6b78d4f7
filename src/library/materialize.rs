//! The second and third stage of an import: acquiring the bytes of a source, and putting its files in place.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::api::{AddProgress, OnAddProgress};
use super::checkout;
use super::error::LibraryError;
use super::format::{self, FileForm};
use super::job::{AcquiredSource, Job, JobStage, MaterializedSource};
use super::listing;
use super::manifest::{SourceKind, SourceOrigin};
use super::names::SourceId;
use super::open::Library;
use super::paths;
use super::plan;
use super::protect;
use super::records;
use super::snapshot;
use super::unpack::{
    TreeWriter, UnpackLimits, UnpackedTree, unpack_guarded, unpack_nested, unpack_tar, unpack_zip,
};
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, Lock, LockError};
use spyhop_engine::is_cancelled;
use spyhop_files::git::{Reach, RemoteRepository};

/// How long an import that has fetched its commit waits for another process that changes the library.
const RELOCK_PATIENCE: Duration = Duration::from_secs(120);

/// How many times as large as the fetched objects the files of a commit may be. Git stores similar files as differences, so
/// hundreds of versions of one description of an interface are some fifty times as large as their pack.
const MAX_COMMIT_RATIO: u64 = 1000;

/// How many folders an error names.
const OFFERED: usize = 12;

impl Library {
    /// Brings an import to the end of its third stage, from the stage that its record states. An error ends the import
    /// and removes what it has left. `lock` is the lock of the library, which is released while a commit is fetched from
    /// another machine, and returned.
    pub(super) fn bring_in(
        &self,
        job: &mut Job,
        reach: &Reach,
        progress: OnAddProgress<'_>,
        lock: Lock,
    ) -> Result<Lock, LibraryError> {
        self.check_unfetched(&job.id, &job.name)?;
        records::write(&self.paths.job(&job.id), job)?;
        let mut lock = Some(lock);
        let done = self.run_stages(job, reach, progress, &mut lock);
        match (done, lock) {
            (Ok(()), Some(lock)) => Ok(lock),
            (Err(error), Some(_lock)) => {
                // The error of the import says more than one of the removal.
                let _ = self.remove_import(&job.id, job.import);
                let _ = self.end_job(&job.id);
                Err(error)
            }
            // Without the lock, what the fetch has left stays for the next call.
            (done, None) => Err(done.err().unwrap_or(LibraryError::Changed { name: job.name.clone() })),
        }
    }

    fn run_stages(
        &self,
        job: &mut Job,
        reach: &Reach,
        progress: OnAddProgress<'_>,
        lock: &mut Option<Lock>,
    ) -> Result<(), LibraryError> {
        store::create_private_dir(&self.paths.staging_of(&job.id))?;
        if job.stage < JobStage::Acquired {
            job.acquired = Some(match job.origin.kind == SourceKind::Git && job.origin.is_remote() {
                true => self.fetch(job, progress, lock)?,
                false => self.acquire(job, progress)?,
            });
            job.stage = JobStage::Acquired;
            records::write(&self.paths.job(&job.id), job)?;
        }
        if job.stage < JobStage::Materialized {
            job.materialized = Some(self.materialize(job, reach, progress)?);
            job.stage = JobStage::Materialized;
            records::write(&self.paths.job(&job.id), job)?;
        }
        Ok(())
    }

    /// Fails if a process fetches the source.
    pub(super) fn check_unfetched(&self, id: &SourceId, name: &str) -> Result<(), LibraryError> {
        match Lock::holder(&self.paths.fetching(id)) {
            Some(by) => Err(LibraryError::InUse { name: name.to_string(), by }),
            None => Ok(()),
        }
    }

    /// Fetches the commit into the staging folder, without the lock of the library: a server decides how long that takes. The
    /// record of the import keeps its name, and a separate lock keeps other processes from its staging folder.
    fn fetch(
        &self,
        job: &Job,
        progress: OnAddProgress<'_>,
        lock: &mut Option<Lock>,
    ) -> Result<AcquiredSource, LibraryError> {
        let to = self.paths.acquired(&job.id);
        // A killed import may have left a part of the repository.
        protect::remove_tree_or_file(&to)?;
        let fetching = Lock::acquire(&self.paths.fetching(&job.id), Duration::ZERO, &mut |_| ());
        let _fetching = fetching.map_err(|error| match error {
            LockError::Held { holder } => LibraryError::InUse { name: job.name.clone(), by: holder },
            LockError::File(error) => error.into(),
        })?;
        *lock = None;
        let fetched = fetch_to(job, &to, progress);
        let patient = Library { wait: self.wait.max(RELOCK_PATIENCE), ..self.clone() };
        match patient.lock() {
            Ok(again) => *lock = Some(again),
            Err(error) => return Err(fetched.err().unwrap_or(error)),
        }
        if self.job(&job.id)?.as_ref() != Some(job) {
            return Err(LibraryError::Changed { name: job.name.clone() });
        }
        fetched
    }

    /// Copies the source into the staging folder.
    fn acquire(&self, job: &Job, progress: OnAddProgress<'_>) -> Result<AcquiredSource, LibraryError> {
        let to = self.paths.acquired(&job.id);
        // A killed import may have copied a file without recording that.
        protect::remove_tree_or_file(&to)?;
        let origin = &job.origin;
        match origin.kind {
            SourceKind::Folder => Ok(AcquiredSource { hash: None, commit: None }),
            SourceKind::Zip | SourceKind::Tar | SourceKind::File => {
                let hash = snapshot::copy_file(&origin.path(), &to, progress)?;
                Ok(AcquiredSource { hash: Some(hash), commit: None })
            }
            SourceKind::Git => Ok(AcquiredSource { hash: None, commit: job.planned.commit.clone() }),
        }
    }

    /// Writes the tree of the source, first in the staging folder.
    fn materialize(
        &self,
        job: &Job,
        reach: &Reach,
        progress: OnAddProgress<'_>,
    ) -> Result<MaterializedSource, LibraryError> {
        let staged = self.paths.staging_of(&job.id).join("import");
        snapshot::empty_folder(&staged)?;
        let tree = paths::tree_in(&staged);
        store::create_private_dir(&tree)?;
        let mut unpacked = self.fill(job, &tree, reach, progress)?;
        let root = searched(&tree, &job.origin)?;
        let tree_hash = listing::write(&paths::listing_in(&staged), &mut unpacked.files)?;
        // Some systems sync a file only through a handle that may write.
        snapshot::sync_tree(&staged)?;
        protect::protect(&tree)?;
        let to = self.paths.import(&job.id, job.import);
        // A killed import may have put its tree in place without recording that.
        self.remove_import(&job.id, job.import)?;
        store::create_private_dir(&self.paths.raw_of(&job.id))?;
        store::rename(&staged, &to)?;
        store::sync_folder(&self.paths.raw_of(&job.id))?;
        Ok(MaterializedSource {
            root,
            tree_hash,
            files: unpacked.files.len(),
            bytes: unpacked.bytes,
            left_out: unpacked.left_out,
            left_out_count: unpacked.left_out_count,
        })
    }

    fn fill(
        &self,
        job: &Job,
        tree: &Path,
        reach: &Reach,
        progress: OnAddProgress<'_>,
    ) -> Result<UnpackedTree, LibraryError> {
        let (origin, acquired) = (&job.origin, self.paths.acquired(&job.id));
        let location = origin.path();
        let opened = || -> Result<(File, u64), LibraryError> {
            let file = File::open(&acquired).map_err(|error| LibraryError::io("read", &acquired, error))?;
            let bytes = file.metadata().map_err(|error| LibraryError::io("read", &acquired, error))?.len();
            Ok((file, bytes))
        };
        let limits = UnpackLimits::default();
        let archive = |bytes| TreeWriter::new(&location, tree, Some(bytes), limits, progress);
        let mut writer = match origin.kind {
            SourceKind::Zip => {
                let (file, bytes) = opened()?;
                let mut writer = archive(bytes);
                unpack_guarded(&mut writer, |writer| unpack_zip(file, writer))?;
                writer
            }
            SourceKind::Tar => {
                let (file, bytes) = opened()?;
                let mut writer = archive(bytes);
                let form =
                    format::form_of(&acquired).map_err(|error| LibraryError::io("read", &acquired, error))?;
                let FileForm::Tar(compression) = form else {
                    return Err(LibraryError::NoTarAnyMore { location: origin.location.clone() });
                };
                unpack_guarded(&mut writer, |writer| unpack_tar(file, compression, writer))?;
                writer
            }
            SourceKind::File => {
                let (mut file, _) = opened()?;
                let mut writer = TreeWriter::new(&location, tree, None, limits, progress);
                writer.accept_names();
                let name = location.file_name().unwrap_or_default().to_string_lossy().into_owned();
                writer.file(name.as_bytes(), None, &mut file)?;
                writer
            }
            SourceKind::Folder => {
                let mut writer = TreeWriter::new(&location, tree, None, limits, progress);
                let from = match &origin.folder {
                    Some(folder) => location.join(folder),
                    None => location.clone(),
                };
                snapshot::copy_folder(&from, reach, &mut writer)?;
                writer
            }
            SourceKind::Git => {
                let limits = UnpackLimits { ratio: MAX_COMMIT_RATIO, ..limits };
                // The objects of a repository of this machine may have years of history, or lie in another repository.
                let fetched = origin.is_remote().then(|| store::bytes_below(&acquired.join("objects")));
                let mut writer = TreeWriter::new(&location, tree, fetched, limits, progress);
                self.check_out(job, reach, &mut writer)?;
                writer
            }
        };
        if origin.nested {
            unpack_nested(&mut writer)?;
        }
        Ok(writer.finish()?)
    }

    fn check_out(&self, job: &Job, reach: &Reach, writer: &mut TreeWriter<'_>) -> Result<(), LibraryError> {
        let origin = &job.origin;
        let repo = match origin.is_remote() {
            true => plan::repository_at(&self.paths.acquired(&job.id), origin, &Reach::Within(Vec::new()))?,
            false => plan::repository_at(&origin.path(), origin, reach)?,
        };
        let commit = job.acquired.as_ref().and_then(|acquired| acquired.commit.clone());
        let commit =
            commit.ok_or_else(|| LibraryError::damaged(&self.paths.job(&job.id), "it has no commit"))?;
        let folder = RelPath::new(origin.folder.as_deref().unwrap_or_default())
            .map_err(|error| LibraryError::BadParameter(error.to_string()))?;
        let spec = origin.reference.as_deref().unwrap_or("HEAD");
        checkout::check_out(&repo.tree_below(spec, &commit, folder)?, writer)
    }
}

/// Fetches the commit of an import into the folder `to`.
fn fetch_to(job: &Job, to: &Path, progress: OnAddProgress<'_>) -> Result<AcquiredSource, LibraryError> {
    let wanted = job.planned.wanted.as_deref().unwrap_or("HEAD");
    let progress = |bytes| progress(AddProgress::Acquiring { bytes, total_bytes: 0 });
    let repository = RemoteRepository::parse(&job.origin.location)?;
    let commit = repository.fetch(wanted, to, &progress, &is_cancelled)?;
    snapshot::sync_tree(to)?;
    Ok(AcquiredSource { hash: None, commit: Some(commit) })
}

/// The folder of a tree that is searched. Packages have all files in one folder, whose name says only the version.
fn searched(tree: &Path, origin: &SourceOrigin) -> Result<RelPath, LibraryError> {
    if !origin.kind.is_archive() {
        return Ok(RelPath::root());
    }
    let names = records::names(tree)?;
    let top = match &names[..] {
        [only] if tree.join(only).is_dir() => RelPath::root().join(only),
        _ => RelPath::root(),
    };
    let Some(folder) = &origin.folder else { return Ok(top) };
    for base in [&top, &RelPath::root()] {
        let path = spyhop_files::tree::below(base, &RelPath::new(folder).unwrap_or(RelPath::root()));
        if path.below(tree).is_dir() {
            return Ok(path);
        }
    }
    let mut near = records::names(&top.below(tree))?;
    near.retain(|name| top.join(name).below(tree).is_dir());
    near.truncate(OFFERED);
    Err(LibraryError::NoFolderInside { folder: folder.clone(), location: origin.location.clone(), near })
}
