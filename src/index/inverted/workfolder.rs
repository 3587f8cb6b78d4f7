//! The directory that the writer works in.
//!
//! Files are mapped by tantivy, and written by Spyhop, for three reasons. Every step passes through the
//! store, so that tests can freeze it or make it fail. The new commit point is durable before files that only the
//! previous commit needs are removed; the directory of tantivy leaves the order of the two to the file system. And this one
//! syncs less: the files of a segment are synced together when a commit is about to name them, and the list of files
//! that tantivy may remove, which tantivy would write and sync for each file that it creates, is derived from the
//! folder itself. The checksums of a file are computed while the file is written, and go into the commit point
//! ([`super::sums`]).

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use super::checked_file::CheckedFile;
use super::derived;
use super::directory::META;
use super::sums::{FileSums, SumsBuilder, SumsByName, sealed, unsealed};
use crate::inverted::error::IndexError;
use spyhop_base::store::{self, Private, StoreStep};

/// tantivy's name for the list of files that it may remove.
const MANAGED: &str = ".managed.json";

/// How many files may wait to be synced; each keeps a descriptor open.
const MAX_WAITING: usize = 64;

#[derive(Clone)]
pub(super) struct WorkFolder {
    files: MmapDirectory,
    dir: PathBuf,
    unsynced: Arc<Mutex<Unsynced>>,
    /// The sums of the files of the last commit and of those that were written since.
    sums: Arc<Mutex<SumsByName>>,
    failure: Arc<OnceLock<(io::ErrorKind, String)>>,
}

/// Changes that are not durable yet.
#[derive(Default)]
struct Unsynced {
    files: Vec<(PathBuf, File)>,
    names: bool,
}

impl WorkFolder {
    /// Opens the folder `dir`, and removes the temporary files of a process that died.
    pub fn open(dir: &Path) -> Result<WorkFolder, IndexError> {
        let files = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        for name in names(dir)? {
            if name.starts_with(".tmp") || name == MANAGED {
                store::remove_file(&dir.join(name)).map_err(|error| IndexError::Io(error.source))?;
            }
        }
        let sums = match fs::read(dir.join(META)) {
            Ok(meta) => unsealed(&meta).map_err(IndexError::Damaged)?.unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => SumsByName::new(),
            Err(error) => return Err(error.into()),
        };
        let (dir, sums) = (dir.to_path_buf(), Arc::new(Mutex::new(sums)));
        Ok(WorkFolder { files, dir, unsynced: Arc::default(), sums, failure: Arc::default() })
    }

    /// Computes the sums of those of the files `names` that an older program has written. tantivy's checksum of a
    /// whole file, which `is_whole` compares, proves that they are as they were written.
    pub(crate) fn adopt(
        &self,
        names: impl IntoIterator<Item = PathBuf>,
        is_whole: impl Fn(&Path) -> Result<bool, IndexError>,
    ) -> Result<(), IndexError> {
        for name in names {
            let known = self.sums().contains_key(&*name.to_string_lossy());
            if known || !self.dir.join(&name).is_file() {
                continue;
            }
            if !is_whole(&name)? {
                return Err(IndexError::Damaged(format!("{}: its checksum is wrong", name.display())));
            }
            let sums = FileSums::of(&fs::read(self.dir.join(&name))?);
            self.sums().insert(name.to_string_lossy().into_owned(), Arc::new(sums));
        }
        Ok(())
    }

    /// The cause of `error`. If a write failed, that failure is the cause: the error may have passed many layers and
    /// threads of the library, some of which keep only a text.
    pub fn explain(&self, error: tantivy::TantivyError) -> IndexError {
        match self.failure.get() {
            Some((kind, text)) => IndexError::Io(io::Error::new(*kind, text.clone())),
            None => error.into(),
        }
    }

    /// Records the first failure of a write.
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            let _ = self.failure.set((error.kind(), error.to_string()));
        }
        result
    }

    fn sums(&self) -> MutexGuard<'_, SumsByName> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unsynced(&self) -> MutexGuard<'_, Unsynced> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn names(dir: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?;
    entries.filter_map(|entry| entry.map(|entry| entry.file_name().into_string().ok()).transpose()).collect()
}

