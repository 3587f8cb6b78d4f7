//! The errors of a library, each with the value that it is about and what to do.

use std::io;
use std::path::{Path, PathBuf};

use super::unpack::error::{UnpackError, UnpackFault};
use spyhop_base::store::{FileError, IoCause, LockError, LockHolder};
use spyhop_context::memory::MemoryError;
use spyhop_engine::{Error, ErrorKind};
use spyhop_files::git::{RemoteError, RevisionError};
use spyhop_files::gitdir::GitDirError;

/// Why a request to a library failed.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// No source has this name.
    #[error("there is no source '{name}' in the library at {}; {}", root.display(), known(near))]
    UnknownSource {
        /// The name.
        name: String,
        /// The library.
        root: PathBuf,
        /// Names of sources, the most similar first.
        near: Vec<String>,
    },
    /// Another source has this name.
    #[error("the name '{name}' is taken by {location}; choose another name, such as '{free}'")]
    NameTaken {
        /// The name.
        name: String,
        /// The location of the source that has the name.
        location: String,
        /// A free name.
        free: String,
    },
    /// A name that is not allowed.
    #[error("the name '{name}' {fault}; choose letters, digits, '.', '_' and '-'")]
    BadName {
        /// The name.
        name: String,
        /// The fault, as the end of a sentence that begins with the name.
        fault: &'static str,
    },
    /// The source is in the library.
    #[error("{location} is in the library as '{name}'; update that source to import its newest state")]
    AlreadyAdded {
        /// The location.
        location: String,
        /// The name of the source.
        name: String,
    },
    /// There is no such file or folder.
    #[error("there is no file or folder '{}'; give a folder, a git repository, a .zip, .tar, .tar.gz or .tar.zst, or a source file", path.display())]
    NoSuchPath {
        /// The path.
        path: PathBuf,
    },
    /// The source is nothing that can be imported.
    #[error("'{location}' cannot be added: {reason}")]
    BadSource {
        /// The path or URL.
        location: String,
        /// The reason and what to do.
        reason: String,
    },
    /// A parameter does not go with the source.
    #[error("{0}")]
    BadParameter(String),
    /// The source lacks the requested folder.
    #[error("there is no folder '{folder}' in {location}; it has {}", listed(near))]
    NoFolderInside {
        /// The requested folder.
        folder: String,
        /// The source.
        location: String,
        /// The folders that are there.
        near: Vec<String>,
    },
    /// The archive was refused.
    #[error(transparent)]
    Refused(#[from] UnpackError),
    /// A repository on another machine cannot be fetched.
    #[error(transparent)]
    Remote(RemoteError),
    /// A repository on another machine has no such reference.
    #[error("{location} has no branch or tag '{reference}'; choose {}, or the 40 digits of a commit", near.join(", "))]
    UnknownReference {
        /// The requested branch, tag or commit.
        reference: String,
        /// The URL.
        location: String,
        /// Names of branches and tags, the most similar first.
        near: Vec<String>,
    },
    /// A repository of this machine has no such revision.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// A repository of this machine cannot be read.
    #[error(transparent)]
    Repository(#[from] GitDirError),
    /// The source is being indexed.
    #[error("the source '{name}' is in use: {}; wait for it or end that process", holder(by))]
    InUse {
        /// The name of the source.
        name: String,
        /// The process that uses the source.
        by: Option<LockHolder>,
    },
    /// Another process changes the library.
    #[error("the library at {} is in use: {}; wait for it or end that process", root.display(), holder(by))]
    Locked {
        /// The library.
        root: PathBuf,
        /// The process that changes the library.
        by: Option<LockHolder>,
    },
    /// There is no folder for the user's data.
    #[error("there is no data folder for this user; name a library with SPYHOP_LIBRARY")]
    NoFolder,
    /// The folder has other files.
    #[error("{} has files, and no library; choose an empty or new folder", root.display())]
    NotALibrary {
        /// The folder.
        root: PathBuf,
    },
    /// A newer version of this program wrote the file.
    #[error("{} has format {found}, and this program reads format {known}; use the newer program", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The format of this program.
        known: u32,
    },
    /// A record cannot be read.
    #[error("{} is damaged: {reason}; restore or remove the file", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// Another process changed the source during the call.
    #[error("another process changed or removed '{name}' meanwhile; list the sources, and try again")]
    Changed {
        /// The name of the source.
        name: String,
    },
    /// The file was a tar archive when it was added.
    #[error("{location} is no tar archive any more; remove the source and add it again")]
    NoTarAnyMore {
        /// The location.
        location: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The notes of a source cannot be moved to its new index.
    #[error("the notes of the source cannot be moved to its new index: {0}")]
    Notes(MemoryError),
    /// Indexing failed. The raw files are in the library.
    #[error(
        "the source is in the library as '{name}', but cannot be indexed: {error}; update the source to try again"
    )]
    Index {
        /// The name of the source.
        name: String,
        /// The error of the engine.
        error: Error,
    },
    /// The caller cancelled the call.
    #[error("the call was cancelled")]
    Cancelled,
}

