//! What tells how similar texts are to a question: a model outside of this crate.

use spyhop_base::id::ContentHash;
use spyhop_base::text::Span;

/// Tells how similar texts are to a question: by vectors, or by the words that a model expanded each text with.
pub trait SimilarTexts: Send + Sync {
    /// The name of the model.
    fn model(&self) -> &str;

    /// Gets ready to compare texts with several questions, at once if that costs less.
    fn prepare(&self, questions: &[&str]) {
        let _ = questions;
    }

    /// For each content, how similar it is to the question; `None` if its similarity is not known. The error says why
    /// nothing is compared.
    fn compare(&self, question: &str, contents: &[ContentHash]) -> Result<Vec<Option<Similarity>>, String>;
}

/// How similar the text of a file is to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// The similarity by which files are ordered.
    pub of_file: f32,
    /// The similarity of the most similar part.
    pub of_part: f32,
    /// The most similar part.
    pub part: Span,
    /// The word of the question that adds most to the similarity of this part, with what it adds; `None` by vectors.
    pub word: Option<(String, f32)>,
}
