//! The members of a corpus that have no engine here, such as shards: what answers for them.

use std::any::Any;

use super::api::{GrepReply, GrepRequest, Hit, SearchReply, SearchRequest, Snapshot, SourceName};
use super::asked_queries::AskedQueries;
use super::core::Engine;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_search::RankedFile;
use spyhop_search::query::Query;

/// What answers for a member of a corpus.
pub(crate) enum MemberAnswers<'c> {
    /// Its engine.
    Engine(&'c Engine),
    /// Something elsewhere, by the name of the member.
    Remote(&'c dyn RemoteMembers, &'c SourceName),
}

/// The state of all remote members.
pub(crate) struct RemoteState {
    pub snapshot: Snapshot,
    /// Whether every member answers.
    pub is_whole: bool,
    pub warnings: Vec<String>,
}

/// The head of a ranking over remote members, and the place of one file in it.
pub(crate) struct RemoteRank {
    pub files: Vec<RankedFile>,
    /// The place of the file, and its best hit; none if the file is not among these.
    pub place: Option<usize>,
    pub hit: Option<Hit>,
}

/// What answers for members elsewhere. Requests and replies are those of operations; an answer whose reply has not come yet is an
/// error, and of no use.
pub(crate) trait RemoteMembers: Send + Sync {
    /// The engine that parses requests.
    fn engine(&self) -> &Engine;

    /// The reply of one member to a request.
    fn reply_of(&self, member: &SourceName, request: &dyn Any) -> Result<Box<dyn Any>, Error>;

    /// The replies of all members that answer.
    fn replies(&self, request: &dyn Any) -> Result<Vec<Box<dyn Any>>, Error>;

    /// The state of one member that has answered.
    fn snapshot_of(&self, member: &SourceName) -> Option<Snapshot>;

    /// The state of all members.
    fn state(&self) -> RemoteState;

    /// One ranking over the files of all members.
    fn search(&self, asked: &AskedQueries, request: &SearchRequest) -> Result<SearchReply, Error>;

    /// The head of one ranking over the files of all members, with the place and the best hit of one file.
    fn rank_of(&self, query: &Query, request: &SearchRequest, path: &RelPath) -> Result<RemoteRank, Error>;

    /// The matching lines of all members, sorted by path, or by the relevance of their files.
    fn lines(&self, request: &GrepRequest) -> Result<GrepReply, Error>;

    /// The defined names that are nearest to a typed one.
    fn near_names(&self, typed: &str) -> Result<Vec<String>, Error>;
}

impl dyn RemoteMembers + '_ {
    /// The replies of all members that answer, as their type.
    pub(crate) fn replies_of<R: 'static>(&self, request: &dyn Any) -> Result<Vec<R>, Error> {
        self.replies(request)?.into_iter().map(of_type).collect()
    }

    /// Completeness as replies of a tree alone tell it: such a tree answers, or the call fails.
    pub(crate) fn complete(&self) -> Option<bool> {
        (!self.state().is_whole).then_some(false)
    }
}

/// A reply as its type.
pub(crate) fn of_type<R: 'static>(reply: Box<dyn Any>) -> Result<R, Error> {
    let other = |_| Error::new(crate::error::ErrorKind::Internal, "the reply is of another operation");
    reply.downcast::<R>().map(|reply| *reply).map_err(other)
}
