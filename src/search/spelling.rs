//! Near names: a name that is typed in another style, without separators, with a typing error, or only by its prefix.
//! If no definition has the name as typed, the nearest definitions replace it. A word of a sentence that no file has is
//! replaced in the same way, or by the word that differs by a typing error.

use super::error::SearchError;
use super::occurrence::{occurs_anywhere, occurs_in};
use super::snapshot::SearchSnapshot;
use super::unknown;
use crate::query::{Query, Replaced};
use spyhop_index::inverted::{IndexField, folded};

/// Shorter names have too many near names.
const MIN_LETTERS: usize = 4;

/// Names with fewer letters are not searched for with typing errors.
const MIN_FOR_SLIP: usize = 5;

/// The most terms of a query whose words are replaced. A longer text is a report or a piece of code.
const MAX_TERMS: usize = 16;

/// The most words of a name that is typed with blanks.
const MAX_SPACED_WORDS: usize = 5;

/// The most names that are kept; a short prefix has thousands.
const MAX_KEPT: usize = 1_000;

/// The most names of each nearness that replace a name.
const MAX_INSTEAD: usize = 8;

/// A query with other names or words than typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelled {
    /// The words that do not occur in the view, with what was looked for instead.
    pub replaced: Vec<Replaced>,
    /// The query that is answered.
    pub query: Query,
}

/// The query with near names or words, if it has a name or words that do not occur in the view.
pub fn respelled(query: &Query, snapshot: &SearchSnapshot) -> Result<Option<Respelled>, SearchError> {
    match query.only_name().filter(|name| name.is_ascii()) {
        Some(typed) => name_respelled(query, typed, snapshot),
        None => words_respelled(query, snapshot),
    }
}

/// The query with near names, for a query that is one plain or qualified name.
fn name_respelled(
    query: &Query,
    typed: &str,
    snapshot: &SearchSnapshot,
) -> Result<Option<Respelled>, SearchError> {
    let container = query.qualified.last().map(|last| last.container.as_str());
    let containers = match container.filter(|container| container.is_ascii()) {
        Some(container) if !occurs(container, snapshot)? => same_names(container, snapshot)?,
        _ => Vec::new(),
    };
    let instead = if occurs(typed, snapshot)? { Vec::new() } else { near_names(typed, snapshot)? };
    if instead.is_empty() && containers.is_empty() {
        return Ok(None);
    }
    let mut replaced = Vec::new();
    let mut note = |typed: &str, instead: &[String]| {
        if !instead.is_empty() {
            replaced.push(Replaced { typed: typed.to_string(), instead: instead.to_vec(), is_name: true });
        }
    };
    note(typed, &instead);
    note(container.unwrap_or_default(), &containers);
    let names = if instead.is_empty() { vec![typed.to_string()] } else { instead };
    Ok(Some(Respelled { replaced, query: query.with_names(&names, &containers) }))
}

/// The names that the view defines and that have the letters of `typed`, in any style.
fn same_names(typed: &str, snapshot: &SearchSnapshot) -> Result<Vec<String>, SearchError> {
    let pattern = folded(typed);
    let mut names = near_names(typed, snapshot)?;
    names.retain(|name| folded(name) == pattern);
    Ok(names)
}

/// The query whose words that do not occur in the view are replaced: by a name that is written in another style, or by a
/// word that differs by a typing error. Two names with a blank between them are read as container and name.
fn words_respelled(query: &Query, snapshot: &SearchSnapshot) -> Result<Option<Respelled>, SearchError> {
    if query.is_report || query.is_code && query.names.is_empty() || query.terms.len() > MAX_TERMS {
        return Ok(None);
    }
    let mut replaced: Vec<Replaced> = Vec::new();
    for term in &query.terms {
        let is_seen = replaced.iter().any(|seen| seen.typed == term.word);
        if is_seen || term.word.len() < MIN_FOR_SLIP || occurs_anywhere(&term.term, snapshot)? {
            continue;
        }
        let names = same_names(&term.word, snapshot)?;
        let is_name = !names.is_empty();
        let instead = if is_name { names } else { one_slip(&term.word, snapshot)? };
        if !instead.is_empty() {
            replaced.push(Replaced { typed: term.word.clone(), instead, is_name });
        }
    }
    let other = if replaced.is_empty() { None } else { Some(query.with_words(&replaced)) };
    let words = other.as_ref().unwrap_or(query);
    let named = match paired(words, &replaced, snapshot)? {
        None => spaced_name(words, snapshot)?,
        paired => paired,
    };
    Ok(named.or(other).map(|query| Respelled { replaced, query }))
}

/// The word of the view that differs from `word` by one typing error behind its first letter; empty if there is none.
fn one_slip(word: &str, snapshot: &SearchSnapshot) -> Result<Vec<String>, SearchError> {
    let mut similar = unknown::similar(word, snapshot)?;
    similar.retain(|other| other.to_lowercase().as_bytes().first() == word.as_bytes().first());
    similar.truncate(1);
    Ok(similar)
}

/// The query with a name, if its words are those of a definition with blanks between them: `retry limit` for `retryLimit`.
fn spaced_name(query: &Query, snapshot: &SearchSnapshot) -> Result<Option<Query>, SearchError> {
    let words: Vec<&str> = query.text.split_whitespace().collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !(2..=MAX_SPACED_WORDS).contains(&words.len()) || !words.iter().all(is_word) {
        return Ok(None);
    }
    let names = same_names(&words.concat(), snapshot)?;
    Ok((!names.is_empty()).then(|| query.with_spaced_name(names)))
}

/// The query with a qualified name, if the query is two names of definitions and the first is in the style of a type, or
/// was typed in another style.
fn paired(
    query: &Query,
    replaced: &[Replaced],
    snapshot: &SearchSnapshot,
) -> Result<Option<Query>, SearchError> {
    let words: Vec<&str> = query.text.split_whitespace().collect();
    let [container, name] = words[..] else { return Ok(None) };
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_word(container) || !is_word(name) || container == name {
        return Ok(None);
    }
    let meant = |typed: &str| {
        let other = replaced.iter().find(|other| other.is_name && other.typed.eq_ignore_ascii_case(typed));
        other.map_or_else(|| vec![typed.to_string()], |other| other.instead.clone())
    };
    let (containers, names) = (meant(container), meant(name));
    let is_type = containers[0].starts_with(|c: char| c.is_uppercase());
    let are_defined = || -> Result<bool, SearchError> {
        Ok(occurs_in(IndexField::Definition, &containers[0], snapshot)?
            && occurs_in(IndexField::Definition, &names[0], snapshot)?)
    };
    if !is_type || !are_defined()? {
        return Ok(None);
    }
    Ok(Some(query.with_pair(&containers[0], &names)))
}

/// Whether `word` occurs in the view, as a word or a definition.
fn occurs(word: &str, snapshot: &SearchSnapshot) -> Result<bool, SearchError> {
    Ok(occurs_in(IndexField::Word, word, snapshot)? || occurs_in(IndexField::Definition, word, snapshot)?)
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
