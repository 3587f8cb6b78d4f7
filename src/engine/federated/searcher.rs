//! The searcher of one shard: answers what a front asks from the trees of a corpus, whose joined snapshot is the shard.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

use super::messages::{
    self, AskMessage, HitsAsk, Identity, ShardAnswer, ShardAsk, ShardOrigin, ShardState, ShardTold, Tellings,
};
use super::packed::Portable;
use super::trees::TreeRequest;
use crate::answer::AnswerContext;
use crate::api::{Hit, SearchRequest, Snapshot};
use crate::call::Call;
use crate::corpus::{AskedMembers, Corpus};
use crate::error::{Error, ErrorKind};
use crate::fault;
use crate::lock::lock;
use crate::member::MemberTrees;
use crate::origin::ReplyOrigin;
use crate::ranked_query::RankedQuery;
use spyhop_search::federated::{self, Gathered, Gathering, LiteralTask};
use spyhop_search::filter::Filter;
use spyhop_search::{Context, CurrentFile, Ranking, SearchSnapshot, WordRows};

/// The most evidence that is kept between the rounds of questions. Evidence takes some 14 bytes a chunk and 90 a file; a
/// question whose evidence was dropped gathers it again.
const KEPT: usize = 4;

/// Answers the asks of a [`Front`](super::Front) from the trees of a corpus, which together are one shard. Threads share a
/// searcher by reference.
pub struct Searcher {
    corpus: Corpus,
    /// Tells this process from others, and from the process before a restart.
    instance: u64,
    kept: Mutex<Vec<KeptEvidence>>,
}

/// Evidence of a question, with what it follows from.
struct KeptEvidence {
    key: Vec<u8>,
    gathered: Arc<Gathered>,
}

impl Searcher {
    /// A searcher over the trees of `corpus`. Hits do not name the tree, so equal paths of two trees cannot be told apart.
    pub fn new(corpus: Corpus) -> Searcher {
        let instance = RandomState::new().build_hasher().finish();
        // The next round reads the same pages. Reading them from the system's cache again took half of the processor time over 5 GB.
        Searcher { corpus: Corpus { keeps_pages: true, ..corpus }, instance, kept: Mutex::default() }
    }

    /// The answer to a message of a front. Whatever fails is told in the answer.
    pub fn answer(&self, message: &[u8]) -> Vec<u8> {
        let identity = match self.corpus.first_engine() {
            Ok(engine) => Identity::of(engine),
            Err(error) => {
                return messages::encoded(&Identity::unknown(), &ShardAnswer::Failed(error.to_string()));
            }
        };
        let answer = match messages::identity_of(message) {
            // The front compares the identities, and names what differs.
            Some((front, body)) if front == identity => {
                fault::guarded("answering a front", || self.answer_asks(body))
            }
            Some(_) => Ok(ShardAnswer::Moved),
            None => Err(Error::bad("the message is not one of a front")),
        };
        messages::encoded(&identity, &answer.unwrap_or_else(|error| ShardAnswer::Failed(error.to_string())))
    }

