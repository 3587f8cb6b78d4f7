//! Indexes that travel: a commit's view in one file, and such a file made the index of a tree elsewhere.
//!
//! Export pins a commit, takes the view of what is checked out out of it, and writes an archive ([`archive`]). Import
//! believes nothing that an archive says before it was checked, puts it beside what is there, and makes it the index in
//! one step, the commit point that every update has. The stat data of the exporting machine prove nothing here and are
//! left out: after an import every file is hashed, and parsed only where its content is not the archive's.

mod archive;
mod export;
mod import;

use std::path::PathBuf;

pub use export::{Export, Exported};
pub use import::{Import, Imported};

use super::{UpdateError, WorkspaceError};
use crate::index::IndexError;
use crate::meta::MetaError;
use crate::store::{FORMAT_VERSION, FileError, LockError};

/// Why an index was not exported or imported. Whatever it was, what answered before still answers.
#[derive(Debug, thiserror::Error)]
pub enum PortableError {
    /// The file is no archive of an index, or one that was cut off or altered.
    #[error("{} is no sound archive of an index: {reason}", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// The archive is laid out as a newer program does it.
    #[error("{} is an archive of version {found}, this program reads version {}", path.display(), archive::VERSION)]
    NewerArchive {
        /// The archive.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The index inside has another format.
    #[error("{} holds an index of format {found} (made by spyhop {made_by}), this program has format {FORMAT_VERSION}", path.display())]
    Format {
        /// The archive.
        path: PathBuf,
        /// The format of its index.
        found: u32,
        /// The version that made it.
        made_by: String,
    },
    /// The index inside was made with other parsers or another tokenizer.
    #[error("{} was made with the parsers and tokenizer {found} (spyhop {made_by}), this program has {own} (spyhop {})", path.display(), env!("CARGO_PKG_VERSION"))]
    Fingerprint {
        /// The archive.
        path: PathBuf,
        /// What it was made with.
        found: String,
        /// The version that made it.
        made_by: String,
        /// What this program has.
        own: String,
    },
    /// The tree is another one.
    #[error("{} is of another tree: {here} of its {of} files are in {}, fewer than half", path.display(), root.display())]
    OtherTree {
        /// The archive.
        path: PathBuf,
        /// The tree.
        root: PathBuf,
        /// How many of the archive's paths are files there.
        here: usize,
        /// How many paths the archive has.
        of: usize,
    },
    /// The tree has an index.
    #[error("there is an index at {} (generation {generation}); --force replaces it", dir.display())]
    Occupied {
        /// Where it lies.
        dir: PathBuf,
        /// Its newest commit.
        generation: u64,
    },
    /// The archive is to be imported without the tree, and holds no sources.
    #[error("{} holds no sources; export it with --with-snippets to search it without the tree", path.display())]
    WithoutSnippets {
        /// The archive.
        path: PathBuf,
    },
    /// What is checked out has not been indexed.
    #[error("what is checked out has not been indexed; run: spyhop index")]
    NoView,
    /// As an update fails.
    #[error(transparent)]
    Update(#[from] UpdateError),
}

impl From<FileError> for PortableError {
    fn from(error: FileError) -> PortableError {
        PortableError::Update(error.into())
    }
}

impl From<WorkspaceError> for PortableError {
    fn from(error: WorkspaceError) -> PortableError {
        PortableError::Update(error.into())
    }
}

impl From<MetaError> for PortableError {
    fn from(error: MetaError) -> PortableError {
        PortableError::Update(error.into())
    }
}

impl From<LockError> for PortableError {
    fn from(error: LockError) -> PortableError {
        PortableError::Update(error.into())
    }
}

/// Failures of the segments in the folder `dir`.
fn at_segments(dir: &std::path::Path) -> impl Fn(IndexError) -> PortableError + '_ {
    |source| UpdateError::Index { dir: dir.to_path_buf(), source }.into()
}

#[cfg(test)]
mod tests;
