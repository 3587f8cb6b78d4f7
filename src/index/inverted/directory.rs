//! A read-only directory that pins one commit.
//!
//! The directory of tantivy takes a lock file that it must be able to write, and reads `meta.json` twice, so that a commit
//! in between mixes generations. Here the bytes of `meta.json` are read once and returned for every later read; segment
//! files are mapped, locks are granted without a file, and writing is refused. Segment files never change under their
//! names; a missing file means that a newer commit exists. The blocks of a file are compared with their checksums when
//! they are read first ([`super::checked_file`]).

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
};

use super::checks::Checks;
use super::sums::unsealed;
use crate::inverted::error::IndexError;
use spyhop_base::store;

pub(super) const META: &str = "meta.json";

#[derive(Clone)]
pub(super) struct PinnedDirectory {
    files: MmapDirectory,
    meta: Arc<[u8]>,
    /// The checked blocks of the files; `None` if an older program has written the commit.
    checks: Option<Arc<Checks>>,
    mapped: Arc<MappedFiles>,
}

/// The mapped files of a commit.
#[derive(Default)]
pub(super) struct MappedFiles(Mutex<Vec<OwnedBytes>>);

impl MappedFiles {
    /// Releases the memory of the files; what is read later comes from the system's cache or the disk again.
    pub fn release(&self) {
        for bytes in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            store::release_pages(bytes.as_slice());
        }
    }
}

impl PinnedDirectory {
    /// The commit with the commit point `meta` in the folder `dir`.
    pub fn open(dir: &Path, meta: Arc<[u8]>) -> Result<PinnedDirectory, IndexError> {
        let files = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        let sums = unsealed(&meta).map_err(IndexError::Damaged)?;
        let checks = sums.map(|sums| Arc::new(Checks::new(dir, sums)));
        Ok(PinnedDirectory { files, meta, checks, mapped: Arc::default() })
    }

    /// The checked blocks of the files; `None` if an older program has written the commit.
    pub fn checks(&self) -> Option<Arc<Checks>> {
        self.checks.clone()
    }

    /// The files that are mapped so far, and those that will be.
    pub fn mapped(&self) -> Arc<MappedFiles> {
        Arc::clone(&self.mapped)
    }
}

impl std::fmt::Debug for PinnedDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PinnedDirectory({:?})", self.files)
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a pinned index is read-only")
}

impl Directory for PinnedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        // The handle of this directory is always a mapping of the whole file.
        let handle = self.files.get_file_handle(path)?;
        if let Ok(bytes) = handle.read_bytes(0..handle.len()) {
            self.mapped.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        }
        match &self.checks {
            Some(checks) => checks.file(path, handle),
            None => Ok(handle),
        }
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        if path == Path::new(META) { Ok(true) } else { self.files.exists(path) }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(META) {
            Ok(self.meta.to_vec())
        } else {
            Err(OpenReadError::FileDoesNotExist(path.to_path_buf()))
        }
    }

    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_path_buf() })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_path_buf()))
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
