//! Planning and running an index update, and the single commit point.
//!
//! The way of the data: `walk -> Plan -> work on threads -> Record -> commit`. Everything before the commit writes
//! files that nobody names yet; the commit names them all at once; a crash anywhere leaves the last commit as it
//! was. An update holds the workspace's lock from the moment it knows that there is something to write.

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

/// The detail of the row for an index that lies in its own tree.
pub const OWN_INDEX: &str = "this tree's own index";

/// What decides which files a view holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether names that begin with a dot are taken in.
    pub hidden: bool,
    /// Files above this many bytes are found by path only.
    pub max_file_bytes: u64,
    /// Whether what ignore files leave out is taken in.
    pub no_ignore: bool,
    /// Whether what built-in rules leave out is taken in.
    pub no_built_in: bool,
    /// Whether files that hold secrets by their names are taken in.
    pub secrets: bool,
}

impl Settings {
    /// How they have a tree walked.
    pub fn walk_options(&self) -> WalkOptions<'static> {
        let Settings { hidden, no_ignore, no_built_in, secrets, .. } = *self;
        WalkOptions { hidden, no_ignore, no_built_in, secrets, ..WalkOptions::default() }
    }

    /// A short hash of them.
    fn key(&self) -> String {
        hash_of(format!("{self:?}").as_bytes())
    }
}

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// The generation that answers now.
    pub generation: Generation,
    /// Files that were not there before.
    pub added: usize,
    /// Files with other content.
    pub changed: usize,
    /// Files that are gone.
    pub deleted: usize,
    /// Files whose content was known under another path; they are among `added` and `deleted` as well.
    pub renamed: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// Where an index lies now that could not be read and was made anew.
    pub put_aside: Option<PathBuf>,
}

/// How far an update is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Files done.
    pub files: usize,
    /// Files in all, as far as known.
    pub total_files: usize,
    /// Bytes done.
    pub bytes: u64,
    /// Bytes in all, as far as known.
    pub total_bytes: u64,
    /// In the stage of waiting: who is waited for, where that is known.
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

/// Where progress is told; called from indexing threads.
pub type OnProgress<'p> = &'p (dyn Fn(Progress) + Sync);

/// Why an update failed. The last commit still answers.
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
        /// Where.
        dir: PathBuf,
        /// What went wrong.
        source: IndexError,
    },
    /// The metadata contradict themselves.
    #[error(transparent)]
    Meta(#[from] MetaError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index was imported without its tree, so nothing can be compared with it.
    #[error("the index at {} came without its tree, which is not here to be indexed; spyhop index --rebuild makes one of what is here", dir.display())]
    NoSources {
        /// Where the index lies.
        dir: PathBuf,
    },
    /// Another branch was checked out meanwhile.
    #[error("another branch was checked out while the tree was being indexed")]
    Switched,
}

/// A hash of everything that changes what is stored for the same content: it names the folder of the data.
pub fn fingerprint(grammars: &Grammars) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?}", [FORMAT_VERSION, TOKENIZER_VERSION, analyze::VERSION]).as_bytes());
    hasher.update(&grammars.fingerprint());
    hasher.finalize().to_hex()[..12].to_string()
}

/// The key of the view of a tree with `head` checked out, or of the commit itself if that is meant.
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
    // Such a view never goes stale, so what may change without the commit is part of its key.
    let own = if settings.no_ignore { Vec::new() } else { walk::private_rules(workspace.root()) };
    let settings = if own.is_empty() { rules } else { format!("{rules}-{}", hash_of(&own)) };
    ViewKey { root, head: ViewKey::committed(&name), settings, staged: false }
}

/// A short hash.
fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..8].to_string()
}

