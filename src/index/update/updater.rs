//! The inputs of an update, and the tree as these inputs show it: its walk, its files and the key of its view.

use std::path::Path;
use std::time::Duration;

use super::plan::ReadTask;
use super::quarantine::{Quarantine, Suspect};
use super::unranked;
use crate::meta::ViewKey;
use crate::tokenize::ExtraTerms;
use crate::workspace::{Settings, Workspace, view_key};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_files::confined::RootFolder;
use spyhop_files::git::{Head, Repo, Tracked};
use spyhop_files::read::{Limits, ReadOutcome, Source, TreeSource};
use spyhop_files::walk::{
    self, AsRipgrep, Cancel, Candidate, OnList, Region, WalkError, WalkOptions, Walked,
};
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::Isolation;

/// The detail of the skipped row for an index that lies in the tree that it is of.
pub const INDEX_IN_TREE: &str = "this tree's own index";

/// A file that was modified within this time before it was read could be modified again without its times moving,
/// so its stat data proves nothing. Two seconds is the coarsest file time in use (FAT).
pub const RACY: Duration = Duration::from_secs(2);

/// The time after which a long update writes its first checkpoint. The pauses between later checkpoints double.
pub const FIRST_CHECKPOINT: Duration = Duration::from_millis(1200);

/// The size in bytes from which a tree is indexed for the first time in two passes: text and paths in a third of the
/// time, and then structure, file by file. Smaller trees are done before a user waits.
pub const TEXT_FIRST: u64 = 64 << 20;

/// The size in bytes from which an answer comes from the text alone, if the caller lets another process complete the
/// index. A smaller tree is indexed whole within a second.
pub const TEXT_ALONE: u64 = 16 << 20;

/// The inputs of an update.
pub struct Updater<'e> {
    pub workspace: &'e Workspace,
    /// The repository around the root, where there is one.
    pub repo: Option<&'e Repo>,
    /// The head that is checked out there, or the requested commit.
    pub head: Head,
    /// The place from which files are read.
    pub source_tree: TreeSource,
    /// The files that git tracks below the root, if there is a repository.
    pub tracked: Option<&'e Tracked>,
    pub grammars: &'e Grammars,
    /// The parser pool, in this process or in workers.
    pub isolation: &'e Isolation,
    /// The further terms of words.
    pub extra_terms: &'e ExtraTerms,
    /// The settings that change what is stored.
    pub settings: &'e Settings,
    /// The number of threads; `None` means one for each core.
    pub threads: Option<usize>,
    /// The memory budget in bytes, at least [`MIN_MEMORY`](super::MIN_MEMORY); `None` means
    /// [`DEFAULT_MEMORY`](super::DEFAULT_MEMORY) and the memory that grows with the tree.
    pub max_memory: Option<u64>,
    /// The time until the first checkpoint, see [`FIRST_CHECKPOINT`].
    pub checkpoint: Duration,
    /// How long ago a file must have changed for its stat data to prove something, see [`RACY`].
    pub racy: Duration,
    /// The size in bytes from which a tree that is indexed for the first time is indexed by its text first, see
    /// [`TEXT_FIRST`].
    pub text_first: u64,
    /// The region where the tree may have changed, from a caller that has watched the tree.
    pub since: Option<Since<'e>>,
    /// Called with each folder just before it is listed.
    pub on_list: Option<&'e OnList<'e>>,
    /// Ends a walk early.
    pub cancel: Option<Cancel>,
    /// Whether to walk as ripgrep does, for an exact search. An update never does.
    pub as_ripgrep: Option<AsRipgrep<'e>>,
}

/// The changes of a tree that a watcher knows since a given commit.
#[derive(Clone, Copy)]
pub struct Since<'e> {
    /// The bytes of that commit's commit point.
    pub stamp: &'e [u8],
    /// The view that was compared with the tree.
    pub key: &'e ViewKey,
    /// The region where the tree may have changed.
    pub region: &'e Region,
}

