//! Revisions, and why a revision cannot be searched.

use std::path::PathBuf;

use spyhop_base::path::RelPath;
use spyhop_base::similar::did_you_mean;

/// Why a revision cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// There is no repository.
    #[error(
        "'{spec}' names a revision, but there is no git repository around {}{}; ask without a revision",
        root.display(), why.as_ref().map_or_else(String::new, |why| format!(" that can be used ({why})"))
    )]
    NoRepository {
        spec: String,
        root: PathBuf,
        /// Why the repository is not used, if there seems to be one.
        why: Option<String>,
    },
    /// The objects or references of the repository are not read.
    #[error("'{spec}' cannot be looked up: {reason}; ask without a revision")]
    NotRead { spec: String, reason: String },
    /// No revision has this name.
    #[error("there is no revision '{spec}' in the repository at {}; {}{}", top.display(), offered(near), did_you_mean(spec, near.iter().map(String::as_str)))]
    Unknown {
        spec: String,
        top: PathBuf,
        /// The names of branches and tags, the most similar first.
        near: Vec<String>,
    },
    /// The name is not that of a commit.
    #[error("'{spec}' does not name a commit: {reason}; choose a branch, a tag or a commit")]
    NoCommit { spec: String, reason: String },
    /// The commit does not have the folder that is searched.
    #[error("there is no folder '{folder}' in '{spec}'; choose another root or revision")]
    NoFolder {
        spec: String,
        /// The root, relative to the top.
        folder: RelPath,
    },
}

fn offered(near: &[String]) -> String {
    match near {
        [] => "it has no branch and no tag".to_string(),
        near => format!("choose a commit or a name such as {}", near.join(", ")),
    }
}

/// A resolved revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    pub spec: String,
    /// The full name of a branch, which may move; `None` for a commit or a tag.
    pub branch: Option<String>,
    /// The commit when the revision was resolved.
    pub commit: String,
}
