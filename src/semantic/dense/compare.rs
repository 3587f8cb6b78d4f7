//! Comparing the first files of a search with the question, by their stored vectors.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use spyhop_base::id::ContentHash;
use spyhop_grep::secrets;
use spyhop_search::{RerankText, Reranker, SimilarTexts, Similarity};

use super::provider::{Patience, Provider};
use super::silence::{Silence, lock};
use super::store::{Stored, unit};
use crate::error::SemanticError;
use crate::model::PartRow;

/// The questions whose vectors are kept.
const KEPT_QUESTIONS: usize = 256;

/// The parts of a file whose mean similarity is that of the file. One part is chance, and all of them hide it.
const BEST_PARTS: usize = 2;

/// Prepares questions to stored rows.
pub trait RowAsker: Send + Sync {
    /// The comparison of texts by these rows.
    fn comparer(self: Arc<Self>, stored: Stored) -> Arc<dyn SimilarTexts>;
}

/// What makes the vectors of questions, with those that it made.
pub struct QuestionAsker {
    provider: Box<dyn Provider>,
    model: String,
    stored_dimensions: usize,
    known: Mutex<FxHashMap<String, Arc<[f32]>>>,
    silence: Silence,
}

impl QuestionAsker {
    pub fn new(provider: Box<dyn Provider>, model: String, stored_dimensions: usize) -> QuestionAsker {
        QuestionAsker {
            provider,
            model,
            stored_dimensions,
            known: Mutex::default(),
            silence: Silence::default(),
        }
    }

    /// Makes the vectors of questions in one call, except those that are known.
    fn ask(&self, questions: &[&str]) -> Result<(), String> {
        let mut new: Vec<&str> = questions.to_vec();
        {
            let known = lock(&self.known);
            new.retain(|question| !known.contains_key(*question));
        }
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        let mut masked: Vec<String> = new.iter().map(|question| question.to_string()).collect();
        masked.iter_mut().for_each(|text| _ = secrets::mask_text(text));
        let texts: Vec<&str> = masked.iter().map(String::as_str).collect();
        let vectors = self.silence.ask("vectors", || self.provider.embed(&texts, Patience::Search))?;
        let mut known = lock(&self.known);
        if known.len() + new.len() > KEPT_QUESTIONS {
            known.clear();
        }
        let units = vectors.iter().map(|vector| Arc::from(unit(vector, self.stored_dimensions)));
        known.extend(new.into_iter().map(str::to_string).zip(units));
        Ok(())
    }

    fn vector(&self, question: &str) -> Result<Arc<[f32]>, String> {
        self.ask(&[question])?;
        lock(&self.known).get(question).cloned().ok_or_else(|| "the question has no vector".to_string())
    }
}

impl RowAsker for QuestionAsker {
    fn comparer(self: Arc<Self>, stored: Stored) -> Arc<dyn SimilarTexts> {
        Arc::new(Comparer { asker: self, stored })
    }
}

/// The stored vectors, with what makes those of questions.
struct Comparer {
    asker: Arc<QuestionAsker>,
    stored: Stored,
}

impl Comparer {
    /// The similarity of a content.
    fn similarity(&self, question: &[f32], content: ContentHash) -> Option<Similarity> {
        let of_row = |scale: f32, numbers: &[u8]| {
            let products = question.iter().zip(numbers).map(|(own, number)| own * f32::from(*number as i8));
            products.sum::<f32>() * scale
        };
        let (of_file, of_part, part) = best_parts(&self.stored, content, of_row)?;
        Some(Similarity { of_file, of_part, part: part.span, word: None })
    }
}

/// The mean similarity of the most similar parts of a content, that of the first of these, and this part.
pub fn best_parts(
    stored: &Stored,
    content: ContentHash,
    of_row: impl Fn(f32, &[u8]) -> f32,
) -> Option<(f32, f32, PartRow)> {
    let of_part = |part: &PartRow| stored.row(part.row).map(|(scale, bytes)| (of_row(scale, bytes), *part));
    let mut all: Vec<(f32, PartRow)> = stored.parts(content)?.iter().filter_map(of_part).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.span.start.cmp(&b.1.span.start)));
    let best = &all[..all.len().min(BEST_PARTS)];
    let (of_part, part) = *best.first()?;
    let of_file = best.iter().map(|(similarity, _)| similarity).sum::<f32>() / best.len() as f32;
    Some((of_file, of_part, part))
}

impl SimilarTexts for Comparer {
    fn model(&self) -> &str {
        &self.asker.model
    }

    fn prepare(&self, questions: &[&str]) {
        // A failure is told by the comparison.
        let _ = self.asker.ask(questions);
    }

    fn compare(&self, question: &str, contents: &[ContentHash]) -> Result<Vec<Option<Similarity>>, String> {
        self.stored.check_any("vectors")?;
        let question = self.asker.vector(question)?;
        Ok(contents.iter().map(|content| self.similarity(&question, *content)).collect())
    }
}

/// Stands for a comparison or a reranker whose settings or rows cannot be read, and says why.
pub struct Broken {
    pub error: SemanticError,
    pub without: &'static str,
}

impl Broken {
    fn why(&self) -> String {
        format!("the answer is ranked without {}: {}", self.without, self.error)
    }
}

impl SimilarTexts for Broken {
    fn model(&self) -> &str {
        ""
    }

    fn compare(&self, _question: &str, _contents: &[ContentHash]) -> Result<Vec<Option<Similarity>>, String> {
        Err(self.why())
    }
}

impl Reranker for Broken {
    fn model(&self) -> &str {
        ""
    }

    fn scores(&self, _question: &str, _candidates: &[RerankText<'_>]) -> Result<Vec<f32>, String> {
        Err(self.why())
    }
}
