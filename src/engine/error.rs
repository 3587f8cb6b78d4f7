//! The facade's one error.

use std::path::{Path, PathBuf};

use crate::cores::NoThread;
use crate::filter::FilterError;
use crate::git::RevisionError;
use crate::grammar::GrammarError;
use crate::grep::PatternError;
use crate::index::IndexError;
use crate::meta::MetaError;
use crate::path::PathError;
use crate::query::QueryError;
use crate::search::SearchError;
use crate::store::{FileError, IoCause, LockError};
use crate::update::{PortableError, UpdateError, WorkspaceError};
use crate::walk::WalkError;

/// Whose mistake an error is, and what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request asks for something that there is not: the message names the value and the choices.
    BadRequest,
    /// The root is missing, no folder, or cannot be read.
    NoRoot,
    /// There is no index, and making one was not wanted.
    NoIndex,
    /// The index folder belongs to another tree or to another user.
    ForeignIndex,
    /// A newer version of this program made the index.
    NewerFormat,
    /// The index contradicts itself. Refreshing makes it anew where opening it fails; where a search came upon damage
    /// inside, rebuilding does.
    Damaged,
    /// An archive of an index is none, is cut off or altered.
    BadArchive,
    /// An archive of an index does not fit: another format, other parsers, another tree. The message names both sides.
    ForeignArchive,
    /// There is an index, which an import replaces only when it is told to.
    IndexExists,
    /// The index was imported without its tree: what would read or compare the tree cannot be done.
    NoSources,
    /// Another process is indexing.
    Locked,
    /// The tree has changed since it was indexed, and the caller wanted none but a fresh answer.
    Stale,
    /// The tree of a commit is beyond what is walked; the message names the bound.
    TooLarge,
    /// The caller cancelled the call.
    Cancelled,
    /// There is no room left where the index lies, or a file of it may not grow further.
    DiskFull,
    /// The index lies where nothing can be written.
    ReadOnly,
    /// The index, or the tree, may not be read or written by this user.
    Permission,
    /// The system gave this process no thread that the request needs.
    NoThread,
    /// Reading or writing failed.
    Io,
    /// A fault of this program: nothing is wrong with the request or the index.
    Internal,
}

/// Why a request was not answered.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, text: text.into(), source: None }
    }

    pub(super) fn bad(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::BadRequest, text)
    }

    /// The index came without its tree, which `what` needs.
    pub(super) fn no_sources(what: &str) -> Error {
        let text = format!("the index came without its tree, so there is nothing for {what} to read");
        Error::new(ErrorKind::NoSources, text)
    }

    /// There is no index at `dir`; `command` makes it.
    pub(super) fn no_index(command: &str, dir: &Path) -> Error {
        Error::new(ErrorKind::NoIndex, format!("Run: {command}\nExpected index at: {}", dir.display()))
    }

    /// Whose mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    fn of(kind: ErrorKind, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error { kind, text: source.to_string(), source: Some(Box::new(source)) }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text is the source's own, so the chain goes on behind it.
        self.source.as_deref().and_then(|source| source.source())
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<PatternError> for Error {
    fn from(error: PatternError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<PathError> for Error {
    fn from(error: PathError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<RevisionError> for Error {
    fn from(error: RevisionError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<GrammarError> for Error {
    fn from(error: GrammarError) -> Error {
        Error::of(ErrorKind::BadRequest, error)
    }
}

impl From<WalkError> for Error {
    fn from(error: WalkError) -> Error {
        let kind = match &error {
            WalkError::TooLarge { .. } | WalkError::TooSlow { .. } => ErrorKind::TooLarge,
            WalkError::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::NoRoot,
        };
        Error::of(kind, error)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Error {
        Error::of(of_trouble(error.trouble()), error)
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Error {
        SearchError::from(error).into()
    }
}

fn of_trouble(trouble: IoCause) -> ErrorKind {
    match trouble {
        IoCause::DiskFull => ErrorKind::DiskFull,
        IoCause::ReadOnly => ErrorKind::ReadOnly,
        IoCause::Permission => ErrorKind::Permission,
        IoCause::NoThread => ErrorKind::NoThread,
        IoCause::Other => ErrorKind::Io,
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Error {
        let kind = match &error {
            WorkspaceError::Missing { .. } => ErrorKind::NoIndex,
            WorkspaceError::Foreign { .. } | WorkspaceError::ForeignUser { .. } => ErrorKind::ForeignIndex,
            WorkspaceError::NewerFormat { .. } => ErrorKind::NewerFormat,
            WorkspaceError::Damaged { .. } => ErrorKind::Damaged,
            WorkspaceError::File(error) => of_trouble(error.trouble()),
        };
        Error::of(kind, error)
    }
}

impl From<UpdateError> for Error {
    fn from(error: UpdateError) -> Error {
        match error {
            UpdateError::Walk(error) => error.into(),
            UpdateError::Meta(error) => SearchError::from(error).into(),
            error @ UpdateError::NoSources { .. } => Error::of(ErrorKind::NoSources, error),
            error @ UpdateError::Switched => Error::of(ErrorKind::Locked, error),
            UpdateError::Workspace(error) => error.into(),
            UpdateError::Lock(error @ LockError::Held { .. }) => Error::of(ErrorKind::Locked, error),
            UpdateError::Lock(LockError::File(error)) | UpdateError::File(error) => error.into(),
            UpdateError::Index { ref source, .. } => {
                let is_damage = matches!(source, IndexError::Damaged(_));
                let kind = if is_damage { ErrorKind::Damaged } else { of_trouble(source.trouble()) };
                Error::of(kind, error)
            }
        }
    }
}

impl From<PortableError> for Error {
    fn from(error: PortableError) -> Error {
        let kind = match error {
            PortableError::Update(error) => return error.into(),
            PortableError::Damaged { .. } => ErrorKind::BadArchive,
            PortableError::NewerArchive { .. }
            | PortableError::Format { .. }
            | PortableError::Fingerprint { .. }
            | PortableError::OtherTree { .. } => ErrorKind::ForeignArchive,
            PortableError::WithoutSnippets { .. } => ErrorKind::NoSources,
            PortableError::Occupied { .. } => ErrorKind::IndexExists,
            PortableError::NoView => ErrorKind::NoIndex,
        };
        Error::of(kind, error)
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Error {
        let kind = match &error {
            SearchError::Index(error @ IndexError::Io(_)) => of_trouble(error.trouble()),
            SearchError::Meta(MetaError::File(error)) => of_trouble(error.trouble()),
            _ => ErrorKind::Damaged,
        };
        Error::of(kind, error)
    }
}

/// What to tell of a panic whose cause is that the system gave no thread; `None` of any other.
pub fn no_thread(panic: &str) -> Option<String> {
    NoThread::of_panic(panic).map(|error| error.to_string())
}

/// Where a root is a file or nothing at all, the message says which.
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
    fn the_kind_tells_a_disk_from_damage() {
        let io = || IndexError::Io(std::io::Error::other("disk"));
        let damage = || IndexError::Damaged("cut off".to_string());
        let search = |source: IndexError| Error::from(SearchError::from(source)).kind();
        let update = |source| Error::from(UpdateError::Index { dir: PathBuf::new(), source }).kind();
        assert_eq!((search(io()), search(damage())), (ErrorKind::Io, ErrorKind::Damaged));
        assert_eq!((update(io()), update(damage())), (ErrorKind::Io, ErrorKind::Damaged));
    }
}
