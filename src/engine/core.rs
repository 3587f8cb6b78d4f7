//! The state of an engine.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use tempfile::TempDir;

use super::api::{CallPolicy, Options};
use super::hosted::HostedFiles;
use super::open_commit::OpenedCommit;
use super::parsers::Parsers;
use super::revision_notes::RevisionNotes;
use super::touches::Touches;
use spyhop_base::store;
use spyhop_files::git::{CommitTree, Repo, Revision};
use spyhop_index::meta::ViewKey;
use spyhop_index::workspace::{Committed, Settings, Workspace};
use spyhop_syntax::grammar::Grammars;

/// The index of one tree, and all operations on the tree. Threads share an engine by reference.
pub struct Engine {
    pub(super) policy: CallPolicy,
    pub(super) state: Arc<EngineState>,
}

/// The state of an engine, which the engines of [`Engine::with_policy`] share.
pub struct EngineState {
    pub(super) options: Options,
    pub(super) settings: Settings,
    pub(super) parsers: Parsers,
    pub(super) repo: Option<Repo>,
    /// Why the repository cannot be used, if there is one that cannot be read.
    pub(super) no_repo: Option<String>,
    /// The revision that is searched instead of the worktree.
    pub(super) revision: Option<Revision>,
    /// The files that a host provides instead of a folder.
    pub(super) hosted: Option<HostedFiles>,
    /// The tree of the commit that was read last.
    pub(super) tree: Mutex<Option<Arc<CommitTree>>>,
    pub(super) workspace: Workspace,
    /// The folder with the indexes of many trees, if this index is in such a folder.
    pub(super) home: Option<PathBuf>,
    /// The view whose use was recorded last, and the time of the record.
    pub(super) marked: Mutex<Option<(ViewKey, Instant)>>,
    pub(super) open: Mutex<Option<OpenedCommit>>,
    /// The newest commit, for operations that need no snapshot for ranking.
    pub(super) committed: Mutex<Option<Arc<Committed>>>,
    pub(super) touches: Touches,
    pub(super) notes: RevisionNotes,
    /// The clock for the age of touches and the time of notes.
    pub(super) clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// The private folder of an index in memory. The folder is removed when this is dropped, after everything else.
    pub(super) _private: Option<TempDir>,
}

impl Engine {
    /// The policy of calls to this engine.
    pub fn policy(&self) -> CallPolicy {
        self.policy
    }

    /// An engine with another policy for its calls. Both engines share the tree, the open commit and all caches, so this
    /// call costs nothing and opens nothing.
    pub fn with_policy(&self, policy: CallPolicy) -> Engine {
        Engine { policy, state: Arc::clone(&self.state) }
    }

    pub(super) fn parsers(&self) -> &Parsers {
        &self.state.parsers
    }

    pub(super) fn grammars(&self) -> &Grammars {
        self.state.parsers.grammars()
    }

    pub(super) fn notes(&self) -> &RevisionNotes {
        &self.state.notes
    }

    pub(super) fn touches(&self) -> &Touches {
        &self.state.touches
    }

    /// The present time by the clock of the engine.
    pub(super) fn now(&self) -> SystemTime {
        (self.state.clock)()
    }
}

impl Deref for Engine {
    type Target = EngineState;

    fn deref(&self) -> &EngineState {
        &self.state
    }
}

/// The size of the index on disk in bytes.
pub(super) fn index_bytes(workspace: &Workspace) -> u64 {
    store::bytes_below(&workspace.meta_dir()) + store::bytes_below(&workspace.segment_dir())
}
