//! A tree of files that is not in the file system, such as that of a commit: the interface for the walk and the reader.
//!
//! This module lies low in the dependency order, so that [`crate::git`] can provide what [`crate::walk`] and
//! [`crate::read`] use, without any of the three depending on another. All paths here are relative to the tree's top,
//! which may lie above the root that is searched.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use spyhop_base::path::{RelPath, part_fault};

/// A tree of files. Its list of files never changes; the bytes of a file do only if [`Tree::is_fixed`] is false.
pub trait Tree: Send + Sync {
    /// The path from the top to the root.
    fn prefix(&self) -> &RelPath;

    /// The entries of a folder. `NotFound` if there is no such folder.
    fn list(&self, folder: &RelPath) -> io::Result<Arc<TreeFolder>>;

    /// The size of an entry in bytes.
    fn size(&self, entry: &TreeEntry) -> io::Result<u64>;

    /// The bytes of a file, or the target of a link.
    fn read(&self, entry: &TreeEntry) -> io::Result<Vec<u8>>;

    /// The entry at a path; `NotFound` if there is none.
    fn find(&self, path: &RelPath) -> io::Result<TreeEntry> {
        let folder = RelPath::new(path.parent().unwrap_or("")).map_err(io::Error::other)?;
        self.list(&folder)?.entry(path.file_name().as_bytes()).cloned()
    }

    /// Whether rules from outside the tree do not apply, such as those of folders above the root.
    fn is_alone(&self) -> bool {
        false
    }

    /// Whether the bytes of a file can never differ from those that its id means.
    fn is_fixed(&self) -> bool {
        true
    }

    /// The path, relative to the top, of the entry at `rel` below the root.
    fn path_in_repository(&self, rel: &RelPath) -> RelPath {
        below(self.prefix(), rel)
    }
}

pub fn below(folder: &RelPath, rel: &RelPath) -> RelPath {
    let parts = rel.as_str().split('/').filter(|part| !part.is_empty());
    parts.fold(folder.clone(), |path, part| path.join(part))
}

/// The entries of a folder.
#[derive(Debug)]
pub struct TreeFolder {
    entries: Vec<TreeEntry>,
    refused: Vec<Refused>,
    /// The size of each entry, or [`UNKNOWN`]. A folder may occur at many places of a tree, and looking up a size takes
    /// longer than everything else that a walk does with a file.
    sizes: Box<[AtomicU64]>,
}

/// A size that has not been looked up yet.
const UNKNOWN: u64 = u64::MAX;

/// An entry whose name is not allowed, which no folder of the file system has. Nothing below it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub name: OsString,
    /// The fault of the name, as the end of a sentence that begins with the name.
    pub fault: &'static str,
}

impl TreeFolder {
    /// A folder of these entries, in any order. Of entries with the same name the first is kept.
    pub fn new(mut all: Vec<TreeEntry>) -> TreeFolder {
        all.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        let (mut entries, mut refused) = (Vec::<TreeEntry>::with_capacity(all.len()), Vec::new());
        for entry in all {
            let name = entry.name.as_encoded_bytes();
            let is_git = name.eq_ignore_ascii_case(b".git");
            let is_again = entries.last().is_some_and(|last| last.name == entry.name);
            let fault = part_fault(name)
                .or(is_git.then_some("is reserved for git's own folder"))
                .or(is_again.then_some("stands twice in its folder"));
            match fault {
                None => entries.push(entry),
                Some(fault) => refused.push(Refused { name: entry.name, fault }),
            }
        }
        let sizes = entries.iter().map(|_| AtomicU64::new(UNKNOWN)).collect();
        TreeFolder { entries, refused, sizes }
    }

    /// The entries with allowed names, sorted by the bytes of their names, each name once.
    pub fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }

    /// The entries whose names are not allowed.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The entry of this name; `NotFound` if there is none.
    pub fn entry(&self, name: &[u8]) -> io::Result<&TreeEntry> {
        self.place(name).map(|place| &self.entries[place])
    }

    /// The entry of this name and its size, which is looked up in `tree` once.
    pub fn sized(&self, name: &[u8], tree: &dyn Tree) -> io::Result<(&TreeEntry, u64)> {
        let place = self.place(name)?;
        let entry = &self.entries[place];
        let known = self.sizes[place].load(Relaxed);
        if known != UNKNOWN {
            return Ok((entry, known));
        }
        let size = tree.size(entry)?;
        self.sizes[place].store(size, Relaxed);
        Ok((entry, size))
    }

    fn place(&self, name: &[u8]) -> io::Result<usize> {
        let place = self.entries.binary_search_by(|entry| entry.name.as_encoded_bytes().cmp(name));
        place.map_err(|_| io::ErrorKind::NotFound.into())
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    pub name: OsString,
    pub kind: TreeKind,
    pub id: BlobId,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    File,
    Folder,
    Link,
    /// A submodule, of which the tree contains only the id of a commit.
    Submodule,
}

/// The id that git gives to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobId(pub [u8; 20]);

impl std::fmt::Display for BlobId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
