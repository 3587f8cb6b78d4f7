//! Why a document has no text.

use serde::{Deserialize, Serialize};

/// Why a document has no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DocumentError {
    /// The file is not of its form, or is damaged.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The file can be read only with a password.
    #[error("the file is encrypted with a password")]
    Encrypted,
    /// The program was built without the crates that read the form.
    #[error("this program was built without the feature 'documents', which reads {0} files")]
    NotBuiltIn(String),
    /// The reader of the form did not end, or ended its process.
    #[error("the file cannot be read: {0}")]
    Lost(String),
}

impl DocumentError {
    /// The error of a document whose reader ended a parser worker, by the cause that a worker's end has.
    #[cfg(unix)]
    pub(crate) fn of_reader(cause: &str) -> DocumentError {
        DocumentError::Lost(match () {
            () if cause.contains("memory allocation of") => {
                "its reader needs more than 512 MB of memory".to_string()
            }
            () if cause.contains("stack overflow") => "its parts are nested too deeply".to_string(),
            () => cause.replace("its parser", "its reader"),
        })
    }
}
