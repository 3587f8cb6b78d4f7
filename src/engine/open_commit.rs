//! The open commit of an engine.

use std::sync::Arc;

use spyhop_index::meta::ViewKey;
use spyhop_search::SearchSnapshot;

/// The snapshot of the open commit, and the view that was requested.
#[derive(Clone)]
pub(crate) struct OpenedCommit {
    pub key: ViewKey,
    pub snapshot: Arc<SearchSnapshot>,
}
