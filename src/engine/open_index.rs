//! The index of a tree: its workspace, and the newest commit, which stays open between answers.
//!
//! An answer compares the bytes of the commit point with those of the open commit, so it notices the commits of other
//! processes. Nothing here updates the index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::api::Building;
use super::lock::lock;
use crate::error::Error;
use spyhop_base::store;
use spyhop_index::inverted;
use spyhop_index::meta::{Meta, View, ViewInfo, ViewKey};
use spyhop_index::workspace::{Committed, Workspace, WorkspaceError};
use spyhop_search::{SearchError, SearchSnapshot};

/// The least time between two records of the use of a view.
const MARK_EVERY: Duration = Duration::from_secs(60);

/// The index of a tree.
pub(crate) struct OpenIndex {
    workspace: Workspace,
    /// The folder with the indexes of many trees, if this index is in such a folder.
    home: Option<PathBuf>,
    /// The view whose use was recorded last, and the time of the record.
    marked: Mutex<Option<(ViewKey, Instant)>>,
    open: Mutex<Option<OpenedCommit>>,
    /// The newest commit, for operations that need no snapshot for ranking.
    committed: Mutex<Option<Arc<Committed>>>,
    /// The private folder of an index in memory, which is removed when this is dropped.
    _private: Option<TempDir>,
}

/// The snapshot of the open commit, and the view that was requested.
struct OpenedCommit {
    key: ViewKey,
    snapshot: Arc<SearchSnapshot>,
}

/// The newest commit, and whether it has a view of the present checkout.
pub enum Current {
    /// A complete view of the checkout.
    Whole(Arc<SearchSnapshot>),
    /// The staged view of an unfinished first update of the checkout.
    Part(Arc<SearchSnapshot>),
    /// The commit has views of other branches of this worktree, but none of the checkout.
    Other(Arc<Committed>),
    /// There is no view of this worktree.
    Nothing,
}

/// A commit and one of its views, by its key.
pub(crate) struct Recorded {
    committed: Arc<Committed>,
    key: ViewKey,
}

/// A borrowed commit and one of its views.
#[derive(Clone, Copy)]
pub(crate) struct Viewed<'c> {
    pub committed: &'c Committed,
    pub key: &'c ViewKey,
    pub view: &'c View,
}

impl Recorded {
    pub(crate) fn viewed(&self) -> Viewed<'_> {
        let Recorded { committed, key } = self;
        let view = committed.meta.view(key).ok().flatten();
        Viewed { committed, key, view: view.expect("it was read when this was made") }
    }
}

impl<'c> Viewed<'c> {
    /// The commit and view of a snapshot.
    pub(crate) fn from_snapshot(snapshot: &'c SearchSnapshot) -> Viewed<'c> {
        Viewed { committed: snapshot.committed(), key: snapshot.key(), view: snapshot.view() }
    }

    /// The token of the commit and the view in an answer of a watcher.
    pub fn token(self) -> String {
        token_of_stamp(self.committed.reader.stamp(), self.key)
    }

    pub fn meta(self) -> &'c Meta {
        &self.committed.meta
    }

    /// The information that is recorded with the view.
    pub fn info(self) -> &'c ViewInfo {
        self.meta().view_info(self.key).expect("there is a view")
    }

    /// The progress of the first update, if the view is staged.
    pub fn building(self) -> Option<Building> {
        let ViewInfo { of, text_only, .. } = *self.info();
        let [of, text_only] = [of, text_only].map(|files| files as usize);
        self.key.staged.then(|| Building { files: self.view.len(), total_files: of, text_only })
    }
}

impl OpenIndex {
    /// The index in `workspace`. Nothing is opened yet.
    pub fn new(workspace: Workspace, home: Option<PathBuf>, private: Option<TempDir>) -> OpenIndex {
        OpenIndex {
            workspace,
            home,
            marked: Mutex::default(),
            open: Mutex::default(),
            committed: Mutex::default(),
            _private: private,
        }
    }

    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The folder with the indexes of many trees, if this index is in such a folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The size on disk in bytes.
    pub fn bytes(&self) -> u64 {
        store::bytes_below(&self.workspace.meta_dir()) + store::bytes_below(&self.workspace.segment_dir())
    }

