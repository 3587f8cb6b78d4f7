//! The front: the state of one question over shards, without input and output.

use std::cell::RefCell;
use std::sync::Arc;

use super::error::FederationError;
use super::lines;
use super::messages::{self, AskMessage, HitsAsk, HitsQuery, Identity, ShardAnswer, ShardAsk};
use super::shard::{KnownReply, Shard};
use crate::api::{
    GrepReply, GrepRequest, Hit, MAX_ROWS, Options, SearchBatch, SearchReply, SearchRequest, Snapshot,
};
use crate::asked_queries::AskedQueries;
use crate::core::Engine;
use crate::error::Error;
use crate::lookup;
use crate::origin::ReplyOrigin;
use crate::ranked_query::RankedQuery;
use crate::reply_page::ReplyPage;
use crate::rows::RowKind;
use crate::search;
use spyhop_base::id::Generation;
use spyhop_base::model::SymbolKind;
use spyhop_files::source::MemoryTree;
use spyhop_search::federated::{self, Federated, RankSettings, ShardFiles, Shards};
use spyhop_search::filter::Filter;
use spyhop_search::profile::Profile;

/// The source of questions over shards: a front parses requests, and has no tree.
pub struct Front {
    engine: Engine,
}

/// The next step of a question.
#[derive(Debug)]
#[non_exhaustive]
pub enum FederationStep {
    /// Messages to send, each with the number of its shard. Replies are passed to [`Federation::take`], in any order; then
    /// [`Federation::step`] goes on, also if some are missing.
    Ask(Vec<(usize, Vec<u8>)>),
    /// The answer.
    Answer(Box<FederatedReply>),
}

/// An answer over shards.
#[derive(Debug)]
#[non_exhaustive]
pub enum FederatedReply {
    /// To a search or a batch.
    Search(SearchReply),
    /// To an exact search.
    Grep(GrepReply),
}

/// The state of one question over shards.
pub struct Federation {
    front: Arc<Front>,
    question: AskedQuestion,
    shards: Vec<Shard>,
}

#[derive(Clone)]
enum AskedQuestion {
    Search(Box<SearchQuestion>),
    Grep(Box<GrepRequest>),
}

#[derive(Clone)]
struct SearchQuestion {
    request: SearchRequest,
    queries: Vec<String>,
    is_batch: bool,
    /// The answer for functions, if methods are asked for instead.
    of_functions: Option<SearchReply>,
}

impl Front {
    /// A front with the grammars and the profile of this program.
    ///
    /// # Errors
    /// `Io` if its temporary folder cannot be created.
    pub fn new() -> Result<Front, Error> {
        Ok(Front { engine: Engine::in_memory(MemoryTree::default(), Options::default())? })
    }

    /// A question for `request` to shards with these names.
    ///
    /// # Errors
    /// [`FederationError::Front`] for a wrong value or no shard; [`FederationError::NotFederated`] for an exhaustive search.
    pub fn search(
        self: &Arc<Front>,
        request: SearchRequest,
        shards: &[String],
    ) -> Result<Federation, FederationError> {
        let queries = vec![request.query.clone()];
        self.question(request, (queries, false), shards)
    }

    /// A question for a batch to shards with these names.
    ///
    /// # Errors
    /// As [`Front::search`].
    pub fn search_batch(
        self: &Arc<Front>,
        batch: SearchBatch,
        shards: &[String],
    ) -> Result<Federation, FederationError> {
        self.question(batch.request, (batch.queries, true), shards)
    }

    fn question(
        self: &Arc<Front>,
        request: SearchRequest,
        (queries, is_batch): (Vec<String>, bool),
        shards: &[String],
    ) -> Result<Federation, FederationError> {
        if request.exhaustive {
            return Err(FederationError::NotFederated("an exhaustive search"));
        }
        search::check(&self.engine, &queries, &request)?;
        Filter::new(&request.filter, self.engine.grammars()).map_err(Error::from)?;
        lookup::parse_offset(request.cursor.as_deref())?;
        let question = SearchQuestion { request, queries, is_batch, of_functions: None };
        self.federation(AskedQuestion::Search(Box::new(question)), shards)
    }

