//! The paths of which a watcher observes changes.

use std::path::PathBuf;

use crate::walk::Region;

/// The paths that a watcher observes.
#[derive(Clone, Debug)]
pub struct WatchPaths {
    /// The root of the tree, without symbolic links.
    pub root: PathBuf,
    /// The part of the tree that is the index itself, if the index is inside the tree.
    pub index_in_tree: Region,
    /// The git folder with `HEAD` and the git index, if there is a repository.
    pub git_dir: Option<PathBuf>,
    /// The folder of the requests to the watcher.
    pub asks: PathBuf,
}

/// The entries of the git folder that affect a tree: the checkout, the tracked files, and evidence of a repository.
pub const OF_GIT: [&str; 4] = ["HEAD", "index", "config", "objects"];
