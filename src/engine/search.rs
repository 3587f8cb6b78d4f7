//! The ranked search, and what else is told of a ranking: the measures of its candidates.

use super::answer::AnswerContext;
use super::api::*;
use super::asked_queries::AskedQueries;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::member::MemberTrees;
use super::operation::Operation;
use super::origin::ReplyOrigin;
use super::search_defaults::Threshold;
use super::{current, lookup, note_search};
use crate::error::Error;
use spyhop_base::limit;
use spyhop_base::model::SymbolKind;
use spyhop_search::filter::{Filter, FilterSpec};

/// One ranking over all trees. The path, the globs and the exclusions of the filter are relative to the root of each tree.
/// Each tree is opened, compared and updated by the policy of its engine. Of several trees, one that cannot answer is named
/// in `warnings`, and `literal_complete` is then false; sessions and touches do not affect their ranking.
///
/// A tree alone whose index turns out to be damaged is indexed again, if its policy allows that.
impl Operation for SearchRequest {
    const NAME: &'static str = "search";

    type Reply = SearchReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn scope(&self) -> Option<&str> {
        self.filter.path.as_deref()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SearchReply, Error> {
        let reply = search_all(corpus, std::slice::from_ref(&self.query), self, call)?;
        Ok(of_one_tree(corpus, reply).of_batch(&[]))
    }
}

/// The hits of all queries are merged; a place that several queries find is one hit, with its best score.
impl Operation for SearchBatch {
    const NAME: &'static str = "search_batch";

    type Reply = SearchReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.request.filter.path.iter_mut().collect()
    }

    fn scope(&self) -> Option<&str> {
        self.request.filter.path.as_deref()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SearchReply, Error> {
        limit::entries("queries", self.queries.len(), limit::MAX_QUERIES)?;
        // A session identifies a request by its query.
        let request = SearchRequest { query: self.queries.join(" | "), ..self.request.clone() };
        let reply = search_all(corpus, &self.queries, &request, call)?;
        Ok(of_one_tree(corpus, reply).of_batch(&self.queries))
    }
}

impl Engine {
    /// Answers a query, as [`Engine::ask`].
    ///
    /// # Errors
    /// As [`Engine::ask`].
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.ask(request)
    }

    /// Measures every file that is rescored, by every signal of the ranking, best file first. Weights are learned
    /// from these measures. `per_file`, paging and `min_score` have no effect here.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn candidates(&self, request: &SearchRequest, call: &Call<'_>) -> Result<RankedCandidates, Error> {
        let asked = check(self, std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let request = SearchRequest { per_file: 1, ..request.clone() };
        current::with_snapshot(self, call.progress(), |snapshot, _| {
            let answer = AnswerContext::new(self, snapshot, &filter, (&request, call.session()))?;
            answer.candidates(&asked.parsed[0])
        })
    }

    /// Measures every place of the first files. The weights of places are learned from these measures.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn place_candidates(
        &self,
        request: &SearchRequest,
        call: &Call<'_>,
    ) -> Result<PlaceCandidates, Error> {
        let asked = check(self, std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        current::with_snapshot(self, call.progress(), |snapshot, _| {
            let answer = AnswerContext::new(self, snapshot, &filter, (request, call.session()))?;
            Ok(PlaceCandidates {
                kind: asked.parsed[0].kind,
                files: answer.place_candidates(&asked.parsed[0])?,
            })
        })
    }
}

/// Remote members answer a search as one tree, whose hits name no source.
fn of_one_tree(corpus: &Corpus, mut reply: SearchReply) -> SearchReply {
    if corpus.remote.is_some() {
        reply.results.iter_mut().for_each(|hit| hit.source = None);
    }
    reply
}

