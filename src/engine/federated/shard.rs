//! The state of one shard at a front during a question.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::FederationError;
use super::messages::{ShardAsk, ShardOrigin, ShardState, ShardTold, Tellings};
use super::packed::Portable;
use super::trees::{TreeReply, TreeRequest};
use crate::api::{Hit, SearchRequest, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::remote::RemoteState;
use spyhop_base::id::Generation;
use spyhop_search::federated;

/// How often one shard may change during a question.
const MAX_MOVES: usize = 8;

/// A shard of a question.
pub(super) struct Shard {
    pub name: String,
    pub state: Option<ShardState>,
    pub origin: ShardOrigin,
    /// The replies, by the keys of their asks.
    pub told: FxHashMap<Vec<u8>, KnownReply>,
    /// What is missing: the asks of the next message, or of the last one.
    pub asked: Vec<PendingAsk>,
    /// Whether the state is needed, though nothing else of the shard is.
    pub is_state_asked: bool,
    moves: usize,
    /// Why the shard does not answer.
    pub lost: Option<String>,
}

/// An ask without a reply.
pub(super) struct PendingAsk {
    pub key: Vec<u8>,
    /// The search that the ask is about.
    pub search: Option<Arc<AskedSearch>>,
    pub ask: ShardAsk,
}

pub(super) enum KnownReply {
    Rank(Arc<federated::RankTold>),
    Hits(Vec<Hit>),
    Unranked(Vec<(u32, Hit)>),
    Trees(Vec<Result<TreeReply, Error>>),
}

impl PendingAsk {
    pub fn new(search: Option<&Arc<AskedSearch>>, ask: ShardAsk) -> PendingAsk {
        let mut key = search.map_or_else(Vec::new, |search| search.key.clone());
        key.extend(postcard::to_allocvec(&ask).unwrap_or_default());
        PendingAsk { key, search: search.cloned(), ask }
    }
}

impl Shard {
    pub fn new(name: &str) -> Shard {
        Shard {
            name: name.to_string(),
            state: None,
            origin: ShardOrigin::default(),
            told: FxHashMap::default(),
            asked: Vec::new(),
            is_state_asked: false,
            moves: 0,
            lost: None,
        }
    }

    /// Whether a message to the shard is due.
    pub fn is_pending(&self) -> bool {
        !self.asked.is_empty() || self.is_state_asked
    }

    /// The facts about the shard.
    pub fn snapshot(&self) -> Snapshot {
        let ShardOrigin { generation, checked_at, indexed_files, skipped_files, stale_files, .. } =
            self.origin;
        let generation = Generation(generation);
        Snapshot { generation, checked_at, indexed_files, skipped_files, stale_files, ..Snapshot::default() }
    }

    /// Notes that a reply is missing.
    pub fn ask(&mut self, ask: PendingAsk) {
        if !self.asked.iter().any(|own| own.key == ask.key) {
            self.asked.push(ask);
        }
    }

    /// The answers to a request of a tree; `None` if they are missing, and now asked for.
    pub fn answers(&mut self, request: &TreeRequest) -> Option<Vec<Result<Box<dyn Any>, Error>>> {
        let ask = PendingAsk::new(None, ShardAsk::Tree(request.packed()));
        match self.told.get(&ask.key) {
            Some(KnownReply::Trees(answers)) => {
                let copied =
                    answers.iter().map(|answer| answer.as_ref().map(TreeReply::reply).map_err(Error::copy));
                Some(copied.collect())
            }
            _ => {
                self.ask(ask);
                None
            }
        }
    }

    pub fn take(&mut self, tellings: Tellings) -> Result<(), FederationError> {
        let Tellings { state, origin, told } = tellings;
        if self.state.as_ref().is_some_and(|known| *known != state) {
            return self.forget_moved();
        }
        let asked = std::mem::take(&mut self.asked);
        let fits = told.len() == asked.len();
        let known = told.into_iter().zip(&asked).map(|(told, ask)| known(told, &ask.ask));
        let Some(known) = known.collect::<Option<Vec<_>>>().filter(|_| fits) else {
            return Err(FederationError::BadReply { shard: self.name.clone() });
        };
        if self.state.replace(state).is_none() {
            self.origin = origin;
        }
        self.told.extend(asked.into_iter().map(|ask| ask.key).zip(known));
        Ok(())
    }

    pub fn forget(&mut self) {
        self.told.clear();
        self.asked.clear();
        self.state = None;
    }

    pub fn forget_moved(&mut self) -> Result<(), FederationError> {
        self.forget();
        self.moves += 1;
        match self.moves > MAX_MOVES {
            true => Err(FederationError::Unsteady { shard: self.name.clone() }),
            false => Ok(()),
        }
    }
}

/// A search, with the key that tells its asks from those of other searches.
pub(super) struct AskedSearch {
    pub request: SearchRequest,
    pub key: Vec<u8>,
}

impl AskedSearch {
    pub fn new(request: &SearchRequest) -> AskedSearch {
        let bytes = postcard::to_allocvec(request).unwrap_or_default();
        AskedSearch { request: request.clone(), key: blake3::hash(&bytes).as_bytes().to_vec() }
    }
}

/// The state of all shards of a question.
pub(super) struct AskedState {
    pub shards: Vec<Shard>,
}

/// The error in place of a reply that is missing. No caller sees the error, because the question is not answered yet.
pub(super) fn pending() -> Error {
    Error::new(ErrorKind::NoIndex, "a reply of a shard is missing")
}

impl AskedState {
    /// The sums over the shards.
    pub fn state(&self) -> RemoteState {
        let all = || self.shards.iter().filter(|shard| shard.lost.is_none()).map(|shard| &shard.origin);
        let checked: Option<Vec<_>> = all().map(|own| own.checked_at).collect();
        let snapshot = Snapshot {
            generation: Generation(all().map(|own| own.generation).sum()),
            checked_at: checked.and_then(|times| times.into_iter().min()),
            indexed_files: all().map(|own| own.indexed_files).sum(),
            skipped_files: all().map(|own| own.skipped_files).sum(),
            stale_files: all().map(|own| own.stale_files).sum(),
            ..Snapshot::default()
        };
        let lost = self.shards.iter().filter_map(|shard| shard.lost.clone());
        let warnings: Vec<String> = all().flat_map(|own| own.warnings.iter().cloned()).chain(lost).collect();
        let is_whole = all().count() == self.shards.len() && all().all(|own| own.is_whole);
        RemoteState { snapshot, is_whole, warnings }
    }
}

/// The reply to an ask; `None` if it is none.
fn known(told: ShardTold, ask: &ShardAsk) -> Option<KnownReply> {
    use federated::{RankAsk as Of, RankTold as Is};
    match (told, ask) {
        (ShardTold::Hits(bytes), ShardAsk::Hits(_, ask)) => {
            let hits = Vec::<Hit>::unpacked(&bytes)?;
            (hits.len() == ask.hits.len()).then_some(KnownReply::Hits(hits))
        }
        (ShardTold::Hits(bytes), ShardAsk::Unranked(..)) => Vec::unpacked(&bytes).map(KnownReply::Unranked),
        (ShardTold::Trees(bytes), ShardAsk::Tree(_)) => Vec::unpacked(&bytes).map(KnownReply::Trees),
        (ShardTold::Rank(told), ShardAsk::Rank(_, ask)) => {
            let is_of = match (&*told, &**ask) {
                (Is::Words(_), Of::Word(_)) | (Is::Offers(_), Of::Offers(_)) => true,
                (Is::Statistics(own), Of::Statistics { query, .. }) => own.is_of(query),
                (Is::Measures(rows), Of::Measures(_, files)) => rows.len() == files.len(),
                (Is::Places(places), Of::Places(_, files)) => places.len() == files.len(),
                _ => false,
            };
            is_of.then(|| KnownReply::Rank(Arc::from(told)))
        }
        _ => None,
    }
}
