//! The twin of `chunkhound` in a program without the feature.

use super::database::DatabaseParts;
use crate::error::SemanticError;
use crate::settings::{DatabaseSettings, EndpointSettings};

/// No parts; the error says how to get them.
pub fn read(
    _settings: &DatabaseSettings,
    _endpoint: &EndpointSettings,
    _stored_dimensions: usize,
) -> Result<DatabaseParts, SemanticError> {
    Err(SemanticError::NotBuilt("chunkhound"))
}
