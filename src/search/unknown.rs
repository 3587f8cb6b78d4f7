//! Words of a query that no file of the view contains, with the words of the view that are probably meant.
//!
//! A search answers with the other words of the query, so a typing error would go unnoticed.

use super::error::SearchError;
use super::occurrence::document_count;
use super::snapshot::SearchSnapshot;
use super::words::{Lookup, WordRow, WordRows};

use crate::query::Query;
use spyhop_index::inverted::{IndexField, folded};
use spyhop_index::tokenize::{for_each_word, parts};

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

/// The unknown words of a query, each with similar words; none of a query that names a file.
pub fn unknown_words(query: &Query, words: &dyn WordRows) -> Result<Vec<UnknownWord>, SearchError> {
    let n_terms = query.terms.len();
    if query.is_report || !query.frames.is_empty() || !(2..=MAX_TERMS).contains(&n_terms) {
        return Ok(Vec::new());
    }
    let mut unknown: Vec<UnknownWord> = Vec::new();
    for term in &query.terms {
        let is_seen = unknown.iter().any(|seen| seen.word == term.word);
        if is_seen || words.is_found(Lookup::OccursAnywhere(term.term.clone()))? {
            continue;
        }
        let similar = similar(&term.word, words)?;
        let word = if similar.is_empty() { whole_word(query, &term.word) } else { term.word.clone() };
        if !unknown.iter().any(|seen| seen.word == word) {
            unknown.push(UnknownWord { similar, word });
        }
    }
    Ok(unknown)
}

/// The word of the query that has a part, in lower case: `graphql` for the part `ql` of `GraphQL`.
fn whole_word(query: &Query, part: &str) -> String {
    let mut whole = None;
    for_each_word(&query.text, |word| {
        let has_part = || parts(word).iter().any(|own| own.to_lowercase() == part);
        whole = whole.take().or_else(|| has_part().then(|| word.to_lowercase()));
    });
    whole.unwrap_or_else(|| part.to_string())
}

/// The words of the view that differ from `word` by a typing error, those of most files first.
pub(super) fn similar(word: &str, words: &dyn WordRows) -> Result<Vec<String>, SearchError> {
    let pattern = folded(word);
    if !pattern.bytes().all(|byte| byte.is_ascii_alphabetic()) || pattern.len() < MIN_LETTERS {
        return Ok(Vec::new());
    }
    let mut rows = words.rows(&Lookup::Similar(word.to_string()))?;
    rows.sort_unstable_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2)));
    rows.dedup_by(|next, kept| {
        let is_same = (next.0, &next.2) == (kept.0, &kept.2);
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    rows.sort_by_key(|(edits, files, _)| (*edits, std::cmp::Reverse(*files)));
    let mut similar: Vec<String> = Vec::new();
    for (_, _, term) in rows {
        if similar.len() < MAX_SIMILAR && !similar.iter().any(|word| word.eq_ignore_ascii_case(&term)) {
            similar.push(term);
        }
    }
    Ok(similar)
}

/// The words of the snapshot that differ from `word` by a typing error, as rows of [`Lookup::Similar`].
pub(super) fn similar_rows(word: &str, snapshot: &SearchSnapshot) -> Result<Vec<WordRow>, SearchError> {
    let pattern = folded(word);
    let mut near: Vec<(u8, String)> = Vec::new();
    snapshot.index().terms_near(IndexField::Word, &pattern, 1, |term| {
        // The dictionary's search also returns the words that begin with the pattern. Words with digits are data.
        let edits = strsim::osa_distance(&folded(term), &pattern);
        if edits <= 1 && !term.contains(|c: char| c.is_ascii_digit()) {
            near.push((edits as u8, term.to_string()));
        }
    })?;
    near.sort_unstable();
    near.dedup();
    let mut rows = Vec::new();
    for (edits, term) in near {
        let files = document_count(IndexField::Word, &term, snapshot)?;
        if files > 0 {
            rows.push((edits, files as u32, term));
        }
    }
    Ok(rows)
}
