//! The error type of the facade.

use std::io;
use std::path::{Path, PathBuf};

use super::api::remedy::Remedy;
use spyhop_attributes::{Name, form, reply};
use spyhop_base::cores::NoThread;
use spyhop_base::limit::AboveLimit;
use spyhop_base::path::PathError;
use spyhop_base::store::{FileError, IoCause, LockError};
use spyhop_files::git::RevisionError;
use spyhop_files::walk::WalkError;
use spyhop_grep::PatternError;
use spyhop_index::archive::ArchiveError;
use spyhop_index::inverted::IndexError;
use spyhop_index::meta::MetaError;
use spyhop_index::update::UpdateError;
use spyhop_index::workspace::{WorkspaceError, WriteError};
use spyhop_search::SearchError;
use spyhop_search::filter::FilterError;
use spyhop_search::query::QueryError;
use spyhop_syntax::grammar::GrammarError;

/// The kind of an error: its cause, and thus the remedy.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Hash, Name)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The request has a wrong value. The message names the value and the valid choices.
    BadRequest,
    /// A [`ReadRequest`](crate::api::ReadRequest) found no such file or definition. The message names the most similar ones.
    /// Other operations do not return this kind: for example, a graph question about a symbol that does not exist gives
    /// `BadRequest`.
    NotFound,
    /// The path is not that of a regular file.
    NotAFile,
    /// The file is not text: it is binary, cannot be decoded or is too large.
    NotText,
    /// The root is missing, is not a folder, or cannot be read.
    NoRoot,
    /// There is no index, and the options do not allow building one.
    NoIndex,
    /// The index folder belongs to another tree or to another user.
    ForeignIndex,
    /// A newer version of this program made the index.
    NewerFormat,
    /// The index contradicts itself. A refresh rebuilds an index that cannot be opened. For other damage, a rebuild is
    /// needed.
    Damaged,
    /// The file is not an archive of an index, or the archive is truncated or altered.
    BadArchive,
    /// The archive has another format, comes from other parsers, or is of another tree. The message names both sides.
    ForeignArchive,
    /// There is an index, and [`Import::force`](crate::api::Import::force) is not set.
    IndexExists,
    /// The index was imported without its tree, and the operation would read or compare the tree.
    NoSources,
    /// The library has no source of this name.
    UnknownSource,
    /// A source of the library has this name, or is the source to add.
    NameTaken,
    /// The source cannot be added: it is not an archive, or its content is refused. The message names the entry.
    BadSource,
    /// A repository on another machine cannot be reached.
    Unreachable,
    /// Another process is indexing, or changes the library.
    Locked,
    /// The tree has changed since it was indexed, and the options require a fresh answer.
    Stale,
    /// The tree of a commit exceeds a limit of the walk. The message names the limit.
    TooLarge,
    /// The caller cancelled the call.
    Cancelled,
    /// The deadline of the call has passed.
    TimedOut,
    /// The disk or quota of the index is full, or a file has reached its size limit.
    DiskFull,
    /// The file system of the index is read-only.
    ReadOnly,
    /// This user lacks the permission to read or write the index or the tree.
    Permission,
    /// The system refused to start a thread that the request needs.
    NoThread,
    /// Reading or writing failed.
    Io,
    /// A bug of this program. The request and the index are sound.
    Internal,
}

