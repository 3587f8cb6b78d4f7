//! The options of a walk.

use std::path::Path;

use ignore::overrides::Override;

use super::bounds::{Cancel, CommitLimits};
use crate::path::RelPath;
use crate::tree::Tree;

/// The options of a walk.
#[derive(Clone, Copy, Default)]
pub struct WalkOptions<'a> {
    /// Include names that begin with a dot. `.git` stays out.
    pub hidden: bool,
    /// The number of threads, including the calling one; `None` means one for each core, at most sixteen. The threads
    /// end with the walk.
    pub threads: Option<usize>,
    /// Include paths that ignore files exclude.
    pub no_ignore: bool,
    /// Include paths that built-in rules exclude.
    pub no_built_in: bool,
    /// Include files whose names indicate secrets.
    pub secrets: bool,
    /// Whether git tracks a file, or anything below a directory (the flag is true for a directory). Called only where a
    /// built-in rule fires; the rule does not apply to tracked entries.
    pub is_tracked: Option<&'a IsTracked<'a>>,
    /// The user's ignore file that applies in every tree.
    pub global_excludes: GlobalExcludes<'a>,
    /// Called with each directory just before it is listed.
    pub on_list: Option<&'a OnList<'a>>,
    /// A tree to walk in place of the folder at the root; the root still decides which rules above and beside it apply.
    pub tree: Option<&'a dyn Tree>,
    /// The limits on such a tree.
    pub bounds: CommitLimits,
    /// Ends the walk early.
    pub cancel: Option<&'a Cancel>,
    /// Select the files that ripgrep selects, where that differs.
    pub as_ripgrep: Option<AsRipgrep<'a>>,
}

/// Where ripgrep's selection of files differs: git's ignore files apply in a repository only, and globs take precedence
/// over every ignore file and over hidden names.
#[derive(Clone, Copy, Default)]
pub struct AsRipgrep<'a> {
    /// The globs of `-g`, relative to the root.
    pub globs: Option<&'a Override>,
    /// Whether git's own folder is searched, as ripgrep does with hidden files.
    pub git_folder: bool,
}

/// A callback for the directories of a walk.
pub type OnList<'a> = dyn Fn(&RelPath) + Sync + 'a;

/// Whether git tracks a path; the flag is true when it is a directory.
pub type IsTracked<'a> = dyn Fn(&RelPath, bool) -> bool + Sync + 'a;

/// The location of the ignore file that applies in every tree.
#[derive(Clone, Copy, Debug, Default)]
pub enum GlobalExcludes<'a> {
    /// The file that the user's git uses: `core.excludesFile`, else `git/ignore` in the configuration folder.
    #[default]
    OfGit,
    /// This file.
    File(&'a Path),
    /// No file.
    None,
}
