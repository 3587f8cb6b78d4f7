//! Watching without the feature `watch`: no watcher starts, and no value of the type exists.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::watch::inbox::Inbox;
use crate::watch::watch_paths::WatchPaths;
use spyhop_base::path::RelPath;

/// Watches a tree.
pub enum FsWatcher {}

impl FsWatcher {
    /// Fails. The error is a sentence for people.
    pub fn open(_inbox: Arc<Inbox>, _source_tree: WatchPaths) -> Result<FsWatcher, String> {
        Err("this program is built without the feature 'watch'".to_string())
    }

    /// Whether the watcher may answer requests.
    pub fn are_in_order(&self) -> bool {
        match *self {}
    }

    /// Watches `.git` in the root.
    pub fn watch_git(&self) {
        match *self {}
    }

    /// The exclude files of repositories inside the tree.
    pub fn excludes(&self) -> BTreeSet<PathBuf> {
        match *self {}
    }

    /// Watches a folder of the tree.
    pub fn watch(&self, _folder: &RelPath) {
        match *self {}
    }
}
