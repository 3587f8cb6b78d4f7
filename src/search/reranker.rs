//! What tells how well texts answer a question: a cross-encoder outside of this crate.

use spyhop_base::text::Span;

/// Tells how well texts answer a question.
pub trait Reranker: Send + Sync {
    /// The name of the model.
    fn model(&self) -> &str;

    /// A number for each candidate, greater for a better answer: a probability or log-odds. The error says why there are
    /// none.
    fn scores(&self, question: &str, candidates: &[RerankText<'_>]) -> Result<Vec<f32>, String>;
}

/// A part of a file that may answer a question.
#[derive(Clone, Copy, Debug)]
pub struct RerankText<'t> {
    pub path: &'t str,
    /// The text of the file.
    pub text: &'t str,
    pub span: Span,
}
