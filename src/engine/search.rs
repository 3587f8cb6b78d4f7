//! The ranked search, and what else is told of a ranking: the measures of its candidates.

use super::answer::{AnswerContext, ReplyOrigin};
use super::api::*;
use super::asked_queries::AskedQueries;
use super::core::Engine;
use super::{current, lookup, note_search};
use crate::error::Error;
use spyhop_base::limit;
use spyhop_index::update::OnProgress;
use spyhop_search::filter::Filter;

impl Engine {
    /// Answers a query.
    ///
    /// # Errors
    /// `BadRequest`, which names the wrong value; `NoIndex` and `Stale`, depending on the options; `Damaged` if the
    /// index contradicts itself; the errors of [`Engine::refresh`] if a first index must be built. If a later index
    /// cannot be updated, because another process is indexing or the disk is full, the last commit answers and the
    /// reply has a warning.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_with_progress(request, &|_| ())
    }

    /// Like [`Engine::search`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn search_with_progress(
        &self,
        request: &SearchRequest,
        progress: OnProgress<'_>,
    ) -> Result<SearchReply, Error> {
        search_all(self, std::slice::from_ref(&request.query), request, progress)
    }

    /// Answers several queries as one. The hits are merged; a place that several queries find is one hit, with its best
    /// score. The filter, exclusions and limits of the request apply to every query. `request.query` is not used.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` for an empty list, and for more than 100 queries.
    pub fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        limit::entries("queries", queries.len(), limit::MAX_QUERIES)?;
        // A session identifies a request by its query.
        let request = SearchRequest { query: queries.join(" | "), ..request.clone() };
        search_all(self, queries, &request, &|_| ())
    }

    /// Measures every file that is rescored, by every signal of the ranking, best file first. Weights are learned
    /// from these measures. `per_file`, paging and `min_score` have no effect here.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn candidates(&self, request: &SearchRequest) -> Result<RankedCandidates, Error> {
        let asked = check(self, std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let request = SearchRequest { per_file: 1, ..request.clone() };
        current::with_snapshot(self, &|_| (), |snapshot, _| {
            let answer = AnswerContext::new(self, snapshot, &filter, &request)?;
            answer.candidates(&asked.parsed[0])
        })
    }

    /// Measures every place of the first files. The weights of places are learned from these measures.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn place_candidates(&self, request: &SearchRequest) -> Result<PlaceCandidates, Error> {
        let asked = check(self, std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        current::with_snapshot(self, &|_| (), |snapshot, _| {
            let answer = AnswerContext::new(self, snapshot, &filter, request)?;
            Ok(PlaceCandidates {
                kind: asked.parsed[0].kind,
                files: answer.place_candidates(&asked.parsed[0])?,
            })
        })
    }
}

fn search_all(
    engine: &Engine,
    queries: &[String],
    request: &SearchRequest,
    progress: OnProgress<'_>,
) -> Result<SearchReply, Error> {
    let asked = check(engine, queries, request)?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let span = tracing::info_span!(
        "code.search",
        query = %queries.join(" | "),
        project = %engine.root().display(),
        resultCount = tracing::field::Empty
    );
    let _entered = span.enter();
    let reply = current::with_snapshot(engine, progress, |snapshot, freshness| {
        let context = AnswerContext::new(engine, snapshot, &filter, request)?;
        let mut reply = context.reply(&asked, ReplyOrigin::of(engine, snapshot, freshness))?;
        if request.notes {
            note_search::add_notes(engine, &mut reply, &asked.parsed, &request.filter, snapshot);
        }
        Ok(reply)
    })?;
    span.record("resultCount", reply.results.len());
    Ok(engine.policy().masked(reply))
}

/// Checks the values that do not depend on the index, and parses the queries.
pub(super) fn check(
    engine: &Engine,
    queries: &[String],
    request: &SearchRequest,
) -> Result<AskedQueries, Error> {
    if queries.is_empty() {
        return Err(Error::bad("the list of queries is empty"));
    }
    limit::entries("queries", queries.len(), limit::MAX_QUERIES)?;
    lookup::check_rows("max_results", request.max_results, request.most_results())?;
    if request.per_file == 0 {
        return Err(Error::bad("per_file is 0; choose 1 or more"));
    }
    if !(0.0..=1.0).contains(&request.min_score) {
        return Err(Error::bad(format!("min_score is {}; choose 0 to 1", request.min_score)));
    }
    if let Some(name) =
        request.profile.as_deref().and_then(|profile| engine.options().signals.missing(profile))
    {
        let text = format!("the profile weighs the signal '{name}', which Options::signals does not have");
        return Err(Error::bad(text));
    }
    AskedQueries::new(engine, queries)
}
