//! Portable indexes: exporting a commit's view into one file, and importing such a file as the index of a tree
//! elsewhere.
//!
//! Export pins a commit, extracts the view of the checked-out head, and writes an archive ([`archive`]). Import trusts
//! nothing in an archive before it is checked, unpacks it beside the existing index, and makes it the index in one
//! step, at the commit point that every update has. The stat data of the exporting machine prove nothing here and are
//! left out: after an import every file is hashed, and parsed only if its content differs from the archive's.

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

/// Why an index was not exported or imported. After any error, the previous index still answers.
#[derive(Debug, thiserror::Error)]
pub enum PortableError {
    /// The file is not an archive of an index, or is truncated or altered.
    #[error("{} is not a valid archive of an index: {reason}", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// The damage, and where it is.
        reason: String,
    },
    /// The archive has the layout of a newer program.
    #[error("{} is an archive of version {found}, this program reads version {}", path.display(), archive::VERSION)]
    NewerArchive {
        /// The archive.
        path: PathBuf,
        /// The layout version of the archive.
        found: u32,
    },
    /// The index inside has another format.
    #[error("{} holds an index of format {found} (made by spyhop {made_by}), this program has format {FORMAT_VERSION}", path.display())]
    Format {
        /// The archive.
        path: PathBuf,
        /// The format of the index inside.
        found: u32,
        /// The version of the program that made the archive.
        made_by: String,
    },
    /// The index inside was made with other parsers or another tokenizer.
    #[error("{} was made with the parsers and tokenizer {found} (spyhop {made_by}), this program has {own} (spyhop {})", path.display(), env!("CARGO_PKG_VERSION"))]
    Fingerprint {
        /// The archive.
        path: PathBuf,
        /// The fingerprint of the archive.
        found: String,
        /// The version of the program that made the archive.
        made_by: String,
        /// The fingerprint of this program.
        own: String,
    },
    /// The archive is of another tree.
    #[error("{} is of another tree: {here} of its {of} files are in {}, fewer than half", path.display(), root.display())]
    OtherTree {
        /// The archive.
        path: PathBuf,
        /// The root of this tree.
        root: PathBuf,
        /// How many of the archive's paths are files in this tree.
        here: usize,
        /// How many paths the archive has.
        of: usize,
    },
    /// The tree already has an index.
    #[error("there is an index at {} (generation {generation}); --force replaces it", dir.display())]
    Occupied {
        /// The folder of the index.
        dir: PathBuf,
        /// The generation of the newest commit.
        generation: u64,
    },
    /// The archive is to be imported without the tree, and holds no sources.
    #[error("{} holds no sources; export it with --with-snippets to search it without the tree", path.display())]
    WithoutSnippets {
        /// The archive.
        path: PathBuf,
    },
    /// The checked-out head has not been indexed.
    #[error("what is checked out has not been indexed; run: spyhop index")]
    NoView,
    /// An error of the update that an export or import runs.
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

/// Maps errors of the segments in the folder `dir`.
fn at_segments(dir: &std::path::Path) -> impl Fn(IndexError) -> PortableError + '_ {
    |source| UpdateError::Index { dir: dir.to_path_buf(), source }.into()
}

#[cfg(test)]
mod tests;
