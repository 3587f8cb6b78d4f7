//! Planning and running an index update, and the single commit point.
//!
//! The data flow: `walk -> Plan -> work on threads -> Record -> commit`. Everything before the commit writes files that
//! nothing names yet; the commit names them all at once; a crash at any point leaves the last commit as it was. An
//! update holds the workspace's lock from the moment it knows that there is something to write.

mod checkpoints;
mod compare;
mod cost;
mod fields;
mod home;
mod keep;
mod memory;
mod plan;
mod portable;
mod quarantine;
mod refresh;
mod room;
mod run;
mod text_pass;
mod unranked;
mod used;
mod work;
mod workspace;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use cost::{Cost, Costs};
pub use home::Neighbour;
pub use keep::{Collected, DropReason, Dropped};
pub use memory::{DEFAULT as DEFAULT_MEMORY, LEAST as LEAST_MEMORY};
pub use plan::{Plan, ReadTask, is_blob, matches_stat, stat_row};
pub use portable::{Export, Exported, Import, Imported, PortableError};
pub use room::{Collection, SpaceTarget};
pub use workspace::{Committed, Workspace, WorkspaceError};

use crate::analyze;
use crate::git::{Head, Repo, Tracked};
use crate::grammar::Grammars;
use crate::id::Generation;
use crate::index::IndexError;
use crate::meta::{MetaError, ViewKey};
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::read::{Ground, Limits, ReadOutcome, Source};
use crate::store::{FORMAT_VERSION, FileError, Holder, LockError};
use crate::tokenize::TOKENIZER_VERSION;
use crate::walk::{self, AsRipgrep, Cancel, Candidate, OnList, Region, WalkError, WalkOptions, Walked};
use crate::worker::Parsing;
pub use quarantine::Quarantine;
use quarantine::Suspect;

/// The detail of the skipped row for an index that lies in its own tree.
pub const OWN_INDEX: &str = "this tree's own index";

/// The settings that decide which files a view holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether names that begin with a dot are included.
    pub hidden: bool,
    /// Files above this many bytes are found by path only.
    pub max_file_bytes: u64,
    /// Whether paths that ignore files exclude are included.
    pub no_ignore: bool,
    /// Whether paths that built-in rules exclude are included.
    pub no_built_in: bool,
    /// Whether files whose names indicate secrets are included.
    pub secrets: bool,
}

impl Settings {
    /// The walk options for these settings.
    pub fn walk_options(&self) -> WalkOptions<'static> {
        let Settings { hidden, no_ignore, no_built_in, secrets, .. } = *self;
        WalkOptions { hidden, no_ignore, no_built_in, secrets, ..WalkOptions::default() }
    }

    /// A short hash of the settings.
    fn key(&self) -> String {
        hash_of(format!("{self:?}").as_bytes())
    }
}

/// The result of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// The current generation.
    pub generation: Generation,
    /// Files that are new.
    pub added: usize,
    /// Files with changed content.
    pub changed: usize,
    /// Files that were deleted.
    pub deleted: usize,
    /// Files whose content was known under another path; they also count as `added` and `deleted`.
    pub renamed: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// The present folder of an index that could not be read and was rebuilt.
    pub put_aside: Option<PathBuf>,
}

/// The progress of an update.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Files that are done.
    pub files: usize,
    /// The total number of files, as far as known.
    pub total_files: usize,
    /// Bytes that are done.
    pub bytes: u64,
    /// The total number of bytes, as far as known.
    pub total_bytes: u64,
    /// The process that holds the lock, if known, in the stage [`Stage::Wait`].
    pub holder: Option<Holder>,
}

/// A stage of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for another process that is changing the index.
    Wait,
    /// Walking the tree.
    Scan,
    /// Indexing the text of a large tree before its structure.
    Text,
    /// Reading, parsing and indexing.
    Index,
    /// Writing and syncing.
    Commit,
}

/// The progress callback; called from indexing threads.
pub type OnProgress<'p> = &'p (dyn Fn(Progress) + Sync);

