//! A tree of files that lies in no folder of the system, such as that of a commit: what a walk and a reader need of one.
//!
//! It stands this low so that [`crate::git`] can provide what [`crate::walk`] and [`crate::read`] use, without any of
//! the three knowing another. All paths here are counted from the tree's top, which may lie above the root that is
//! searched.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use crate::path::RelPath;

/// A tree whose files never change.
pub trait Tree: Send + Sync {
    /// The way from the top to the root.
    fn prefix(&self) -> &RelPath;

    /// The entries of a folder, sorted by the bytes of their names. `NotFound` where there is no such folder.
    fn list(&self, folder: &RelPath) -> io::Result<Arc<[TreeEntry]>>;

    /// How many bytes an entry has.
    fn size(&self, entry: &TreeEntry) -> io::Result<u64>;

    /// The bytes of a file, or what a link says.
    fn read(&self, entry: &TreeEntry) -> io::Result<Vec<u8>>;

    /// The entry at a path; `NotFound` where there is none.
    fn find(&self, path: &RelPath) -> io::Result<TreeEntry> {
        let folder = RelPath::new(path.parent().unwrap_or("")).map_err(io::Error::other)?;
        let entries = self.list(&folder)?;
        let found = entries
            .binary_search_by(|entry| entry.name.as_encoded_bytes().cmp(path.file_name().as_bytes()))
            .map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(entries[found].clone())
    }

    /// The path from the top of what lies at `rel` below the root.
    fn from_top(&self, rel: &RelPath) -> RelPath {
        below(self.prefix(), rel)
    }
}

/// What lies at `rel` below `folder`.
pub fn below(folder: &RelPath, rel: &RelPath) -> RelPath {
    let parts = rel.as_str().split('/').filter(|part| !part.is_empty());
    parts.fold(folder.clone(), |path, part| path.join(part))
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its name.
    pub name: OsString,
    /// What it is.
    pub kind: TreeKind,
    /// What tells its content from any other.
    pub id: BlobId,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Another repository, of which the tree has no more than the name of a commit.
    Submodule,
}

/// The name that git gives to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobId(pub [u8; 20]);

impl std::fmt::Display for BlobId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
