//! Why a search fails.

use spyhop_base::cancel;
use spyhop_index::inverted::IndexError;
use spyhop_index::meta::MetaError;

/// Fails if the call on this thread is cancelled.
pub(crate) fn check_cancelled() -> Result<(), SearchError> {
    if cancel::is_cancelled() { Err(SearchError::Cancelled) } else { Ok(()) }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The segments cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The metadata cannot be read.
    #[error(transparent)]
    Meta(#[from] MetaError),
    #[error("cancelled")]
    Cancelled,
}
