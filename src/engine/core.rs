//! An engine: the parts of its state, each with its owner, and the policy of its calls.
//!
//! The fields of a part are private to the file of the part, which has every lock of the part. An operation takes the parts
//! that it needs.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::api::{CallPolicy, Options};
use super::open_index::{Current, OpenIndex, Recorded};
use super::parsers::Parsers;
use super::revision_notes::RevisionNotes;
use super::touches::Touches;
use super::tree::SearchedTree;
use crate::error::Error;
use spyhop_base::id::LanguageId;
use spyhop_base::path::RelPath;
use spyhop_files::read::TreeSource;
use spyhop_index::meta::ViewKey;
use spyhop_index::update::Quarantine;
use spyhop_index::workspace;
use spyhop_semantic::SemanticFolder;
use spyhop_syntax::grammar::Grammars;

/// The index of one tree, and all operations on the tree. Threads share an engine by reference.
pub struct Engine {
    policy: CallPolicy,
    parts: Arc<EngineParts>,
}

/// The parts of an engine, which the engines of [`Engine::with_policy`] share.
pub(super) struct EngineParts {
    pub options: Options,
    pub tree: SearchedTree,
    pub parsers: Parsers,
    pub touches: Touches,
    pub notes: RevisionNotes,
    pub semantic: SemanticFolder,
    /// The clock for the age of touches and the time of notes.
    pub clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// The last part, because it may remove the folder of the others.
    pub index: OpenIndex,
}

impl Engine {
    /// An engine of these parts, with the policy of their options.
    pub(super) fn of_parts(parts: EngineParts) -> Engine {
        Engine { policy: CallPolicy::of(&parts.options), parts: Arc::new(parts) }
    }

    /// The policy of calls to this engine.
    pub fn policy(&self) -> CallPolicy {
        self.policy
    }

    /// An engine with another policy for its calls. Both engines share the tree, the open commit and all caches, so this
    /// call costs nothing and opens nothing.
    pub fn with_policy(&self, policy: CallPolicy) -> Engine {
        Engine { policy, parts: Arc::clone(&self.parts) }
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        self.parts.tree.root()
    }

    /// The folder of the index.
    pub fn index_dir(&self) -> &Path {
        self.parts.index.workspace().dir()
    }

    /// The revision that is searched instead of the worktree, as named in the options.
    pub fn view(&self) -> Option<&str> {
        self.parts.tree.view()
    }

    /// Whether the name of the view still has the meaning from when the engine was opened. The commit of a branch is
    /// looked up for each answer; any other name is resolved only once. True if the worktree is searched.
    pub fn view_holds(&self) -> bool {
        self.parts.tree.view_holds()
    }

    /// Checks that `path` exists in the searched tree.
    ///
    /// # Errors
    /// `BadRequest` if it does not exist.
    pub fn check_path(&self, path: &str) -> Result<(), Error> {
        self.parts.tree.check_path(path)
    }

    /// Releases what the next answer can open again: the commit, its snapshot, the tree of a revision, the caches of
    /// the tokenizers, and idle parser workers. This is for programs that keep engines open and seldom use them; the
    /// next answer takes somewhat longer. Running calls keep what they use.
    pub fn release_caches(&self) {
        let EngineParts { tree, parsers, notes, index, .. } = &*self.parts;
        index.release();
        tree.release();
        notes.release();
        parsers.release();
    }

    pub(super) fn options(&self) -> &Options {
        &self.parts.options
    }

    pub(super) fn tree(&self) -> &SearchedTree {
        &self.parts.tree
    }

    pub(super) fn index(&self) -> &OpenIndex {
        &self.parts.index
    }

    pub(super) fn parsers(&self) -> &Parsers {
        &self.parts.parsers
    }

    pub(super) fn grammars(&self) -> &Grammars {
        self.parts.parsers.grammars()
    }

    /// The language that an update would now detect for a file.
    pub(super) fn language_now(&self, path: &RelPath, source_tree: &TreeSource) -> LanguageId {
        let EngineParts { tree, parsers, .. } = &*self.parts;
        parsers.language_of(path, source_tree, tree.settings().max_file_bytes)
    }

    /// The contents that are not parsed, because their parser failed.
    pub(super) fn quarantine(&self) -> Quarantine {
        Quarantine::of(self.index_dir(), self.grammars())
    }

    pub(super) fn notes(&self) -> &RevisionNotes {
        &self.parts.notes
    }

    /// The vectors of the tree.
    pub(super) fn semantic(&self) -> &SemanticFolder {
        &self.parts.semantic
    }

    pub(super) fn touches(&self) -> &Touches {
        &self.parts.touches
    }

    /// The present time by the clock of the engine.
    pub(super) fn now(&self) -> SystemTime {
        (self.parts.clock)()
    }

    /// The key of the view of the present checkout.
    pub(super) fn view_key(&self) -> ViewKey {
        let EngineParts { tree, index, .. } = &*self.parts;
        workspace::view_key(index.workspace(), &tree.head(), tree.settings())
    }

    /// The newest commit and its view of the present checkout.
    pub(super) fn current(&self) -> Result<Current, Error> {
        self.parts.index.current(self.view_key())
    }

    /// The newest commit and its view of the present checkout, without a snapshot for ranking.
    pub(super) fn recorded(&self) -> Option<Recorded> {
        self.parts.index.recorded(self.view_key())
    }

    /// Sets the clock of an engine that is not shared yet.
    #[cfg(test)]
    pub(super) fn set_clock(&mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) {
        Arc::get_mut(&mut self.parts).expect("the engine is not shared").clock = Box::new(clock);
    }
}