    /// An exact search in shards with these names, in one round. Its lines are sorted by path.
    ///
    /// # Errors
    /// As [`Front::search`]; [`FederationError::NotFederated`] if the files are to be ranked.
    pub fn grep(
        self: &Arc<Front>,
        request: GrepRequest,
        shards: &[String],
    ) -> Result<Federation, FederationError> {
        if request.rank {
            return Err(FederationError::NotFederated("an exact search in ranked files"));
        }
        lookup::check_rows("max_results", request.max_results, MAX_ROWS)?;
        lookup::parse_position(request.cursor.as_deref(), false)?;
        Filter::new(&request.filter, self.engine.grammars()).map_err(Error::from)?;
        self.federation(AskedQuestion::Grep(Box::new(request)), shards)
    }

    fn federation(
        self: &Arc<Front>,
        question: AskedQuestion,
        shards: &[String],
    ) -> Result<Federation, FederationError> {
        if shards.is_empty() {
            return Err(Error::bad("there is no shard to ask; name one").into());
        }
        let shards = shards.iter().map(|name| Shard::new(name)).collect();
        Ok(Federation { front: Arc::clone(self), question, shards })
    }
}

impl Federation {
    /// The next step.
    ///
    /// # Errors
    /// Those of an engine that searches, such as `BadRequest`.
    pub fn step(&mut self) -> Result<FederationStep, FederationError> {
        let reply = match self.question.clone() {
            AskedQuestion::Search(question) => self.search(*question)?.map(FederatedReply::Search),
            AskedQuestion::Grep(request) => self.grep(&request)?.map(FederatedReply::Grep),
        };
        Ok(match reply {
            Some(reply) => FederationStep::Answer(Box::new(reply)),
            None => FederationStep::Ask(self.messages()),
        })
    }

    /// The reply to a search; `None` if shards have to be asked.
    fn search(&mut self, mut question: SearchQuestion) -> Result<Option<SearchReply>, FederationError> {
        loop {
            let asked = AskedQueries::new(&self.front.engine, &question.queries)?;
            let Some(reply) = self.reply(&asked, &question.request)? else { return Ok(None) };
            let is_of_functions = question.request.filter.kind == [SymbolKind::Fn];
            let reply = match question.of_functions.take() {
                None if reply.results.is_empty() && is_of_functions => {
                    question.of_functions = Some(reply);
                    question.request.filter.kind = vec![SymbolKind::Method];
                    self.shards.iter_mut().for_each(|shard| shard.told.clear());
                    self.question = AskedQuestion::Search(Box::new(question.clone()));
                    continue;
                }
                Some(of_functions) if reply.results.is_empty() => of_functions,
                Some(_) => search::instead_of_functions(reply),
                None => reply,
            };
            let queries: &[String] = if question.is_batch { &question.queries } else { &[] };
            let mut reply = reply.of_batch(queries);
            reply.warnings = self.front.engine.policy().masked(reply.warnings);
            return Ok(Some(reply));
        }
    }

    /// The reply to an exact search; `None` if shards have to be asked.
    fn grep(&mut self, request: &GrepRequest) -> Result<Option<GrepReply>, FederationError> {
        let ask = ShardAsk::Lines(Box::new(request.clone()));
        let (mut trees, mut asks) = (Vec::new(), vec![Vec::new(); self.shards.len()]);
        for (number, shard) in self.shards.iter().enumerate().filter(|(_, shard)| shard.lost.is_none()) {
            match shard.reply(&ask) {
                Some(KnownReply::Lines(own)) => trees.extend(own.iter().cloned()),
                _ => asks[number].push(ask.clone()),
            }
        }
        if asks.iter().any(|asks| !asks.is_empty()) {
            self.ask(asks);
            return Ok(None);
        }
        let lost = self.shards.iter().filter_map(|shard| shard.lost.clone()).collect();
        Ok(Some(lines::merged(request, trees, (self.origin().snapshot, lost))))
    }

    /// Takes the reply of a shard to the message that [`Federation::step`] gave for it. A reply of another state of the shard
    /// than before is no error: the shard is asked again from the beginning.
    ///
    /// # Errors
    /// [`FederationError::Refused`] if the shard differs from the front; [`FederationError::Shard`] if the shard failed; then
    /// another copy may be asked after [`Federation::forget`], or the shard given up by [`Federation::lose`].
    pub fn take(&mut self, shard: usize, message: &[u8]) -> Result<(), FederationError> {
        let front = Identity::of(&self.front.engine);
        let n_shards = self.shards.len();
        let Some(own) = self.shards.get_mut(shard) else {
            return Err(Error::bad(format!("shard is {shard}; choose a number below {n_shards}")).into());
        };
        let name = || own.name.clone();
        let bad = |shard: String| FederationError::BadReply { shard };
        let Some((identity, body)) = messages::identity_of(message) else { return Err(bad(name())) };
        let difference = front.difference(&identity);
        if let Some((part, front, other)) = difference.filter(|_| !identity.is_unknown()) {
            return Err(FederationError::Refused { shard: name(), part, front, own: other });
        }
        match postcard::from_bytes(body) {
            Ok(ShardAnswer::Told(tellings)) => own.take(*tellings),
            Ok(ShardAnswer::Moved) => own.forget_moved(),
            Ok(ShardAnswer::Failed(text)) => Err(FederationError::Shard { shard: name(), text }),
            Err(_) => Err(bad(name())),
        }
    }

