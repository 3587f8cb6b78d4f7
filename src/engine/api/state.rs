//! The plain data of an index's state: what there is, what a watch tells, what a check finds, and what is left out.

use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::engine::Error;

/// The state of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is none.
    Missing,
    /// The index is being built or refreshed.
    Indexing,
    /// The index answers, and no file has changed since.
    Ready,
    /// The index answers; files have changed since.
    Stale,
    /// The index exists and cannot be read.
    Damaged,
}

impl State {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::Indexing => "indexing",
            State::Ready => "ready",
            State::Stale => "stale",
            State::Damaged => "damaged",
        }
    }
}

/// What there is.
#[derive(Clone, Debug)]
pub struct Status {
    /// The state.
    pub state: State,
    /// More about the state, such as what is damaged or who is indexing.
    pub detail: Option<String>,
    /// Where the index lies.
    pub index_path: PathBuf,
    /// The command line that makes the index.
    pub index_command: String,
    /// The tree.
    pub root: PathBuf,
    /// Its git branch.
    pub branch: Option<String>,
    /// Its git commit.
    pub commit: Option<String>,
    /// The generation of the index.
    pub generation: Option<Generation>,
    /// Files that are ranked.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// The names they define.
    pub symbols: usize,
    /// Bytes of their sources.
    pub source_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Files by language, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// Entries left out by reason, most first.
    pub skipped: Vec<(SkipReason, usize)>,
    /// Files by note, most first.
    pub notes: Vec<(Note, usize)>,
    /// Files that were added, changed or deleted since; `None` when not compared.
    pub stale_files: Option<usize>,
    /// How far the first index is, while it is being built.
    pub building: Option<Building>,
    /// The branches, worktrees and commits that the index holds, the last used first.
    pub views: Vec<ViewRow>,
    /// The process that watches the tree and keeps the index current, where there is one.
    pub watcher: Option<u32>,
}

/// What happens to a tree that is watched.
#[derive(Debug)]
pub enum Watched {
    /// The index is current, and stays so.
    Begun {
        /// How many folders are watched; 0 where the system watches a tree as one.
        folders: usize,
    },
    /// Nothing tells of changes: the tree is walked now and then, and nobody is spared his own walk.
    Polling {
        /// Why.
        why: String,
        /// How often.
        every: Duration,
    },
    /// Changes are in the index now.
    Updated {
        /// What they came to.
        report: RefreshReport,
        /// How long that took.
        took: Duration,
    },
    /// An update failed; it is tried again.
    Failed(Error),
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// As it was asked to.
    Stopped,
    /// The tree belongs to another repository by now, or to none any more, so that another index answers for it: an
    /// engine that is opened anew watches that.
    Elsewhere,
}

/// What a thorough check of an index found.
#[derive(Clone, Debug)]
pub struct Checkup {
    /// Every check, in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Checkup {
    /// Whether nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.checks.iter().all(|check| check.health != Health::Damaged)
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub detail: String,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Ok,
    /// No answer suffers from it.
    Warning,
    /// Answers may be wrong or fail; the next refresh that comes upon it makes the index anew, or `--rebuild`.
    Damaged,
}

impl Health {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Health::Ok => "ok",
            Health::Warning => "warning",
            Health::Damaged => "damaged",
        }
    }
}

/// The files that were seen and are not ranked.
#[derive(Clone, Debug)]
pub struct SkippedReply {
    /// Each one, by path.
    pub entries: Vec<Skipped>,
    /// How many for each reason, most first.
    pub counts: Vec<(SkipReason, usize)>,
}

/// What becomes of one path when the tree is indexed, and which rule decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The path that was asked about; lossy where a name is no UTF-8.
    pub path: RelPath,
    /// What becomes of it.
    pub fate: PathOutcome,
    /// What would have left it or a folder above it out and gave way, outermost first.
    pub exceptions: Vec<Exception>,
    /// Whether git tracks it or, of a folder, anything in it.
    pub tracked: bool,
    /// Whether the index holds it now; `None` without an index.
    pub in_index: Option<bool>,
    /// The line of a `.spyhopignore` that would bring it back, if one can.
    pub remedy: Option<String>,
    /// One sentence that says it all.
    pub text: String,
}

/// What becomes of a path when the tree is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOutcome {
    /// The path is indexed with its content.
    Indexed,
    /// The path is indexed without its content.
    PathOnly(Skipped),
    /// The path is a folder that is walked.
    Folder,
    /// The path is left out. The row is that of the path or of a folder above the path.
    LeftOut(Skipped, Cause),
    /// There is no such file.
    Missing,
}

impl PathOutcome {
    /// Its word.
    pub fn name(&self) -> &'static str {
        match self {
            PathOutcome::Indexed => "indexed",
            PathOutcome::PathOnly(_) => "path-only",
            PathOutcome::Folder => "folder",
            PathOutcome::LeftOut(..) => "left-out",
            PathOutcome::Missing => "missing",
        }
    }

    /// The row that lists it, if it is left out in any way.
    pub fn row(&self) -> Option<&Skipped> {
        match self {
            PathOutcome::PathOnly(row) | PathOutcome::LeftOut(row, _) => Some(row),
            PathOutcome::Indexed | PathOutcome::Folder | PathOutcome::Missing => None,
        }
    }
}
