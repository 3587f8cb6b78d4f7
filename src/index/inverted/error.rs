//! The errors of reading and writing an index; a panic on its bytes is one of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
    pub fn io_cause(&self) -> IoCause {
        match self {
            IndexError::Io(error) => IoCause::of(error),
            _ => IoCause::Other,
        }
    }

    /// Maps an I/O error. An error that no system call returned means that the bytes of a file are invalid, which is
    /// damage.
    pub(super) fn of_io(error: &std::io::Error) -> IndexError {
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

/// Runs a function that reads the index. A panic in it is reported as damage, as are numbers out of range.
pub fn guarded<T, E: From<IndexError>>(read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("reading it panicked");
        Err(match NoThread::of_panic(text) {
            Some(error) => IndexError::Io(error.into()).into(),
            None => IndexError::Damaged(text.to_string()).into(),
        })
    })
}