    fn answer_asks(&self, body: &[u8]) -> Result<ShardAnswer, Error> {
        let unread = || Error::bad("the message is not one of this version");
        let unreadable = |_| unread();
        let AskMessage { searches, state, asks } = postcard::from_bytes(body).map_err(unreadable)?;
        let grammars = self.corpus.first_engine()?.grammars();
        let filters = searches.iter().map(|search| Filter::new(&search.filter, grammars));
        let filters: Vec<Filter> = filters.collect::<Result<_, _>>()?;
        // Only the first round compares the trees with their indexes.
        let corpus = if state.is_some() { &self.corpus.of_last_commits() } else { &self.corpus };
        corpus.with_snapshot(&Call::default(), |members, snapshot| {
            let own = self.state_of(members);
            if state.as_ref().is_some_and(|asked| *asked != own) {
                return Ok(ShardAnswer::Moved);
            }
            let mut contexts = Vec::with_capacity(searches.len());
            for (search, filter) in searches.iter().zip(&filters) {
                let trees = MemberTrees::joined(&members.ready, snapshot)?;
                contexts.push(AnswerContext::joined(trees, snapshot, filter, search));
            }
            let round = |of: usize| {
                let answer = contexts.get(of).ok_or_else(|| Error::bad("an ask is about no search"))?;
                Ok::<_, Error>(Round { searcher: self, answer, snapshot, state: &own })
            };
            let tell = |ask: &ShardAsk| {
                Ok::<_, Error>(match ask {
                    ShardAsk::Rank(of, ask) => ShardTold::Rank(Box::new(round(*of)?.tell(ask)?)),
                    ShardAsk::Hits(of, ask) => ShardTold::Hits(round(*of)?.hits(ask)?.packed()),
                    ShardAsk::Unranked(of, text) => {
                        // The lines of these hits are masked, and nothing else of them comes from a file.
                        ShardTold::Hits(round(*of)?.answer.unranked_hits(text)?.packed())
                    }
                    ShardAsk::Tree(request) => {
                        let request = TreeRequest::unpacked(request).ok_or_else(unread)?;
                        ShardTold::Trees(request.answers(corpus, members).packed())
                    }
                })
            };
            let told = asks.iter().map(tell).collect::<Result<_, Error>>()?;
            let origin = origin(members);
            Ok(ShardAnswer::Told(Box::new(Tellings { state: own, origin, told })))
        })
    }

    fn state_of(&self, members: &AskedMembers<'_>) -> ShardState {
        let generation = |own: &crate::corpus::ReadyMember<'_>| own.snapshot.meta().commit().generation.0;
        ShardState { instance: self.instance, generations: members.ready.iter().map(generation).collect() }
    }
}

/// The facts about the members of a shard in the snapshot of a reply.
fn origin(members: &AskedMembers<'_>) -> ShardOrigin {
    let ReplyOrigin { snapshot, is_whole, warnings, .. } = ReplyOrigin::of_members(members);
    let Snapshot { generation, checked_at, indexed_files, skipped_files, stale_files, .. } = snapshot;
    let generation = generation.0;
    ShardOrigin { generation, checked_at, indexed_files, skipped_files, stale_files, is_whole, warnings }
}

/// One message of asks.
struct Round<'r> {
    searcher: &'r Searcher,
    answer: &'r AnswerContext<'r>,
    snapshot: &'r SearchSnapshot,
    state: &'r ShardState,
}