    /// Forgets what a shard told, because another copy of the shard is asked from now on.
    pub fn forget(&mut self, shard: usize) {
        if let Some(shard) = self.shards.get_mut(shard) {
            shard.forget();
        }
    }

    /// Gives a shard up. The answer is not complete, and has `why` as a warning, which should name what is missing.
    pub fn lose(&mut self, shard: usize, why: impl Into<String>) {
        if let Some(shard) = self.shards.get_mut(shard) {
            shard.forget();
            shard.lost = Some(why.into());
        }
    }

    /// The messages for what is still to be asked.
    fn messages(&mut self) -> Vec<(usize, Vec<u8>)> {
        let identity = Identity::of(&self.front.engine);
        let mut messages = Vec::new();
        for (number, shard) in self.shards.iter().enumerate().filter(|(_, shard)| !shard.asked.is_empty()) {
            let request = match &self.question {
                AskedQuestion::Search(question) => question.request.clone(),
                AskedQuestion::Grep(_) => SearchRequest::new(""),
            };
            let state = shard.state.clone();
            let asks = AskMessage { request, state, asks: shard.asked.clone() };
            messages.push((number, messages::encoded(&identity, &asks)));
        }
        messages
    }

    /// The reply, from what the shards have told; `None` if they have to be asked.
    fn reply(
        &mut self,
        all: &AskedQueries,
        request: &SearchRequest,
    ) -> Result<Option<SearchReply>, FederationError> {
        let offset = lookup::parse_offset(request.cursor.as_deref())?;
        let profile = request.profile.as_deref().unwrap_or(Profile::built_in());
        let has_kinds = !request.filter.kind.is_empty();
        let settings = RankSettings { profile, per_file: request.per_file, has_kinds };
        let (mut table, mut ranked) = (ShardFiles::default(), Vec::new());
        let asking = Asking::new(&self.shards);
        let live = asking.live.clone();
        let mut is_pending = false;
        for query in &all.parsed {
            let query = federated::rank(query, settings, &asking, &mut table).map_err(Error::from)?;
            is_pending |= query.is_none();
            ranked.extend(query);
        }
        if is_pending {
            let asks = asking.finish();
            self.ask(asks);
            return Ok(None);
        }
        let (mut asked, mut unknown, mut queries) = (Vec::new(), Vec::new(), Vec::new());
        for ((query, place), of) in all.parsed.iter().zip(&all.places).zip(ranked) {
            let Federated { ranking, is_unquoted, unknown: words, terms } = of;
            let respelled = ranking.respelled.clone();
            queries.push(HitsQuery { place: *place, typed: query.clone(), respelled, terms });
            unknown.push(words);
            let worth = spyhop_search::unranked(query, profile, &ranking.calibration);
            let (literal_complete, place) = (ranking.literal_complete, *place);
            let unranked = Vec::new();
            asked.push(RankedQuery { place, query, ranking, literal_complete, unranked, worth, is_unquoted });
        }
        let page = ReplyPage::new(&asked, &table, (request, profile), offset);
        let Some(results) = self.hits(&page, &asked, &queries, (&table, &live))? else { return Ok(None) };
        let origin = self.origin();
        let lost = all.lost.clone();
        Ok(Some(page.reply((all, &asked, unknown), results, (origin, lost), false)))
    }

    fn ask(&mut self, asks: Vec<Vec<ShardAsk>>) {
        self.shards.iter_mut().zip(asks).for_each(|(shard, asks)| shard.asked = asks);
    }

