//! The session of one caller: the texts that it was sent, and the files that it opened and touched.
//!
//! A session has no clock: the front end decides when a session begins and ends. A search records only changed files in
//! the session. The front end records a delivered reply by [`Session::record_reply`], because only the front end knows
//! how much of the reply arrived. Each tree has its own part of a session, so one handle serves a caller of several
//! engines, and the record of one tree does not affect another.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::lock::lock;
use spyhop_attributes::{reply, request};
use spyhop_base::id::{ContentHash, VersionId};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_index::meta::ViewKey;
pub use spyhop_search::session::FileActivity;
use spyhop_search::session::Trail;

/// The number of sent texts that are kept for a tree; the oldest are dropped.
const MAX_SENT: usize = 2_000;

/// The record of what one caller was sent, opened and touched. Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct Session {
    pub(super) inner: Arc<Mutex<Inner>>,
}

/// Whose earlier work with files affects a ranking: a file that was touched, opened or shown before ranks higher.
#[request(Clone, Debug; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ActivitySource {
    /// The files that any caller touched in the tree, as recorded by
    /// [`Engine::record_touch`](crate::Engine::record_touch). The default.
    AnyCaller,
    /// Only the files of one caller, as recorded in its session. A session has no serialized form.
    #[cfg_attr(feature = "serde", serde(skip))]
    Session(Session),
    /// No earlier work affects the ranking.
    Ignored,
}

/// The earlier reply that had the text of a hit.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The number of the reply in the session, from 1.
    pub call: usize,
    /// The number of the hit in that reply, from 1.
    pub result: usize,
    /// The query of that reply.
    pub query: String,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) calls: usize,
    pub(super) trees: FxHashMap<PathBuf, SessionTree>,
}

/// The record of one tree.
#[derive(Debug, Default)]
pub(super) struct SessionTree {
    pub(super) trail: Arc<Trail>,
    /// The view of the last search, and its newest file version.
    pub(super) seen: Option<(ViewKey, VersionId)>,
    pub(super) sent: FxHashMap<Text, Sent>,
    /// The keys of `sent`, the oldest first.
    pub(super) order: VecDeque<Text>,
    /// The trails with which the first pages of queries were ranked, the newest last. Further pages use the same trail.
    pub(super) paged: VecDeque<(String, Arc<Trail>)>,
}

/// A text that was sent: these lines of this content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Text {
    pub(super) path: RelPath,
    pub(super) content: ContentHash,
    pub(super) lines: Lines,
    pub(super) cut: bool,
}

impl Session {
    /// An empty session.
    pub fn new() -> Session {
        Session::default()
    }

    /// Records what the caller did with files of the tree at `root`, as one turn of the session.
    pub(super) fn record_activity(&self, root: &Path, files: &[RelPath], activity: FileActivity) {
        let mut inner = lock(&self.inner);
        let tree = inner.trees.entry(root.to_path_buf()).or_default();
        Arc::make_mut(&mut tree.trail).record(files.iter().map(|path| (path, activity)));
    }
}

impl SessionTree {
    pub(super) fn send(&mut self, text: Text, sent: Sent) {
        if self.sent.insert(text.clone(), sent).is_some() {
            return;
        }
        self.order.push_back(text);
        if self.order.len() > MAX_SENT
            && let Some(oldest) = self.order.pop_front()
        {
            self.sent.remove(&oldest);
        }
    }
}
