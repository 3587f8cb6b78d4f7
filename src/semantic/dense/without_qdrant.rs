//! The twin of `qdrant` in a program without the feature.

use super::provider::Provider;
use crate::error::SemanticError;
use crate::settings::QdrantSettings;

/// No provider; the error says how to get one.
pub fn shared(
    _provider: Box<dyn Provider>,
    _settings: &QdrantSettings,
) -> Result<Box<dyn Provider>, SemanticError> {
    Err(SemanticError::NotBuilt("qdrant"))
}