    /// The hits of a page; `None` if shards have to be asked for them.
    fn hits(
        &mut self,
        page: &ReplyPage,
        asked: &[RankedQuery<'_>],
        queries: &[HitsQuery],
        (table, live): (&ShardFiles, &[usize]),
    ) -> Result<Option<Vec<Hit>>, FederationError> {
        let mut of_shards: Vec<Vec<(usize, spyhop_search::Ranked, spyhop_search::RankedFile)>> =
            vec![Vec::new(); self.shards.len()];
        let mut places = Vec::new();
        for row in &page.rows {
            let RowKind::Ranked(hit) = &row.kind else { continue };
            let mut file = asked[row.query].ranking.files[hit.file].clone();
            let (shard, number) = table.of_shard(file.file);
            let shard = live[shard];
            (file.file, file.measured.file) = (number, number);
            let mut hit = *hit;
            (hit.file, hit.doc) = (0, table.doc_of_shard(hit.doc));
            places.push((shard, of_shards[shard].len()));
            of_shards[shard].push((row.query, hit, file));
        }
        let mut told: Vec<Vec<Option<Hit>>> = Vec::with_capacity(of_shards.len());
        let mut asks = vec![Vec::new(); of_shards.len()];
        for (number, hits) in of_shards.into_iter().enumerate() {
            if hits.is_empty() {
                told.push(Vec::new());
                continue;
            }
            let ask = ShardAsk::Hits(HitsAsk { queries: queries.to_vec(), hits });
            match self.shards[number].reply(&ask) {
                Some(KnownReply::Hits(hits)) => {
                    let grammars = self.front.engine.grammars();
                    told.push(hits.iter().map(|own| own.clone().hit(grammars)).collect());
                }
                _ => asks[number].push(ask),
            }
        }
        if asks.iter().any(|asks| !asks.is_empty()) {
            self.ask(asks);
            return Ok(None);
        }
        let mut hits = Vec::with_capacity(places.len());
        for (shard, place) in places {
            let hit = told[shard].get_mut(place).and_then(Option::take);
            let bad = || FederationError::BadReply { shard: self.shards[shard].name.clone() };
            hits.push(hit.ok_or_else(bad)?);
        }
        Ok(Some(hits))
    }

    /// Where the reply comes from: the sums over the shards.
    fn origin(&self) -> ReplyOrigin {
        let all = || self.shards.iter().filter(|shard| shard.lost.is_none()).map(|shard| &shard.origin);
        let checked: Option<Vec<_>> = all().map(|own| own.checked_at).collect();
        let snapshot = Snapshot {
            generation: Generation(all().map(|own| own.generation).sum()),
            checked_at: checked.and_then(|times| times.into_iter().min()),
            indexed_files: all().map(|own| own.indexed_files).sum(),
            skipped_files: all().map(|own| own.skipped_files).sum(),
            stale_files: all().map(|own| own.stale_files).sum(),
            ..Snapshot::default()
        };
        let lost = self.shards.iter().filter_map(|shard| shard.lost.clone());
        let warnings: Vec<String> = all().flat_map(|own| own.warnings.iter().cloned()).chain(lost).collect();
        let is_whole = all().count() == self.shards.len() && all().all(|own| own.is_whole);
        ReplyOrigin { snapshot, sources: Vec::new(), is_whole, warnings, default_min_score: None }
    }
}

/// The shards that answer, with what they have not told yet.
struct Asking<'s> {
    shards: &'s [Shard],
    /// The numbers of the shards that are not lost.
    live: Vec<usize>,
    missing: RefCell<Vec<Vec<ShardAsk>>>,
}

impl<'s> Asking<'s> {
    fn new(shards: &'s [Shard]) -> Asking<'s> {
        let live = (0..shards.len()).filter(|shard| shards[*shard].lost.is_none()).collect();
        Asking { shards, live, missing: RefCell::new(vec![Vec::new(); shards.len()]) }
    }

    fn finish(self) -> Vec<Vec<ShardAsk>> {
        self.missing.into_inner()
    }
}

impl Shards for Asking<'_> {
    fn n_shards(&self) -> usize {
        self.live.len()
    }

    fn told(&self, shard: usize, ask: federated::RankAsk) -> Option<Arc<federated::RankTold>> {
        let shard = self.live[shard];
        let ask = ShardAsk::Rank(Box::new(ask));
        match self.shards[shard].reply(&ask) {
            Some(KnownReply::Rank(told)) => Some(Arc::clone(told)),
            _ => {
                let key = postcard::to_allocvec(&ask).unwrap_or_default();
                let mut missing = self.missing.borrow_mut();
                let is_known = |own: &ShardAsk| postcard::to_allocvec(own).is_ok_and(|own| own == key);
                if !missing[shard].iter().any(is_known) {
                    missing[shard].push(ask);
                }
                None
            }
        }
    }
}
