//! The set itself, and the joined snapshot that it keeps.

use std::sync::{Arc, Mutex};

use super::super::api::SourceName;
use super::super::core::Engine;
use super::super::lock::lock;
use super::super::set_source::SetSource;
use crate::error::{Error, ErrorKind};
use spyhop_search::SearchSnapshot;

/// The number of sources from which a process that asks again filters segments by their terms.
const MANY_SOURCES: usize = 8;

/// Trees that are searched as one, each with its name and its engine. Threads share a set by reference.
pub struct SourceSet {
    pub(super) sources: Vec<SetSource>,
    pub(super) joined: Mutex<Option<JoinedSnapshot>>,
}

/// The joined snapshot of the last answer, with its parts.
pub(super) struct JoinedSnapshot {
    /// Whether an answer came from the snapshot before.
    is_used_again: bool,
    parts: Vec<Arc<SearchSnapshot>>,
    snapshot: Arc<SearchSnapshot>,
}

impl SourceSet {
    /// A set of trees. Equal paths of several trees are ordered as the trees are here.
    ///
    /// # Errors
    /// `BadRequest` if there is no tree, or if two trees have one name.
    pub fn new(members: impl IntoIterator<Item = (SourceName, Engine)>) -> Result<SourceSet, Error> {
        SourceSet::of_sources(
            members.into_iter().map(|(name, engine)| SetSource::new(name, engine)).collect(),
        )
    }

    /// A set of sources, of which some may be unable to answer.
    ///
    /// # Errors
    /// As [`SourceSet::new`].
    pub fn of_sources(sources: Vec<SetSource>) -> Result<SourceSet, Error> {
        if sources.is_empty() {
            return Err(Error::bad("the set has no source; add one"));
        }
        let mut names: Vec<&SourceName> = sources.iter().map(|source| &source.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::bad(format!("two sources have the name '{}'; rename one", pair[0])));
        }
        Ok(SourceSet { sources, joined: Mutex::default() })
    }

    /// The sources that could be opened, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&SourceName, &Engine)> {
        self.sources.iter().filter_map(|source| Some((&source.name, source.engine.as_ref().ok()?)))
    }

    /// The first engine, whose grammars parse requests.
    pub(super) fn first_engine(&self) -> Result<&Engine, Error> {
        match self.members().next() {
            Some((_, engine)) => Ok(engine),
            None => Err(self.sources[0].failure().expect("no source could be opened")),
        }
    }

    /// The joined snapshot of `parts`, which is kept until a part changes.
    pub(super) fn joined(&self, parts: Vec<Arc<SearchSnapshot>>) -> Result<Arc<SearchSnapshot>, Error> {
        if let [part] = &parts[..] {
            return Ok(Arc::clone(part));
        }
        let mut kept = lock(&self.joined);
        if let Some(known) = &mut *kept
            && known.parts.len() == parts.len()
            && known.parts.iter().zip(&parts).all(|(known, part)| Arc::ptr_eq(known, part))
        {
            let is_second = !std::mem::replace(&mut known.is_used_again, true);
            let snapshot = Arc::clone(&known.snapshot);
            drop(kept);
            // One question would not gain what the filters cost.
            if is_second && parts.len() >= MANY_SOURCES {
                snapshot.index().make_filters();
            }
            return Ok(snapshot);
        }
        let joined = SearchSnapshot::joined(&parts).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, "the sources have more than 4 billion files or chunks in all")
        })?;
        let snapshot = Arc::new(joined);
        *kept = Some(JoinedSnapshot { is_used_again: false, parts, snapshot: Arc::clone(&snapshot) });
        Ok(snapshot)
    }
}