/// Why a request was not answered.
#[form(Debug)]
pub struct Error {
    /// The message.
    #[serde(rename = "error")]
    text: String,
    /// The kind of the error.
    kind: ErrorKind,
    #[serde(skip)]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    #[serde(skip)]
    remedy: Option<Remedy>,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, text: text.into(), source: None, remedy: None }
    }

    /// This error, with a remedy.
    pub(super) fn with(self, remedy: Remedy) -> Error {
        Error { remedy: Some(remedy), ..self }
    }

    pub(super) fn bad(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::BadRequest, text)
    }

    /// A path that servers do not serve, as the value of a parameter.
    #[doc(hidden)]
    pub fn in_git_folder(param: &str, path: &str) -> Error {
        let text = format!(
            "{param} '{path}' lies in a git directory, which is not served, since its files may hold tokens; give a file of the \
             tree"
        );
        Error::bad(text)
    }

    /// The index was imported without its tree, which `what` needs.
    pub(super) fn no_sources(what: &str) -> Error {
        let text = format!("the index came without its tree, so there is nothing for {what} to read");
        Error::new(ErrorKind::NoSources, text)
    }

    /// An error with the kind, the text and the remedy of this one, for a further caller.
    pub(super) fn copy(&self) -> Error {
        Error { kind: self.kind, text: self.text.clone(), source: None, remedy: self.remedy.clone() }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the caller can do about the error, if the remedy is known.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }

    /// The error of the operating system that is the cause, if there is one.
    pub fn io_error(&self) -> Option<&io::Error> {
        let mut next = self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static));
        while let Some(error) = next {
            // Transparent errors lead past the error that they have.
            if let Some(IndexError::Io(found)) = error.downcast_ref() {
                return Some(found);
            }
            if let Some(SearchError::Index(IndexError::Io(found))) = error.downcast_ref() {
                return Some(found);
            }
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    /// The file or folder that the error is about, if the cause is an error of the operating system.
    pub fn io_path(&self) -> Option<&Path> {
        let source = self.source.as_deref()?;
        let of_file = || source.downcast_ref::<FileError>().map(|error| &error.path);
        let of_workspace = || match source.downcast_ref()? {
            WorkspaceError::File(error) => Some(&error.path),
            _ => None,
        };
        let of_index = || match source.downcast_ref()? {
            WriteError::Index { dir, source: IndexError::Io(_) } => Some(dir),
            _ => None,
        };
        let of_record = || match source.downcast_ref()? {
            SearchError::Meta(MetaError::File(error)) => Some(&error.path),
            _ => None,
        };
        let of_root = || match source.downcast_ref()? {
            WalkError::Unreadable { root, .. } => Some(root),
            _ => None,
        };
        let path = of_file().or_else(of_workspace).or_else(of_index).or_else(of_record).or_else(of_root);
        path.map(PathBuf::as_path)
    }

    /// An error of `kind` with the text of `source`.
    #[doc(hidden)]
    pub fn caused_by(kind: ErrorKind, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error { kind, text: source.to_string(), source: Some(Box::new(source)), remedy: None }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text is that of the source, so the chain continues with the source of the source.
        self.source.as_deref().and_then(|source| source.source())
    }
}

/// Errors of values that a caller gave.
macro_rules! bad_requests {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::caused_by(ErrorKind::BadRequest, error)
            }
        })+
    };
}

bad_requests!(QueryError, AboveLimit, FilterError, PatternError, PathError, RevisionError, GrammarError);