/// Why an update failed. The last commit still answers queries.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The root cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Another process is indexing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The segments could not be written.
    #[error("writing the index at {}: {source}", dir.display())]
    Index {
        /// The folder.
        dir: PathBuf,
        /// The cause.
        source: IndexError,
    },
    /// The metadata contradict themselves.
    #[error(transparent)]
    Meta(#[from] MetaError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index was imported without its tree, so there is nothing to compare with it.
    #[error("the index at {} came without its tree, which is not here to be indexed; spyhop index --rebuild makes one of what is here", dir.display())]
    NoSources {
        /// The folder of the index.
        dir: PathBuf,
    },
    /// Another branch was checked out during the update.
    #[error("another branch was checked out while the tree was being indexed")]
    Switched,
}

/// A hash of everything that changes what is stored for given content; part of the name of the data folder.
pub fn fingerprint(grammars: &Grammars) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?}", [FORMAT_VERSION, TOKENIZER_VERSION, analyze::VERSION]).as_bytes());
    hasher.update(&grammars.fingerprint());
    hasher.finalize().to_hex()[..12].to_string()
}

/// The key of the view of a tree with `head` checked out, or of the commit itself if `head` is committed.
pub fn view_key(workspace: &Workspace, head: &Head, settings: &Settings) -> ViewKey {
    let name = match (&head.branch, &head.commit) {
        (Some(branch), _) => branch.clone(),
        (None, Some(commit)) => format!("@{commit}"),
        (None, None) => String::new(),
    };
    let (root, rules) = (workspace.root().to_string_lossy().into_owned(), settings.key());
    if !head.is_committed {
        return ViewKey { root, head: name, settings: rules, staged: false };
    }
    // Such a view never becomes stale, so rules that may change without the commit are part of its key.
    let own = if settings.no_ignore { Vec::new() } else { walk::private_rules(workspace.root()) };
    let settings = if own.is_empty() { rules } else { format!("{rules}-{}", hash_of(&own)) };
    ViewKey { root, head: ViewKey::committed(&name), settings, staged: false }
}

/// A short hash.
fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..8].to_string()
}

/// The inputs of an update.
pub struct Updater<'e> {
    /// The index.
    pub workspace: &'e Workspace,
    /// The repository around the root, where there is one.
    pub repo: Option<&'e Repo>,
    /// The head that is checked out there, or the requested commit.
    pub head: Head,
    /// The place from which files are read.
    pub ground: Ground,
    /// The files that git tracks below the root, if there is a repository.
    pub tracked: Option<&'e Tracked>,
    /// The grammars.
    pub grammars: &'e Grammars,
    /// The parser pool, in this process or in workers.
    pub parsing: &'e Parsing,
    /// The settings that change what is stored.
    pub settings: &'e Settings,
    /// The number of threads; `None` means one for each core.
    pub threads: Option<usize>,
    /// The memory budget in bytes, at least [`LEAST_MEMORY`]; `None` means [`DEFAULT_MEMORY`] and the memory that grows
    /// with the tree.
    pub max_memory: Option<u64>,
    /// The time until the first checkpoint, see [`FIRST_CHECKPOINT`].
    pub checkpoint: Duration,
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

/// What a watcher knows of a tree since a given commit.
#[derive(Clone, Copy)]
pub struct Since<'e> {
    /// The bytes of that commit's commit point.
    pub stamp: &'e [u8],
    /// The view that was compared with the tree.
    pub key: &'e ViewKey,
    /// The region where the tree may have changed.
    pub region: &'e Region,
}

/// The time after which a long update writes its first checkpoint. The pauses between later checkpoints double.
pub const FIRST_CHECKPOINT: Duration = Duration::from_millis(1200);

/// The size in bytes from which a tree is indexed for the first time in two passes: text and paths in a third of the
/// time, and then structure, file by file. Smaller trees are done before a user waits.
pub const TEXT_FIRST: u64 = 64 << 20;

