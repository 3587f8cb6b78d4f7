//! Several trees that are searched as one: one ranking over all files, equal to the ranking of one tree that has them all.
//!
//! The snapshots of the trees are joined: their segments, documents and totals are searched like those of one index, so
//! document frequencies, average lengths and budgets are those of the union. No score is computed for a tree alone.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::answer::{AnswerContext, ReplyOrigin};
use super::api::*;
use super::core::Engine;
use super::current::{Freshness, Viewed};
use super::lock::lock;
use super::member::MemberTrees;
use super::{Error, ErrorKind};
use crate::filter::Filter;
use crate::id::Generation;
use crate::index;
use crate::parallel;
use crate::search::SearchSnapshot;

/// Trees that are searched as one, each with its name and its engine. Threads share a set by reference.
///
/// ```
/// # use spyhop::{Engine, Options, SearchRequest, SourceName, SourceSet};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # for (tree, code) in [("client", "pub fn send_request() {}\n"), ("server", "pub fn answer_request() {}\n")] {
/// #     std::fs::create_dir(folder.path().join(tree))?;
/// #     std::fs::write(folder.path().join(tree).join("lib.rs"), code)?;
/// # }
/// # let engine = |tree: &str| {
/// #     let index_dir = Some(folder.path().join("index").join(tree));
/// #     Engine::open(folder.path().join(tree), Options { index_dir, ..Options::default() })
/// # };
/// let set = SourceSet::new([
///     (SourceName::new("client"), engine("client")?),
///     (SourceName::new("server"), engine("server")?),
/// ])?;
/// let reply = set.search(&SearchRequest::new("where is a request answered?"))?;
/// assert_eq!(reply.results[0].source, Some(SourceName::new("server")));
/// # Ok(())
/// # }
/// ```
pub struct SourceSet {
    members: Vec<(SourceName, Engine)>,
    joined: Mutex<Option<JoinedSnapshot>>,
}

/// The joined snapshot of the last answer, with its parts.
struct JoinedSnapshot {
    parts: Vec<Arc<SearchSnapshot>>,
    snapshot: Arc<SearchSnapshot>,
}

/// A source that answers: its name, engine, snapshot and freshness.
type Ready<'s> = (SourceName, &'s Engine, Arc<SearchSnapshot>, Freshness);

impl SourceSet {
    /// A set of trees. Equal paths of several trees are ordered as the trees are here.
    ///
    /// # Errors
    /// `BadRequest` if there is no tree, or if two trees have one name.
    pub fn new(members: impl IntoIterator<Item = (SourceName, Engine)>) -> Result<SourceSet, Error> {
        let members: Vec<(SourceName, Engine)> = members.into_iter().collect();
        if members.is_empty() {
            return Err(Error::bad("the set has no source; add one"));
        }
        for (place, (name, _)) in members.iter().enumerate() {
            if members[..place].iter().any(|(other, _)| other == name) {
                return Err(Error::bad(format!("two sources have the name '{name}'; rename one")));
            }
        }
        Ok(SourceSet { members, joined: Mutex::default() })
    }

