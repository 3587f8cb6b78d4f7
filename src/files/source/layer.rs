//! A layer of files in memory, which may lie over another source: written files, and entries that are removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::content_id::ContentId;
use super::source_tree::SourceEntry;
use spyhop_base::path::{RelPath, split};

/// A layer. Cloning takes time by the number of folders in it, not of files.
#[derive(Clone, Default)]
pub struct Layer {
    /// The nodes of each folder, by their names.
    folders: FxHashMap<String, Arc<BTreeMap<String, LayerNode>>>,
}

/// A folder that a change has brought into a layer, or taken out of the layer.
#[derive(Clone)]
pub struct LayerFolder {
    pub path: RelPath,
    /// Whether the layer had a file at the path, or had removed the path. If not, the source below tells whether the
    /// folder has taken the place of something else.
    pub hid_source: bool,
}

/// An entry of a folder in a layer.
#[derive(Clone)]
enum LayerNode {
    File {
        bytes: Arc<[u8]>,
        id: ContentId,
    },
    /// A folder. The flag says that what the source below has there is hidden.
    Folder(bool),
    /// The entry of the source below is hidden.
    Removed,
}

impl Layer {
    /// Writes a file. A folder at the path vanishes, as does a file at the path of a folder above. Returns the folders
    /// above that the layer did not have, from the top down.
    pub fn write(&mut self, path: &RelPath, bytes: Arc<[u8]>) -> Vec<LayerFolder> {
        let mut made = Vec::new();
        for (at, _) in path.as_str().match_indices('/') {
            let (folder, name) = split(&path.as_str()[..at]);
            let nodes = self.nodes(folder);
            let hid_source = match nodes.get(name) {
                Some(LayerNode::Folder(_)) => continue,
                Some(LayerNode::File { .. } | LayerNode::Removed) => true,
                None => false,
            };
            nodes.insert(name.to_string(), LayerNode::Folder(hid_source));
            let path = RelPath::new(&path.as_str()[..at]);
            made.extend(path.map(|path| LayerFolder { path, hid_source }));
        }
        self.drop_below(path.as_str());
        let (folder, name) = split(path.as_str());
        let id = ContentId::of(&bytes);
        self.nodes(folder).insert(name.to_string(), LayerNode::File { bytes, id });
        made
    }

    /// Removes a file, or a folder with all that is below it, also from the source below.
    pub fn remove(&mut self, path: &RelPath) {
        self.drop_below(path.as_str());
        let (folder, name) = split(path.as_str());
        self.nodes(folder).insert(name.to_string(), LayerNode::Removed);
    }

    /// Takes a path out of the layer, so that the source below decides about the path again. The source decides about
    /// folders above as well, if they were in the layer for this path only. Returns these folders, from the top down.
    pub fn restore(&mut self, path: &RelPath) -> Vec<LayerFolder> {
        self.drop_below(path.as_str());
        self.take(path.as_str());
        let mut left = Vec::new();
        let mut folder = split(path.as_str()).0;
        while !folder.is_empty() && self.folders.get(folder).is_some_and(|nodes| nodes.is_empty()) {
            let (above, name) = split(folder);
            let node = self.folders.get(above).and_then(|nodes| nodes.get(name));
            if !matches!(node, Some(LayerNode::Folder(false))) {
                break;
            }
            self.folders.remove(folder);
            self.take(folder);
            left.extend(RelPath::new(folder).map(|path| LayerFolder { path, hid_source: false }));
            folder = above;
        }
        left.reverse();
        left
    }

    /// Takes the node of a path out of the layer.
    fn take(&mut self, path: &str) {
        let (folder, name) = split(path);
        if self.folders.contains_key(folder) {
            self.nodes(folder).remove(name);
        }
    }

    /// Whether the layer hides what the source below has in a folder.
    pub fn hides(&self, folder: &str) -> bool {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        ends.filter(|end| *end > 0).any(|end| {
            let (above, name) = split(&folder[..end]);
            let node = self.folders.get(above).and_then(|nodes| nodes.get(name));
            matches!(node, Some(LayerNode::Removed | LayerNode::File { .. } | LayerNode::Folder(true)))
        })
    }

    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// Changes the entries of a folder of the source below to those that the layer shows.
    pub fn apply(&self, folder: &str, entries: &mut Vec<SourceEntry>) {
        let Some(nodes) = self.folders.get(folder) else { return };
        entries.retain(|entry| match entry.name.to_str().and_then(|name| nodes.get(name)) {
            None => true,
            Some(LayerNode::Folder(_)) => entry.kind == super::SourceEntryKind::Folder,
            Some(LayerNode::File { .. } | LayerNode::Removed) => false,
        });
        let mut missing = Vec::new();
        for (name, node) in nodes.iter() {
            match node {
                LayerNode::File { bytes, id } => {
                    missing.push(SourceEntry::file(name, bytes.len() as u64, *id))
                }
                LayerNode::Folder(_) if entries.iter().all(|entry| entry.name != name.as_str()) => {
                    missing.push(SourceEntry::folder(name));
                }
                LayerNode::Folder(_) | LayerNode::Removed => {}
            }
        }
        entries.append(&mut missing);
    }

    pub fn bytes(&self, path: &str) -> Option<&Arc<[u8]>> {
        let (folder, name) = split(path);
        match self.folders.get(folder)?.get(name)? {
            LayerNode::File { bytes, .. } => Some(bytes),
            LayerNode::Folder(_) | LayerNode::Removed => None,
        }
    }

    fn nodes(&mut self, folder: &str) -> &mut BTreeMap<String, LayerNode> {
        Arc::make_mut(self.folders.entry(folder.to_string()).or_default())
    }

    fn drop_below(&mut self, path: &str) {
        let (folder, name) = split(path);
        let node = self.folders.get(folder).and_then(|nodes| nodes.get(name));
        if matches!(node, Some(LayerNode::Folder(_))) {
            let below = format!("{path}/");
            self.folders.retain(|folder, _| folder != path && !folder.starts_with(&below));
        }
    }
}
