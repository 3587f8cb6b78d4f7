//! Where the files of a repository may lie.

use std::path::PathBuf;

/// The folders from which a repository may be read. [`crate::gitdir`] decides where `.git` itself may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Any folder: links and borrowed objects are followed. For programs that work only for the user of the machine.
    #[default]
    Anywhere,
    /// Only these folders and those of the repository: for servers, whose clients may read nothing else. Files in a git
    /// directory are not read for a request either, since a configuration may hold a token.
    Within(Vec<PathBuf>),
    /// No repository: for a tree that is not a worktree, although a folder above it may be one.
    Nowhere,
}