    /// Opens the newest commit, if necessary, and returns its view `key`.
    pub fn current(&self, key: ViewKey) -> Result<Current, Error> {
        let stamp = self.workspace.stamp();
        let mut cached = lock(&self.open);
        let is_open = |open: &&OpenedCommit| {
            Some(open.snapshot.committed().reader.stamp()) == stamp.as_deref() && open.key == key
        };
        if let Some(open) = cached.as_ref().filter(is_open) {
            return Ok(whole_or_part(open.snapshot.clone()));
        }
        let committed = match self.committed_with(stamp.as_deref()) {
            Ok(committed) => committed,
            Err(WorkspaceError::Missing { .. }) => return Ok(Current::Nothing),
            Err(error) => return Err(error.into()),
        };
        for wanted in [key.clone(), key.stage()] {
            let snapshot = || SearchSnapshot::new(Arc::clone(&committed), &wanted).map_err(Error::from);
            let snapshot = inverted::guarded(snapshot)?;
            if let Some(snapshot) = snapshot.map(Arc::new) {
                *cached = Some(OpenedCommit { key, snapshot: Arc::clone(&snapshot) });
                return Ok(whole_or_part(snapshot));
            }
        }
        let is_other = committed.meta.views().any(|(other, _)| other.root == key.root && !other.staged);
        Ok(if is_other { Current::Other(committed) } else { Current::Nothing })
    }

    /// The newest commit and its view `key`, complete or staged, without a snapshot for ranking; `None` if no such view can
    /// be read.
    pub fn recorded(&self, key: ViewKey) -> Option<Recorded> {
        let committed = self.committed().ok()?;
        for key in [key.clone(), key.stage()] {
            let is_there = || Ok::<_, SearchError>(committed.meta.view(&key)?.is_some());
            if inverted::guarded(is_there).ok()? {
                return Some(Recorded { committed, key });
            }
        }
        None
    }

    /// Opens the newest commit, unless it is open.
    pub fn committed(&self) -> Result<Arc<Committed>, WorkspaceError> {
        self.committed_with(self.workspace.stamp().as_deref())
    }

    /// Opens the newest commit, unless the commit with this stamp is open.
    pub fn committed_with(&self, stamp: Option<&[u8]>) -> Result<Arc<Committed>, WorkspaceError> {
        let mut cached = lock(&self.committed);
        let is_newest = |committed: &&Arc<Committed>| Some(committed.reader.stamp()) == stamp;
        if let Some(committed) = cached.as_ref().filter(is_newest) {
            return Ok(committed.clone());
        }
        let committed = Arc::new(self.workspace.open()?);
        *cached = Some(committed.clone());
        Ok(committed)
    }

    /// Whether the index was imported without its tree.
    pub fn lacks_tree(&self) -> bool {
        self.committed().is_ok_and(|committed| committed.meta.sources().is_some())
    }

    /// Why the index cannot be read; `None` if it can be read or is missing.
    pub fn fault(&self) -> Option<WorkspaceError> {
        self.committed().err().filter(|error| !matches!(error, WorkspaceError::Missing { .. }))
    }

    /// Records the use of a view.
    pub fn mark_used(&self, key: &ViewKey) {
        let mut marked = lock(&self.marked);
        if !marked.as_ref().is_some_and(|(last, at)| last == key && at.elapsed() < MARK_EVERY) {
            self.workspace.mark_used(key);
            *marked = Some((key.clone(), Instant::now()));
        }
    }

    /// Closes the open commit.
    pub fn release(&self) {
        let open = lock(&self.open).take();
        let committed = lock(&self.committed).take();
        // Dropped when no lock is held.
        drop((open, committed));
    }

    /// The open snapshot.
    #[cfg(test)]
    pub fn open_snapshot(&self) -> Option<Arc<SearchSnapshot>> {
        lock(&self.open).as_ref().map(|open| Arc::clone(&open.snapshot))
    }
}

impl Current {
    /// The snapshot that can answer, complete or staged.
    pub fn snapshot(self) -> Option<Arc<SearchSnapshot>> {
        match self {
            Current::Whole(snapshot) | Current::Part(snapshot) => Some(snapshot),
            Current::Other(_) | Current::Nothing => None,
        }
    }
}

fn whole_or_part(snapshot: Arc<SearchSnapshot>) -> Current {
    if snapshot.key().staged { Current::Part(snapshot) } else { Current::Whole(snapshot) }
}

/// The token of the commit with a stamp, and of a view of the commit, in an answer of a watcher.
pub(crate) fn token_of_stamp(stamp: &[u8], key: &ViewKey) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(stamp).update(format!("{key:?}").as_bytes());
    hasher.finalize().to_hex()[..32].to_string()
}
