//! Why notes cannot be read or written.

use std::path::PathBuf;

use spyhop_base::store::{FileError, LockHolder};

/// Why notes cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A note breaks a limit or has a wrong value.
    #[error("{0}")]
    BadNote(String),
    /// There is no such note.
    #[error("{0}")]
    NoNote(String),
    #[error("the memory holds {0} notes, which is the most; retire notes that are no longer of use")]
    Full(usize),
    /// The file is not a log of notes.
    #[error("{} is not a log of notes; move the file away, then 'spyhop memory import' can restore an export", path.display())]
    NotALog { path: PathBuf },
    /// A newer version of this program wrote the log.
    #[error("{} has format {found} of a newer version of Spyhop; this version reads {known}", path.display())]
    NewerLog {
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The newest format that this version reads.
        known: u32,
    },
    #[error("{} has {len} bytes, more than the {most} that are read; move the file away, then 'spyhop memory import' can restore an export", path.display())]
    LongLog {
        path: PathBuf,
        /// The length of the file, or the length with the notes to be recorded.
        len: u64,
        /// The most bytes of a log.
        most: u64,
    },
    /// Another process writes notes.
    #[error("another process is writing notes{}; try again", holder.map(|holder| format!(" (process {})", holder.pid)).unwrap_or_default())]
    Locked {
        /// The process, if the lock names it.
        holder: Option<LockHolder>,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
