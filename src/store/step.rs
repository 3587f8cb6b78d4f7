//! The one place through which every change of a workspace's files passes.
//!
//! What must survive a crash depends on the order in which files are created, written, synced, renamed and removed.
//! So each such step is told here just before it is done. In an ordinary build that is nothing; in unit tests an
//! observer may copy the folder as it is at that moment, or let the step fail (see `faults`).

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::{AtFile, FileError};

/// A change of a file or folder that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'p> {
    /// A file is created.
    Create(&'p Path),
    /// Bytes are added to it.
    Write(&'p Path),
    /// Its bytes are made durable.
    Sync(&'p Path),
    /// A file gets another name, whose file is replaced if there is one.
    Rename { from: &'p Path, to: &'p Path },
    /// A file is removed.
    Remove(&'p Path),
    /// The names in a folder are made durable.
    SyncFolder(&'p Path),
}

/// To be called before each step. An error means that the step must not be done and has failed.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn step(_: Step<'_>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(crate) use super::faults::step;

/// Makes the bytes of `file`, which is at `path`, durable.
pub(crate) fn sync_file(file: &File, path: &Path) -> io::Result<()> {
    step(Step::Sync(path))?;
    #[cfg(test)]
    if super::faults::is_unsynced(path) {
        return Ok(());
    }
    file.sync_all()
}

/// Makes the names in `folder` durable.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    step(Step::SyncFolder(folder)).at("sync", folder)?;
    #[cfg(test)]
    if super::faults::is_unsynced(folder) {
        return Ok(());
    }
    if cfg!(unix) {
        File::open(folder).and_then(|file| file.sync_all()).at("sync", folder)?;
    }
    Ok(())
}

/// Removes a file. That it is gone is durable when its folder is synced next.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    step(Step::Remove(path)).and_then(|()| fs::remove_file(path)).at("remove", path)
}

/// Gives a file or folder another name. Durable when the folders are synced next.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    step(Step::Rename { from, to }).and_then(|()| fs::rename(from, to)).at("move", from)
}
