//! Words of a query that no file of the view contains, with the words of the view that are probably meant.
//!
//! A search answers with the other words of the query, so a typing error would go unnoticed.

use super::error::SearchError;
use super::occurrence::{document_count, occurs_anywhere};
use super::snapshot::SearchSnapshot;

use crate::query::Query;
use spyhop_index::inverted::{IndexField, folded};

/// Shorter words have too many similar words.
const MIN_LETTERS: usize = 4;

/// The most similar words of a word.
const MAX_SIMILAR: usize = 3;

/// The most terms of a query whose words are looked up. A longer text is a report or a piece of code, in which unknown
/// words are usual.
const MAX_TERMS: usize = 16;

/// A word that no file contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// The word in lower case.
    pub word: String,
    /// Similar words of the view, those of most files first.
    pub similar: Vec<String>,
}

/// The unknown words of a query that are worth mentioning: all if they are at least half of its words, else those with
/// similar words.
pub fn unknown_words(query: &Query, snapshot: &SearchSnapshot) -> Result<Vec<UnknownWord>, SearchError> {
    let n_terms = query.terms.len();
    if query.is_report || !(2..=MAX_TERMS).contains(&n_terms) {
        return Ok(Vec::new());
    }
    let mut unknown: Vec<UnknownWord> = Vec::new();
    for term in &query.terms {
        let is_seen = unknown.iter().any(|seen| seen.word == term.word);
        if is_seen || occurs_anywhere(&term.term, snapshot)? {
            continue;
        }
        unknown.push(UnknownWord { similar: similar(&term.word, snapshot)?, word: term.word.clone() });
    }
    if 2 * unknown.len() < n_terms {
        unknown.retain(|word| !word.similar.is_empty());
    }
    Ok(unknown)
}

/// The words of the view that differ from `word` by a typing error, those of most files first.
pub(super) fn similar(word: &str, snapshot: &SearchSnapshot) -> Result<Vec<String>, SearchError> {
    let pattern = folded(word);
    if !pattern.bytes().all(|byte| byte.is_ascii_alphabetic()) || pattern.len() < MIN_LETTERS {
        return Ok(Vec::new());
    }
    let mut near: Vec<(usize, String)> = Vec::new();
    snapshot.index().terms_near(IndexField::Word, &pattern, 1, |term| {
        // The dictionary's search also returns the words that begin with the pattern. Words with digits are data.
        let edits = strsim::osa_distance(&folded(term), &pattern);
        if edits <= 1 && !term.contains(|c: char| c.is_ascii_digit()) {
            near.push((edits, term.to_string()));
        }
    })?;
    near.sort_unstable();
    near.dedup();
    let mut counted: Vec<(usize, std::cmp::Reverse<usize>, String)> = Vec::new();
    for (edits, term) in near {
        let files = document_count(IndexField::Word, &term, snapshot)?;
        if files > 0 {
            counted.push((edits, std::cmp::Reverse(files), term));
        }
    }
    counted.sort_unstable();
    let mut words: Vec<String> = Vec::new();
    for (_, _, term) in counted {
        if words.len() < MAX_SIMILAR && !words.iter().any(|word| word.eq_ignore_ascii_case(&term)) {
            words.push(term);
        }
    }
    Ok(words)
}
