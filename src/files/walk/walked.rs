//! The result of a walk.

use super::stat::FileIdentity;
use spyhop_base::model::Skipped;
use spyhop_base::path::RelPath;

/// A regular file that no rule excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub path: RelPath,
    /// The stat data of the file during the walk, or the id of the blob.
    pub identity: FileIdentity,
    /// Whether a `.spyhopignore` asks for the file by `!pattern`, so that neither its size nor its looks may exclude
    /// its content.
    pub wanted: bool,
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The candidates, sorted by path.
    pub candidates: Vec<Candidate>,
    /// The skipped entries, sorted by path; a directory stands for everything below it.
    pub skipped: Vec<Skipped>,
}
