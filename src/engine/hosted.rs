//! The files that a host provides: the tree at each moment, the changes that the host reports, and which of them the
//! index has.
//!
//! The index is in a private temporary folder, unless the options name a folder. It is not in tantivy's directory in
//! memory: the commit protocol consists of files beside the segments as well (records, the lock, trigram indexes), which
//! are written, mapped and checked as files. On most systems the temporary folder is in memory or stays in the cache of
//! the system, and the folder is removed with the last handle of the engine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::lock::lock;
use crate::error::{Error, ErrorKind};
use spyhop_base::path::RelPath;
use spyhop_files::source::{ChangeKind, HostedTree, Layer, LayerFolder, SourceTree};
use spyhop_files::walk::{self, Region};
use spyhop_index::meta::ViewKey;

/// How many changes are known one by one. With more, the next update lists the whole tree.
const MAX_CHANGES: usize = 100_000;

/// The files that a host provides, and the changes that it reported.
pub(super) struct HostedFiles {
    source: Arc<dyn SourceTree>,
    state: Mutex<HostedState>,
    /// Held while an update runs, so that other threads wait for its end instead of failing on the lock of the index.
    pub updating: Mutex<()>,
}

#[derive(Default)]
struct HostedState {
    layer: Arc<Layer>,
    /// The number of changes so far.
    changes: u64,
    /// The changes since `changes_from`.
    changed: Vec<HostedChange>,
    changes_from: u64,
    /// The tree as it is now, if it was needed since the last change and if the source tells its changes.
    now: Option<Arc<TreeMoment>>,
    indexed: Option<IndexedMoment>,
}

/// A change that the host reported.
#[derive(Clone)]
struct HostedChange {
    path: RelPath,
    /// The folders above that came into the layer with the change, or left the layer, from the top down.
    folders: Vec<LayerFolder>,
}

impl HostedChange {
    /// The paths at which the tree may differ since the change: that of the file, and the highest folder above that has
    /// taken the place of a file, or a file the place of the folder.
    fn paths(&self, source: &dyn SourceTree) -> impl Iterator<Item = &RelPath> {
        let is_other =
            |folder: &&LayerFolder| folder.hid_source || source.list(folder.path.as_str()).is_err();
        let folder = self.folders.iter().find(is_other).map(|folder| &folder.path);
        folder.into_iter().chain([&self.path])
    }
}

/// The tree at one moment.
pub(super) struct TreeMoment {
    changes: u64,
    version: Option<u64>,
    pub tree: Arc<HostedTree>,
}

/// The tree that a commit has indexed.
struct IndexedMoment {
    moment: Arc<TreeMoment>,
    stamp: Vec<u8>,
    key: ViewKey,
    token: String,
}

/// Where the tree has changed since a commit.
pub(super) struct ChangedSince {
    pub stamp: Vec<u8>,
    pub key: ViewKey,
    pub region: Region,
}

/// The folders of a hosted tree: of the index, and the empty one that stands for the root of the tree.
pub(super) struct HostedFolders {
    pub root: PathBuf,
    pub index: PathBuf,
    /// The private folder with both, which is removed when this is dropped.
    pub private: Option<TempDir>,
}

impl HostedFolders {
    /// The folders in `index_dir`, or in a private temporary folder.
    pub fn new(index_dir: Option<&Path>) -> Result<HostedFolders, Error> {
        let failed = |what: &Path, error: std::io::Error| {
            let text = format!("cannot create a folder for the index in {}: {error}", what.display());
            Error::new(ErrorKind::Io, text)
        };
        let private = match index_dir {
            Some(_) => None,
            None => Some(private_folder()?),
        };
        let home = private.as_ref().map_or_else(|| index_dir.unwrap_or(Path::new("")), TempDir::path);
        let root = home.join("tree");
        std::fs::create_dir_all(&root).map_err(|error| failed(home, error))?;
        let home = home.canonicalize().map_err(|error| failed(home, error))?;
        Ok(HostedFolders { root: home.join("tree"), index: home.join("index"), private })
    }
}

/// A new folder that only this user can read.
pub(super) fn private_folder() -> Result<TempDir, Error> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("spyhop-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir().map_err(|error| {
        let folder = std::env::temp_dir();
        let text = format!("cannot create a temporary folder in {}: {error}", folder.display());
        Error::new(ErrorKind::Io, text)
    })
}

impl HostedFiles {
    pub fn new(source: Arc<dyn SourceTree>) -> HostedFiles {
        HostedFiles { source, state: Mutex::default(), updating: Mutex::default() }
    }

