//! Why an update failed.

use crate::meta::MetaError;
use crate::workspace::{WorkspaceError, WriteError};
use spyhop_base::store::{FileError, LockError};
use spyhop_files::walk::WalkError;

/// Why an update failed. The last commit still answers queries.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The root cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The index cannot be changed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Another branch was checked out during the update.
    #[error("another branch was checked out while the tree was being indexed")]
    Switched,
}

impl From<WorkspaceError> for UpdateError {
    fn from(error: WorkspaceError) -> UpdateError {
        WriteError::from(error).into()
    }
}

impl From<LockError> for UpdateError {
    fn from(error: LockError) -> UpdateError {
        WriteError::from(error).into()
    }
}

impl From<MetaError> for UpdateError {
    fn from(error: MetaError) -> UpdateError {
        WriteError::from(error).into()
    }
}

impl From<FileError> for UpdateError {
    fn from(error: FileError) -> UpdateError {
        WriteError::from(error).into()
    }
}