impl Updater<'_> {
    /// The files that crashed their parser.
    pub fn quarantine(&self) -> Quarantine {
        Quarantine::of(self.workspace.dir(), self.grammars)
    }

    /// The text of a suspect, if its content is unchanged here or in the worktree.
    pub(super) fn source_of(&self, suspect: &Suspect) -> Option<Source> {
        let worktree = TreeSource::Folder(RootFolder::new(self.workspace.root()));
        [&self.source_tree, &worktree].into_iter().find_map(|source_tree| {
            match source_tree.read(&suspect.path, &Limits::WANTED) {
                ReadOutcome::Source(source) if source.hash == suspect.hash => Some(source),
                _ => None,
            }
        })
    }

    /// The key of the view that this update changes.
    pub fn view_key(&self) -> ViewKey {
        view_key(self.workspace, &self.head, self.settings)
    }

    /// Whether another branch is checked out now. A commit never changes.
    pub(super) fn has_switched(&self) -> bool {
        if self.head.is_of_commit {
            return false;
        }
        let now = self.repo.map(Repo::head);
        now.is_some_and(|head| view_key(self.workspace, &head, self.settings) != self.view_key())
    }

    /// Walks the tree.
    pub fn walk(&self) -> Result<Walked, WalkError> {
        self.walk_by(walk::walk)
    }

    /// Walks a region of the tree.
    pub fn walk_some(&self, region: &Region) -> Result<Walked, WalkError> {
        self.walk_by(|root, options| walk::walk_some(root, region, options))
    }

    fn walk_by(
        &self,
        walk: impl Fn(&Path, &WalkOptions<'_>) -> Result<Walked, WalkError>,
    ) -> Result<Walked, WalkError> {
        let mut walked = self.with_options(|options| walk(self.workspace.root(), options))?;
        self.leave_index_out(&mut walked);
        Ok(walked)
    }

    fn with_options<T>(&self, walk: impl FnOnce(&WalkOptions<'_>) -> T) -> T {
        let tracked =
            |path: &RelPath, is_dir: bool| self.tracked.is_some_and(|tracked| tracked.contains(path, is_dir));
        walk(&WalkOptions {
            threads: self.threads,
            is_tracked: Some(&tracked),
            on_list: self.on_list,
            tree: self.source_tree.tree(),
            cancel: self.cancel.as_ref(),
            as_ripgrep: self.as_ripgrep,
            ..self.settings.walk_options()
        })
    }

    /// The number of files that a walk finds, counted up to `limit`; a larger number is a lower bound.
    pub fn count(&self, limit: usize) -> Result<usize, WalkError> {
        self.with_options(|options| {
            let options = WalkOptions { on_list: None, cancel: None, as_ripgrep: None, ..*options };
            walk::count(self.workspace.root(), &options, limit)
        })
    }

    /// The skipped row for an index that the user placed inside the indexed tree. Such an index is not part of the tree.
    pub fn index_in_tree(&self) -> Option<Skipped> {
        let below = self.workspace.dir().strip_prefix(self.workspace.root()).ok()?;
        let path = RelPath::from_path(below).ok().filter(|below| !below.as_str().is_empty())?;
        let detail = INDEX_IN_TREE.to_string();
        Some(Skipped::new(path, SkipReason::BuiltIn, detail, true))
    }

    /// Walks folders of the tree, whatever rules say of these folders themselves. Paths in them that other rules exclude stay excluded.
    pub fn walk_below(&self, folders: &[RelPath]) -> Result<Walked, WalkError> {
        self.with_options(|options| {
            let options = WalkOptions { on_list: None, ..*options };
            walk::walk_below(self.workspace.root(), folders, &options)
        })
    }

    /// Walks the tree, or one folder of the tree, and passes the candidates on in ripgrep's order until `pass` returns false.
    /// Returns the skipped entries.
    pub fn walk_in_order(
        &self,
        folder: Option<&RelPath>,
        pass: &mut (dyn FnMut(Vec<Candidate>) -> bool + Send),
    ) -> Result<Vec<Skipped>, WalkError> {
        self.with_options(|options| {
            let options = WalkOptions { on_list: None, tree: None, ..*options };
            walk::walk_in_order(self.workspace.root(), folder, &options, pass)
        })
    }

    /// Removes an index that lies in the walked tree. An exact search reads the index, as ripgrep does.
    fn leave_index_out(&self, walked: &mut Walked) {
        let Some(index) = self.index_in_tree().filter(|_| self.as_ripgrep.is_none()) else { return };
        let inside = |path: &RelPath| index.covers(path);
        let before = walked.candidates.len() + walked.skipped.len();
        walked.candidates.retain(|candidate| !inside(&candidate.path));
        walked.skipped.retain(|skipped| !inside(&skipped.path));
        if walked.candidates.len() + walked.skipped.len() < before {
            walked.skipped.push(index);
            walked.skipped.sort();
        }
    }

    /// Reads a file as an update would, and as an update would if it did not know whether git tracks the file.
    pub fn read(&self, candidate: &Candidate) -> (ReadOutcome, ReadOutcome) {
        let Candidate { path, identity, wanted } = candidate.clone();
        let task = ReadTask { path, identity, wanted, old: None };
        let strict = Limits {
            max_file_bytes: self.settings.max_file_bytes,
            skip_generated: true,
            skip_minified: true,
        };
        let outcome = unranked::read_file(&task, &self.source_tree, &self.limits(), self.tracked);
        (outcome, self.source_tree.read(&task.path, &strict))
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            max_file_bytes: self.settings.max_file_bytes,
            // Without a repository nothing tells whether a user keeps the file.
            skip_generated: self.tracked.is_some() && !self.settings.no_built_in,
            skip_minified: !self.settings.no_built_in,
        }
    }

    /// Whether git tracks a file.
    pub fn is_tracked(&self, path: &RelPath) -> bool {
        self.tracked.is_some_and(|tracked| tracked.contains(path, false))
    }
}