    /// The sources, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&SourceName, &Engine)> {
        self.members.iter().map(|(name, engine)| (name, engine))
    }

    /// Answers a query from all trees by one ranking. The path, the globs and the exclusions of the filter are relative to
    /// the root of each tree. Each tree is opened, compared and updated by the policy of its engine. A tree that cannot
    /// answer is named in `warnings`, and `literal_complete` is then false. Sessions and touches do not affect the ranking.
    ///
    /// # Errors
    /// `BadRequest`, which names the wrong value; if no tree can answer, the error of the first tree.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_all(std::slice::from_ref(&request.query), request)
    }

    /// Answers several queries as one, as [`Engine::search_batch`] does.
    ///
    /// # Errors
    /// As [`SourceSet::search`]; `BadRequest` for an empty list.
    pub fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_all(queries, request)
    }

    fn search_all(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        let first = &self.members[0].1;
        let parsed = first.check(queries, request)?;
        let filter = Filter::new(&request.filter, &first.grammars)?;
        parallel::with_helper_thread(|| {
            let (ready, failed) = self.ready()?;
            let origin = origin(&ready, failed);
            let members: Vec<_> =
                ready.into_iter().map(|(name, engine, snapshot, _)| (name, engine, snapshot)).collect();
            let snapshot = self.joined(members.iter().map(|(_, _, part)| Arc::clone(part)).collect())?;
            index::guarded(|| {
                let trees = MemberTrees::joined(&members, &snapshot)?;
                let context = AnswerContext::joined(trees, &snapshot, &filter, request);
                Ok(context.engine().masked_search(context.reply(&parsed, origin)?))
            })
        })
    }

    /// The sources that can answer, and a warning for each of the others.
    fn ready(&self) -> Result<(Vec<Ready<'_>>, Vec<String>), Error> {
        let open = |(name, engine): &'_ (SourceName, Engine)| (name.clone(), engine.ready(&|_| ()));
        let all = parallel::map(self.members.len() > 1, self.members.iter().collect(), open, || ());
        let (mut ready, mut failed, mut first) = (Vec::new(), Vec::new(), None);
        for ((name, opened), (_, engine)) in all.into_iter().zip(&self.members) {
            match opened {
                Ok((snapshot, freshness)) => ready.push((name, engine, snapshot, freshness)),
                Err(error) => {
                    failed.push(format!("source '{name}' does not answer: {error}"));
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if ready.is_empty() => Err(error),
            _ => Ok((ready, failed)),
        }
    }

    /// The joined snapshot of `parts`, which is kept until a part changes.
    fn joined(&self, parts: Vec<Arc<SearchSnapshot>>) -> Result<Arc<SearchSnapshot>, Error> {
        if let [part] = &parts[..] {
            return Ok(Arc::clone(part));
        }
        let mut kept = lock(&self.joined);
        if let Some(known) = &*kept
            && known.parts.len() == parts.len()
            && known.parts.iter().zip(&parts).all(|(known, part)| Arc::ptr_eq(known, part))
        {
            return Ok(Arc::clone(&known.snapshot));
        }
        let joined = SearchSnapshot::joined(&parts).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, "the sources have more than 4 billion files or chunks in all")
        })?;
        let snapshot = Arc::new(joined);
        *kept = Some(JoinedSnapshot { parts, snapshot: Arc::clone(&snapshot) });
        Ok(snapshot)
    }
}

/// The origin of a reply of several sources. `failed` are the warnings about those that do not answer.
fn origin(ready: &[Ready<'_>], failed: Vec<String>) -> ReplyOrigin {
    let mut is_whole = failed.is_empty();
    let mut warnings = failed;
    let mut sources = Vec::with_capacity(ready.len());
    for (name, engine, snapshot, freshness) in ready {
        is_whole &= !snapshot.key().staged;
        warnings.extend(freshness.warnings.iter().map(|warning| format!("source '{name}': {warning}")));
        let snapshot = engine.snapshot(Some(Viewed::from_snapshot(snapshot)), freshness);
        sources.push(SourceSnapshot { name: name.clone(), snapshot });
    }
    let all = || sources.iter().map(|source| &source.snapshot);
    let checked: Option<Vec<SystemTime>> = all().map(|snapshot| snapshot.checked_at).collect();
    let snapshot = Snapshot {
        root: std::path::PathBuf::new(),
        branch: None,
        commit: None,
        generation: Generation(all().map(|snapshot| snapshot.generation.0).sum()),
        checked_at: checked.and_then(|times| times.into_iter().min()),
        indexed_files: all().map(|snapshot| snapshot.indexed_files).sum(),
        skipped_files: all().map(|snapshot| snapshot.skipped_files).sum(),
        stale_files: all().map(|snapshot| snapshot.stale_files).sum(),
        building: None,
    };
    ReplyOrigin { snapshot, sources, is_whole, warnings }
}
