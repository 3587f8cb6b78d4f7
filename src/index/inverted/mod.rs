//! The boundary to tantivy: schema, writer, reader. No other module uses tantivy.
//!
//! tantivy provides immutable segments of postings and columns, deletion, merging, and an atomic commit with a payload.
//! tantivy does not decide here: statistics (its counts include deleted documents, so the caller counts the live documents
//! of its view), scores (its BM25 has fixed k1 and b), and locking of readers (its reader takes an exclusive lock file;
//! ours pins the bytes of one `meta.json` and needs no lock, see [`Reader`]).
//!
//! A document is a chunk. Text fields arrive as lists of terms, made by [`crate::tokenize`]; the only tokenizer
//! registered here splits such a list.

mod carry;
mod checked_file;
mod checks;
#[cfg(test)]
mod crashes;
mod directory;
mod merge;
mod near;
mod reader;
mod schema;
mod sums;
mod term_filter;
mod trigrams;
mod verify;
mod words;
mod workfolder;
mod writer;

pub use carry::files;

pub(crate) use carry::{copy_commit, put_in_place};
pub use near::folded;
pub use reader::{DocColumns, Lengths, PostingBlocks, Reader, Segment, SegmentList};
pub(crate) use schema::ChunkDoc;
pub use schema::IndexField;
pub use trigrams::{MIN_WORDS, Trigram, grams_of};
pub use verify::{guarded, verify};
pub(crate) use words::write_grams;
pub use words::{Stretches, WordDocuments, Words};
pub(crate) use writer::SegmentBuilder;
pub use writer::{FinishedSegment, SegmentMaker, Writer};

use spyhop_base::cores::NoThread;
use spyhop_base::store::IoCause;

/// Why the index could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no index, or none that was ever committed.
    #[error("there is no index")]
    Missing,
    /// A file that the commit names is gone: another process has committed meanwhile. The caller reads again.
    #[error("the index has moved on: {} is gone; try again", .0.display())]
    Moved(std::path::PathBuf),
    /// The files of the index contradict each other or their checksums.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    /// Reading or writing failed.
    #[error("{0}{advice}", advice = IoCause::of(.0).advice())]
    Io(std::io::Error),
}

impl IndexError {
    /// The cause of the error.
    pub fn io_cause(&self) -> IoCause {
        match self {
            IndexError::Io(error) => IoCause::of(error),
            _ => IoCause::Other,
        }
    }

    /// Maps an I/O error. An error that no system call returned means that the bytes of a file are invalid, which is
    /// damage.
    fn of_io(error: &std::io::Error) -> IndexError {
        use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof, WouldBlock};
        match error.kind() {
            InvalidData | InvalidInput | Other | UnexpectedEof
                if error.raw_os_error().is_none() && IoCause::of(error) == IoCause::Other =>
            {
                IndexError::Damaged(error.to_string())
            }
            // Files and folders never block, so this error is about a thread that could not be started.
            WouldBlock if error.raw_os_error().is_some() => IndexError::Io(NoThread::new(error).into()),
            kind => {
                let kind = match IoCause::of(error) {
                    IoCause::DiskFull => std::io::ErrorKind::StorageFull,
                    _ => kind,
                };
                IndexError::Io(std::io::Error::new(kind, error.to_string()))
            }
        }
    }
}

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> IndexError {
        use tantivy::TantivyError as E;
        use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
        match error {
            E::OpenReadError(OpenReadError::FileDoesNotExist(path)) => IndexError::Moved(path),
            E::OpenReadError(OpenReadError::IoError { io_error, .. })
            | E::OpenWriteError(OpenWriteError::IoError { io_error, .. })
            | E::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. })
            | E::LockFailure(LockError::IoError(io_error), _)
            | E::IoError(io_error) => IndexError::of_io(&io_error),
            E::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => IndexError::Missing,
            E::LockFailure(LockError::LockBusy, _) => IndexError::Io(std::io::Error::new(
                std::io::ErrorKind::WouldBlock,
                "another process writes to it",
            )),
            E::SystemError(said) if said.contains("spawn") => IndexError::Io(NoThread::new(said).into()),
            other => IndexError::Damaged(other.to_string()),
        }
    }
}

impl From<tantivy::directory::error::OpenReadError> for IndexError {
    fn from(error: tantivy::directory::error::OpenReadError) -> IndexError {
        tantivy::TantivyError::from(error).into()
    }
}

impl From<std::io::Error> for IndexError {
    fn from(error: std::io::Error) -> IndexError {
        IndexError::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_file_that_is_cut_off_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        writer.add(writer::tests::segment(&writer, 0..2)).unwrap();
        writer.commit("payload").unwrap();
        writer.close().unwrap();
        let mut files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let terms = files.find(|path| path.extension().is_some_and(|it| it == "term")).unwrap();
        let bytes = std::fs::read(&terms).unwrap();
        for len in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&terms, &bytes[..len]).unwrap();
            let error = Reader::open(dir.path()).err().unwrap();
            assert!(matches!(error, IndexError::Damaged(_)), "{len}: {error}");
        }
    }
}
