//! Near names: a name that is typed in another style, without separators, with a typing error, or only by its prefix.
//! If no definition has the name as typed, the nearest definitions replace it. A word of a sentence that no file has is
//! replaced in the same way, or by the word that differs by a typing error. A text that names a file means the file.

use serde::{Deserialize, Serialize};

use super::error::SearchError;
use super::members::{member, only_definition};
use super::named_files::with_named_files;
use super::occurrence::occurs_in;
use super::snapshot::SearchSnapshot;
use super::unknown;
use super::words::{Lookup, WordRow, WordRows};
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Respelled {
    /// The words that do not occur in the view, with what was looked for instead.
    pub replaced: Vec<Replaced>,
    /// The query that is answered.
    pub query: Query,
}

/// The query with near names or words, if it has a name or words that do not occur in the view.
pub fn respelled(query: &Query, words: &dyn WordRows) -> Result<Option<Respelled>, SearchError> {
    if let Some(query) = with_named_files(query, words)? {
        return Ok(Some(Respelled { replaced: Vec::new(), query }));
    }
    match query.only_name().filter(|name| name.is_ascii()) {
        Some(typed) => name_respelled(query, typed, words),
        None => words_respelled(query, words),
    }
}

/// The query that means the only definition that its letters name in a container.
fn member_respelled(query: &Query, words: &dyn WordRows) -> Result<Option<Respelled>, SearchError> {
    let Some(found) = member(query, words)? else { return Ok(None) };
    let instead = vec![format!("{}.{}", found.container, found.name)];
    let replaced = vec![Replaced { typed: query.text.clone(), instead, is_name: true }];
    Ok(Some(Respelled { replaced, query: query.with_pair(&found.container, &[found.name]) }))
}

/// The query with near names, for a query that is one plain or qualified name.
fn name_respelled(
    query: &Query,
    typed: &str,
    words: &dyn WordRows,
) -> Result<Option<Respelled>, SearchError> {
    let container = query.qualified.last().map(|last| last.container.as_str());
    let is_defined = |name: &str| words.is_found(Lookup::IsDefined(name.to_string()));
    let is_lower = |container: &str| !container.contains(char::is_uppercase);
    let is_known = is_defined(typed)? && container.map_or(Ok(true), is_defined)?;
    let is_known = is_known && !container.is_some_and(is_lower);
    // Capitals inside of a name are typed on purpose: a value of this name may have no definition.
    let is_styled = typed.as_bytes().windows(2).any(|pair| {
        let [before, letter] = [pair[0], pair[1]];
        before.is_ascii_lowercase() && letter.is_ascii_uppercase()
    });
    let same =
        if is_known || is_styled || container.is_some() { None } else { only_definition(typed, words)? };
    if !is_known
        && same.is_none()
        && let Some(member) = member_respelled(query, words)?
    {
        return Ok(Some(member));
    }
    let containers = match container.filter(|container| container.is_ascii()) {
        Some(container) if !occurs(container, words)? => same_names(container, words)?,
        _ => Vec::new(),
    };
    let instead = match same {
        Some(same) => vec![same],
        None if occurs(typed, words)? => Vec::new(),
        None => near_names(typed, words)?,
    };
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
fn same_names(typed: &str, words: &dyn WordRows) -> Result<Vec<String>, SearchError> {
    let pattern = folded(typed);
    let lookup = match pattern.is_ascii() {
        true => Lookup::SameNames(typed.to_string()),
        false => Lookup::NearNames(typed.to_string()),
    };
    let mut names = names_of(lookup, &pattern, words)?;
    names.retain(|name| folded(name) == pattern);
    Ok(names)
}

/// The query whose words that do not occur in the view are replaced: by a name that is written in another style, or by a
/// word that differs by a typing error. Two names with a blank between them are read as container and name.
fn words_respelled(query: &Query, words: &dyn WordRows) -> Result<Option<Respelled>, SearchError> {
    if query.is_report || query.terms.len() > MAX_TERMS {
        return Ok(None);
    }
    if query.is_code && query.names.is_empty() {
        return member_respelled(query, words);
    }
    let mut replaced: Vec<Replaced> = Vec::new();
    for term in &query.terms {
        let is_seen = replaced.iter().any(|seen| seen.typed == term.word);
        if is_seen
            || term.word.len() < MIN_FOR_SLIP
            || words.is_found(Lookup::OccursAnywhere(term.term.clone()))?
        {
            continue;
        }
        let names = same_names(&term.word, words)?;
        let is_name = !names.is_empty();
        let instead = if is_name { names } else { one_slip(&term.word, words)? };
        if !instead.is_empty() {
            replaced.push(Replaced { typed: term.word.clone(), instead, is_name });
        }
    }
    let other = if replaced.is_empty() { None } else { Some(query.with_words(&replaced)) };
    let asked = other.as_ref().unwrap_or(query);
    let named = match paired(asked, &replaced, words)? {
        None => spaced_name(asked, words)?,
        paired => paired,
    };
    if let (None, true) = (&named, replaced.is_empty())
        && let Some(member) = member(query, words)?
    {
        let query = query.with_pair(&member.container, &[member.name]);
        return Ok(Some(Respelled { replaced, query }));
    }
    Ok(named.or(other).map(|query| Respelled { replaced, query }))
}

/// The word of the view that differs from `word` by one typing error behind its first letter; empty if there is none.
fn one_slip(word: &str, words: &dyn WordRows) -> Result<Vec<String>, SearchError> {
    let mut similar = unknown::similar(word, words)?;
    similar.retain(|other| other.to_lowercase().as_bytes().first() == word.as_bytes().first());
    similar.truncate(1);
    Ok(similar)
}

/// The query with a name, if its words are those of a definition with blanks between them: `retry limit` for `retryLimit`.
fn spaced_name(query: &Query, words: &dyn WordRows) -> Result<Option<Query>, SearchError> {
    let parts: Vec<&str> = query.text.split_whitespace().collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !(2..=MAX_SPACED_WORDS).contains(&parts.len()) || !parts.iter().all(is_word) {
        return Ok(None);
    }
    let names = same_names(&parts.concat(), words)?;
    Ok((!names.is_empty()).then(|| query.with_spaced_name(names)))
}

/// The query with a qualified name, if the query is two names of definitions and the first is in the style of a type, or
/// was typed in another style.
fn paired(query: &Query, replaced: &[Replaced], words: &dyn WordRows) -> Result<Option<Query>, SearchError> {
    let typed: Vec<&str> = query.text.split_whitespace().collect();
    let [container, name] = typed[..] else { return Ok(None) };
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
        Ok(words.is_found(Lookup::IsDefined(containers[0].clone()))?
            && words.is_found(Lookup::IsDefined(names[0].clone()))?)
    };
    if !is_type || !are_defined()? {
        return Ok(None);
    }
    Ok(Some(query.with_pair(&containers[0], &names)))
}

