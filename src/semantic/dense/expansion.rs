//! Expansions: the words that a model of the kind SPLADE adds to each part of a file, with their weights. A build makes them;
//! a search only takes the question apart with the tokenizer, and runs no model.
//!
//! The row of a part has as many terms as the settings say, those of the greatest weights, sorted by their numbers in the
//! vocabulary: a number of 24 bits, then 8 bits of weight, in units of the scale of the row. Terms of weight 0 come first.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spyhop_base::id::ContentHash;
use spyhop_grep::secrets;
use spyhop_search::{SimilarTexts, Similarity};
use tokenizers::Tokenizer;

use super::build::RowMaker;
use super::compare::{RowAsker, best_parts};
use super::local::Expander;
use super::provider::Limits;
use super::store::{PackedRow, Stored};
use super::tensors::{self, stamp_of};
use crate::error::SemanticError;
use crate::settings::ExpansionSettings;

/// The bytes of a term.
const TERM_LEN: usize = 4;

/// The file with the weights of words in questions, beside models that were trained with such.
const QUESTION_WEIGHTS: &str = "idf.json";

/// What tells apart rows that cannot be compared, and the width of a row.
pub fn identity(settings: &ExpansionSettings) -> (String, usize) {
    let ExpansionSettings { folder, terms } = settings;
    (format!("splade {} {terms} {:?}", folder.display(), stamp_of(folder)), terms * TERM_LEN)
}

/// What makes the rows of texts.
pub fn maker(settings: &ExpansionSettings) -> Result<Box<dyn RowMaker>, SemanticError> {
    Ok(Box::new(TermMaker { expander: Expander::open(&settings.folder)?, terms: settings.terms }))
}

/// What takes questions apart. Of the model, only the tokenizer is read.
pub fn asker(settings: &ExpansionSettings) -> Result<Arc<dyn RowAsker>, SemanticError> {
    let folder = &settings.folder;
    let tokenizer = tensors::tokenizer(folder, None)?;
    let by_word: Option<FxHashMap<String, f32>> = tensors::read_json(&folder.join(QUESTION_WEIGHTS))?;
    let of_word = |(word, weight): (String, f32)| Some((tokenizer.token_to_id(&word)?, weight));
    let weights = by_word.map(|words| words.into_iter().filter_map(of_word).collect());
    Ok(Arc::new(QuestionWords { model: settings.model(), tokenizer, weights }))
}

struct TermMaker {
    expander: Expander,
    terms: usize,
}

impl RowMaker for TermMaker {
    fn rows(&self, texts: &[&str]) -> Result<Vec<PackedRow>, SemanticError> {
        Ok(self.expander.weights(texts)?.iter().map(|weights| packed(weights, self.terms)).collect())
    }

    fn limits(&self) -> Limits {
        self.expander.limits()
    }
}

/// The terms of the greatest weights, by their numbers in the vocabulary.
fn packed(weights: &[f32], most: usize) -> PackedRow {
    let mut terms: Vec<(u32, f32)> =
        (0..).zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0).collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    terms.truncate(most);
    let scale = terms.first().map_or(1.0, |(_, greatest)| greatest / 255.0);
    terms.sort_unstable_by_key(|(term, _)| *term);
    let mut bytes = vec![0; (most - terms.len()) * TERM_LEN];
    for (term, weight) in terms {
        bytes.extend((term << 8 | (weight / scale).round() as u32).to_le_bytes());
    }
    PackedRow { scale, bytes }
}

/// The weight of a term in a row; 0 if the row lacks it.
fn weight_of(term: u32, scale: f32, row: &[u8]) -> f32 {
    let number = |at: usize| {
        let bytes = &row[at * TERM_LEN..(at + 1) * TERM_LEN];
        u32::from_le_bytes(bytes.try_into().expect("4 bytes"))
    };
    let (mut from, mut to) = (0, row.len() / TERM_LEN);
    while from < to {
        let middle = (from + to) / 2;
        // A term without weight stands before all others, also before that of number 0.
        if number(middle) < term << 8 | 1 { from = middle + 1 } else { to = middle }
    }
    let found = (from * TERM_LEN < row.len()).then(|| number(from)).filter(|found| found >> 8 == term);
    found.map_or(0.0, |found| (found & 255) as f32 * scale)
}

/// What takes questions apart.
struct QuestionWords {
    model: String,
    tokenizer: Tokenizer,
    /// By term, its weight in questions; without them every term counts alike.
    weights: Option<FxHashMap<u32, f32>>,
}

/// A term of a question.
#[derive(Debug, PartialEq)]
struct QuestionTerm {
    term: u32,
    weight: f32,
    /// The word of the question to which the term belongs.
    word: String,
}