impl From<WalkError> for Error {
    fn from(error: WalkError) -> Error {
        let kind = match &error {
            WalkError::TooLarge { .. } | WalkError::TooSlow { .. } => ErrorKind::TooLarge,
            WalkError::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::NoRoot,
        };
        Error::caused_by(kind, error)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Error {
        Error::caused_by(ErrorKind::of_cause(error.io_cause()), error)
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Error {
        SearchError::from(error).into()
    }
}

impl ErrorKind {
    /// The kind of an I/O error.
    #[doc(hidden)]
    pub fn of_cause(trouble: IoCause) -> ErrorKind {
        match trouble {
            IoCause::DiskFull => ErrorKind::DiskFull,
            IoCause::ReadOnly => ErrorKind::ReadOnly,
            IoCause::Permission => ErrorKind::Permission,
            IoCause::NoThread => ErrorKind::NoThread,
            IoCause::Other => ErrorKind::Io,
        }
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Error {
        let kind = match &error {
            WorkspaceError::Missing { .. } => ErrorKind::NoIndex,
            WorkspaceError::Foreign { .. } | WorkspaceError::ForeignUser { .. } => ErrorKind::ForeignIndex,
            WorkspaceError::NewerFormat { .. } => ErrorKind::NewerFormat,
            WorkspaceError::Damaged { .. } | WorkspaceError::LostClaim { .. } => ErrorKind::Damaged,
            WorkspaceError::File(error) => ErrorKind::of_cause(error.io_cause()),
        };
        Error::caused_by(kind, error)
    }
}

impl From<UpdateError> for Error {
    fn from(error: UpdateError) -> Error {
        match error {
            UpdateError::Walk(error) => error.into(),
            UpdateError::Write(error) => error.into(),
            error @ UpdateError::Switched => Error::caused_by(ErrorKind::Locked, error),
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        match error {
            WriteError::Meta(error) => SearchError::from(error).into(),
            error @ WriteError::NoSources { .. } => {
                Error::caused_by(ErrorKind::NoSources, error).with(Remedy::Rebuild)
            }
            WriteError::Workspace(error) => error.into(),
            WriteError::Lock(error @ LockError::Held { .. }) => Error::caused_by(ErrorKind::Locked, error),
            WriteError::Lock(LockError::File(error)) | WriteError::File(error) => error.into(),
            WriteError::Index { ref source, .. } => {
                let is_damage = matches!(source, IndexError::Damaged(_));
                let kind =
                    if is_damage { ErrorKind::Damaged } else { ErrorKind::of_cause(source.io_cause()) };
                Error::caused_by(kind, error)
            }
        }
    }
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Error {
        match error {
            ArchiveError::Update(error) => error.into(),
            ArchiveError::Damaged { .. } => Error::caused_by(ErrorKind::BadArchive, error),
            ArchiveError::NewerArchive { .. }
            | ArchiveError::Format { .. }
            | ArchiveError::Fingerprint { .. }
            | ArchiveError::OtherTree { .. } => Error::caused_by(ErrorKind::ForeignArchive, error),
            ArchiveError::WithoutSnippets { .. } => {
                Error::caused_by(ErrorKind::NoSources, error).with(Remedy::ExportSources)
            }
            ArchiveError::Occupied { .. } => {
                Error::caused_by(ErrorKind::IndexExists, error).with(Remedy::ReplaceIndex)
            }
            ArchiveError::NoView => Error::caused_by(ErrorKind::NoIndex, error),
        }
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Error {
        let kind = match &error {
            SearchError::Index(error @ IndexError::Io(_)) => ErrorKind::of_cause(error.io_cause()),
            SearchError::Meta(MetaError::File(error)) => ErrorKind::of_cause(error.io_cause()),
            SearchError::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::Damaged,
        };
        Error::caused_by(kind, error)
    }
}

/// The message for a panic because the system refused to start a thread; `None` for any other panic.
pub fn no_thread(panic: &str) -> Option<String> {
    NoThread::of_panic(panic).map(|error| error.to_string())
}

/// The error for a root that cannot be resolved.
pub(super) fn no_root(root: PathBuf, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => WalkError::Missing { root }.into(),
        _ => WalkError::Unreadable { root, source: error }.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_is_found_with_its_file() {
        let io = || std::io::Error::from_raw_os_error(20);
        let of_file = || FileError { action: "write", path: PathBuf::from("a"), source: io() };
        let root = || WalkError::Unreadable { root: PathBuf::from("a"), source: io() };
        let index = || WriteError::Index { dir: PathBuf::from("a"), source: IndexError::Io(io()) };
        let errors: [Error; 8] = [
            of_file().into(),
            WorkspaceError::File(of_file()).into(),
            WriteError::File(of_file()).into(),
            SearchError::from(MetaError::File(of_file())).into(),
            index().into(),
            UpdateError::Write(index()).into(),
            root().into(),
            UpdateError::Walk(root()).into(),
        ];
        for error in errors {
            assert_eq!(error.io_error().and_then(std::io::Error::raw_os_error), Some(20), "{error}");
            assert_eq!(error.io_path(), Some(Path::new("a")), "{error}");
        }
        let of_index = Error::from(SearchError::from(IndexError::Io(io())));
        assert!(of_index.io_error().is_some());
        let bad = Error::bad("max_results is 0");
        assert!(bad.io_error().is_none() && bad.io_path().is_none());
        assert!(Error::from(WalkError::Cancelled).io_path().is_none());
    }

    #[test]
    fn the_kind_tells_a_disk_from_damage() {
        let io = || IndexError::Io(std::io::Error::other("disk"));
        let damage = || IndexError::Damaged("cut off".to_string());
        let search = |source: IndexError| Error::from(SearchError::from(source)).kind();
        let update = |source| Error::from(WriteError::Index { dir: PathBuf::new(), source }).kind();
        assert_eq!((search(io()), search(damage())), (ErrorKind::Io, ErrorKind::Damaged));
        assert_eq!((update(io()), update(damage())), (ErrorKind::Io, ErrorKind::Damaged));
    }
}
