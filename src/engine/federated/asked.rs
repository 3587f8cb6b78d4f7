//! The shards of a question at the front: what they have told, and what is still to be asked. Operations ask them where they
//! would ask engines.

use std::any::Any;
use std::sync::{Arc, Mutex};

use super::error::FederationError;
use super::messages::{self, AskMessage, Identity, ShardAnswer, ShardAsk};
use super::shard::{AskedSearch, AskedState, PendingAsk, Shard, pending};
use super::trees::TreeRequest;
use super::{lines, search};
use crate::api::{GrepReply, GrepRequest, SearchReply, SearchRequest, Snapshot, SourceName};
use crate::asked_queries::AskedQueries;
use crate::core::Engine;
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::lookup;
use crate::remote::{RemoteMembers, RemoteRank, RemoteState};
use spyhop_base::path::RelPath;
use spyhop_search::filter::Filter;
use spyhop_search::query::Query;

/// The shards of one question.
pub(crate) struct AskedShards {
    engine: Arc<Engine>,
    state: Mutex<AskedState>,
}

impl AskedShards {
    /// Shards with these names.
    pub fn new(engine: Arc<Engine>, names: &[String]) -> AskedShards {
        let shards = names.iter().map(|name| Shard::new(name)).collect();
        AskedShards { engine, state: Mutex::new(AskedState { shards }) }
    }

    /// Begins to collect what is missing.
    pub fn begin(&self) {
        for shard in &mut lock(&self.state).shards {
            shard.asked.clear();
            shard.is_state_asked = false;
        }
    }

    /// Whether replies are missing.
    pub fn is_pending(&self) -> bool {
        lock(&self.state).shards.iter().any(Shard::is_pending)
    }

    /// The messages for what is missing.
    pub fn messages(&self) -> Vec<(usize, Vec<u8>)> {
        let identity = Identity::of(&self.engine);
        let state = lock(&self.state);
        let mut messages = Vec::new();
        for (number, shard) in state.shards.iter().enumerate().filter(|(_, shard)| shard.is_pending()) {
            let mut searches: Vec<Arc<AskedSearch>> = Vec::new();
            let mut asks = Vec::with_capacity(shard.asked.len());
            for PendingAsk { search, ask, .. } in &shard.asked {
                let mut ask = ask.clone();
                let of = match &mut ask {
                    ShardAsk::Rank(of, _) | ShardAsk::Hits(of, _) | ShardAsk::Unranked(of, _) => Some(of),
                    ShardAsk::Tree(_) => None,
                };
                if let (Some(of), Some(search)) = (of, search) {
                    let known = searches.iter().position(|own| own.key == search.key);
                    *of = known.unwrap_or_else(|| {
                        searches.push(Arc::clone(search));
                        searches.len() - 1
                    });
                }
                asks.push(ask);
            }
            let searches: Vec<SearchRequest> = searches.iter().map(|own| own.request.clone()).collect();
            let asks = AskMessage { searches, state: shard.state.clone(), asks };
            messages.push((number, messages::encoded(&identity, &asks)));
        }
        messages
    }

    /// Takes the reply of a shard.
    pub fn take(&self, shard: usize, message: &[u8]) -> Result<(), FederationError> {
        let front = Identity::of(&self.engine);
        let mut state = lock(&self.state);
        let n_shards = state.shards.len();
        let Some(own) = state.shards.get_mut(shard) else {
            return Err(Error::bad(format!("shard is {shard}; choose a number below {n_shards}")).into());
        };
        let name = || own.name.clone();
        let bad = |shard: String| FederationError::BadReply { shard };
        let Some((identity, body)) = messages::identity_of(message) else { return Err(bad(name())) };
        let difference = front.difference(&identity);
        if let Some((part, front, other)) = difference.filter(|_| !identity.is_unknown()) {
            return Err(FederationError::Refused { shard: name(), part, front, own: other });
        }
        match postcard::take_from_bytes(body) {
            Ok((ShardAnswer::Told(tellings), [])) => own.take(*tellings),
            Ok((ShardAnswer::Moved, [])) => own.forget_moved(),
            Ok((ShardAnswer::Failed(text), [])) => Err(FederationError::Shard { shard: name(), text }),
            _ => Err(bad(name())),
        }
    }

    /// Forgets what a shard told; `lost` says why it does not answer from now on.
    pub fn forget(&self, shard: usize, lost: Option<String>) {
        if let Some(shard) = lock(&self.state).shards.get_mut(shard) {
            shard.forget();
            shard.lost = lost.or(shard.lost.take());
        }
    }
}

impl RemoteMembers for AskedShards {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn reply_of(&self, member: &SourceName, request: &dyn Any) -> Result<Box<dyn Any>, Error> {
        let mut state = lock(&self.state);
        let shard = state.shards.iter_mut().find(|own| own.name == member.as_str());
        let shard = shard.ok_or_else(|| Error::bad(format!("there is no shard '{member}'")))?;
        if let Some(why) = &shard.lost {
            return Err(Error::new(ErrorKind::Unreachable, why.clone()));
        }
        let mut answers = shard.answers(&TreeRequest::travelling(request)?).ok_or_else(pending)?;
        answers.pop().unwrap_or_else(|| Err(Error::new(ErrorKind::Internal, "the shard has no tree")))
    }

    fn replies(&self, request: &dyn Any) -> Result<Vec<Box<dyn Any>>, Error> {
        let request = TreeRequest::travelling(request)?;
        let mut state = lock(&self.state);
        let live = state.shards.iter_mut().filter(|shard| shard.lost.is_none());
        let all: Vec<Option<Vec<_>>> = live.map(|shard| shard.answers(&request)).collect();
        let all: Option<Vec<Vec<_>>> = all.into_iter().collect();
        all.ok_or_else(pending)?.into_iter().flatten().collect()
    }

    fn snapshot_of(&self, member: &SourceName) -> Option<Snapshot> {
        let mut state = lock(&self.state);
        let shard = state.shards.iter_mut().find(|own| own.name == member.as_str())?;
        shard.is_state_asked = shard.state.is_none() && shard.lost.is_none();
        shard.state.as_ref().map(|_| shard.snapshot())
    }

    fn state(&self) -> RemoteState {
        lock(&self.state).state()
    }

    fn search(&self, asked: &AskedQueries, request: &SearchRequest) -> Result<SearchReply, Error> {
        search::reply(&mut lock(&self.state), asked, &Arc::new(AskedSearch::new(request)))
    }

    fn rank_of(&self, query: &Query, request: &SearchRequest, path: &RelPath) -> Result<RemoteRank, Error> {
        search::rank_of(&mut lock(&self.state), query, &Arc::new(AskedSearch::new(request)), path)
    }

    fn near_names(&self, typed: &str) -> Result<Vec<String>, Error> {
        search::near_names(&mut lock(&self.state), typed)
    }

    fn lines(&self, request: &GrepRequest) -> Result<GrepReply, Error> {
        lookup::parse_position(request.cursor.as_deref(), request.rank)?;
        Filter::new(&request.filter, self.engine.grammars())?;
        if request.rank {
            return lines::ranked(&self.engine, &mut lock(&self.state), request);
        }
        let trees = (self as &dyn RemoteMembers).replies_of(request)?;
        Ok(lines::merged(request, trees, &lock(&self.state), None))
    }
}
