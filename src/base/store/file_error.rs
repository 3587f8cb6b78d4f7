//! I/O errors that name the file that they concern.

use std::io;
use std::path::{Path, PathBuf};

use super::io_cause::IoCause;

/// An I/O error with the file that it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{action} {}: {source}{}", path.display(), IoCause::of(source).advice())]
pub struct FileError {
    /// The attempted action, such as `write`.
    pub action: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    pub fn io_cause(&self) -> IoCause {
        IoCause::of(&self.source)
    }
}

/// Adds the file to an I/O error.
pub trait AtFile<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtFile<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { action, path: path.to_path_buf(), source })
    }
}
