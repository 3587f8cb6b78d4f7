//! Why there is nothing to walk.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is nothing to walk.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There is nothing at the root.
    #[error("root '{}' does not exist", .root.display())]
    Missing {
        /// The root as given.
        root: PathBuf,
    },
    #[error("root '{}' is not a directory", .root.display())]
    NotADirectory {
        /// The root as given.
        root: PathBuf,
    },
    /// The root cannot be listed.
    #[error("root '{}' cannot be read: {source}", .root.display())]
    Unreadable {
        /// The root as given.
        root: PathBuf,
        source: io::Error,
    },
    /// The tree of a commit exceeds a limit of the walk.
    #[error(
        "the tree of the commit is too large to be searched: it has {value} {what} or more, above the limit of {bound}"
    )]
    TooLarge {
        /// The counted quantity.
        what: &'static str,
        /// The quantity when the walk stopped.
        value: u64,
        bound: u64,
    },
    /// The walk of a commit took too long.
    #[error("the walk of the commit took {seconds} seconds or more, above the limit of {bound}")]
    TooSlow {
        /// How long the walk took.
        seconds: u64,
        bound: u64,
    },
    /// The caller cancelled the walk.
    #[error("the walk was cancelled by the caller")]
    Cancelled,
}

pub(super) fn root_error(root: &Path, source: io::Error) -> WalkError {
    let root = root.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => WalkError::Missing { root },
        io::ErrorKind::NotADirectory => WalkError::NotADirectory { root },
        _ => WalkError::Unreadable { root, source },
    }
}
