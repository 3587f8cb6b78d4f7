//! One caller's session: what it was sent, opened and touched, for as long as it lasts.
//!
//! A session has no clock: the front end decides when a session begins and ends. A search reads the session and records
//! nothing, because only the front end knows how much of a reply arrived. Each tree has its own part of a session, so that
//! one handle serves a caller of several engines and nothing of one tree shows in another.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::api::{Hit, Mode, SearchReply, SearchRequest};
use super::lock;
use crate::id::ContentHash;
use crate::path::RelPath;
pub use crate::session::Interest;
use crate::session::Trail;
use crate::text::Lines;

/// So many texts of one tree are remembered as sent, the newest.
const MAX_SENT: usize = 2_000;

/// So many questions may be paged through at a time.
const MAX_PAGED: usize = 16;

/// What one caller was sent, opened and touched. Clones are the same session.
///
/// ```
/// # use spyhop::{Engine, Options, Recall, SearchRequest, Session};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tree = folder.path().join("tree");
/// # std::fs::create_dir(&tree)?;
/// # std::fs::write(tree.join("auth.rs"), "pub fn resolve_api_key() {}\n")?;
/// # let engine = Engine::open(&tree, Options { index_dir: Some(folder.path().join("i")), ..Options::default() })?;
/// let session = Session::new();
/// let mut request = SearchRequest::new("api key");
/// (request.session, request.dedupe) = (Recall::Session(session.clone()), true);
/// let reply = engine.search(&request)?;
/// session.sent(&request, &reply); // the caller has it now
/// let again = engine.search(&request)?;
/// assert!(reply.results[0].snippet.is_some() && again.results[0].snippet.is_none());
/// assert_eq!(again.results[0].sent_before.as_ref().unwrap().result, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Session {
    inner: Arc<Mutex<Inner>>,
}

/// What a search remembers.
#[derive(Clone, Debug)]
pub enum Recall {
    /// What was touched in the tree, by whomever: the log of [`Engine::touch`](super::Engine::touch). The default.
    Tree,
    /// What one caller was sent, opened and touched, and nothing else.
    Session(Session),
    /// Nothing.
    Off,
}

/// Where a text was sent before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The reply, by its number in the session, from 1.
    pub call: usize,
    /// The hit in that reply, from 1.
    pub result: usize,
    /// What was asked then.
    pub query: String,
}

#[derive(Debug, Default)]
struct Inner {
    calls: usize,
    trees: FxHashMap<PathBuf, Tree>,
}

/// What is known of one tree.
#[derive(Debug, Default)]
struct Tree {
    trail: Arc<Trail>,
    sent: FxHashMap<Text, Sent>,
    /// The keys of `sent`, the oldest first.
    order: VecDeque<Text>,
    /// What the first page of a question was ranked beside, the newest last: the next one continues the same order.
    paged: VecDeque<(String, Arc<Trail>)>,
}

/// A text that was sent: these lines of this content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Text {
    path: RelPath,
    content: ContentHash,
    lines: Lines,
    cut: bool,
}

impl Text {
    fn of(hit: &Hit) -> Option<Text> {
        let snippet = hit.snippet.as_ref()?;
        Some(Text { path: hit.path.clone(), content: hit.content?, lines: snippet.lines, cut: snippet.cut })
    }
}

impl Session {
    /// A session in which nothing has happened.
    pub fn new() -> Session {
        Session::default()
    }

    /// Notes that `reply`, the answer to `request`, was handed on to the caller. A file whose code was in it was shown;
    /// one that was asked for by its path, or whose whole chunk was in it, was opened.
    pub fn sent(&self, request: &SearchRequest, reply: &SearchReply) {
        let mut inner = lock(&self.inner);
        inner.calls += 1;
        let call = inner.calls;
        let tree = inner.trees.entry(reply.snapshot.root.clone()).or_default();
        let with_code = reply.results.iter().filter(|hit| hit.snippet.is_some());
        let interest = |hit: &Hit| {
            let by_path = request.filter.path.as_deref() == Some(hit.path.as_str());
            if by_path || request.mode == Mode::Debug { Interest::Opened } else { Interest::Shown }
        };
        Arc::make_mut(&mut tree.trail).note(with_code.map(|hit| (&hit.path, interest(hit))));
        for (place, hit) in reply.results.iter().enumerate() {
            if let Some(text) = Text::of(hit) {
                tree.send(text, Sent { call, result: place + 1, query: reply.query.clone() });
            }
        }
    }

    /// Notes what files of the tree at `root` were to the caller, in one turn.
    pub(super) fn note(&self, root: &Path, files: &[RelPath], interest: Interest) {
        let mut inner = lock(&self.inner);
        let tree = inner.trees.entry(root.to_path_buf()).or_default();
        Arc::make_mut(&mut tree.trail).note(files.iter().map(|path| (path, interest)));
    }

    /// Where the text of a hit was sent before.
    pub(super) fn sent_before(&self, root: &Path, hit: &Hit) -> Option<Sent> {
        lock(&self.inner).trees.get(root)?.sent.get(&Text::of(hit)?).cloned()
    }

    /// What a request is ranked beside: the trail, or for a further page the trail as it was at the first one.
    pub(super) fn trail(&self, root: &Path, view: Option<&str>, request: &SearchRequest) -> Arc<Trail> {
        let mut inner = lock(&self.inner);
        let tree = inner.trees.entry(root.to_path_buf()).or_default();
        let question = format!(
            "{view:?} {:?} {:?} {} {} {}",
            request.query, request.filter, request.exhaustive, request.min_score, request.per_file
        );
        let known = tree.paged.iter().position(|(other, _)| *other == question);
        if request.cursor.is_some() {
            return known.map_or(&tree.trail, |place| &tree.paged[place].1).clone();
        }
        known.map(|place| tree.paged.remove(place));
        tree.paged.push_back((question, Arc::clone(&tree.trail)));
        if tree.paged.len() > MAX_PAGED {
            tree.paged.pop_front();
        }
        Arc::clone(&tree.trail)
    }
}

impl Tree {
    fn send(&mut self, text: Text, sent: Sent) {
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
