//! The twin of `expansion` in a program without the feature.

use std::sync::Arc;

use super::build::RowMaker;
use super::compare::RowAsker;
use crate::error::SemanticError;
use crate::settings::ExpansionSettings;

/// No rows have this identity.
pub fn identity(_settings: &ExpansionSettings) -> (String, usize) {
    ("splade".to_string(), 0)
}

/// Nothing that makes rows; the error says how to get it.
pub fn maker(_settings: &ExpansionSettings) -> Result<Box<dyn RowMaker>, SemanticError> {
    Err(SemanticError::NotBuilt("sparse-splade"))
}

/// Nothing that takes questions apart; the error says how to get it.
pub fn asker(_settings: &ExpansionSettings) -> Result<Arc<dyn RowAsker>, SemanticError> {
    Err(SemanticError::NotBuilt("sparse-splade"))
}
