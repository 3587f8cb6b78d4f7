//! The ranked search of the trees of a set.

use super::super::answer::{AnswerContext, ReplyOrigin};
use super::super::api::*;
use super::super::member::MemberTrees;
use super::set::SourceSet;
use crate::error::Error;
use crate::search;
use spyhop_search::filter::Filter;

impl SourceSet {
    /// Answers a query from all trees by one ranking. The path, the globs and the exclusions of the filter are relative to
    /// the root of each tree. Each tree is opened, compared and updated by the policy of its engine. A tree that cannot
    /// answer is named in `warnings`, and `literal_complete` is then false. Sessions and touches do not affect the ranking.
    ///
    /// # Errors
    /// `BadRequest`, which names the wrong value; if no tree can answer, the error of the first tree.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_all(std::slice::from_ref(&request.query), request)
    }

    /// Answers several queries as one, as [`Engine::search_batch`](crate::Engine::search_batch) does.
    ///
    /// # Errors
    /// As [`SourceSet::search`]; `BadRequest` for an empty list, and for more than 100 queries.
    pub fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_all(queries, request)
    }

    fn search_all(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        let first = self.first_engine()?;
        let queries = search::check(first, queries, request)?;
        let filter = Filter::new(&request.filter, first.grammars())?;
        self.with_joined(|asked, snapshot| {
            let trees = MemberTrees::joined(&asked.ready, snapshot)?;
            let context = AnswerContext::joined(trees, snapshot, &filter, request);
            Ok(context.engine().policy().masked(context.reply(&queries, ReplyOrigin::of_set(asked))?))
        })
    }
}
