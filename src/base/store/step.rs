//! Steps: every change of a workspace's files is announced here.
//!
//! Surviving a crash depends on the order in which files are created, written, synced, renamed and removed. So each
//! such step is announced just before it is done. In an ordinary build the announcement does nothing; in unit tests an
//! observer may copy the folder as it is at that moment, or make the step fail (see `faults`).

use std::fs::{self, File};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::file_error::{AtFile, FileError};
use super::store_step::StoreStep;
use crate::threads;

/// Announces a step that is about to be done. An error means that the step must not be done and has failed.
#[cfg(not(any(test, feature = "testing")))]
#[inline(always)]
pub fn step(_: StoreStep<'_>) -> io::Result<()> {
    Ok(())
}

#[cfg(any(test, feature = "testing"))]
pub use super::faults::step;

/// Makes the bytes of `file`, which is at `path`, durable.
pub fn sync_file(file: &File, path: &Path) -> io::Result<()> {
    step(StoreStep::Sync(path))?;
    #[cfg(any(test, feature = "testing"))]
    if super::faults::is_unsynced(path) {
        return Ok(());
    }
    file.sync_all()
}

/// How many files are synced concurrently. Each sync waits for the file system's journal, and concurrent syncs wait for
/// the same write of the journal.
const SYNCS: usize = 16;

/// Makes the bytes of `files`, each with its path, and the names in `folders` durable, in no particular order.
pub fn sync_all(files: &[(PathBuf, File)], folders: &[&Path]) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let sync = || {
        loop {
            let place = next.fetch_add(1, Relaxed);
            match (files.get(place), folders.get(place.saturating_sub(files.len()))) {
                (Some((path, file)), _) => sync_file(file, path)?,
                (None, Some(folder)) => sync_folder(folder).map_err(|error| error.source)?,
                (None, None) => return Ok(()),
            }
        }
    };
    let wanted = (files.len() + folders.len()).min(SYNCS);
    thread::scope(|scope| {
        // If no thread can be started, the running ones do its share.
        let helpers: Vec<_> = (1..wanted)
            .map_while(|_| {
                let thread = thread::Builder::new().name("sync".into());
                threads::for_call(scope, thread, sync).ok()
            })
            .collect();
        let first = sync();
        let all =
            helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        all.fold(first, |result: io::Result<()>, next| result.and(next))
    })
}

/// Makes the names in `folder` durable.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    step(StoreStep::SyncFolder(folder)).at("sync", folder)?;
    #[cfg(any(test, feature = "testing"))]
    if super::faults::is_unsynced(folder) {
        return Ok(());
    }
    if cfg!(unix) {
        File::open(folder).and_then(|file| file.sync_all()).at("sync", folder)?;
    }
    Ok(())
}

/// Makes all files and names below `folder`, a new tree of many files, durable.
pub fn sync_below(folder: &Path) -> io::Result<()> {
    step(StoreStep::SyncFolder(folder))?;
    #[cfg(any(test, feature = "testing"))]
    if super::faults::is_unsynced(folder) {
        return Ok(());
    }
    sync_files_below(folder)
}

/// One sync of the file system instead of one for each file, each of which waits for the journal.
#[cfg(target_os = "linux")]
fn sync_files_below(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_files_below(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => sync_files_below(&entry.path())?,
            kind if kind.is_file() => File::open(entry.path())?.sync_all()?,
            _ => {}
        }
    }
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes a file. The removal is durable after the next sync of the folder.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    step(StoreStep::Remove(path)).and_then(|()| fs::remove_file(path)).at("remove", path)
}

/// Renames a file or folder. The rename is durable after the next sync of the folders.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    step(StoreStep::Rename { from, to }).and_then(|()| fs::rename(from, to)).at("move", from)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::faults;
    use super::*;

    #[test]
    fn all_are_synced_once_and_one_that_fails_keeps_none_of_the_others_from_it() {
        let dir = tempfile::tempdir().unwrap();
        let made = (0..40).map(|number| dir.path().join(number.to_string()));
        let files: Vec<_> = made.map(|path| (path.clone(), File::create(path).unwrap())).collect();
        let seen: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        let (to, bad) = (seen.clone(), files[7].0.clone());
        let _guard = faults::observe(dir.path(), move |step| {
            if let StoreStep::Sync(path) | StoreStep::SyncFolder(path) = step {
                to.lock().unwrap().push(path.to_path_buf());
                return if *path == bad { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
            }
            Ok(())
        });
        let error = sync_all(&files, &[dir.path()]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        seen.sort();
        let mut wanted: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
        wanted.push(dir.path().to_path_buf());
        wanted.sort();
        // The thread that met the failure ends; the other threads do its share.
        assert_eq!(seen, wanted);
    }
}
