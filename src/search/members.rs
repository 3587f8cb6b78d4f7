//! Definitions by their letters: a name in its container that is typed in lower case, with a dot, with blanks or joined, such as
//! `pool.take`, `pool take` and `pooltake` for `Pool.take`. The dictionary has no containers, so the outlines of the files that
//! define the name are read.

use rustc_hash::FxHashSet;

use super::error::SearchError;
use super::snapshot::{NO_FILE, SearchSnapshot};
use super::words::{Lookup, WordRow, WordRows};
use crate::query::{Qualified, Query, split_container};
use spyhop_base::path;
use spyhop_index::inverted::{IndexField, folded};

/// The fewest letters of a container, and of a name, in a joined word.
const MIN_LETTERS: usize = 2;

/// The most letters of a joined word.
const MAX_LETTERS: usize = 60;

/// The most words of a name that is typed with blanks.
const MAX_WORDS: usize = 5;

/// The most files whose outlines are read. A name that more files define is a usual one.
const MAX_FILES: usize = 200;

/// The only definition that the letters of the query name as container and name; `None` if there is none, or more than one.
pub(super) fn member(query: &Query, words: &dyn WordRows) -> Result<Option<Qualified>, SearchError> {
    let mut found: Option<Qualified> = None;
    for (container, name) in divisions(&query.text) {
        for (_, n_symbols, qualified) in distinct(words.rows(&Lookup::Members(container, name))?) {
            let (container, name) = qualified.split_once('\n').unwrap_or(("", &qualified));
            let other = Qualified { container: container.to_string(), name: name.to_string() };
            if n_symbols > 1 || found.is_some() || query.qualified.contains(&other) {
                return Ok(None);
            }
            found = Some(other);
        }
    }
    Ok(found)
}

/// The only definition whose name has the letters of `typed`, in another style.
pub(super) fn only_definition(typed: &str, words: &dyn WordRows) -> Result<Option<String>, SearchError> {
    let rows = distinct(words.rows(&Lookup::Members(String::new(), folded(typed)))?);
    match &rows[..] {
        [(_, 1, qualified)] => Ok(qualified.split_once('\n').map(|(_, name)| name.to_string())),
        _ => Ok(None),
    }
}

/// Rows of one qualified name as one, with the sum of their counts.
fn distinct(mut rows: Vec<WordRow>) -> Vec<WordRow> {
    rows.sort_unstable_by(|a, b| a.2.cmp(&b.2));
    rows.dedup_by(|next, kept| {
        let is_same = next.2 == kept.2;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    rows
}

/// The letters of container and name, for each way to divide a text.
fn divisions(text: &str) -> Vec<(String, String)> {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let parts: Vec<&str> = text.split_whitespace().collect();
    let divided = |parts: &[&str], at: usize| (folded(&parts[..at].concat()), folded(&parts[at..].concat()));
    let all: Vec<(String, String)> = match &parts[..] {
        [word] if is_word(word) => {
            let letters = folded(word);
            let ends = MIN_LETTERS..(letters.len() + 1).saturating_sub(MIN_LETTERS);
            let at = |end: usize| (letters[..end].to_string(), letters[end..].to_string());
            if letters.len() <= MAX_LETTERS { ends.map(at).collect() } else { Vec::new() }
        }
        [word] => {
            let (container, name) = split_container(word);
            let container = split_container(container).1;
            if is_word(container) && is_word(name) {
                vec![(folded(container), folded(name))]
            } else {
                Vec::new()
            }
        }
        parts if parts.len() <= MAX_WORDS && parts.iter().all(|part| is_word(part)) => {
            (1..parts.len()).map(|at| divided(parts, at)).collect()
        }
        _ => Vec::new(),
    };
    all.into_iter().filter(|(container, name)| !container.is_empty() && !name.is_empty()).collect()
}

/// The definitions of the snapshot with these letters, as rows of [`Lookup::Members`]. Without a container, a name that many
/// files define counts as two.
pub(super) fn member_rows(
    container: &str,
    name: &str,
    snapshot: &SearchSnapshot,
) -> Result<Vec<WordRow>, SearchError> {
    let mut rows = Vec::new();
    for defined in with_letters(name, snapshot)? {
        let mut files = defining_files(&defined, snapshot)?;
        if files.len() > MAX_FILES && container.is_empty() {
            rows.push((0, 2, format!("\n{defined}")));
            continue;
        }
        if files.len() > MAX_FILES {
            let mut of_container = FxHashSet::default();
            for container in with_letters(container, snapshot)? {
                of_container.extend(defining_files(&container, snapshot)?);
            }
            files.retain(|file| of_container.contains(file));
        }
        if files.len() <= MAX_FILES {
            for file in files {
                add_members((container, &defined), file, snapshot, &mut rows)?;
            }
        }
    }
    Ok(rows)
}

/// Adds the definitions of a name in a file.
fn add_members(
    (container, name): (&str, &str),
    file: u32,
    snapshot: &SearchSnapshot,
    rows: &mut Vec<WordRow>,
) -> Result<(), SearchError> {
    let mut names = Vec::new();
    let outline = snapshot.version(file).outline(&mut names)?;
    for symbol in outline.symbols.iter().filter(|symbol| symbol.name == name) {
        let own = split_container(symbol.container.unwrap_or_default()).1;
        if container.is_empty() {
            rows.push((0, 1, format!("\n{name}")));
        } else if folded(own) == container {
            rows.push((0, 1, format!("{own}\n{name}")));
        } else if own.is_empty() && path::modules(snapshot.path(file)).any(|own| folded(own) == container) {
            // A function of the module is meant as probably.
            rows.push((0, 2, format!("\n{name}")));
        }
    }
    Ok(())
}

/// The names in the dictionary of definitions that have these letters.
fn with_letters(letters: &str, snapshot: &SearchSnapshot) -> Result<Vec<String>, SearchError> {
    let mut names = Vec::new();
    snapshot.index().terms_near(IndexField::Definition, letters, 0, |term| {
        if folded(term) == letters {
            names.push(term.to_string());
        }
    })?;
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The files of the snapshot that define a name.
fn defining_files(name: &str, snapshot: &SearchSnapshot) -> Result<FxHashSet<u32>, SearchError> {
    let reader = snapshot.index();
    let mut found = FxHashSet::default();
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, IndexField::Definition, name)? else { continue };
        let files = snapshot.files_of(segment);
        let file = |doc: &u32| files[*doc as usize];
        blocks.for_each(|docs, _| found.extend(docs.iter().map(file).filter(|file| *file != NO_FILE)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_divided_into_container_and_name() {
        let divided = |text: &str| {
            let all = divisions(text).into_iter().map(|(container, name)| format!("{container}|{name}"));
            all.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(divided("Pool.take"), "pool|take");
        assert_eq!(divided("app.pool.take_one"), "pool|takeone");
        assert_eq!(divided("pool take one"), "pool|takeone pooltake|one");
        assert_eq!(divided("poolx"), "po|olx poo|lx");
        assert_eq!(divided("abc"), "");
        assert_eq!(divided("where is the pool that we take from"), "");
        assert_eq!(divided("a-b c"), "");
        assert_eq!(divided("über take"), "");
    }
}
