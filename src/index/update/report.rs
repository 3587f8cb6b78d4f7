//! The result of an update.

use std::path::PathBuf;

use serde::Serialize;

use spyhop_base::id::Generation;
use spyhop_base::wire::wire;

/// The result of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RefreshReport {
    /// The current generation.
    pub generation: Generation,
    /// Files that are new.
    pub added: usize,
    /// Files with changed content.
    pub changed: usize,
    /// Files that were deleted.
    pub deleted: usize,
    /// Files whose content was known under another path; they also count as `added` and `deleted`.
    pub renamed: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// The folder to which the old index was moved, if the old index could not be read and was rebuilt.
    #[serde(serialize_with = "wire", skip_serializing_if = "Option::is_none")]
    pub put_aside: Option<PathBuf>,
}

impl RefreshReport {
    /// The report of an update that had nothing to do in this generation.
    #[doc(hidden)]
    pub fn of(generation: Generation) -> RefreshReport {
        RefreshReport { generation, ..RefreshReport::default() }
    }
}
