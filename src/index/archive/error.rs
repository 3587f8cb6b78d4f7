//! Why an index was not exported or imported.

use std::path::{Path, PathBuf};

use super::layout;
use crate::inverted::IndexError;
use crate::meta::MetaError;
use crate::update::UpdateError;
use crate::workspace::{WorkspaceError, WriteError};
use spyhop_base::store::{FORMAT_VERSION, FileError, LockError};

/// Why an index was not exported or imported. After any error, the previous index still answers.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file is not an archive of an index, or is truncated or altered.
    #[error("{} is not a valid archive of an index: {reason}", path.display())]
    Damaged {
        path: PathBuf,
        /// The damage, and where it is.
        reason: String,
    },
    /// The archive has the layout of a newer program.
    #[error("{} is an archive of version {found}, this program reads version {}", path.display(), layout::VERSION)]
    NewerArchive {
        path: PathBuf,
        /// The layout version of the archive.
        found: u32,
    },
    /// The index inside has another format.
    #[error("{} holds an index of format {found} (made by spyhop {made_by}), this program has format {FORMAT_VERSION}", path.display())]
    Format {
        path: PathBuf,
        /// The format of the index inside.
        found: u32,
        /// The version of the program that made the archive.
        made_by: String,
    },
    /// The index inside was made with other parsers or another tokenizer.
    #[error("{} was made with the parsers and tokenizer {found} (spyhop {made_by}), this program has {expected} (spyhop {})", path.display(), env!("CARGO_PKG_VERSION"))]
    Fingerprint {
        path: PathBuf,
        /// The fingerprint of the archive.
        found: String,
        /// The version of the program that made the archive.
        made_by: String,
        /// The fingerprint of this program.
        expected: String,
    },
    /// The archive is of another tree.
    #[error("{} is of another tree: {here} of its {of} files are in {}, fewer than half", path.display(), root.display())]
    OtherTree {
        path: PathBuf,
        /// The root of this tree.
        root: PathBuf,
        /// How many of the archive's paths are files in this tree.
        here: usize,
        /// How many paths the archive has.
        of: usize,
    },
    /// The tree already has an index.
    #[error("there is an index at {} (generation {generation})", dir.display())]
    Occupied {
        dir: PathBuf,
        /// The generation of the newest commit.
        generation: u64,
    },
    /// The archive is to be imported without the tree, and holds no sources.
    #[error("{} holds no sources, and a search without the tree needs them", path.display())]
    WithoutSnippets { path: PathBuf },
    /// The checked-out head has not been indexed.
    #[error("what is checked out has not been indexed")]
    NoView,
    /// An error of the update that an export or import runs.
    #[error(transparent)]
    Update(#[from] UpdateError),
}

impl From<WriteError> for ArchiveError {
    fn from(error: WriteError) -> ArchiveError {
        ArchiveError::Update(error.into())
    }
}

impl From<FileError> for ArchiveError {
    fn from(error: FileError) -> ArchiveError {
        ArchiveError::Update(error.into())
    }
}

impl From<WorkspaceError> for ArchiveError {
    fn from(error: WorkspaceError) -> ArchiveError {
        ArchiveError::Update(error.into())
    }
}

impl From<MetaError> for ArchiveError {
    fn from(error: MetaError) -> ArchiveError {
        ArchiveError::Update(error.into())
    }
}

impl From<LockError> for ArchiveError {
    fn from(error: LockError) -> ArchiveError {
        ArchiveError::Update(error.into())
    }
}

/// Maps errors of the segments in the folder `dir`.
pub(super) fn at_segments(dir: &Path) -> impl Fn(IndexError) -> ArchiveError + '_ {
    |source| WriteError::Index { dir: dir.to_path_buf(), source }.into()
}
