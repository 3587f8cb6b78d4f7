//! The options of a walk.

use std::path::{Path, PathBuf};

use ignore::overrides::Override;
use ignore::types::Types;

use super::bounds::CommitLimits;
use crate::confined::LinkReach;
use crate::tree::Tree;
use spyhop_base::cancel::Cancel;
use spyhop_base::path::RelPath;

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
    /// built-in rule fires, or a line of git's ignore files; neither applies to tracked entries.
    pub is_tracked: Option<&'a IsTracked<'a>>,
    /// The user's ignore file that applies in every tree.
    pub global_excludes: GlobalExcludes<'a>,
    /// Called with each directory just before it is listed.
    pub on_list: Option<&'a OnList<'a>>,
    /// A tree to walk in place of the folder at the root; the root still decides which rules above and beside it apply.
    pub tree: Option<&'a dyn Tree>,
    pub bounds: CommitLimits,
    /// Ends the walk early.
    pub cancel: Option<&'a Cancel>,
    /// Select the files that ripgrep selects, where that differs.
    pub as_ripgrep: Option<AsRipgrep<'a>>,
}

/// Where ripgrep's selection of files differs: git's ignore files apply in a repository only, `.rgignore` files apply,
/// ignore files of all folders above the root apply, and globs take precedence over every ignore file and over hidden
/// names.
#[derive(Clone, Copy)]
pub struct AsRipgrep<'a> {
    /// The globs of `-g`, relative to the root.
    pub globs: Option<&'a Override>,
    /// The file types. A hidden file of a selected type is included.
    pub types: Option<&'a Types>,
    /// Whether the folder `.git` is searched, as ripgrep does with hidden files.
    pub git_folder: bool,
    pub sources: &'a IgnoreSources,
    pub links: LinkReach,
    /// Whether folders on another file system than the walked folder are left out.
    pub one_file_system: bool,
}

impl Default for AsRipgrep<'_> {
    fn default() -> Self {
        let sources = &RIPGREPS_SOURCES;
        AsRipgrep {
            globs: None,
            types: None,
            git_folder: false,
            sources,
            links: LinkReach::Nowhere,
            one_file_system: false,
        }
    }
}

/// The ignore files that apply in an exact search. The default is ripgrep's: all of them, and none in `files`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IgnoreSources {
    /// `.ignore` and `.rgignore`.
    pub dot: bool,
    /// The ignore files of git: `.gitignore`, the repository's `info/exclude` and the user's file.
    pub vcs: bool,
    /// The repository's `info/exclude`.
    pub exclude: bool,
    /// The user's file for all trees.
    pub global: bool,
    /// The ignore files of the folders above the searched tree.
    pub parents: bool,
    /// Whether git's ignore files apply in a repository only.
    pub require_git: bool,
    /// Whether patterns match whatever the case of letters.
    pub ignore_case: bool,
    /// Further ignore files, whose patterns are relative to `current_folder`. The last one has precedence.
    pub files: Vec<PathBuf>,
    /// The folder of the patterns in `files`, as an absolute path.
    pub current_folder: Option<PathBuf>,
}

static RIPGREPS_SOURCES: IgnoreSources = IgnoreSources::RIPGREPS;

impl IgnoreSources {
    const RIPGREPS: IgnoreSources = IgnoreSources {
        dot: true,
        vcs: true,
        exclude: true,
        global: true,
        parents: true,
        require_git: true,
        ignore_case: false,
        files: Vec::new(),
        current_folder: None,
    };

    /// Whether these are the files that ripgrep reads by default.
    pub fn is_default(&self) -> bool {
        IgnoreSources { current_folder: None, ..self.clone() } == RIPGREPS_SOURCES
    }
}

impl Default for IgnoreSources {
    fn default() -> IgnoreSources {
        IgnoreSources::RIPGREPS
    }
}

/// A callback for the directories of a walk.
pub type OnList<'a> = dyn Fn(&RelPath) + Sync + 'a;

/// Whether git tracks a path; the flag is true when it is a directory.
pub(crate) type IsTracked<'a> = dyn Fn(&RelPath, bool) -> bool + Sync + 'a;

/// The location of the ignore file that applies in every tree.
#[derive(Clone, Copy, Debug, Default)]
pub enum GlobalExcludes<'a> {
    /// The file that the user's git uses: `core.excludesFile`, else `git/ignore` in the configuration folder.
    #[default]
    OfGit,
    File(&'a Path),
    /// No file.
    None,
}
