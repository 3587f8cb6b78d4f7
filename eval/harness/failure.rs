//! Why a command failed.

use std::io;
use std::path::PathBuf;

use crate::record::RunError;
use crate::sets::SetError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A query set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A run file cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] spyhop::Error),
    /// A ranking profile cannot be used.
    #[error(transparent)]
    Profile(#[from] spyhop::ProfileError),
    /// A folder or file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file cannot be written.
    #[error("{}: {problem}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The request cannot be carried out.
    #[error("{0}")]
    Asked(String),
}

impl Failure {
    /// The failure to write a file.
    pub fn write(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Failure {
        let path = path.into();
        move |error| Failure::Write { path, problem: error.to_string() }
    }
}
