//! A tree of files in memory.

use std::io;
use std::sync::Arc;

use super::layer::Layer;
use super::source_tree::{SourceEntry, SourceTree};
use spyhop_base::path::{PathError, RelPath};

/// A tree of files in memory.
#[derive(Clone, Default)]
pub struct MemoryTree {
    layer: Layer,
    version: u64,
}

impl MemoryTree {
    /// An empty tree.
    pub fn new() -> MemoryTree {
        MemoryTree::default()
    }

    /// A tree of these files: the path and the bytes of each.
    ///
    /// # Errors
    /// As for [`MemoryTree::insert`].
    pub fn of<P: AsRef<str>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Result<MemoryTree, PathError> {
        let mut tree = MemoryTree::new();
        for (path, bytes) in files {
            tree.insert(path.as_ref(), bytes)?;
        }
        Ok(tree)
    }

    /// Adds a file, or replaces the file at this path. The folders above need not exist.
    ///
    /// # Errors
    /// The path is absolute or leaves the root.
    pub fn insert(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), PathError> {
        self.layer.write(&RelPath::new(path)?, bytes.into().into());
        self.version += 1;
        Ok(())
    }

    /// Removes a file, or a folder with all its files. Nothing happens if there is none.
    ///
    /// # Errors
    /// The path is absolute or leaves the root.
    pub fn remove(&mut self, path: &str) -> Result<(), PathError> {
        self.layer.restore(&RelPath::new(path)?);
        self.version += 1;
        Ok(())
    }

    /// The bytes of a file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.layer.bytes(path).map(|bytes| &**bytes)
    }
}

impl SourceTree for MemoryTree {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        if !folder.is_empty() && !self.layer.has_folder(folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let mut entries = Vec::new();
        self.layer.apply(folder, &mut entries);
        Ok(entries)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let bytes: Option<&Arc<[u8]>> = self.layer.bytes(path);
        bytes.map(|bytes| bytes.to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn version(&self) -> Option<u64> {
        Some(self.version)
    }
}
