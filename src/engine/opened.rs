//! The open commit of an engine.

use std::sync::Arc;

use crate::meta::ViewKey;
use crate::search::SearchSnapshot;

/// The snapshot of the open commit, and the view that was requested.
#[derive(Clone)]
pub struct OpenedCommit {
    pub key: ViewKey,
    pub snapshot: Arc<SearchSnapshot>,
}
