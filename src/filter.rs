//! THE filter: which files and chunks may answer. Everything that leaves something out on the caller's wish is
//! decided here, and what the index pushes down is derived from it.

use crate::model::SymbolKind;

/// What the caller asked for, unresolved. An empty list means no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterSpec {
    /// A directory or file below the root; only what is in it answers.
    pub path: Option<String>,
    /// Globs over the root-relative path, such as `src/**/*.rs`; any of them may match. A glob without `/` is
    /// matched against the file name.
    pub path_glob: Vec<String>,
    /// Patterns that exclude, each a case-insensitive substring of the path; `|` separates several.
    pub exclude: Vec<String>,
    /// Names of languages, as `spyhop languages` lists them.
    pub lang: Vec<String>,
    /// Kinds of symbol or chunk.
    pub kind: Vec<SymbolKind>,
}
