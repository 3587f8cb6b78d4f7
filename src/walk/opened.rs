//! A directory that is open: one of the system, or one of a tree that lies in no folder.
//!
//! Everything that a walk asks of a directory it asks here, so both kinds are judged by the same rules.

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

/// A folder of a tree.
pub(super) struct OfTree<'a> {
    tree: &'a dyn Tree,
    folder: Arc<TreeFolder>,
}

/// The longest target of a link that is read; no system follows a longer one.
const MAX_TARGET_BYTES: u64 = 4096;

/// In the inode of a blob's [`Stat`]: none of the system is so high, nor has the bit that says what is wanted.
const BLOB: u64 = 1 << 62;

impl Stat {
    /// What stands for the stat of a file that lies in no folder: its content's name takes the place of times and inode.
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

    /// Whether it was made so.
    pub fn is_of_blob(&self) -> bool {
        self.inode & BLOB != 0
    }
}

impl<'a> Opened<'a> {
    /// The folder at `path`, counted from the top of `tree`.
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

/// The row of an entry whose name cannot be taken: under a name that can, with the exact one in its detail.
fn refusal(Refused { name, fault }: &Refused) -> Failure {
    let row = as_part(&name.to_string_lossy()).into_owned();
    (Some(row), io::Error::other(format!("its name {name:?} {fault}")))
}

/// The bytes of a file of a tree that is as small as ignore files are, `folder` counted from its top.
pub(super) fn small_file(tree: &dyn Tree, folder: &RelPath, name: &str) -> io::Result<Vec<u8>> {
    let entry = tree.find(&folder.join(name))?;
    rules::check_size(tree.size(&entry)?)?;
    tree.read(&entry)
}
