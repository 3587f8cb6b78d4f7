//! One ranking over the shards of several processes or machines, bit for bit that of one engine over all their files.
//!
//! A [`Searcher`] answers for its trees, which together are one shard. A [`Federation`] is the state of one question at the
//! front: it says what to ask of which shard, takes the replies, and ends with the reply that one engine would give. Neither
//! knows how messages travel, and nothing here waits.
//!
//! ```text
//! question -> Federation -> asks -> Searcher of each shard -> replies -> Federation -> ... -> SearchReply
//! ```
//!
//! Messages carry the version of the protocol, the format of the index, the fingerprint of the tokenizer and the grammars, and
//! that of the built-in profile; a shard that differs in one of them is refused by name. They also carry the state of the
//! shard that they are about, so a reply of another generation, or of another copy of the shard, never mixes with those before:
//! what the shard told is forgotten, and the shard is asked again.
//!
//! An operation runs on a corpus whose members are shards, as on one whose members are engines. A search, definitions and files
//! by name, and an exact search are answered as by one tree with all files. The code graph, maps, reading, packs, notes, the files
//! that are left out and the states of indexes are answered tree by tree, and joined as for several trees of one process.
//!
//! Not federated are sessions, the notes and callers beside hits, and the operations that are about one index.

mod asked;
mod error;
mod front;
mod lines;
mod matched;
mod messages;
mod packed;
mod search;
mod searcher;
mod shard;
mod trees;

pub use error::{FederationError, IdentityPart};
pub use front::{Federation, FederationStep, Front};
pub use searcher::Searcher;