/// What an update works on.
pub struct Updater<'e> {
    /// The index.
    pub workspace: &'e Workspace,
    /// The repository around the root, where there is one.
    pub repo: Option<&'e Repo>,
    /// What is checked out there, or which commit is meant.
    pub head: Head,
    /// Where its files are read.
    pub ground: Ground,
    /// What git tracks below the root, where there is a repository.
    pub tracked: Option<&'e Tracked>,
    /// The grammars.
    pub grammars: &'e Grammars,
    /// Where files are parsed.
    pub parsing: &'e Parsing,
    /// What changes what is stored.
    pub settings: &'e Settings,
    /// Threads; `None` for one a core.
    pub threads: Option<usize>,
    /// Bytes of memory that an update keeps to, at least [`LEAST_MEMORY`]; `None` for [`DEFAULT_MEMORY`] and what the
    /// tree's own size takes.
    pub max_memory: Option<u64>,
    /// When what has been done is committed for the first time, see [`FIRST_CHECKPOINT`].
    pub checkpoint: Duration,
    /// A tree that is indexed for the first time and has this many bytes is indexed by its text first, see
    /// [`TEXT_FIRST`].
    pub text_first: u64,
    /// Where the tree may have changed, for who has watched it.
    pub since: Option<Since<'e>>,
    /// Told of each folder just before it is listed.
    pub on_list: Option<&'e OnList<'e>>,
    /// Ends a walk early.
    pub cancel: Option<Cancel>,
    /// Walk as ripgrep does, for an exact search; an update never does.
    pub as_ripgrep: Option<AsRipgrep<'e>>,
}

/// What is known of a tree since it was as a commit has it.
#[derive(Clone, Copy)]
pub struct Since<'e> {
    /// The bytes of that commit's point.
    pub stamp: &'e [u8],
    /// The view that was compared.
    pub key: &'e ViewKey,
    /// Where the tree may have changed.
    pub region: &'e Region,
}

/// A long update commits what it has got when so much time has passed, and then after pauses that double.
pub const FIRST_CHECKPOINT: Duration = Duration::from_millis(1200);

/// From so many bytes on the first index of a tree is made in two passes: text and paths in a third of the time, and
/// structure, file by file, after that. Smaller ones are done before anybody waits.
pub const TEXT_FIRST: u64 = 64 << 20;

impl Updater<'_> {
    /// A hash of what decides how a text is parsed.
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

    /// The text of a suspect, if it still has the same content here or in the worktree.
    fn source_of(&self, suspect: &Suspect) -> Option<Source> {
        let worktree = Ground::Folder(self.workspace.root().to_path_buf());
        [&self.ground, &worktree].into_iter().find_map(|ground| {
            match ground.read(&suspect.path, &Limits::WANTED) {
                ReadOutcome::Source(source) if source.hash == suspect.hash => Some(source),
                _ => None,
            }
        })
    }

    /// The key of the view that an update brings up to date.
    pub fn view_key(&self) -> ViewKey {
        view_key(self.workspace, &self.head, self.settings)
    }

    /// Whether another branch is checked out by now. A commit stays what it is.
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

    /// Walks a part of it.
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

    /// The row for an index that was asked to lie inside its own tree, of which it is no part.
    pub fn own_index(&self) -> Option<Skipped> {
        let below = self.workspace.dir().strip_prefix(self.workspace.root()).ok()?;
        let path = RelPath::from_path(below).ok().filter(|own| !own.as_str().is_empty())?;
        let detail = OWN_INDEX.to_string();
        Some(Skipped { path, reason: SkipReason::BuiltIn, detail, is_dir: true })
    }

    /// Walks folders of the tree that a walk has left out; what is left out in them by other rules stays out.
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

    /// Reads a file as an update would, and as it would if nothing were known about who keeps it.
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
            // Without a repository nothing tells whether somebody keeps the file.
            skip_generated: self.tracked.is_some() && !self.settings.no_built_in,
            skip_minified: !self.settings.no_built_in,
        }
    }

    /// Writes what is derived from the newest segments, and so no part of their commit: without it an exact search is
    /// slower and finds the same. The caller holds the lock.
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

/// Tells that a stage begins.
fn tell(progress: OnProgress<'_>, stage: Stage, files: usize, bytes: u64) {
    progress(Progress { stage, files, total_files: files, bytes, total_bytes: bytes, holder: None });
}

#[cfg(test)]
mod crashes;
#[cfg(test)]
mod tests;
