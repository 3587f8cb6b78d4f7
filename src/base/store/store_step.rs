//! The kinds of steps in which a workspace's files change.

use std::path::Path;

/// A change of a file or folder that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreStep<'p> {
    /// A file is created.
    Create(&'p Path),
    /// Bytes are appended to a file.
    Write(&'p Path),
    /// The bytes of a file are made durable.
    Sync(&'p Path),
    /// A file gets another name and replaces the file with that name, if there is one.
    Rename { from: &'p Path, to: &'p Path },
    /// A file is removed.
    Remove(&'p Path),
    /// The names in a folder are made durable.
    SyncFolder(&'p Path),
}

#[cfg(any(test, feature = "testing"))]
impl StoreStep<'_> {
    /// The file or folder that the step changes.
    pub fn path(&self) -> &Path {
        match self {
            StoreStep::Create(path) | StoreStep::Write(path) | StoreStep::Sync(path) => path,
            StoreStep::Remove(path) | StoreStep::SyncFolder(path) => path,
            StoreStep::Rename { to, .. } => to,
        }
    }
}
