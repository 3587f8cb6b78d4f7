//! Near names: a name that is typed in another style, without separators, with a typing error, or only by its prefix.
//! If no definition has the name as typed, the nearest definitions replace it.

use super::error::SearchError;
use super::snapshot::{NO_FILE, SearchSnapshot};
use crate::query::Query;
use spyhop_index::inverted::{IndexField, folded};

/// Shorter names have too many near names.
const MIN_LETTERS: usize = 4;

/// Names with fewer letters are not searched for with typing errors.
const MIN_FOR_SLIP: usize = 5;

/// The most names that are kept; a short prefix has thousands.
const MAX_KEPT: usize = 1_000;

/// The most names of each nearness that replace a name.
const MAX_INSTEAD: usize = 8;

/// A name that does not occur in the view, and the query that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelled {
    /// The name as typed.
    pub typed: String,
    /// The query that is answered. Its names are defined, nearest first.
    pub query: Query,
}

/// The query with near names, if it is one plain or qualified name that does not occur in the view and has near names.
pub fn respelled(query: &Query, snapshot: &SearchSnapshot) -> Result<Option<Respelled>, SearchError> {
    let Some(typed) = query.only_name().filter(|name| name.is_ascii()) else { return Ok(None) };
    if occurs(typed, snapshot)? {
        return Ok(None);
    }
    let instead = near_names(typed, snapshot)?;
    if instead.is_empty() {
        return Ok(None);
    }
    Ok(Some(Respelled { typed: typed.to_string(), query: query.with_names(&instead) }))
}

/// Whether `word` occurs in the view, as a word or a definition.
fn occurs(word: &str, snapshot: &SearchSnapshot) -> Result<bool, SearchError> {
    Ok(occurs_in(IndexField::Word, word, snapshot)? || occurs_in(IndexField::Definition, word, snapshot)?)
}

/// Whether a document of the view has `term` in a field.
pub(super) fn occurs_in(
    field: IndexField,
    term: &str,
    snapshot: &SearchSnapshot,
) -> Result<bool, SearchError> {
    let reader = snapshot.index();
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, field, term)? else { continue };
        // If the view contains every document of the segment, no postings have to be read.
        let mut is_held = snapshot.is_whole(segment) && blocks.count() > 0;
        if !snapshot.is_whole(segment) {
            let files = snapshot.files_of(segment);
            blocks.for_each(|docs, _| is_held |= docs.iter().any(|doc| files[*doc as usize] != NO_FILE));
        }
        if is_held {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The number of documents of the view that have `term` in a field.
pub(super) fn document_count(
    field: IndexField,
    term: &str,
    snapshot: &SearchSnapshot,
) -> Result<usize, SearchError> {
    let reader = snapshot.index();
    let mut count = 0;
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, field, term)? else { continue };
        let files = snapshot.files_of(segment);
        blocks.for_each(|docs, _| {
            count += docs.iter().filter(|doc| files[**doc as usize] != NO_FILE).count();
        });
    }
    Ok(count)
}

/// The nearness of a defined name to the typed one. A nearer name is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// Equal letters, apart from case and separators.
    Same,
    /// One letter inserted, deleted or replaced, or two letters swapped.
    Slip,
    /// The name has the typed text as a prefix.
    Beginning,
}

/// The names that the view defines and that are nearest to `typed`, nearest first.
pub fn near_names(typed: &str, snapshot: &SearchSnapshot) -> Result<Vec<String>, SearchError> {
    let pattern = folded(typed);
    if pattern.len() < MIN_LETTERS {
        return Ok(Vec::new());
    }
    let slips = u8::from(pattern.len() >= MIN_FOR_SLIP);
    let mut found: Vec<(Nearness, usize, String)> = Vec::new();
    snapshot.index().terms_near(IndexField::Definition, &pattern, slips, |term| {
        let letters = folded(term);
        let nearness = match () {
            () if letters == pattern => Nearness::Same,
            () if strsim::osa_distance(term, typed) <= 1 => Nearness::Slip,
            () if letters.starts_with(&pattern) => Nearness::Beginning,
            () => Nearness::Slip,
        };
        found.push((nearness, letters.len(), term.to_string()));
        if found.len() == 2 * MAX_KEPT {
            keep_nearest(&mut found);
        }
    })?;
    keep_nearest(&mut found);
    let mut names: Vec<String> = Vec::new();
    let mut of_nearness = (Nearness::Same, 0);
    for (nearness, _, name) in found {
        // A name in another style is certain. Names with a typing error or a prefix are guesses and are not added to
        // it.
        if nearness != Nearness::Same && of_nearness.0 == Nearness::Same && !names.is_empty() {
            break;
        }
        if nearness != of_nearness.0 {
            of_nearness = (nearness, 0);
        }
        // The dictionary also has names of deleted documents and of other views.
        if of_nearness.1 < MAX_INSTEAD && occurs_in(IndexField::Definition, &name, snapshot)? {
            of_nearness.1 += 1;
            names.push(name);
        }
    }
    Ok(names)
}

/// Keeps the nearest names, sorted, without duplicates. The result does not depend on the order of `found`.
fn keep_nearest(found: &mut Vec<(Nearness, usize, String)>) {
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_KEPT);
}
