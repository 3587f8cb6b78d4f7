//! A file that differs between two commits, or between a commit and the worktree.

use crate::tree::TreeEntry;
use spyhop_base::path::RelPath;

/// A file that may differ.
#[derive(Clone, Debug)]
pub struct TreeChange {
    /// The path, relative to the root that is searched.
    pub path: RelPath,
    /// The file in the old commit; `None` if the commit does not have the file.
    pub old: Option<TreeEntry>,
    /// The file in the new commit; `None` if the commit does not have the file, and for a worktree.
    pub new: Option<TreeEntry>,
}

/// Reads a new file that has no entry in a commit.
pub(crate) type ReadNew<'r> = &'r dyn Fn(&RelPath) -> Option<Vec<u8>>;
