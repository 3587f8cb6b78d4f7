//! The state of one shard at a front during a question.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::FederationError;
use super::messages::{LinesOfTree, ShardAsk, ShardHit, ShardOrigin, ShardState, ShardTold, Tellings};
use spyhop_search::federated;

/// How often one shard may change during a question.
const MAX_MOVES: usize = 8;

/// A shard of a question.
pub(super) struct Shard {
    pub name: String,
    pub state: Option<ShardState>,
    pub origin: ShardOrigin,
    /// The replies, by the bytes of their asks.
    pub told: FxHashMap<Vec<u8>, KnownReply>,
    /// The asks of the last message.
    pub asked: Vec<ShardAsk>,
    moves: usize,
    /// Why the shard does not answer.
    pub lost: Option<String>,
}

#[derive(Clone)]
pub(super) enum KnownReply {
    Rank(Arc<federated::RankTold>),
    Hits(Vec<ShardHit>),
    Lines(Vec<LinesOfTree>),
}

impl Shard {
    pub fn new(name: &str) -> Shard {
        Shard {
            name: name.to_string(),
            state: None,
            origin: ShardOrigin::default(),
            told: FxHashMap::default(),
            asked: Vec::new(),
            moves: 0,
            lost: None,
        }
    }

    pub fn reply(&self, ask: &ShardAsk) -> Option<&KnownReply> {
        self.told.get(&postcard::to_allocvec(ask).ok()?)
    }

    pub fn take(&mut self, tellings: Tellings) -> Result<(), FederationError> {
        let Tellings { state, origin, told } = tellings;
        if self.state.as_ref().is_some_and(|known| *known != state) {
            return self.forget_moved();
        }
        let asked = std::mem::take(&mut self.asked);
        let fits = told.len() == asked.len() && told.iter().zip(&asked).all(|(told, ask)| is_of(told, ask));
        if !fits {
            return Err(FederationError::BadReply { shard: self.name.clone() });
        }
        if self.state.replace(state).is_none() {
            self.origin = origin;
        }
        for (ask, told) in asked.iter().zip(told) {
            let reply = match told {
                ShardTold::Rank(told) => KnownReply::Rank(Arc::from(told)),
                ShardTold::Hits(hits) => KnownReply::Hits(hits),
                ShardTold::Lines(lines) => KnownReply::Lines(lines),
            };
            self.told.insert(postcard::to_allocvec(ask).unwrap_or_default(), reply);
        }
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

/// Whether a reply is one to an ask.
fn is_of(told: &ShardTold, ask: &ShardAsk) -> bool {
    use federated::{RankAsk as Of, RankTold as Is};
    match (told, ask) {
        (ShardTold::Hits(hits), ShardAsk::Hits(ask)) => hits.len() == ask.hits.len(),
        (ShardTold::Lines(_), ShardAsk::Lines(_)) => true,
        (ShardTold::Rank(told), ShardAsk::Rank(ask)) => match (&**told, &**ask) {
            (Is::Words(_), Of::Word(_)) | (Is::Offers(_), Of::Offers(_)) => true,
            (Is::Statistics(own), Of::Statistics { query, .. }) => own.is_of(query),
            (Is::Measures(rows), Of::Measures(_, head)) => rows.len() == head.files.len(),
            (Is::Places(places), Of::Places(_, files)) => places.len() == files.len(),
            _ => false,
        },
        _ => false,
    }
}
