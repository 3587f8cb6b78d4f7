//! Several trees that are searched as one.

use std::fmt;
use std::sync::Arc;

use super::snapshot::Snapshot;

/// The name of a tree in a set of trees. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceName(Arc<str>);

impl SourceName {
    /// The name `text`.
    pub fn new(text: &str) -> SourceName {
        SourceName(text.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Where the hits of one source come from.
#[derive(Clone, Debug)]
pub struct SourceSnapshot {
    /// The name of the source.
    pub name: SourceName,
    /// The root, branch, commit and generation that answer.
    pub snapshot: Snapshot,
}
