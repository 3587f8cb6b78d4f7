//! The operations that shards answer as the trees of a corpus do: each shard the whole request.

use std::any::Any;

use super::error::FederationError;
use super::matched::{MatchedFiles, MatchedFilesRequest, OrderedLinesRequest};
use super::packed::{Portable, packed_variants};
use crate::api::*;
use crate::call::Call;
use crate::corpus::{AskedMembers, Corpus};
use crate::error::Error;
use crate::graph_outside::ElsewhereRequest;
use crate::pack::PackOfSource;
use crate::symbols::SymbolsInShard;
use crate::why_not::OutsideHead;

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

        impl TreeReply {
            /// The reply, of its own type.
            pub fn reply(&self) -> Box<dyn Any> {
                match self {
                    $(TreeReply::$name(reply) => reply.clone()),+
                }
            }
        }

        impl TreeRequest {
            /// A request of an operation that shards answer tree by tree; `None` for another one.
            pub fn of(request: &dyn Any) -> Option<TreeRequest> {
                $(if let Some(request) = request.downcast_ref::<$request>() {
                    return Some(TreeRequest::$name(Box::new(request.clone())));
                })+
                None
            }

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
    9 Pack(PackOfSource, PackReply);
    10 Skipped(SkippedRequest, SkippedReply);
    11 Status(StatusRequest, StatusReply);
    12 ListNotes(ListNotesRequest, NotesReply);
    13 SearchNotes(SearchNotesRequest, NotesReply);
    14 MatchedFiles(MatchedFilesRequest, MatchedFiles);
    15 OrderedLines(OrderedLinesRequest, GrepReply);
    16 OutsideHead(OutsideHead, WhyNot);
}

impl TreeRequest {
    /// A request as it travels.
    pub fn travelling(request: &dyn Any) -> Result<TreeRequest, Error> {
        TreeRequest::of(request)
            .ok_or_else(|| Error::bad(FederationError::NotFederated("this operation").to_string()))
    }

    /// The answers of a shard: of exact searches one a tree, so that lines of all trees are sorted by path.
    pub fn answers(&self, corpus: &Corpus, members: &AskedMembers<'_>) -> Vec<Result<TreeReply, Error>> {
        let answers: Vec<_> = match self {
            TreeRequest::Grep(_) | TreeRequest::MatchedFiles(_) | TreeRequest::OrderedLines(_) => {
                members.ready.iter().map(|member| self.asked_of(&Corpus::from(member.engine))).collect()
            }
            _ => vec![self.asked_of(corpus)],
        };
        let answers = answers.into_iter();
        answers.map(|answer| answer.map_err(|error| without_roots(error, members))).collect()
    }
}

/// An error without the folders of this machine, which the reader of an answer does not know.
fn without_roots(error: Error, members: &AskedMembers<'_>) -> Error {
    let mut text = error.to_string();
    for member in &members.ready {
        text = text.replace(&format!("'{}'", member.engine.root().display()), "the folder of the shard");
    }
    match error.remedy().cloned() {
        Some(remedy) => Error::new(error.kind(), text).with(remedy),
        None => Error::new(error.kind(), text),
    }
}
