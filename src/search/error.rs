//! Why a search fails.

use crate::index::IndexError;
use crate::meta::MetaError;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The segments cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The metadata cannot be read.
    #[error(transparent)]
    Meta(#[from] MetaError),
}
