//! Query sets: questions, and the places that answer them.
//!
//! A [`Set`] is what every subcommand works on, whatever it was read from: trees, their queries, the targets of each,
//! and [`Target::answered_by`], the one rule for what counts as an answer. A format is a file of this folder that makes a
//! `Set` from a path; which one it is, [`read`] tells from what the path is. Where a tree lies on this machine is left to
//! [`crate::select`].

mod benchmark;
mod commits;
mod error;
mod form;
mod native;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use spyhop_base::text::Lines;

pub use self::error::SetError;

/// Questions about one or more trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// The name of its file or folder.
    pub name: String,
    /// The trees, in the order of the source.
    pub trees: Vec<Tree>,
}

/// A tree and the questions about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Its name in tables. Averages are means over names, so revisions of one repository count as one.
    pub name: String,
    /// The folder below `--trees` where it lies.
    pub folder: String,
    /// The folder of it that is indexed; `.` for all of it. Paths of targets may begin above.
    pub root: String,
    /// Its main language, where the set says so.
    pub language: Option<String>,
    /// The text of the query.
    pub queries: Vec<Query>,
}

/// A question and its answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The id, unique in a set, without blanks.
    pub id: String,
    /// The kind of the question: the set's word, else [`kind_by_shape`].
    pub kind: String,
    /// The text of the query.
    pub text: String,
    /// The answers; never empty.
    pub targets: Vec<Target>,
    /// The places that answer it, each with lines: those that the set says, else the targets, if all have lines.
    pub places: Vec<Target>,
}

impl Query {
    /// The targets that some lines of a file answer, by index.
    pub fn answered(&self, path: &str, lines: Lines) -> Vec<usize> {
        answered(&self.targets, path, lines)
    }
}

/// Those of some targets that lines of a file answer, by index.
pub fn answered(targets: &[Target], path: &str, lines: Lines) -> Vec<usize> {
    (0..targets.len()).filter(|at| targets[*at].answered_by(path, lines)).collect()
}

/// A place that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "form::RawTarget")]
pub struct Target {
    /// The path of the file, which may begin above the tree's root, or lack folders at its front.
    pub path: String,
    /// Its lines; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// How good an answer it is, at least 1.
    pub grade: u32,
}

impl Target {
    /// Whether a hit at `lines` of `path` answers: one path is the other or its end behind a `/`, and the lines, where
    /// the target has any, share one with the hit's.
    pub fn answered_by(&self, path: &str, lines: Lines) -> bool {
        self.names(path) && self.lines.is_none_or(|of_target| of_target.overlaps(lines))
    }

    /// Whether `path` is its file.
    pub fn names(&self, path: &str) -> bool {
        same_file(&self.path, path)
    }
}

fn same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    one == other || ends(one, other) || ends(other, one)
}

/// The kind of a query whose set names none: the kind of ranking, `names`, `mixed` or `words`, see
/// [`spyhop::QueryKind`].
pub fn kind_by_shape(text: &str) -> &'static str {
    spyhop_search::query::Query::parse(text).map_or("words", |query| query.kind.name())
}

/// Reads the query set at `path`, in whatever form it is.
///
/// # Errors
/// A [`SetError`] that names the file, the line and what is expected there.
pub fn read(path: &Path) -> Result<Set, SetError> {
    let absolute = path.canonicalize().map_err(|source| SetError::read(path, source))?;
    let extension = absolute.extension().and_then(|extension| extension.to_str());
    let trees = match extension {
        Some("toml") if absolute.is_file() => native::toml(path)?,
        Some("jsonl") if absolute.is_file() => native::jsonl(path)?,
        _ if benchmark::is(&absolute) => benchmark::read(path)?,
        _ if commits::is(&absolute) => commits::read(path)?,
        _ => return Err(SetError::Unknown { path: path.to_path_buf() }),
    };
    let set = Set { name: stem(&absolute), trees };
    let mut ids = BTreeSet::new();
    for query in set.trees.iter().flat_map(|tree| &tree.queries) {
        if !ids.insert(&query.id) {
            return Err(SetError::Twice { path: path.to_path_buf(), id: query.id.clone() });
        }
    }
    Ok(set)
}

/// A file's or folder's name without its extension. Folders keep dots: `lazy.nvim` has no extension.
fn stem(path: &Path) -> String {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.map_or_else(|| "set".to_string(), |name| name.to_string_lossy().into_owned())
}

/// The files of a folder that `wanted` takes by name, in order of name.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, SetError> {
    let entries = folder.read_dir().map_err(|source| SetError::read(folder, source))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| wanted(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