impl QuestionWords {
    /// The terms of a question, each once, without those of signs.
    fn terms(&self, question: &str) -> Result<Vec<QuestionTerm>, String> {
        let mut question = question.to_string();
        secrets::mask_text(&mut question);
        let encoding = self.tokenizer.encode(question.as_str(), false).map_err(|error| error.to_string())?;
        let (words, offsets) = (encoding.get_word_ids(), encoding.get_offsets());
        let mut terms: Vec<QuestionTerm> = Vec::new();
        for (at, term) in encoding.get_ids().iter().copied().enumerate() {
            let of_word = words.iter().zip(offsets).filter(|(word, _)| **word == words[at]);
            let start = of_word.clone().map(|(_, (start, _))| *start).min().unwrap_or_default();
            let end = of_word.map(|(_, (_, end))| *end).max().unwrap_or_default();
            let word = question.get(start..end).unwrap_or_default();
            let weight = self.weights.as_ref().map_or(1.0, |own| own.get(&term).copied().unwrap_or_default());
            let is_known = terms.iter().any(|known| known.term == term);
            if weight > 0.0 && !is_known && word.chars().any(char::is_alphanumeric) {
                terms.push(QuestionTerm { term, weight, word: word.to_string() });
            }
        }
        Ok(terms)
    }
}

impl RowAsker for QuestionWords {
    fn comparer(self: Arc<Self>, stored: Stored) -> Arc<dyn SimilarTexts> {
        Arc::new(TermComparer { words: self, stored })
    }
}

/// The stored expansions, with what takes questions apart.
struct TermComparer {
    words: Arc<QuestionWords>,
    stored: Stored,
}

impl TermComparer {
    fn similarity(&self, terms: &[QuestionTerm], content: ContentHash) -> Option<Similarity> {
        let adds = |own: &QuestionTerm, scale, row: &[u8]| own.weight * weight_of(own.term, scale, row);
        let of_row = |scale: f32, row: &[u8]| terms.iter().map(|own| adds(own, scale, row)).sum();
        let (of_file, of_part, part) = best_parts(&self.stored, content, of_row)?;
        let (scale, row) = self.stored.row(part.row)?;
        let of_word = |word: &str| {
            terms.iter().filter(|own| own.word == word).map(|own| adds(own, scale, row)).sum::<f32>()
        };
        let words = terms.iter().map(|own| (own.word.clone(), of_word(&own.word)));
        // Of equal words, the first one.
        let word = words.rev().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, adds)| *adds > 0.0);
        Some(Similarity { of_file, of_part, part: part.span, word })
    }
}

impl SimilarTexts for TermComparer {
    fn model(&self) -> &str {
        &self.words.model
    }

    fn compare(&self, question: &str, contents: &[ContentHash]) -> Result<Vec<Option<Similarity>>, String> {
        self.stored.check_any("expansions")?;
        let terms = self.words.terms(question)?;
        Ok(contents.iter().map(|content| self.similarity(&terms, *content)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_terms_of_the_greatest_weights() {
        let mut weights = vec![0.0; 40_000];
        for (term, weight) in [(0, 0.5), (7, 2.0), (8, -1.0), (300, 0.1), (39_999, 1.0)] {
            weights[term] = weight;
        }
        for most in [1, 3, 4, 9] {
            let PackedRow { scale, bytes } = packed(&weights, most);
            assert_eq!(bytes.len(), most * TERM_LEN);
            for (term, weight, place) in
                [(7, 2.0, 0), (39_999, 1.0, 1), (0, 0.5, 2), (300, 0.1, 3), (8, 0.0, 9), (1, 0.0, 9)]
            {
                let expected = if place < most { weight } else { 0.0 };
                assert!((weight_of(term, scale, &bytes) - expected).abs() < 0.005, "{term} of {most}");
            }
        }
        assert_eq!(packed(&[0.0, -1.0], 2), PackedRow { scale: 1.0, bytes: vec![0; 8] });
    }

    #[test]
    fn a_question_is_taken_apart_into_its_words() {
        let folder = tempfile::tempdir().unwrap();
        super::super::local::tiny::write(folder.path(), super::super::local::tiny::WORDS);
        let settings = ExpansionSettings { folder: folder.path().to_path_buf(), terms: 4 };
        let check = |weights: Option<&str>, expected: &[(u32, f32, &str)]| {
            let path = folder.path().join(QUESTION_WEIGHTS);
            weights.iter().for_each(|text| std::fs::write(&path, text).unwrap());
            let tokenizer = tensors::tokenizer(folder.path(), None).unwrap();
            drop(asker(&settings).unwrap());
            let weights = weights.map(|_| FxHashMap::from_iter([(5, 2.5)]));
            let words = QuestionWords { model: String::new(), tokenizer, weights };
            let found = words.terms("five a - five").unwrap();
            let expected = expected.iter().map(|(term, weight, word)| QuestionTerm {
                term: *term,
                weight: *weight,
                word: (*word).to_string(),
            });
            assert_eq!(found, expected.collect::<Vec<_>>());
        };
        check(None, &[(5, 1.0, "five"), (1, 1.0, "a")]);
        check(Some(r#"{"five":2.5,"other":1.0}"#), &[(5, 2.5, "five")]);
    }
}
