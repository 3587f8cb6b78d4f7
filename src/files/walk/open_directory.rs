//! An open directory: of the file system, or of a tree that is not in the file system.
//!
//! A walk reads directories only through this module, so both kinds are judged by the same rules.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::claim;
use super::folder::{Entry, EntryFailure, Folder, FolderListing, ListedKind};
use super::stat::FileIdentity;
use crate::tree::{Refused, Tree, TreeFolder, TreeKind};
use spyhop_base::path::{RelPath, as_part};

pub(super) enum OpenDirectory<'a> {
    Folder(Folder),
    Tree(DirectoryOfTree<'a>),
}

/// A folder of a [`Tree`].
pub(super) struct DirectoryOfTree<'a> {
    tree: &'a dyn Tree,
    folder: Arc<TreeFolder>,
}

/// The longest link target that is read; no system follows a longer one.
const MAX_TARGET_BYTES: u64 = 4096;

impl<'a> OpenDirectory<'a> {
    /// The folder at `path`, which is relative to the top of `tree`.
    pub fn of(tree: &'a dyn Tree, path: &RelPath) -> io::Result<OpenDirectory<'a>> {
        Ok(OpenDirectory::Tree(DirectoryOfTree { tree, folder: tree.list(path)? }))
    }

    /// The number of the file system of the folder, where the system tells.
    pub fn device(&self) -> Option<u64> {
        match self {
            OpenDirectory::Folder(folder) => folder.device(),
            OpenDirectory::Tree(_) => None,
        }
    }

    /// Whether the user of this process owns the folder.
    pub fn is_of_this_user(&self) -> bool {
        match self {
            OpenDirectory::Folder(folder) => claim::is_of_this_user(folder.owner()),
            OpenDirectory::Tree(_) => false,
        }
    }

    pub fn list(&self) -> io::Result<(FolderListing, Vec<EntryFailure>)> {
        match self {
            OpenDirectory::Folder(folder) => folder.list(),
            OpenDirectory::Tree(DirectoryOfTree { folder, .. }) => {
                let kind = |kind: TreeKind| match kind {
                    TreeKind::File => ListedKind::File,
                    TreeKind::Folder => ListedKind::Dir,
                    TreeKind::Link => ListedKind::Link,
                    TreeKind::Submodule => ListedKind::Special("submodule"),
                };
                let entries = folder.entries().iter().map(|entry| (&*entry.name, kind(entry.kind)));
                Ok((FolderListing::of(entries), folder.refused().iter().map(refusal).collect()))
            }
        }
    }

    pub fn identity(&self, listed: &FolderListing, entry: &Entry) -> io::Result<FileIdentity> {
        match self {
            OpenDirectory::Folder(folder) => folder.stat(listed, entry).map(FileIdentity::Stat),
            OpenDirectory::Tree(of) => {
                let (found, size) = of.folder.sized(listed.exact_name(entry).as_encoded_bytes(), of.tree)?;
                Ok(FileIdentity::Blob { size, id: found.id })
            }
        }
    }

    pub fn read_link(&self, name: &str) -> io::Result<PathBuf> {
        match self {
            OpenDirectory::Folder(folder) => folder.read_link(name),
            OpenDirectory::Tree(of) => {
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
fn refusal(Refused { name, fault }: &Refused) -> EntryFailure {
    let row = as_part(&name.to_string_lossy()).into_owned();
    (Some(row), io::Error::other(format!("its name {name:?} {fault}")))
}
