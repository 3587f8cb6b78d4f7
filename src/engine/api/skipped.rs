//! The request for the files that are not indexed or only partly indexed, and its reply.

use std::ops::Deref;

use super::sources::SourceName;
use spyhop_attributes::{reply, request};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::wire::wire;

/// Asks for the files of the view that are not indexed or only partly indexed.
#[request(Clone, Debug, Default; default, deny_unknown_fields)]
pub struct SkippedRequest {
    /// Only files with this reason.
    pub reason: Option<SkipReason>,
    /// Only files behind this path, the last one of the page before; of several trees, behind the name of its source.
    pub after: Option<String>,
}

/// The files of a view that are not indexed or only partly indexed.
#[reply(Clone, Debug)]
pub struct SkippedReply {
    /// The entries, sorted by path; of several trees, tree by tree.
    pub entries: Vec<SkippedRow>,
    /// The number of entries for each reason, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::ReasonCount>"))]
    pub counts: Vec<(SkipReason, usize)>,
    /// Warnings for the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file of a view that is not indexed or only partly indexed. The fields of the [`Skipped`] are those of the row.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRow {
    /// The source of the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file, with the reason.
    #[serde(flatten)]
    pub skipped: Skipped,
}

impl Deref for SkippedRow {
    type Target = Skipped;

    fn deref(&self) -> &Skipped {
        &self.skipped
    }
}

impl From<Skipped> for SkippedRow {
    fn from(skipped: Skipped) -> SkippedRow {
        SkippedRow { source: None, skipped }
    }
}

impl SkippedRow {
    /// The path; of several trees, behind the name of the source.
    pub fn place(&self) -> String {
        match &self.source {
            Some(source) => format!("{source}:{}", self.path),
            None => self.path.to_string(),
        }
    }
}

impl SkippedReply {
    /// The entries with this reason, and their number; everything for `None`.
    pub fn of_reason(mut self, reason: Option<SkipReason>) -> SkippedReply {
        if let Some(reason) = reason {
            self.entries.retain(|entry| entry.reason == reason);
            self.counts.retain(|(counted, _)| *counted == reason);
        }
        self
    }

    /// The number of entries up to the place `after`. Of one tree, a file may be at that place no more.
    pub fn until(&self, after: &str) -> usize {
        let is_until = |row: &SkippedRow| match row.source {
            Some(_) => row.place() == after,
            None => row.path.as_str() <= after,
        };
        self.entries.iter().rposition(is_until).map_or(0, |last| last + 1)
    }
}