impl Round<'_> {
    fn tell(&self, ask: &federated::RankAsk) -> Result<federated::RankTold, Error> {
        Ok(match ask {
            federated::RankAsk::Word(lookup) => federated::RankTold::Words(self.snapshot.rows(lookup)?),
            federated::RankAsk::Statistics { query, quoted, whole } => {
                let whole = whole.as_ref().filter(|_| !quoted.is_empty());
                let whole = whole.map(|text| self.answer.exhaustive(text)).transpose()?;
                let quoting = self.answer.files_quoting(quoted, whole.as_ref())?;
                let context = self.answer.context(quoting.as_ref(), None);
                federated::RankTold::Statistics(federated::statistics(query, &context)?)
            }
            federated::RankAsk::Offers(gathering) => {
                let context = self.context(gathering, None);
                let gathered = self.gathered(gathering)?;
                federated::RankTold::Offers(gathered.offers(&gathering.query, &context, &self.source())?)
            }
            federated::RankAsk::Measures(gathering, files) => {
                self.check_files(files)?;
                let context = self.context(gathering, None);
                let rows = self.gathered(gathering)?.head_rows(&gathering.query, &context, files)?;
                federated::RankTold::Measures(rows)
            }
            federated::RankAsk::Places(gathering, files) => {
                self.check_files(files)?;
                let context = self.context(gathering, None);
                let gathered = self.gathered(gathering)?;
                federated::RankTold::Places(gathered.places(
                    &gathering.query,
                    &context,
                    &self.source(),
                    files,
                )?)
            }
        })
    }

    /// Reads the files of the shard.
    fn source(&self) -> impl Fn(u32, &Finder<'_>) -> CurrentFile {
        |file, wanted| self.answer.trees.read(file, Some(wanted), true)
    }

    /// The context of a search, with the statistics of all shards.
    fn context<'c>(&'c self, gathering: &'c Gathering, quoting: Option<&'c FxHashSet<u32>>) -> Context<'c> {
        Context { statistics: Some(&gathering.statistics), ..self.answer.context(quoting, None) }
    }

    /// The evidence of the shard, gathered now or in a round before.
    fn gathered(&self, gathering: &Gathering) -> Result<Arc<Gathered>, Error> {
        if !gathering.statistics.is_of(&gathering.query) {
            return Err(Error::bad("the statistics are of another query"));
        }
        let SearchRequest { filter, profile, .. } = self.answer.request;
        let key = postcard::to_allocvec(&(self.state, filter, profile, gathering)).unwrap_or_default();
        if let Some(kept) = lock(&self.searcher.kept).iter().find(|kept| kept.key == key) {
            return Ok(Arc::clone(&kept.gathered));
        }
        let exact = match &gathering.literal {
            LiteralTask::Exhaustive(text) => Some(self.answer.exhaustive(text)?),
            LiteralTask::Listed(files) => Some(self.answer.listed(files)),
            _ => None,
        };
        let quoting = self.answer.files_quoting(&gathering.quoted, exact.as_ref())?;
        let exhaustive = exact.as_ref().map(|exact| &exact.known);
        let context = Context { exhaustive, ..self.context(gathering, quoting.as_ref()) };
        let gathered = federated::gather(&gathering.query, &context, &self.source(), &gathering.literal)?;
        let gathered = Arc::new(gathered);
        let mut kept = lock(&self.searcher.kept);
        kept.truncate(KEPT - 1);
        kept.insert(0, KeptEvidence { key, gathered: Arc::clone(&gathered) });
        Ok(gathered)
    }

    /// The hits of a page.
    fn hits(&self, ask: &HitsAsk) -> Result<Vec<Hit>, Error> {
        let mut hits: Vec<Hit> = Vec::with_capacity(ask.hits.len());
        for (query, hit, file) in &ask.hits {
            self.check_files(&[file.file])?;
            let query = ask.queries.get(*query).ok_or_else(|| Error::bad("a hit is of no query"))?;
            let respelled = query.respelled.clone();
            let (mut ranking, hit) = Ranking::of_hit(
                (respelled.as_ref().map_or(&query.typed, |own| &own.query), &query.terms),
                &self.answer.context(None, None),
                (file.clone(), *hit),
            );
            ranking.respelled = respelled;
            let profile = self.answer.context(None, None).profile;
            let worth = spyhop_search::unranked(&query.typed, profile, &ranking.calibration);
            let asked = RankedQuery {
                place: query.place,
                query: &query.typed,
                ranking,
                literal_complete: true,
                unranked: Vec::new(),
                worth,
                is_unquoted: false,
            };
            hits.push(self.answer.hit(&asked, hit)?);
        }
        Ok(self.searcher.corpus.mask_policy().masked(hits))
    }

    fn check_files(&self, files: &[u32]) -> Result<(), Error> {
        match files.iter().all(|file| (*file as usize) < self.snapshot.n_files()) {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::BadRequest, "the shard has no file of this number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Options;
    use crate::core::Engine;
    use spyhop_files::source::MemoryTree;

    #[test]
    fn pages_stay_in_memory_in_all_rounds() {
        let engine = Engine::in_memory(MemoryTree::default(), Options::default()).unwrap();
        let corpus = Corpus::from(&engine);
        let mapped = Some(u64::MAX);
        assert!(corpus.releases_pages(mapped));
        let searcher = Searcher::new(corpus);
        let rounds = [&searcher.corpus, &searcher.corpus.of_last_commits()];
        assert!(rounds.iter().all(|corpus| !corpus.releases_pages(mapped)));
    }
}