    /// The tree at this moment.
    pub fn now(&self) -> Arc<TreeMoment> {
        let version = self.source.version();
        let mut state = lock(&self.state);
        if let Some(now) = state.now.as_ref().filter(|now| version.is_some() && now.version == version) {
            return Arc::clone(now);
        }
        let tree = Arc::new(HostedTree::new(Arc::clone(&self.source), Arc::clone(&state.layer)));
        let now = Arc::new(TreeMoment { changes: state.changes, version, tree });
        state.now = Some(Arc::clone(&now));
        now
    }

    /// Whether the commit and view of `token` have the tree of `moment`.
    pub fn is_indexed(&self, token: &str, moment: &TreeMoment) -> bool {
        let state = lock(&self.state);
        state.indexed.as_ref().is_some_and(|indexed| {
            let then = &indexed.moment;
            indexed.token == token
                && moment.version.is_some()
                && (then.changes, then.version) == (moment.changes, moment.version)
        })
    }

    /// Where the tree of `moment` differs from the indexed tree; `None` if unknown.
    pub fn changed_since(&self, moment: &TreeMoment) -> Option<ChangedSince> {
        let (stamp, key, changed) = {
            let state = lock(&self.state);
            let IndexedMoment { moment: then, stamp, key, .. } = state.indexed.as_ref()?;
            if moment.version.is_none() || then.version != moment.version {
                return None;
            }
            // Earlier changes than `changes_from` are not known one by one.
            let place = |changes: u64| Some(changes.checked_sub(state.changes_from)? as usize);
            let changed = state.changed.get(place(then.changes)?..place(moment.changes)?)?;
            (stamp.clone(), key.clone(), changed.to_vec())
        };
        // The source is asked without the lock, so that it may take its time, and may report changes.
        let paths = changed.iter().flat_map(|change| change.paths(&*self.source));
        let region = Region::new(paths.flat_map(affected).collect());
        Some(ChangedSince { stamp, key, region })
    }

    /// Records that a commit has the tree of `moment`.
    pub fn set_indexed(&self, stamp: &[u8], key: &ViewKey, token: String, moment: Arc<TreeMoment>) {
        let mut state = lock(&self.state);
        // The host may have reported so many changes since `moment` that these were forgotten one by one.
        if let Some(known) = moment.changes.checked_sub(state.changes_from) {
            state.changed.drain(..known as usize);
            state.changes_from = moment.changes;
        }
        let (stamp, key) = (stamp.to_vec(), key.clone());
        state.indexed = Some(IndexedMoment { moment, stamp, key, token });
    }

    /// Takes the changes. The source is not asked.
    pub fn apply(&self, changes: Vec<(RelPath, ChangeKind)>) {
        let mut state = lock(&self.state);
        let layer = Arc::make_mut(&mut state.layer);
        let changed = changes.into_iter().map(|(path, kind)| {
            let folders = match kind {
                ChangeKind::Write(bytes) => layer.write(&path, bytes),
                ChangeKind::Remove => {
                    layer.remove(&path);
                    Vec::new()
                }
                ChangeKind::Restore => layer.restore(&path),
            };
            HostedChange { path, folders }
        });
        let changed: Vec<HostedChange> = changed.collect();
        state.changes += changed.len() as u64;
        state.changed.extend(changed);
        if state.changed.len() > MAX_CHANGES {
            state.changed.clear();
            state.changes_from = state.changes;
            state.indexed = None;
        }
        state.now = None;
    }

    /// The tree that the commit and view of `token` have indexed, if that is known, or the tree as it is now. A source
    /// may give other bytes than the indexed ones; the reader compares their hash.
    pub fn tree_of(&self, token: &str) -> Arc<HostedTree> {
        let indexed = {
            let state = lock(&self.state);
            let indexed = state.indexed.as_ref().filter(|indexed| indexed.token == token);
            indexed.map(|indexed| Arc::clone(&indexed.moment.tree))
        };
        indexed.unwrap_or_else(|| self.now().tree.clone())
    }
}

/// The paths about which an answer may change when the file at `path` does.
fn affected(path: &RelPath) -> Vec<RelPath> {
    let mut paths = vec![path.clone()];
    let parts: Vec<&str> = path.as_str().split('/').collect();
    for at in 0..parts.len() {
        let above = RelPath::new(&parts[..at].join("/")).unwrap_or(RelPath::root());
        // A file may be evidence for a rule about the entries beside it, or about the folder that it is in.
        if walk::decides(parts[at]) || walk::decides_inside(&above).any(|name| name == parts[at]) {
            paths.push(above);
        }
    }
    paths
}
