//! The twin of `local` in a program without the feature.

use std::path::Path;

#[cfg(feature = "rerank")]
use super::provider::CrossEncoder;
use super::provider::Provider;
use crate::error::SemanticError;

/// No provider; the error says how to get one.
pub fn provider(_folder: &Path) -> Result<Box<dyn Provider>, SemanticError> {
    Err(SemanticError::NotBuilt("local-model"))
}

/// No cross-encoder; the error says how to get one.
#[cfg(feature = "rerank")]
pub fn cross_encoder(_folder: &Path) -> Result<Box<dyn CrossEncoder>, SemanticError> {
    Err(SemanticError::NotBuilt("local-model"))
}
