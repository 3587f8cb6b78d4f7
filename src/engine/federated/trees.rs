//! The operations that shards answer as the trees of a corpus do: each shard the whole request.

use super::packed::{Packed, packed_variants};
use crate::api::*;
use crate::call::Call;
use crate::corpus::{AskedMembers, Corpus};
use crate::error::Error;
use crate::graph_outside::ElsewhereRequest;
use crate::operation::Operation;
use crate::symbols::SymbolsInShard;

/// An operation that each tree of several answers alone; the answers are then joined. Shards answer these as trees do.
pub(crate) trait TreeOperation: Operation {
    /// The request as it travels.
    fn travelling(&self) -> TreeRequest;

    /// The reply of this operation among all replies.
    fn arrived(reply: TreeReply) -> Option<Self::Reply>;
}

macro_rules! tree_operations {
    ($($number:literal $name:ident($request:ident, $reply:ident);)+) => {
        /// A request that travels to shards.
        #[derive(Clone, Debug)]
        pub(crate) enum TreeRequest {
            $($name(Box<$request>)),+
        }

        /// A reply that travels from a shard.
        #[derive(Clone, Debug)]
        pub(crate) enum TreeReply {
            $($name(Box<$reply>)),+
        }

        packed_variants! {
            TreeRequest { $($number $name),+ };
            TreeReply { $($number $name),+ };
        }

        $(impl TreeOperation for $request {
            fn travelling(&self) -> TreeRequest {
                TreeRequest::$name(Box::new(self.clone()))
            }

            fn arrived(reply: TreeReply) -> Option<$reply> {
                match reply {
                    TreeReply::$name(reply) => Some(*reply),
                    _ => None,
                }
            }
        })+

        impl TreeRequest {
            fn asked_of(&self, corpus: &Corpus) -> Result<TreeReply, Error> {
                match self {
                    $(TreeRequest::$name(request) => {
                        corpus.call(&**request, &Call::default()).map(|reply| TreeReply::$name(Box::new(reply)))
                    })+
                }
            }
        }
    };
}

tree_operations! {
    0 Grep(GrepRequest, GrepReply);
    1 Files(FilesRequest, FilesReply);
    2 Symbols(SymbolsInShard, SymbolsReply);
    3 Map(MapRequest, MapReply);
    4 Read(ReadRequest, ReadReply);
    5 Graph(GraphRequest, GraphReply);
    6 Elsewhere(ElsewhereRequest, Mentions);
    7 Entries(EntriesRequest, EntriesReply);
    8 FileGraph(FileGraphRequest, FileGraphReply);
}

impl TreeRequest {
    /// The answers of a shard: of exact searches one a tree, so that lines of all trees are sorted by path.
    pub fn answers(&self, corpus: &Corpus, members: &AskedMembers<'_>) -> Vec<Result<TreeReply, Error>> {
        match self {
            TreeRequest::Grep(_) => {
                members.ready.iter().map(|member| self.asked_of(&Corpus::from(member.engine))).collect()
            }
            _ => vec![self.asked_of(corpus)],
        }
    }
}
