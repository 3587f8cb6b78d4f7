//! A source with a layer of changes, as the walk and the reader take it.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::layer::Layer;
use super::source_tree::{SourceEntry, SourceEntryKind, SourceTree};
use crate::tree::{BlobId, Tree, TreeEntry, TreeFolder, TreeKind};
use spyhop_base::path::RelPath;

/// A source with a layer of changes at one moment. Listed folders are cached.
pub struct HostedTree {
    source: Arc<dyn SourceTree>,
    layer: Arc<Layer>,
    top: RelPath,
    folders: RwLock<FxHashMap<RelPath, Arc<TreeFolder>>>,
    /// The path and the size of each listed file, by its id.
    files: RwLock<FxHashMap<BlobId, (String, u64)>>,
}

impl HostedTree {
    pub fn new(source: Arc<dyn SourceTree>, layer: Arc<Layer>) -> HostedTree {
        HostedTree {
            source,
            layer,
            top: RelPath::root(),
            folders: RwLock::default(),
            files: RwLock::default(),
        }
    }

    fn entries(&self, folder: &RelPath) -> io::Result<Vec<SourceEntry>> {
        let folder = folder.as_str();
        let below = match self.layer.hides(folder) {
            true => Err(io::ErrorKind::NotFound.into()),
            false => self.source.list(folder),
        };
        let mut entries = match below {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) && (folder.is_empty() || self.layer.has_folder(folder)) => {
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        self.layer.apply(folder, &mut entries);
        Ok(entries)
    }

    fn file(&self, id: BlobId) -> io::Result<(String, u64)> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.get(&id).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The id of a file in a tree. The path is part of it, because a source may count versions by file.
fn blob_id(folder: &RelPath, entry: &SourceEntry) -> BlobId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(folder.as_str().as_bytes()).update(b"/").update(entry.name.as_encoded_bytes());
    hasher.update(b"\0").update(&entry.id.0);
    let mut id = [0; 20];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..20]);
    BlobId(id)
}

impl Tree for HostedTree {
    fn prefix(&self) -> &RelPath {
        &self.top
    }

    fn list(&self, folder: &RelPath) -> io::Result<Arc<TreeFolder>> {
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let entries = self.entries(folder)?;
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let entries = entries.into_iter().map(|entry| {
            let kind = match entry.kind {
                SourceEntryKind::File => TreeKind::File,
                SourceEntryKind::Folder => TreeKind::Folder,
                SourceEntryKind::Link => TreeKind::Link,
                SourceEntryKind::Submodule => TreeKind::Submodule,
            };
            let id = blob_id(folder, &entry);
            if matches!(kind, TreeKind::File | TreeKind::Link)
                && let Some(name) = entry.name.to_str()
            {
                files.insert(id, (folder.join(name).to_string(), entry.size));
            }
            TreeEntry { name: entry.name, kind, id }
        });
        let listed = Arc::new(TreeFolder::new(entries.collect()));
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.insert(folder.clone(), Arc::clone(&listed));
        Ok(listed)
    }

    fn size(&self, entry: &TreeEntry) -> io::Result<u64> {
        Ok(self.file(entry.id)?.1)
    }

    fn read(&self, entry: &TreeEntry) -> io::Result<Vec<u8>> {
        let (path, _) = self.file(entry.id)?;
        match self.layer.bytes(&path) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => self.source.read(&path),
        }
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn is_fixed(&self) -> bool {
        // The source may give other bytes than those of the listed id: its host can change a file at any time, also
        // between the question for the version and the read.
        false
    }
}
