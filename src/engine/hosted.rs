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
use super::{Error, ErrorKind};
use crate::meta::ViewKey;
use crate::path::RelPath;
use crate::source::{ChangeKind, HostedTree, Layer, SourceTree};
use crate::walk::{self, Region};

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
    /// The paths of the changes since `changes_from`.
    changed: Vec<RelPath>,
    changes_from: u64,
    /// The tree as it is now, if it was needed since the last change and if the source tells its changes.
    now: Option<Arc<TreeMoment>>,
    indexed: Option<IndexedMoment>,
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
        let state = lock(&self.state);
        let IndexedMoment { moment: then, stamp, key, .. } = state.indexed.as_ref()?;
        if moment.version.is_none() || then.version != moment.version || then.changes < state.changes_from {
            return None;
        }
        let [from, to] = [then.changes, moment.changes].map(|at| (at - state.changes_from) as usize);
        let changed = state.changed.get(from..to)?;
        let region = Region::new(changed.iter().flat_map(affected).collect());
        Some(ChangedSince { stamp: stamp.clone(), key: key.clone(), region })
    }

    /// Records that a commit has the tree of `moment`.
    pub fn set_indexed(&self, stamp: &[u8], key: &ViewKey, token: String, moment: Arc<TreeMoment>) {
        let mut state = lock(&self.state);
        let known = (moment.changes - state.changes_from) as usize;
        state.changed.drain(..known);
        state.changes_from = moment.changes;
        let (stamp, key) = (stamp.to_vec(), key.clone());
        state.indexed = Some(IndexedMoment { moment, stamp, key, token });
    }

    pub fn apply(&self, changes: &[(RelPath, ChangeKind)]) {
        let mut state = lock(&self.state);
        let layer = Arc::make_mut(&mut state.layer);
        let mut changed = Vec::with_capacity(changes.len());
        for (path, kind) in changes {
            match kind {
                ChangeKind::Write(bytes) => {
                    let made = layer.write(path, Arc::clone(bytes));
                    // A folder may have taken the place of a file.
                    changed
                        .extend(made.into_iter().find(|folder| self.source.list(folder.as_str()).is_err()));
                }
                ChangeKind::Remove => layer.remove(path),
                ChangeKind::Restore => layer.restore(path),
            }
            changed.push(path.clone());
        }
        state.changes += changed.len() as u64;
        state.changed.append(&mut changed);
        if state.changed.len() > MAX_CHANGES {
            state.changed.clear();
            state.changes_from = state.changes;
            state.indexed = None;
        }
        state.now = None;
    }
}

impl HostedFiles {
    /// The tree that the commit and view of `token` have indexed, if that is known and if the source tells its changes.
    /// Other sources may have other bytes by now. Else the tree as it is now.
    pub fn tree_of(&self, token: &str) -> Arc<HostedTree> {
        let now = self.now();
        let state = lock(&self.state);
        let indexed = state.indexed.as_ref();
        let indexed = indexed.filter(|indexed| now.version.is_some() && indexed.token == token);
        indexed.map_or(&now, |indexed| &indexed.moment).tree.clone()
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
