//! The files that a whole query names: by a path, by the end of a path, by a file name, by a stem, or as a dotted module. A file
//! name has an extension and counts before a stem; a word that is a stem may also be the name of a definition, which counts
//! before the file.

use super::error::SearchError;
use super::snapshot::SearchSnapshot;
use super::words::{Lookup, WordRow, WordRows};
use crate::query::Query;
use spyhop_base::path;

/// A file name that more files have names none of them.
const MAX_FILES: usize = 5;

/// The longest text that is taken for a path.
const MAX_BYTES: usize = 400;

/// The parts from which a dotted name is a module rather than a name in its container.
const PARTS_OF_MODULE: usize = 3;

/// How a text names a file; a nearer one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Naming {
    /// The text is the path without extension, the end of such a path, or a dotted module.
    Stem,
    /// The text ends in the file name.
    Name,
    /// The text is the path.
    Path,
}

/// The query with the files that its text names as frames; `None` if it names none, or one of many.
pub(super) fn with_named_files(query: &Query, words: &dyn WordRows) -> Result<Option<Query>, SearchError> {
    if !may_name_file(query) {
        return Ok(None);
    }
    let is_definition = is_name_of_definition(query, words)?;
    if is_definition && !query.text.contains('.') {
        return Ok(None);
    }
    let mut rows = words.rows(&Lookup::Files(query.text.clone(), !is_definition))?;
    let Some(nearest) = rows.iter().map(|(naming, shared, _)| (*naming, *shared)).max() else {
        return Ok(None);
    };
    rows.retain(|(naming, shared, _)| (*naming, *shared) == nearest);
    rows.sort_unstable();
    rows.dedup();
    let most = if nearest.0 == Naming::Stem as u8 { 1 } else { MAX_FILES };
    let paths = rows.into_iter().map(|(_, _, path)| path).collect::<Vec<_>>();
    Ok((paths.len() <= most).then(|| query.with_files(paths)))
}

/// Whether a text can be a path: one line without signs that paths rarely have. With blanks, the text must end in an extension.
fn may_name_file(query: &Query) -> bool {
    let text = query.text.as_str();
    let has_signs = text.contains(|c: char| c.is_control() || "\"'`<>|*={};,?!".contains(c));
    let extension = || text.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = || {
        (1..=10).contains(&extension().len())
            && extension().bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().nth_back(extension().len() + 1).is_some_and(|byte| byte != b' ')
    };
    query.frames.is_empty()
        && text.len() <= MAX_BYTES
        && !has_signs
        && text.contains(char::is_alphanumeric)
        && (!text.contains(char::is_whitespace) || has_extension())
}

/// Whether the query is the name of a definition, alone or in its container.
fn is_name_of_definition(query: &Query, words: &dyn WordRows) -> Result<bool, SearchError> {
    let is_short = query.qualified.len() + 1 < PARTS_OF_MODULE && !query.text.contains(['/', '\\']);
    match query.only_name().filter(|_| is_short) {
        Some(name) => words.is_found(Lookup::IsDefined(name.to_string())),
        None => Ok(false),
    }
}

/// The files of a snapshot that a text names best, as rows of [`Lookup::Files`]: by file name, or else by stem.
pub(super) fn file_rows(text: &str, by_stem: bool, snapshot: &SearchSnapshot) -> Vec<WordRow> {
    let wanted = text.replace('\\', "/");
    let wanted = wanted.trim_start_matches("./");
    let named = snapshot.files_named(path::split(wanted).1);
    let mut rows: Vec<WordRow> = named.iter().map(|file| by_name(wanted, snapshot.path(*file))).collect();
    if rows.is_empty() && by_stem {
        let modules: Vec<&str> = wanted.split(['/', '.', ':']).filter(|part| !part.is_empty()).collect();
        let parts: Vec<&str> = wanted.split('/').filter(|part| !part.is_empty()).collect();
        let is_dotted = !wanted.contains('/');
        for file in 0..snapshot.n_files() as u32 {
            let path = snapshot.path(file);
            if is_stem(&parts, path) || is_dotted && is_stem(&modules, path) {
                rows.push((Naming::Stem as u8, 0, path.to_string()));
                if rows.len() > MAX_FILES {
                    break;
                }
            }
        }
    }
    let nearest = rows.iter().map(|(naming, shared, _)| (*naming, *shared)).max();
    rows.retain(|(naming, shared, _)| Some((*naming, *shared)) == nearest);
    rows.truncate(MAX_FILES + 1);
    rows
}

/// The row of a file whose name is the last part of a text.
fn by_name(wanted: &str, path: &str) -> WordRow {
    let shared = wanted.rsplit('/').zip(path.rsplit('/')).take_while(|(one, other)| one == other).count();
    let naming = if wanted == path { Naming::Path } else { Naming::Name };
    (naming as u8, shared as u32, path.to_string())
}

/// Whether `parts` are the last folders of a path and what names its file.
fn is_stem(parts: &[&str], path: &str) -> bool {
    let Some((last, folders)) = parts.split_last() else { return false };
    let (folder, stem) = (path::split(path).0, path::stem(path));
    let ends_in = |parts: &[&str]| {
        parts.len() <= folder.split('/').count()
            && parts.iter().rev().zip(folder.rsplit('/')).all(|(part, own)| *part == own)
    };
    // A stem such as `mod` or `__init__` names its folder.
    let is_of_folder = stem != path::naming(path);
    (*last == stem && ends_in(folders)) || (is_of_folder && !folders.is_empty() && ends_in(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_file_by_its_stem_or_module() {
        for (parts, path, expected) in [
            (&["models"][..], "hc/api/models.py", true),
            (&["api", "models"], "hc/api/models.py", true),
            (&["hc", "api", "models"], "hc/api/models.py", true),
            (&["x", "hc", "api", "models"], "hc/api/models.py", false),
            (&["lib", "models"], "hc/api/models.py", false),
            (&["hc", "api"], "hc/api/__init__.py", true),
            (&["api"], "hc/api/__init__.py", false),
            (&["README"], "README.md", true),
            (&[], "README.md", false),
        ] {
            assert_eq!(is_stem(parts, path), expected, "{parts:?} {path}");
        }
    }

    #[test]
    fn a_path_counts_before_its_end() {
        let rows = ["src/pool.rs", "old/src/pool.rs"].map(|path| by_name("src/pool.rs", path));
        assert!((rows[0].0, rows[0].1) > (rows[1].0, rows[1].1));
    }

    #[test]
    fn questions_are_no_paths() {
        let may = |text: &str| may_name_file(&Query::parse(text).unwrap());
        for text in ["src/pool.rs", "pool.rs", "pool", "a.b.pool", "docs/My notes.md", "src/[id]/page.tsx"] {
            assert!(may(text), "{text}");
        }
        for text in ["where is the pool", "where is it.", "pool.rs:12", "a = b.c", "\"pool\"", "wait .rs"] {
            assert!(!may(text), "{text}");
        }
    }
}