/// The merged answers of all queries. If no function answers a request for functions, methods do. Each hit of several trees,
/// or of remote members, has its source.
pub(super) fn search_all(
    corpus: &Corpus,
    queries: &[String],
    request: &SearchRequest,
    call: &Call<'_>,
) -> Result<SearchReply, Error> {
    let mut reply = search_kinds(corpus, queries, request, call)?;
    if reply.total > 0 || request.filter == FilterSpec::default() {
        return Ok(reply);
    }
    if request.filter.kind != [SymbolKind::Fn] {
        reply.warnings.extend(left_out(corpus, queries, request, call)?);
        return Ok(reply);
    }
    let filter = FilterSpec { kind: vec![SymbolKind::Method], ..request.filter.clone() };
    let of_methods = SearchRequest { filter, ..request.clone() };
    let methods = search_kinds(corpus, queries, &of_methods, call)?;
    if methods.results.is_empty() {
        reply.warnings.extend(left_out(corpus, queries, request, call)?);
        return Ok(reply);
    }
    Ok(instead_of_functions(methods))
}

/// The warning that the filter leaves out everything that answers; `None` if nothing would answer without the filter either.
fn left_out(
    corpus: &Corpus,
    queries: &[String],
    request: &SearchRequest,
    call: &Call<'_>,
) -> Result<Option<String>, Error> {
    let request = SearchRequest {
        filter: FilterSpec::default(),
        max_results: 1,
        cursor: None,
        notes: false,
        ..request.clone()
    };
    let n_all = search_kinds(corpus, queries, &request, call)?.total;
    let places = if n_all == 1 { "1 place".to_string() } else { format!("all {n_all} places") };
    Ok((n_all > 0).then(|| format!("the filter leaves out {places} that match the query; search without it")))
}

/// The reply with methods to a request for functions.
pub(super) fn instead_of_functions(mut methods: SearchReply) -> SearchReply {
    methods.warnings.push("no function answers; shown are methods".to_string());
    methods
}

fn search_kinds(
    corpus: &Corpus,
    queries: &[String],
    request: &SearchRequest,
    call: &Call<'_>,
) -> Result<SearchReply, Error> {
    let first = corpus.first_engine()?;
    let asked = check(first, queries, request)?;
    let filter = Filter::new(&request.filter, first.grammars())?;
    let span = tracing::info_span!(
        "code.search",
        query = %queries.join(" | "),
        project = %corpus,
        resultCount = tracing::field::Empty
    );
    let _entered = span.enter();
    if let Some(remote) = &corpus.remote {
        return remote.search(&asked, request);
    }
    let reply = match corpus.alone() {
        Some(engine) => current::with_snapshot(engine, call.progress(), |snapshot, freshness| {
            let mut origin = ReplyOrigin::of(engine, snapshot, freshness);
            let Threshold { score, file, fault } = Threshold::of(engine, request);
            origin.default_min_score = file;
            origin.warnings.extend(fault);
            let request = &SearchRequest { min_score: Some(score), ..request.clone() };
            let context = AnswerContext::new(engine, snapshot, &filter, (request, call.session()))?;
            let mut reply = context.reply(&asked, origin)?;
            if request.notes {
                note_search::add_notes(engine, &mut reply, (&asked.parsed, None), &request.filter, snapshot);
            }
            Ok(reply)
        }),
        None => corpus.with_joined(|members, snapshot| {
            let trees = MemberTrees::joined(&members.ready, snapshot)?;
            let context = AnswerContext::joined(trees, snapshot, &filter, request);
            let mut reply = context.reply(&asked, ReplyOrigin::of_members(members))?;
            if request.notes {
                note_search::add_notes_of_sources(members, &mut reply, &asked.parsed, &request.filter);
            }
            reply.settle_sources();
            Ok(reply)
        }),
    }?;
    span.record("resultCount", reply.results.len());
    Ok(reply)
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
    if let Some(score) = request.min_score.filter(|score| !(0.0..=1.0).contains(score)) {
        return Err(Error::bad(format!("min_score is {score}; choose 0 to 1")));
    }
    if let Some(name) =
        request.profile.as_deref().and_then(|profile| engine.options().signals.missing(profile))
    {
        let text = format!("the profile weighs the signal '{name}', which Options::signals does not have");
        return Err(Error::bad(text));
    }
    AskedQueries::new(engine, queries)
}
