//! A change that a host reports.

use std::sync::Arc;

/// A change of a file in the tree of an engine, for `Engine::apply`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    path: String,
    kind: ChangeKind,
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file has these bytes.
    Write(Arc<[u8]>),
    /// There is no such file or folder.
    Remove,
    /// The source has the file again.
    Restore,
}

impl Change {
    /// The file at `path` has these bytes. The file and the folders above need not exist.
    pub fn write(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Change {
        Change { path: path.into(), kind: ChangeKind::Write(bytes.into().into()) }
    }

    /// The file at `path` is removed, or the folder with all its files.
    pub fn remove(path: impl Into<String>) -> Change {
        Change { path: path.into(), kind: ChangeKind::Remove }
    }

    /// The file at `path` is again as in the source of the engine, for example because a buffer was closed.
    pub fn restore(path: impl Into<String>) -> Change {
        Change { path: path.into(), kind: ChangeKind::Restore }
    }

    /// The path, as the host wrote it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The kind of the change.
    #[doc(hidden)]
    pub fn kind(&self) -> &ChangeKind {
        &self.kind
    }
}