/// Whether `word` occurs in the view, as a word or a definition.
fn occurs(word: &str, words: &dyn WordRows) -> Result<bool, SearchError> {
    words.is_found(Lookup::Occurs(word.to_string()))
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
pub fn near_names(typed: &str, words: &dyn WordRows) -> Result<Vec<String>, SearchError> {
    names_of(Lookup::NearNames(typed.to_string()), &folded(typed), words)
}

fn names_of(lookup: Lookup, pattern: &str, words: &dyn WordRows) -> Result<Vec<String>, SearchError> {
    if pattern.len() < MIN_LETTERS {
        return Ok(Vec::new());
    }
    let mut rows = words.rows(&lookup)?;
    rows.sort_unstable();
    rows.dedup();
    Ok(nearest(rows, |_| Ok(true))?.into_iter().map(|(_, _, name)| name).collect())
}

/// The nearest names that the snapshot defines, as rows of [`Lookup::NearNames`].
pub(super) fn near_rows(typed: &str, snapshot: &SearchSnapshot) -> Result<Vec<WordRow>, SearchError> {
    let pattern = folded(typed);
    let slips = u8::from(pattern.len() >= MIN_FOR_SLIP);
    let mut found: Vec<WordRow> = Vec::new();
    snapshot.index().terms_near(IndexField::Definition, &pattern, slips, |term| {
        let letters = folded(term);
        let nearness = match () {
            () if letters == pattern => Nearness::Same,
            () if strsim::osa_distance(term, typed) <= 1 => Nearness::Slip,
            () if letters.starts_with(&pattern) => Nearness::Beginning,
            () => Nearness::Slip,
        };
        found.push((nearness as u8, letters.len() as u32, term.to_string()));
        if found.len() == 2 * MAX_KEPT {
            keep_nearest(&mut found);
        }
    })?;
    keep_nearest(&mut found);
    // The dictionary also has names of deleted documents and of other views.
    nearest(found, |name| occurs_in(IndexField::Definition, name, snapshot))
}

/// The names that the snapshot defines with the letters of `typed`, as rows of [`Lookup::SameNames`].
pub(super) fn same_rows(typed: &str, snapshot: &SearchSnapshot) -> Result<Vec<WordRow>, SearchError> {
    let pattern = folded(typed);
    let mut found: Vec<WordRow> = Vec::new();
    snapshot.index().terms_alike(IndexField::Definition, &pattern, |term| {
        if folded(term) == pattern {
            found.push((Nearness::Same as u8, pattern.len() as u32, term.to_string()));
        }
    })?;
    keep_nearest(&mut found);
    nearest(found, |name| occurs_in(IndexField::Definition, name, snapshot))
}

/// The first [`MAX_INSTEAD`] of the sorted rows of each nearness whose names are defined. A name in another style is
/// certain; names with a typing error or a prefix are guesses and are not added to it.
fn nearest(
    sorted: Vec<WordRow>,
    is_defined: impl Fn(&str) -> Result<bool, SearchError>,
) -> Result<Vec<WordRow>, SearchError> {
    let mut rows: Vec<WordRow> = Vec::new();
    for row in sorted {
        let is_same = row.0 == Nearness::Same as u8;
        if !is_same && rows.first().is_some_and(|first| first.0 == Nearness::Same as u8) {
            break;
        }
        let n_alike = rows.iter().filter(|known| known.0 == row.0).count();
        if n_alike < MAX_INSTEAD && is_defined(&row.2)? {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Keeps the nearest names, sorted, without duplicates. The result does not depend on the order of `found`.
fn keep_nearest(found: &mut Vec<WordRow>) {
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_KEPT);
}