impl LibraryError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> LibraryError {
        LibraryError::File(FileError { action, path: path.to_path_buf(), source })
    }

    pub(super) fn bad_source(location: impl Into<String>, reason: impl Into<String>) -> LibraryError {
        LibraryError::BadSource { location: location.into(), reason: reason.into() }
    }

    pub(super) fn damaged(path: &Path, reason: impl std::fmt::Display) -> LibraryError {
        LibraryError::Damaged { path: path.to_path_buf(), reason: reason.to_string() }
    }

    pub(super) fn lock(root: &Path, error: LockError) -> LibraryError {
        match error {
            LockError::Held { holder } => LibraryError::Locked { root: root.to_path_buf(), by: holder },
            LockError::File(error) => error.into(),
        }
    }

    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            LibraryError::UnknownSource { .. } => ErrorKind::UnknownSource,
            LibraryError::NameTaken { .. } | LibraryError::AlreadyAdded { .. } => ErrorKind::NameTaken,
            LibraryError::BadName { .. }
            | LibraryError::NoSuchPath { .. }
            | LibraryError::BadParameter(_)
            | LibraryError::NoFolderInside { .. }
            | LibraryError::Revision(_)
            | LibraryError::UnknownReference { .. }
            | LibraryError::NotALibrary { .. } => ErrorKind::BadRequest,
            LibraryError::BadSource { .. }
            | LibraryError::NoTarAnyMore { .. }
            | LibraryError::Repository(_) => ErrorKind::BadSource,
            LibraryError::Refused(error) => match &error.fault {
                // The disk is the reason, and not the archive.
                UnpackFault::Io(error) => ErrorKind::of_cause(IoCause::of(error)),
                _ => ErrorKind::BadSource,
            },
            LibraryError::Remote(error) => match error {
                RemoteError::BadUrl { .. } => ErrorKind::BadRequest,
                RemoteError::Unreachable { .. } | RemoteError::TimedOut { .. } | RemoteError::Lost { .. } => {
                    ErrorKind::Unreachable
                }
                RemoteError::NoRepository { .. }
                | RemoteError::BadAnswer { .. }
                | RemoteError::TooLarge { .. } => ErrorKind::BadSource,
                RemoteError::NeedsCredentials { .. } => ErrorKind::Permission,
                RemoteError::Cancelled { .. } => ErrorKind::Cancelled,
                RemoteError::NoGit { source, .. } | RemoteError::File { source, .. } => {
                    ErrorKind::of_cause(IoCause::of(source))
                }
            },
            LibraryError::InUse { .. } | LibraryError::Locked { .. } => ErrorKind::Locked,
            LibraryError::NoFolder | LibraryError::Changed { .. } => ErrorKind::Io,
            LibraryError::NewerFormat { .. } => ErrorKind::NewerFormat,
            LibraryError::Damaged { .. } => ErrorKind::Damaged,
            LibraryError::File(error) => ErrorKind::of_cause(error.io_cause()),
            LibraryError::Index { error, .. } => error.kind(),
            LibraryError::Notes(MemoryError::Locked { .. }) => ErrorKind::Locked,
            LibraryError::Notes(_) => ErrorKind::Damaged,
            LibraryError::Cancelled => ErrorKind::Cancelled,
        }
    }
}

impl From<RemoteError> for LibraryError {
    fn from(error: RemoteError) -> LibraryError {
        match error {
            // Errors of files end with advice about the disk.
            RemoteError::File { action, path, source } => FileError { action, path, source }.into(),
            RemoteError::Cancelled { .. } => LibraryError::Cancelled,
            error => LibraryError::Remote(error),
        }
    }
}

impl From<MemoryError> for LibraryError {
    fn from(error: MemoryError) -> LibraryError {
        match error {
            MemoryError::File(error) => error.into(),
            error => LibraryError::Notes(error),
        }
    }
}

impl From<LibraryError> for Error {
    fn from(error: LibraryError) -> Error {
        Error::caused_by(error.kind(), error)
    }
}

fn known(near: &[String]) -> String {
    match near {
        [] => "the library is empty; add a source first".to_string(),
        near => format!("choose {}", near.join(", ")),
    }
}

fn listed(near: &[String]) -> String {
    if near.is_empty() { "no folder".to_string() } else { near.join(", ") }
}

fn holder(by: &Option<LockHolder>) -> String {
    match by {
        Some(by) => format!("process {} changes it since {} s", by.pid, by.age()),
        None => "another process changes it".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_fault_of_the_archive() {
        let kind =
            |fault| LibraryError::from(UnpackError { archive: "a.zip".into(), entry: None, fault }).kind();
        let of_io = |kind_of_io: io::ErrorKind| kind(UnpackFault::Io(kind_of_io.into()));
        assert_eq!(of_io(io::ErrorKind::StorageFull), ErrorKind::DiskFull);
        assert_eq!(of_io(io::ErrorKind::ReadOnlyFilesystem), ErrorKind::ReadOnly);
        assert_eq!(of_io(io::ErrorKind::PermissionDenied), ErrorKind::Permission);
        assert_eq!(of_io(io::ErrorKind::Other), ErrorKind::Io);
        assert_eq!(kind(UnpackFault::Link), ErrorKind::BadSource);
    }
}
