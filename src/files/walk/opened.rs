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

/// A directory.
pub(super) enum OpenedEntry<'a> {
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

impl<'a> OpenedEntry<'a> {
    /// The folder at `path`, which is relative to the top of `tree`.
    pub fn of(tree: &'a dyn Tree, path: &RelPath) -> io::Result<OpenedEntry<'a>> {
        Ok(OpenedEntry::Tree(OfTree { tree, folder: tree.list(path)? }))
    }

    /// The number of the file system of the folder, where the system tells.
    pub fn device(&self) -> Option<u64> {
        match self {
            OpenedEntry::Folder(folder) => folder.device(),
            OpenedEntry::Tree(_) => None,
        }
    }

    /// Whether the user of this process owns the folder.
    pub fn is_own(&self) -> bool {
        match self {
            OpenedEntry::Folder(folder) => claim::is_own(folder.owner()),
            OpenedEntry::Tree(_) => false,
        }
    }

    pub fn list(&self) -> io::Result<(FolderListing, Vec<EntryFailure>)> {
        match self {
            OpenedEntry::Folder(folder) => folder.list(),
            OpenedEntry::Tree(OfTree { folder, .. }) => {
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
            OpenedEntry::Folder(folder) => folder.stat(listed, entry).map(FileIdentity::Stat),
            OpenedEntry::Tree(of) => {
                let (found, size) = of.folder.sized(listed.exact_name(entry).as_encoded_bytes(), of.tree)?;
                Ok(FileIdentity::Blob { size, id: found.id })
            }
        }
    }

    pub fn read_link(&self, name: &str) -> io::Result<PathBuf> {
        match self {
            OpenedEntry::Folder(folder) => folder.read_link(name),
            OpenedEntry::Tree(of) => {
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
