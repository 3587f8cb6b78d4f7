//! Why metadata could not be read.

use std::path::PathBuf;

use spyhop_base::store::{FORMAT_VERSION, FileError};

/// Why metadata could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MetaError {
    /// The payload was written by a newer program.
    #[error("the index has format {found}, this program reads format {FORMAT_VERSION}")]
    NewerFormat { found: u32 },
    /// The payload was written by an older program.
    #[error("the index has the older format {found}")]
    OlderFormat { found: u32 },
    /// A record is gone: another process has committed meanwhile.
    #[error("a record has gone: {0}")]
    Gone(PathBuf),
    /// A record contradicts its checksum or its commit.
    #[error("record {} is damaged: {reason}", path.display())]
    Damaged {
        path: PathBuf,
        /// The damage.
        reason: String,
    },
    /// Reading failed.
    #[error(transparent)]
    File(#[from] FileError),
}
