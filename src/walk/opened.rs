//! An open directory: of the file system, or of a tree that is not in the file system.
//!
//! A walk reads directories only through this module, so both kinds are judged by the same rules.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::{Entry, Failure, Folder, Kind, Listed};
use super::{Stat, rules};
use crate::path::{RelPath, as_part};
use crate::tree::{BlobId, Refused, Tree, TreeFolder, TreeKind};

/// A directory.
pub(super) enum Opened<'a> {
    Folder(Folder),
    Tree(OfTree<'a>),
}

/// A folder of a [`Tree`].
pub(super) struct OfTree<'a> {
    tree: &'a dyn Tree,
    folder: Arc<TreeFolder>,
}

/// The longest link target that is read; no system follows a longer one.
const MAX_TARGET_BYTES: u64 = 4096;

/// The bit that marks a blob's [`Stat`] in its inode: no system has inodes so high, and the bit for wanted content
/// differs.
const BLOB: u64 = 1 << 62;

impl Stat {
    /// Stat data for a file that is not in the file system: the id of its content takes the place of times and inode.
    pub fn of_blob(size: u64, BlobId(id): BlobId) -> Stat {
        let part = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| id[at + byte]));
        let rest = u32::from_le_bytes(std::array::from_fn(|byte| id[16 + byte]));
        Stat {
            size,
            mtime_ns: part(0).cast_signed(),
            ctime_ns: part(8).cast_signed(),
            inode: u64::from(rest) | BLOB,
        }
    }

    /// Whether the stat data were made from a blob.
    pub fn is_of_blob(&self) -> bool {
        self.inode & BLOB != 0
    }
}

impl<'a> Opened<'a> {
    /// The folder at `path`, which is relative to the top of `tree`.
    pub fn of(tree: &'a dyn Tree, path: &RelPath) -> io::Result<Opened<'a>> {
        Ok(Opened::Tree(OfTree { tree, folder: tree.list(path)? }))
    }

    pub fn list(&self) -> io::Result<(Listed, Vec<Failure>)> {
        match self {
            Opened::Folder(folder) => folder.list(),
            Opened::Tree(OfTree { folder, .. }) => {
                let kind = |kind: TreeKind| match kind {
                    TreeKind::File => Kind::File,
                    TreeKind::Folder => Kind::Dir,
                    TreeKind::Link => Kind::Link,
                    TreeKind::Submodule => Kind::Special("submodule"),
                };
                let entries = folder.entries().iter().map(|entry| (&*entry.name, kind(entry.kind)));
                Ok((Listed::of(entries), folder.refused().iter().map(refusal).collect()))
            }
        }
    }

    pub fn stat(&self, listed: &Listed, entry: &Entry) -> io::Result<Stat> {
        match self {
            Opened::Folder(folder) => folder.stat(listed, entry),
            Opened::Tree(of) => {
                let (found, size) = of.folder.sized(listed.exact_name(entry).as_encoded_bytes(), of.tree)?;
                Ok(Stat::of_blob(size, found.id))
            }
        }
    }

    pub fn read_link(&self, name: &str) -> io::Result<PathBuf> {
        match self {
            Opened::Folder(folder) => folder.read_link(name),
            Opened::Tree(of) => {
                let link = of.folder.entry(name.as_bytes())?;
                let bytes = of.tree.size(link)?;
                if bytes > MAX_TARGET_BYTES {
                    return Err(io::Error::other(format!("its target has {bytes} bytes")));
                }
                let target = of.tree.read(link)?;
                Ok(String::from_utf8_lossy(&target).into_owned().into())
            }
        }
    }
}

/// The row of an entry whose name is not allowed in a path: the row has an allowed name, and its detail the exact one.
fn refusal(Refused { name, fault }: &Refused) -> Failure {
    let row = as_part(&name.to_string_lossy()).into_owned();
    (Some(row), io::Error::other(format!("its name {name:?} {fault}")))
}

/// The bytes of a file of a tree, if it is not larger than an ignore file may be. `folder` is relative to the tree's
/// top.
pub(super) fn small_file(tree: &dyn Tree, folder: &RelPath, name: &str) -> io::Result<Vec<u8>> {
    let entry = tree.find(&folder.join(name))?;
    rules::check_size(tree.size(&entry)?)?;
    tree.read(&entry)
}
