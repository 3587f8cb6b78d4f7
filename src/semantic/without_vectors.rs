//! The twin of `dense` in a program without the feature: the same methods, which touch nothing and say so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spyhop_base::id::ContentHash;
use spyhop_search::{Reranker, SimilarTexts};

use crate::error::SemanticError;
use crate::model::{BuildProgress, BuildReport, BuildText, Estimate, StoredKind, StoredVectors};
use crate::settings::SemanticSettings;

/// The folder of the vectors of a workspace.
pub struct SemanticFolder(PathBuf);

impl SemanticFolder {
    /// The folder at `path`; no file is touched.
    pub fn new(path: PathBuf) -> SemanticFolder {
        SemanticFolder(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What compares texts; nothing without the feature.
    pub fn similar(&self, _kind: StoredKind) -> Option<Arc<dyn SimilarTexts>> {
        None
    }

    /// What reranks; nothing without the feature.
    pub fn reranker(&self) -> Option<Arc<dyn Reranker>> {
        None
    }

    /// Opts in; an error without the feature.
    pub fn enable(&self, _settings: &SemanticSettings) -> Result<String, SemanticError> {
        Err(SemanticError::NotBuilt("dense-embed"))
    }

    /// No database is known without the feature.
    pub fn database(&self, _path: &Path, _root: &Path) -> Option<Result<(), SemanticError>> {
        None
    }

    /// What is stored; nothing is known without the feature.
    pub fn stored(&self, _kind: StoredKind) -> Result<StoredVectors, SemanticError> {
        Err(SemanticError::NotBuilt("dense-embed"))
    }

    /// The contents without vectors; an error without the feature.
    pub fn lacking(&self, _kind: StoredKind, _contents: &[ContentHash]) -> Result<Vec<bool>, SemanticError> {
        Err(SemanticError::NotBuilt("dense-embed"))
    }

    /// The estimate for files of these bytes; an error without the feature.
    pub fn estimate(&self, _kind: StoredKind, _of: (usize, u64)) -> Result<Estimate, SemanticError> {
        Err(SemanticError::NotBuilt("dense-embed"))
    }

    /// Makes vectors; an error without the feature.
    pub fn build(
        &self,
        _kind: StoredKind,
        _estimate: &Estimate,
        _texts: &mut dyn Iterator<Item = Result<BuildText, SemanticError>>,
        _progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<BuildReport, SemanticError> {
        Err(SemanticError::NotBuilt("dense-embed"))
    }
}
