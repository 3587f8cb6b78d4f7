//! The twin of `chunkhound` in a program without the feature.

use std::path::{Path, PathBuf};

use super::database::DatabaseParts;
use crate::error::SemanticError;
use crate::settings::{DatabaseSettings, EndpointSettings};

/// No path names a database that could be read.
pub fn is_named(_path: &Path) -> bool {
    false
}

/// The path itself.
pub fn file_of(named: &Path) -> PathBuf {
    named.to_path_buf()
}

/// No parts; the error says how to get them.
pub fn read(
    _settings: &DatabaseSettings,
    _endpoint: &EndpointSettings,
    _stored_dimensions: usize,
) -> Result<DatabaseParts, SemanticError> {
    Err(SemanticError::NotBuilt("chunkhound"))
}
