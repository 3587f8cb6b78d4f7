//! Names that are typed otherwise than they are written: in another style, without separators, with a slip, or only how
//! they begin. They are looked for among the definitions of the tree when no definition has the name as typed.

use super::SearchError;
use super::corpus::{Corpus, NO_FILE};
use crate::index::{IndexField, folded};
use crate::query::Query;

/// Shorter names have too many neighbours.
const LEAST_LETTERS: usize = 4;

/// Names of fewer letters are not looked for with a slip.
const LEAST_FOR_SLIP: usize = 5;

/// So many of the nearest definitions are kept; a short beginning has thousands.
const MOST_KEPT: usize = 1_000;

/// The most names of each nearness that stand for a name that is not defined.
const MOST_INSTEAD: usize = 8;

/// A name that is defined nowhere, and what was looked for in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelled {
    /// As typed.
    pub typed: String,
    /// The query that was answered; its names are as they are defined, nearest first.
    pub query: Query,
}

/// The query with names that are defined, if it consists of one name that is not, qualified or plain; otherwise `None`.
pub fn respelled(query: &Query, corpus: &Corpus) -> Result<Option<Respelled>, SearchError> {
    let Some(typed) = query.only_name().filter(|name| name.is_ascii()) else { return Ok(None) };
    if is_word(typed, corpus)? {
        return Ok(None);
    }
    let instead = near_names(typed, corpus)?;
    if instead.is_empty() {
        return Ok(None);
    }
    Ok(Some(Respelled { typed: typed.to_string(), query: query.with_names(&instead) }))
}

/// Whether a file of the view holds `word` as a word.
fn is_word(word: &str, corpus: &Corpus) -> Result<bool, SearchError> {
    Ok(holds(IndexField::Word, word, corpus)? || holds(IndexField::Definition, word, corpus)?)
}

fn holds(field: IndexField, term: &str, corpus: &Corpus) -> Result<bool, SearchError> {
    let reader = &corpus.committed().reader;
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, field, term)? else { continue };
        // A segment that is whole has no document but those of the view.
        let mut is_held = corpus.is_whole(segment) && blocks.count() > 0;
        if !corpus.is_whole(segment) {
            let files = corpus.files_of(segment);
            blocks.for_each(|docs, _| is_held |= docs.iter().any(|doc| files[*doc as usize] != NO_FILE));
        }
        if is_held {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How near a defined name is to the typed one: nearer ones are less.
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
pub fn near_names(typed: &str, corpus: &Corpus) -> Result<Vec<String>, SearchError> {
    let pattern = folded(typed);
    if pattern.len() < LEAST_LETTERS {
        return Ok(Vec::new());
    }
    let slips = u8::from(pattern.len() >= LEAST_FOR_SLIP);
    let mut found: Vec<(Nearness, usize, String)> = Vec::new();
    corpus.committed().reader.terms_near(IndexField::Definition, &pattern, slips, |term| {
        let letters = folded(term);
        let nearness = match () {
            () if letters == pattern => Nearness::Same,
            () if strsim::osa_distance(term, typed) <= 1 => Nearness::Slip,
            () if letters.starts_with(&pattern) => Nearness::Beginning,
            () => Nearness::Slip,
        };
        found.push((nearness, letters.len(), term.to_string()));
        if found.len() == 2 * MOST_KEPT {
            keep_nearest(&mut found);
        }
    })?;
    keep_nearest(&mut found);
    let mut names: Vec<String> = Vec::new();
    let mut of_nearness = (Nearness::Same, 0);
    for (nearness, _, name) in found {
        // Another style is the name itself; a slip and a beginning are guesses that stand beside each other.
        if nearness != Nearness::Same && of_nearness.0 == Nearness::Same && !names.is_empty() {
            break;
        }
        if nearness != of_nearness.0 {
            of_nearness = (nearness, 0);
        }
        // The dictionary has names of deleted documents and of other views.
        if of_nearness.1 < MOST_INSTEAD && holds(IndexField::Definition, &name, corpus)? {
            of_nearness.1 += 1;
            names.push(name);
        }
    }
    Ok(names)
}

/// Puts the nearest first, each once, and drops what is too far: whatever the order was in which they came.
fn keep_nearest(found: &mut Vec<(Nearness, usize, String)>) {
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_KEPT);
}
