//! The state of an engine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use super::api::Options;
use super::opened::OpenedCommit;
use crate::git::{CommitTree, Repo, Revision};
use crate::grammar::Grammars;
use crate::meta::ViewKey;
use crate::session::TouchLog;
use crate::store;
use crate::tokenize::Tokenizers;
use crate::workspace::{Committed, Settings, Workspace};

/// A search engine over one tree.
pub struct Engine {
    pub(super) options: Options,
    pub(super) settings: Settings,
    pub(super) grammars: Grammars,
    pub(super) repo: Option<Repo>,
    /// Why there is none, where there seems to be one.
    pub(super) no_repo: Option<String>,
    /// What is searched in place of the worktree.
    pub(super) revision: Option<Revision>,
    /// The tree of the commit that was read last.
    pub(super) tree: Mutex<Option<Arc<CommitTree>>>,
    pub(super) workspace: Workspace,
    /// The folder that holds the indexes of many trees, if this one lies there.
    pub(super) home: Option<PathBuf>,
    /// The view whose use was noted last, and when.
    pub(super) marked: Mutex<Option<(ViewKey, Instant)>>,
    pub(super) open: Mutex<Option<OpenedCommit>>,
    /// The newest commit as it is, for what needs no more of it.
    pub(super) committed: Mutex<Option<Arc<Committed>>>,
    pub(super) touched: Mutex<TouchLog>,
    /// What tells how old a touch is.
    pub(super) clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// Tokenizers that no query uses just now; each remembers the words it has met.
    pub(super) tokenizers: Tokenizers,
}

/// Bytes of the index on disk.
pub(super) fn index_bytes(workspace: &Workspace) -> u64 {
    store::bytes_below(&workspace.meta_dir()) + store::bytes_below(&workspace.segment_dir())
}
