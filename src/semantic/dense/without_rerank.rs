//! The twin of `rerank` in a program without the feature.

use spyhop_search::Reranker;

use crate::error::SemanticError;
use crate::settings::RerankSettings;

/// No reranker; the error says how to get one.
pub fn open(_settings: &RerankSettings) -> Result<Box<dyn Reranker>, SemanticError> {
    Err(SemanticError::NotBuilt("rerank"))
}
