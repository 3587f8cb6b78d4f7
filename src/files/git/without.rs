//! The module without the feature `git`: no folder is in a repository, and no value of these types exists.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::head::Head;
use super::reach::Reach;
use super::revision::{Revision, RevisionError};
use super::tree_change::{ReadNew, TreeChange};
use crate::gitdir::GitDirError;
use crate::tree::{Tree, TreeEntry, TreeFolder};
use spyhop_base::path::RelPath;

/// No repository is found.
pub fn discover(_folder: &Path) -> Option<Repo> {
    None
}

/// No repository is found.
///
/// # Errors
/// Never.
pub fn discover_within(_folder: &Path, _reach: &Reach) -> Result<Option<Repo>, GitDirError> {
    Ok(None)
}

/// No repository is found.
///
/// # Errors
/// Never.
pub fn open_objects(_folder: &Path, _reach: &Reach) -> Result<Option<Repo>, GitDirError> {
    Ok(None)
}

/// A repository with a worktree.
#[derive(Clone)]
pub enum Repo {}

#[expect(missing_docs, reason = "the functions are those of the type with the feature `git`")]
impl Repo {
    pub fn top(&self) -> &Path {
        match *self {}
    }

    pub fn common_dir(&self) -> PathBuf {
        match *self {}
    }

    pub fn git_dir(&self) -> PathBuf {
        match *self {}
    }

    pub fn head(&self) -> Head {
        match *self {}
    }

    pub fn all_tracked(&self) -> Tracked {
        match *self {}
    }

    pub fn tracked_below(&self, _root: &Path) -> Tracked {
        match *self {}
    }

    pub fn revision(&self, _spec: &str) -> Result<Revision, RevisionError> {
        match *self {}
    }

    pub fn head_of(&self, _revision: &Revision) -> Option<Head> {
        match *self {}
    }

    pub fn has_commit(&self, _commit: &str) -> bool {
        match *self {}
    }

    pub fn has_reference(&self, _name: &str) -> bool {
        match *self {}
    }

    pub fn revision_names(&self) -> Vec<String> {
        match *self {}
    }

    pub fn unknown(&self, _spec: &str) -> RevisionError {
        match *self {}
    }

    pub fn tree_of(&self, _spec: &str, _commit: &str, _root: &Path) -> Result<CommitTree, RevisionError> {
        match *self {}
    }

    pub fn tree_below(
        &self,
        _spec: &str,
        _commit: &str,
        _prefix: RelPath,
    ) -> Result<CommitTree, RevisionError> {
        match *self {}
    }

    pub fn merge_base(&self, _one: &str, _other: &str) -> Option<String> {
        match *self {}
    }

    pub fn first_parents(&self, _newest: &str, _oldest: &str) -> Vec<String> {
        match *self {}
    }

    pub fn first_parent(&self, _commit: &str) -> Option<String> {
        match *self {}
    }

    pub fn has_file(&self, _commit: &str, _path: &RelPath) -> bool {
        match *self {}
    }
}

/// The files that git tracks.
pub enum Tracked {}

impl Tracked {
    /// Whether git tracks the file at `path`.
    pub fn contains(&self, _path: &RelPath, _is_dir: bool) -> bool {
        match *self {}
    }
}

pub enum CommitTree {}

#[expect(missing_docs, reason = "the functions are those of the type with the feature `git`")]
impl CommitTree {
    pub fn commit(&self) -> &str {
        match *self {}
    }

    pub fn changes_to(&self, _new: &CommitTree) -> io::Result<Vec<TreeChange>> {
        match *self {}
    }

    pub fn changes_to_worktree(&self, _repo: &Repo) -> io::Result<Vec<TreeChange>> {
        match *self {}
    }

    pub fn renamed(
        &self,
        _path: &RelPath,
        _newer: Option<&CommitTree>,
        _changes: &[TreeChange],
        _read_new: ReadNew<'_>,
    ) -> io::Result<Option<RelPath>> {
        match *self {}
    }
}

impl Tree for CommitTree {
    fn prefix(&self) -> &RelPath {
        match *self {}
    }

    fn list(&self, _folder: &RelPath) -> io::Result<Arc<TreeFolder>> {
        match *self {}
    }

    fn size(&self, _entry: &TreeEntry) -> io::Result<u64> {
        match *self {}
    }

    fn read(&self, _entry: &TreeEntry) -> io::Result<Vec<u8>> {
        match *self {}
    }
}
