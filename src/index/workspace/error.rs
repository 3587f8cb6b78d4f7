//! Why an index could not be opened or changed.

use std::path::PathBuf;

use crate::inverted::IndexError;
use crate::meta::MetaError;
use spyhop_base::store::{FileError, LockError};

/// Why an index could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no index, or none that was ever finished.
    #[error("there is no index at {}", dir.display())]
    Missing {
        /// The folder where the index would be.
        dir: PathBuf,
    },
    /// The index belongs to another tree.
    #[error("the index at {} belongs to {owner}; choose another index folder", dir.display())]
    Foreign { dir: PathBuf, owner: String },
    /// The folder has lost the file that says which tree it belongs to.
    #[error(
        "the index folder {} does not say which tree it belongs to ({reason}); {}", dir.display(),
        if *is_index { "'spyhop index --rebuild' says so again and keeps the notes" } else { "choose another index folder" }
    )]
    LostClaim {
        dir: PathBuf,
        reason: String,
        /// Whether the folder has the structure of an index, so that a rebuild renews the file.
        is_index: bool,
    },
    /// The folder belongs to another user, who could have put anything there.
    #[error(
        "the index folder {} belongs to user {uid}, and this is another user; choose another index folder, or give \
         this one to yourself", dir.display()
    )]
    ForeignUser {
        /// The path that belongs to another user: the folder, a link to it, or the data folder in it.
        dir: PathBuf,
        /// The number of that user.
        uid: u32,
    },
    /// A newer program made the index.
    #[error("the index at {} has format {found}, which is newer than this program; update it, or choose another index folder", dir.display())]
    NewerFormat { dir: PathBuf, found: u32 },
    /// An older program made the index, or its files contradict each other.
    #[error("the index at {} cannot be read: {reason}", dir.display())]
    Damaged {
        dir: PathBuf,
        /// The damage.
        reason: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Why an index could not be changed. The last commit still answers queries.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Another process holds the lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The segments could not be written.
    #[error("writing the index at {}: {source}", dir.display())]
    Index { dir: PathBuf, source: IndexError },
    /// The metadata contradict themselves.
    #[error(transparent)]
    Meta(#[from] MetaError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index was imported without its tree, so there is nothing to compare with it.
    #[error("the index at {} was imported without its tree, and an update needs the tree", dir.display())]
    NoSources { dir: PathBuf },
}