/// Whether a file belongs to a segment: segments are named by 32 hexadecimal digits.
fn is_of_segment(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// A file of a segment that is being written.
struct SegmentFile {
    folder: WorkFolder,
    path: PathBuf,
    file: Option<File>,
    sums: SumsBuilder,
}

impl Write for SegmentFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let written = store::step(StoreStep::Write(&self.path)).and_then(|()| file.write(bytes));
        let written = self.folder.note(written)?;
        self.sums.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for SegmentFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let (sums, name) =
            (std::mem::take(&mut self.sums).finish(), self.path.file_name().unwrap_or_default());
        self.folder.sums().insert(name.to_string_lossy().into_owned(), Arc::new(sums));
        let mut unsynced = self.folder.unsynced();
        if unsynced.files.len() >= MAX_WAITING {
            return self.folder.note(store::sync_file(&file, &self.path));
        }
        unsynced.files.push((self.path.clone(), file));
        Ok(())
    }
}

/// tantivy's lock of the writer. Closing the file, as tantivy does, does not release the lock while a forked process that has not
/// begun its program shares the file.
struct WriterLock(File);

impl WriterLock {
    fn acquire(path: &Path) -> Result<WriterLock, LockError> {
        let file = Private::Write.open(path).map_err(LockError::wrap_io_error)?;
        match file.try_lock() {
            Ok(()) => Ok(WriterLock(file)),
            Err(TryLockError::WouldBlock) => Err(LockError::LockBusy),
            Err(TryLockError::Error(error)) => Err(LockError::wrap_io_error(error)),
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Directory for WorkFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let handle = self.files.get_file_handle(path)?;
        // Without sums are only files of an older program, until they are adopted.
        match self.sums().get(&*path.to_string_lossy()) {
            Some(sums) => Ok(Arc::new(CheckedFile::open(path, handle, sums, &[], Arc::default())?)),
            None => Ok(handle),
        }
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path != Path::new(MANAGED) {
            return self.files.atomic_read(path);
        }
        let mut names =
            names(&self.dir).map_err(|error| OpenReadError::wrap_io_error(error, path.to_path_buf()))?;
        // tantivy does not know derived files, so it would treat them as garbage.
        names.retain(|name| is_of_segment(name) && derived::segment_of(name).is_none());
        Ok(serde_json::to_vec(&names).expect("plain data"))
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        // The other lock makes garbage collection wait for readers of tantivy, which are not used.
        if lock.filepath == INDEX_WRITER_LOCK.filepath {
            // The lock file is created here, so that it is as private as the other files.
            Ok(DirectoryLock::from(Box::new(WriterLock::acquire(&self.dir.join(&lock.filepath))?)))
        } else {
            Ok(DirectoryLock::from(Box::new(())))
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.sums().remove(&*path.to_string_lossy());
        let path = self.dir.join(path);
        self.unsynced().files.retain(|(waiting, _)| *waiting != path);
        store::remove_file(&path).map_err(|error| match error.source.kind() {
            io::ErrorKind::NotFound => DeleteError::FileDoesNotExist(path.clone()),
            _ => DeleteError::IoError { io_error: Arc::new(error.source), filepath: path.clone() },
        })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let path = self.dir.join(path);
        let made = store::step(StoreStep::Create(&path)).and_then(|()| Private::New.open(&path));
        let file = made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.clone()),
            _ => OpenWriteError::wrap_io_error(error, path.clone()),
        })?;
        self.unsynced().names = true;
        Ok(BufWriter::new(Box::new(SegmentFile {
            folder: self.clone(),
            path,
            file: Some(file),
            sums: SumsBuilder::default(),
        })))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(MANAGED) {
            return Ok(());
        }
        let sealed = if path == Path::new(META) { sealed(data, &self.sums()) } else { data.to_vec() };
        self.note(store::replace(&self.dir.join(path), &[&sealed]).map_err(|error| error.source))
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut unsynced = self.unsynced();
        let folder = unsynced.names.then_some(&*self.dir);
        self.note(store::sync_all(&unsynced.files, folder.as_slice()))?;
        *unsynced = Unsynced::default();
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl std::fmt::Debug for WorkFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WorkFolder({:?})", self.dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_does_not_keep_the_lock_of_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = WriterLock::acquire(&path).unwrap();
        assert!(matches!(WriterLock::acquire(&path), Err(LockError::LockBusy)));
        let of_fork = lock.0.try_clone().unwrap();
        drop(lock);
        WriterLock::acquire(&path).unwrap();
        drop(of_fork);
    }
}
