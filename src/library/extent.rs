//! How many entries and bytes the tree of a commit has, counted before anything is written.
//!
//! Eleven objects can hold ten thousand million files, if each folder has ten entries of one subtree, and five objects can hold
//! files of many gigabytes. So the sums of a folder are made once for each object, and not once for each place of the tree.

use std::io;

use rustc_hash::FxHashMap;

use super::error::LibraryError;
use super::unpack::{TreeWriter, UnpackFault};
use spyhop_base::path::RelPath;
use spyhop_files::git::CommitTree;
use spyhop_files::tree::{BlobId, Tree, TreeKind};

/// The most folders within each other.
const MAX_DEPTH: usize = 512;

/// The sums of a folder, with everything below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FolderExtent {
    entries: u64,
    bytes: u64,
    /// The folders within each other.
    depth: usize,
}

/// The count so far.
struct ExtentCount<'a> {
    tree: &'a CommitTree,
    writer: &'a TreeWriter<'a>,
    folders: FxHashMap<BlobId, FolderExtent>,
    files: FxHashMap<BlobId, u64>,
    /// The entries of all folders, each folder once.
    entries: u64,
}

/// Fails if the tree is above the limits of the writer, and tells the writer its size.
pub(super) fn check(tree: &CommitTree, writer: &mut TreeWriter<'_>) -> Result<(), LibraryError> {
    let mut count =
        ExtentCount { tree, writer, folders: FxHashMap::default(), files: FxHashMap::default(), entries: 0 };
    let extent = count.folder(tree.prefix(), 0)?;
    // Each object once: a repository that has one object at very many places is not a repository of sources.
    let distinct = count.files.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    writer.limit_by(distinct);
    let limits = [
        ("entries", extent.entries, writer.limits().entries as u64),
        ("bytes of files", extent.bytes, writer.most()),
        ("folders within each other", extent.depth as u64, MAX_DEPTH as u64),
    ];
    for (what, found, limit) in limits {
        if found > limit {
            return Err(above(writer, what, found, false, limit));
        }
    }
    writer.expect(extent.bytes);
    Ok(())
}

fn above(
    writer: &TreeWriter<'_>,
    what: &'static str,
    found: u64,
    is_lower_bound: bool,
    limit: u64,
) -> LibraryError {
    writer.error_of_all(UnpackFault::Extent { what, found, is_lower_bound, limit }).into()
}

impl ExtentCount<'_> {
    /// The sums of the folder at a path of the repository, `depth` folders below the top.
    fn folder(&mut self, path: &RelPath, depth: usize) -> Result<FolderExtent, LibraryError> {
        if depth > MAX_DEPTH {
            return Err(above(
                self.writer,
                "folders within each other",
                depth as u64,
                true,
                MAX_DEPTH as u64,
            ));
        }
        let listed = self.tree.list(path).map_err(|error| self.damaged(path, &error))?;
        let mut extent = FolderExtent { entries: listed.entries().len() as u64, ..FolderExtent::default() };
        self.entries += extent.entries;
        let limit = self.writer.limits().entries as u64;
        if self.entries > limit {
            return Err(above(self.writer, "entries", self.entries, true, limit));
        }
        for entry in listed.entries() {
            match entry.kind {
                TreeKind::Folder => {
                    // A folder whose name is not UTF-8 is left out.
                    let Some(name) = entry.name.to_str() else { continue };
                    let below = match self.folders.get(&entry.id) {
                        Some(below) => *below,
                        None => {
                            let below = self.folder(&path.join(name), depth + 1)?;
                            self.folders.insert(entry.id, below);
                            below
                        }
                    };
                    extent.entries = extent.entries.saturating_add(below.entries);
                    extent.bytes = extent.bytes.saturating_add(below.bytes);
                    extent.depth = extent.depth.max(below.depth + 1);
                }
                TreeKind::File => {
                    let bytes = match self.files.get(&entry.id) {
                        Some(bytes) => *bytes,
                        None => {
                            let bytes = self.tree.size(entry).map_err(|error| self.damaged(path, &error))?;
                            // Larger files are left out.
                            let is_written = bytes <= self.writer.limits().file_bytes;
                            let bytes = if is_written { bytes } else { 0 };
                            self.files.insert(entry.id, bytes);
                            bytes
                        }
                    };
                    extent.bytes = extent.bytes.saturating_add(bytes);
                }
                TreeKind::Link | TreeKind::Submodule => {}
            }
        }
        Ok(extent)
    }

    fn damaged(&self, path: &RelPath, error: &io::Error) -> LibraryError {
        self.writer.error(path.as_str().as_bytes(), UnpackFault::Damaged(error.to_string())).into()
    }
}
