//! The source of a root's files: a folder, or a tree that is not in the file system.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::encoding::TextEncoding;
use super::judge::judged;
use super::limits::Limits;
use super::open::{Content, content, regular};
use super::outcome::{ReadOutcome, SkipDetail};
use crate::confined::RootFolder;
use crate::tree::{Tree, TreeEntry, TreeKind};
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;

/// The source of a root's files. Cloning is cheap.
#[derive(Clone)]
pub enum TreeSource {
    Folder(RootFolder),
    /// A tree such as that of a commit.
    Tree(Arc<dyn Tree>),
}

impl TreeSource {
    /// Reads the file at `path`, which must be a regular file.
    pub fn read(&self, path: &RelPath, limits: &Limits) -> ReadOutcome {
        let content = match self {
            TreeSource::Folder(root) => content(root, path, limits.max_file_bytes),
            TreeSource::Tree(tree) => of_tree(&**tree, path, limits.max_file_bytes),
        };
        judged(content, Path::new(path.as_str()), limits)
    }

    /// The folder, unless the source is a tree.
    pub fn folder(&self) -> Option<&RootFolder> {
        match self {
            TreeSource::Folder(root) => Some(root),
            TreeSource::Tree(_) => None,
        }
    }

    /// Opens the regular file at `path` in the folder. Returns the file and its length.
    ///
    /// # Errors
    /// That of the system; `Unsupported` for a tree.
    pub fn open(&self, path: &RelPath) -> io::Result<(File, u64)> {
        match self {
            TreeSource::Folder(root) => regular(root.open(path)?),
            TreeSource::Tree(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The tree, unless the source is a folder.
    pub fn tree(&self) -> Option<&dyn Tree> {
        match self {
            TreeSource::Folder(_) => None,
            TreeSource::Tree(tree) => Some(&**tree),
        }
    }
}

/// The regular file at `path` below the root of `tree`.
pub fn entry_of(tree: &dyn Tree, path: &RelPath) -> io::Result<TreeEntry> {
    let entry = tree.find(&tree.path_in_repository(path))?;
    match entry.kind {
        TreeKind::File => Ok(entry),
        _ => Err(io::Error::other("it is not a regular file")),
    }
}

fn of_tree(tree: &dyn Tree, path: &RelPath, max: u64) -> Result<Content, SkipDetail> {
    let unreadable = |error: io::Error| (SkipReason::Unreadable, error.to_string());
    let entry = entry_of(tree, path).map_err(unreadable)?;
    let size = tree.size(&entry).map_err(unreadable)?;
    if size > max {
        return Ok(Content::TooLarge(size));
    }
    let bytes = tree.read(&entry).map_err(unreadable)?;
    TextEncoding::of(&bytes)?;
    Ok(Content::Bytes(bytes))
}
