//! The messages between a front and a searcher: postcard, with the [`Identity`] of the sender first, whose layout does not
//! change with the version of the protocol.

use std::sync::OnceLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::error::IdentityPart;
use crate::api::SearchRequest;
use crate::core::Engine;
use spyhop_base::store::FORMAT_VERSION;
use spyhop_search::federated;
use spyhop_search::profile::Profile;
use spyhop_search::query::Query;
use spyhop_search::{Ranked, RankedFile, Respelled, TermRarity};

/// The version of the messages. Raise it with every change of a type in this file, of a reply in [`super::packed`], of
/// [`spyhop_search::federated::RankAsk`] or of [`spyhop_search::federated::RankTold`].
const PROTOCOL: u32 = 5;

/// The properties that a front and its shards must share for one ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    protocol: u32,
    format: u32,
    tokenizer: String,
    profile: String,
}

impl Identity {
    pub fn of(engine: &Engine) -> Identity {
        static PROFILE: OnceLock<String> = OnceLock::new();
        let hash = || blake3::hash(Profile::built_in().to_toml().as_bytes()).to_hex()[..12].to_string();
        Identity {
            protocol: PROTOCOL,
            format: FORMAT_VERSION,
            tokenizer: engine.index().workspace().fingerprint().to_string(),
            profile: PROFILE.get_or_init(hash).clone(),
        }
    }

    /// That of a searcher whose trees cannot be opened.
    pub fn unknown() -> Identity {
        let none = String::new;
        Identity { protocol: PROTOCOL, format: FORMAT_VERSION, tokenizer: none(), profile: none() }
    }

    pub fn is_unknown(&self) -> bool {
        self.tokenizer.is_empty()
    }

    /// The first part in which two identities differ, with the own value and the other one.
    pub fn difference(&self, other: &Identity) -> Option<(IdentityPart, String, String)> {
        let parts = |own: &Identity| {
            [
                (IdentityPart::Protocol, own.protocol.to_string()),
                (IdentityPart::Format, own.format.to_string()),
                (IdentityPart::Tokenizer, own.tokenizer.clone()),
                (IdentityPart::Profile, own.profile.clone()),
            ]
        };
        let pairs = parts(self).into_iter().zip(parts(other));
        let mut differing = pairs.filter(|((_, own), (_, other))| own != other);
        differing.next().map(|((part, own), (_, other))| (part, own, other))
    }
}

/// The state of a shard: one searcher process with certain generations of its indexes. File numbers mean something within one
/// state only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShardState {
    pub instance: u64,
    pub generations: Vec<u64>,
}

/// The message of a front to a searcher.
#[derive(Serialize, Deserialize)]
pub(super) struct AskMessage {
    /// The searches that the asks are about; none for other operations.
    pub searches: Vec<SearchRequest>,
    /// The state that the asks are about; `None` for the present one.
    pub state: Option<ShardState>,
    pub asks: Vec<ShardAsk>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ShardAsk {
    /// A round of one of the searches.
    Rank(usize, Box<federated::RankAsk>),
    /// Hits of one of the searches.
    Hits(usize, HitsAsk),
    /// The hits of files without indexed text that contain a text, for one of the searches.
    Unranked(usize, String),
    /// The bytes of a request that is answered tree by tree.
    Tree(Vec<u8>),
}

/// The hits of a page that a shard makes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HitsAsk {
    pub queries: Vec<HitsQuery>,
    /// The query of each hit, the hit, and the file, by the numbers of the shard.
    pub hits: Vec<(usize, Ranked, RankedFile)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HitsQuery {
    pub place: usize,
    pub typed: Query,
    pub respelled: Option<Respelled>,
    pub terms: Vec<TermRarity>,
}

/// The answer of a searcher.
#[derive(Serialize, Deserialize)]
pub(super) enum ShardAnswer {
    Told(Box<Tellings>),
    /// The shard is in another state than the asks are about.
    Moved,
    Failed(String),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Tellings {
    pub state: ShardState,
    pub origin: ShardOrigin,
    pub told: Vec<ShardTold>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ShardTold {
    Rank(Box<federated::RankTold>),
    /// The bytes of the hits, or of unranked hits with their numbers of lines.
    Hits(Vec<u8>),
    /// The bytes of the answers to a request that is answered tree by tree.
    Trees(Vec<u8>),
}

/// The facts about a shard in the snapshot of a reply.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ShardOrigin {
    pub generation: u64,
    pub checked_at: Option<SystemTime>,
    pub indexed_files: usize,
    pub skipped_files: usize,
    pub stale_files: usize,
    pub is_whole: bool,
    pub warnings: Vec<String>,
}

/// A message of `own` with `body`.
pub(super) fn encoded(own: &Identity, body: &impl Serialize) -> Vec<u8> {
    // A vector takes any number of bytes, and the types have no maps of unknown length.
    let mut message = postcard::to_allocvec(own).unwrap_or_default();
    message.extend(postcard::to_allocvec(body).unwrap_or_default());
    message
}

/// The identity of a message, and its body.
pub(super) fn identity_of(message: &[u8]) -> Option<(Identity, &[u8])> {
    postcard::take_from_bytes(message).ok()
}
