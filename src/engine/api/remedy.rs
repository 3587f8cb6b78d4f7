//! What a caller can do about an error, without the names that front ends give to commands and flags.

use std::path::PathBuf;

use spyhop_attributes::open;

/// What a caller can do about an error. A front end names its own command, flag or parameter for the remedy.
#[open(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Build the index.
    BuildIndex(Box<IndexRecipe>),
    /// Rebuild the index from the tree.
    Rebuild,
    /// Allow an import to replace the index: [`Import::force`](crate::api::Import::force).
    ReplaceIndex,
    /// Export with sources: [`Export::snippets`](crate::api::Export::snippets).
    ExportSources,
    /// Choose one of these similar paths, which the text of the error lists. They are relative to the root.
    ChoosePath(Vec<String>),
    /// Search the lines that contain a name which no tree defines: a field of a database, or of a library.
    SearchLines {
        /// The name.
        name: String,
        /// The names of the sources that were asked; none if one tree was.
        sources: Vec<String>,
    },
    /// Choose a folder for the index: [`Options::index_dir`](crate::api::Options::index_dir).
    ChooseIndexFolder,
}

/// Everything that determines the place and the content of an engine's index. An engine that is opened with these
/// options builds exactly that index.
#[open(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexRecipe {
    /// The folder of the index.
    pub index_path: PathBuf,
    /// The root of the tree.
    pub root: PathBuf,
    /// The revision that is searched in place of the worktree. The view is built at the engine's first request.
    pub view: Option<String>,
    /// `Options::index_dir`, absolute.
    pub index_dir: Option<PathBuf>,
    /// `Options::grammars`, absolute.
    pub grammars: Option<PathBuf>,
    /// `Options::hidden`.
    pub hidden: bool,
    /// `Options::no_ignore`.
    pub no_ignore: bool,
    /// `Options::no_built_in`.
    pub no_built_in: bool,
    /// `Options::secrets`.
    pub secrets: bool,
    /// `Options::max_file_bytes`, if it is not the default.
    pub max_file_bytes: Option<u64>,
}