impl Updater<'_> {
    /// A hash of everything that decides how a text is parsed.
    fn parsers(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&analyze::VERSION.to_le_bytes());
        hasher.update(&self.grammars.fingerprint());
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// The files that crashed their parser.
    pub fn quarantine(&self) -> Quarantine {
        Quarantine::open(self.workspace.dir(), &self.parsers())
    }

    /// The text of a suspect, if its content is unchanged here or in the worktree.
    fn source_of(&self, suspect: &Suspect) -> Option<Source> {
        let worktree = Ground::Folder(self.workspace.root().to_path_buf());
        [&self.ground, &worktree].into_iter().find_map(|ground| {
            match ground.read(&suspect.path, &Limits::WANTED) {
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
    fn has_switched(&self) -> bool {
        if self.head.is_committed {
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
        let tracked =
            |path: &RelPath, is_dir: bool| self.tracked.is_some_and(|tracked| tracked.contains(path, is_dir));
        let options = WalkOptions {
            threads: self.threads,
            is_tracked: Some(&tracked),
            on_list: self.on_list,
            tree: self.ground.tree(),
            cancel: self.cancel.as_ref(),
            as_ripgrep: self.as_ripgrep,
            ..self.settings.walk_options()
        };
        let mut walked = walk(self.workspace.root(), &options)?;
        self.leave_own_index_out(&mut walked);
        Ok(walked)
    }

    /// The skipped row for an index that the user placed inside its own tree. Such an index is not part of the tree.
    pub fn own_index(&self) -> Option<Skipped> {
        let below = self.workspace.dir().strip_prefix(self.workspace.root()).ok()?;
        let path = RelPath::from_path(below).ok().filter(|own| !own.as_str().is_empty())?;
        let detail = OWN_INDEX.to_string();
        Some(Skipped { path, reason: SkipReason::BuiltIn, detail, is_dir: true })
    }

    /// Walks folders of the tree that a walk has left out. Paths in them that other rules exclude stay excluded.
    pub fn walk_below(&self, folders: &[RelPath]) -> Result<Walked, WalkError> {
        let tracked =
            |path: &RelPath, is_dir: bool| self.tracked.is_some_and(|tracked| tracked.contains(path, is_dir));
        let options = WalkOptions {
            threads: self.threads,
            is_tracked: Some(&tracked),
            tree: self.ground.tree(),
            cancel: self.cancel.as_ref(),
            as_ripgrep: self.as_ripgrep,
            ..self.settings.walk_options()
        };
        let own = self.own_index().map(|own| own.path);
        let folders: Vec<RelPath> =
            folders.iter().filter(|folder| own.as_ref() != Some(folder)).cloned().collect();
        let mut walked = walk::walk_below(self.workspace.root(), &folders, &options)?;
        self.leave_own_index_out(&mut walked);
        Ok(walked)
    }

    fn leave_own_index_out(&self, walked: &mut Walked) {
        let Some(own) = self.own_index() else { return };
        let inside = |path: &RelPath| own.covers(path);
        let before = walked.candidates.len() + walked.skipped.len();
        walked.candidates.retain(|candidate| !inside(&candidate.path));
        walked.skipped.retain(|skipped| !inside(&skipped.path));
        if walked.candidates.len() + walked.skipped.len() < before {
            walked.skipped.push(own);
            walked.skipped.sort();
        }
    }

    /// Reads a file as an update would, and as an update would if it did not know whether git tracks the file.
    pub fn read(&self, candidate: &Candidate) -> (ReadOutcome, ReadOutcome) {
        let Candidate { path, stat, wanted } = candidate.clone();
        let task = ReadTask { path, stat, wanted, old: None };
        let strict = Limits {
            max_file_bytes: self.settings.max_file_bytes,
            skip_generated: true,
            skip_minified: true,
        };
        let outcome = unranked::read_file(&task, &self.ground, &self.limits(), self.tracked);
        (outcome, self.ground.read(&task.path, &strict))
    }

    fn limits(&self) -> Limits {
        Limits {
            max_file_bytes: self.settings.max_file_bytes,
            // Without a repository nothing tells whether a user keeps the file.
            skip_generated: self.tracked.is_some() && !self.settings.no_built_in,
            skip_minified: !self.settings.no_built_in,
        }
    }

    /// Writes the trigram indexes of the newest segments. They are derived data and belong to no commit: without them
    /// an exact search is slower and finds the same results. The caller holds the lock.
    fn write_grams(&self) {
        if let Err(error) = crate::index::write_grams(&self.workspace.segment_dir()) {
            tracing::warn!(%error, "the lists that find the insides of words were not written");
        }
    }

    /// Whether git tracks a file.
    pub fn is_tracked(&self, path: &RelPath) -> bool {
        self.tracked.is_some_and(|tracked| tracked.contains(path, false))
    }
}

/// Reports that a stage begins.
fn tell(progress: OnProgress<'_>, stage: Stage, files: usize, bytes: u64) {
    progress(Progress { stage, files, total_files: files, bytes, total_bytes: bytes, holder: None });
}

#[cfg(test)]
mod crashes;
#[cfg(test)]
mod tests;
