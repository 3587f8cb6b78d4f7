//! The reasons for which nothing is changed.

use std::io;
use std::path::PathBuf;

use super::clients::ConfigScope;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{client} has no file of the scope {}; choose --file FILE, or --print to only see the entry", scope.name())]
    NoFile { client: &'static str, scope: ConfigScope },
    #[error(
        "{title} starts servers of the scope user outside of any project, so the entry has to name what to serve; \
         give the trees, or choose --scope project"
    )]
    NoRoot { title: &'static str },
    #[error("there is no home folder; choose --file FILE")]
    NoHome,
    #[error("'{}' is not UTF-8, which the client could not read either", path.display())]
    NotText { path: PathBuf },
    #[error("'{}' may not be written; make it writable, or put in by hand what --print shows", path.display())]
    ReadOnly { path: PathBuf },
    #[error("'{}' was changed meanwhile; nothing was written, run it again", path.display())]
    Changed { path: PathBuf },
    #[error("'{}' {error}; nothing was written", path.display())]
    Edit { path: PathBuf, error: EditError },
    #[error("'{}': {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// Why a text cannot be changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("cannot be read: {0}")]
    Malformed(String),
    #[error("does not have its client's format: {0} is not a table of names and values")]
    NoObject(String),
    #[error("has '{0}' twice, and only the client knows which of them counts")]
    Twice(String),
    #[error("cannot be changed without changing other entries too; change it by hand")]
    Elsewhere,
}
