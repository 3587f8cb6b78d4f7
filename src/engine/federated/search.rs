//! A search over shards, from what they have told.

use std::cell::RefCell;
use std::sync::Arc;

use super::messages::{HitsAsk, HitsQuery, ShardAsk};
use super::shard::{AskedSearch, AskedState, KnownReply, PendingAsk, Shard, pending};
use crate::answer::reason_row;
use crate::api::{Band, Hit, SearchReply, SearchRequest, SourceName};
use crate::asked_queries::AskedQueries;
use crate::error::{Error, ErrorKind};
use crate::exhaustive::UnrankedFile;
use crate::lookup;
use crate::origin::ReplyOrigin;
use crate::ranked_query::RankedQuery;
use crate::remote::RemoteRank;
use crate::reply_page::ReplyPage;
use crate::rows::RowKind;
use spyhop_base::path::RelPath;
use spyhop_grep::Line;
use spyhop_search::federated::{self, ExactFiles, Federated, RankSettings, ShardFiles, Shards};
use spyhop_search::profile::Profile;
use spyhop_search::query::Query;
use spyhop_search::{HeadFiles, Ranked, RankedFile};

/// The reply to a search; an error while replies are missing.
pub(super) fn reply(
    state: &mut AskedState,
    all: &AskedQueries,
    search: &Arc<AskedSearch>,
) -> Result<SearchReply, Error> {
    let request = &search.request;
    let offset = lookup::parse_offset(request.cursor.as_deref())?;
    let profile = request.profile.as_deref().unwrap_or(Profile::built_in());
    let has_kinds = !request.filter.kind.is_empty();
    let exact = request.exhaustive.then_some(ExactFiles::AsWritten);
    let settings = RankSettings { profile, per_file: request.per_file, has_kinds, exact };
    let (mut table, mut ranked) = (ShardFiles::default(), Vec::new());
    let asking = Asking::new(&state.shards, search);
    for query in &all.parsed {
        ranked.push(federated::rank(query, settings, &asking, &mut table)?);
    }
    let (live, missing) = asking.finish();
    note(&mut state.shards, missing);
    let unranked = unranked_hits(&mut state.shards, search, all);
    let ranked: Vec<Federated> = ranked.into_iter().collect::<Option<_>>().ok_or_else(pending)?;
    let unranked = unranked.ok_or_else(pending)?;
    let (mut asked, mut unknown, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    for (((query, place), of), hits) in all.parsed.iter().zip(&all.places).zip(ranked).zip(&unranked) {
        let Federated { ranking, is_unquoted, unknown: words, terms } = of;
        let respelled = ranking.respelled.clone();
        queries.push(HitsQuery { place: *place, typed: query.clone(), respelled, terms });
        unknown.push(words);
        let worth = spyhop_search::unranked(query, profile, &ranking.calibration);
        // The items of unranked files are unknown, so the filter by kind cannot be applied.
        let (is_known, place) = (!has_kinds || hits.is_empty(), *place);
        let literal_complete = ranking.literal_complete && is_known;
        let unranked = if has_kinds { Vec::new() } else { hits.iter().map(unranked_file).collect() };
        asked.push(RankedQuery { place, query, ranking, literal_complete, unranked, worth, is_unquoted });
    }
    let page = ReplyPage::new(&asked, &table, (request, profile), offset);
    let results = hits(&mut state.shards, search, &page, (&asked, &queries, &unranked), (&table, &live))?;
    Ok(page.reply(
        (all, &asked, unknown),
        results,
        (ReplyOrigin::of_remote(state.state()), all.lost.clone()),
        false,
    ))
}

/// The defined names that are nearest to a typed one; an error while replies are missing.
pub(super) fn near_names(state: &mut AskedState, typed: &str) -> Result<Vec<String>, Error> {
    let search = Arc::new(AskedSearch::new(&SearchRequest::new("")));
    let asking = Asking::new(&state.shards, &search);
    let names = federated::near_names(typed, &asking)?;
    let (_, missing) = asking.finish();
    note(&mut state.shards, missing);
    names.ok_or_else(pending)
}

/// The ranking of a query over the shards that answer, with its files and the numbers of these shards; an error while replies are
/// missing.
fn ranked(
    state: &mut AskedState,
    query: &Query,
    settings: RankSettings<'_>,
    search: &Arc<AskedSearch>,
) -> Result<(Federated, ShardFiles, Vec<usize>), Error> {
    let (mut table, asking) = (ShardFiles::default(), Asking::new(&state.shards, search));
    let ranked = federated::rank(query, settings, &asking, &mut table)?;
    let (live, missing) = asking.finish();
    note(&mut state.shards, missing);
    Ok((ranked.ok_or_else(pending)?, table, live))
}

/// By shard that answers: the files with matching lines, and their numbers.
pub(super) type MatchedByShard = Vec<Vec<(RelPath, u32)>>;

/// The files of an exact search that rank by these words, the most relevant first; an error while replies are missing.
pub(super) fn by_relevance(
    state: &mut AskedState,
    query: Query,
    matched: &MatchedByShard,
) -> Result<Vec<RelPath>, Error> {
    let request = SearchRequest { per_file: 1, ..SearchRequest::new(query.text.as_str()) };
    let search = Arc::new(AskedSearch::new(&request));
    // The lines are those of the pattern, whatever its words quote.
    let query = Query { quoted: Vec::new(), ..query };
    let listed =
        |own: &Vec<(RelPath, u32)>| own.iter().map(|(path, lines)| (path.to_string(), *lines)).collect();
    let listed: Vec<Vec<(String, u32)>> = matched.iter().map(listed).collect();
    let exact = Some(ExactFiles::Listed(&listed));
    let settings = RankSettings { profile: Profile::built_in(), per_file: 1, has_kinds: false, exact };
    let (ranked, table, _) = ranked(state, &query, settings, &search)?;
    let files = ranked.ranking.files;
    Ok(files.iter().map(|ranked| RelPath::new(table.path(ranked.file))).collect::<Result<_, _>>()?)
}

/// The number of matching lines of a file without indexed text, and its hit.
type UnrankedHit = (u32, Hit);

/// By query: the hits of files without indexed text, if the search is exhaustive; `None` while replies are missing.
fn unranked_hits(
    shards: &mut [Shard],
    search: &Arc<AskedSearch>,
    all: &AskedQueries,
) -> Option<Vec<Vec<UnrankedHit>>> {
    let mut of_queries = vec![Some(Vec::new()); all.parsed.len()];
    if search.request.exhaustive {
        for (query, hits) in all.parsed.iter().zip(&mut of_queries) {
            for shard in shards.iter_mut().filter(|shard| shard.lost.is_none()) {
                let ask = PendingAsk::new(Some(search), ShardAsk::Unranked(0, query.text.clone()));
                match (shard.told.get(&ask.key), hits.as_mut()) {
                    (Some(KnownReply::Unranked(own)), Some(hits)) => hits.extend(own.iter().cloned()),
                    (Some(_), _) => {}
                    (None, _) => {
                        shard.ask(ask);
                        *hits = None;
                    }
                }
            }
        }
    }
    of_queries.into_iter().collect()
}

/// An unranked file, of which only the path and the number of lines matter here.
fn unranked_file((lines, hit): &UnrankedHit) -> UnrankedFile {
    let (number, path) = (hit.lines.first, hit.path.clone());
    let (text, highlights, before, after) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    let first = Line { path, number, column: 1, text, highlights, cut: false, before, after };
    UnrankedFile { member: 0, lines: *lines, first }
}

/// Notes what is missing.
fn note(shards: &mut [Shard], missing: Vec<(usize, PendingAsk)>) {
    missing.into_iter().for_each(|(shard, ask)| shards[shard].ask(ask));
}

/// The hits of a page; an error while replies are missing.
fn hits(
    shards: &mut [Shard],
    search: &Arc<AskedSearch>,
    page: &ReplyPage,
    (asked, queries, unranked): (&[RankedQuery<'_>], &[HitsQuery], &[Vec<UnrankedHit>]),
    (table, live): (&ShardFiles, &[usize]),
) -> Result<Vec<Hit>, Error> {
    let mut of_shards: Vec<AskedHits> = vec![Vec::new(); shards.len()];
    let mut places = Vec::new();
    for row in &page.rows {
        let hit = match &row.kind {
            RowKind::Ranked(hit) => hit,
            RowKind::UnrankedMatch(place, worth) => {
                let (lines, hit) = &unranked[row.query][*place];
                let reasons = worth.reasons(*lines).into_iter().map(reason_row).collect();
                let query_index = Some(asked[row.query].place);
                let (score, band) = (worth.score, Band::of(worth.score));
                places.push(Err(Hit { score, band, reasons, query_index, ..hit.clone() }));
                continue;
            }
        };
        let file = asked[row.query].ranking.files[hit.file].clone();
        let (shard, (hit, file)) = of_its_shard(table, live, file, *hit);
        places.push(Ok((shard, of_shards[shard].len())));
        of_shards[shard].push((row.query, hit, file));
    }
    let told = told_hits(shards, search, of_shards, queries)?;
    let hit = |place: Result<(usize, usize), Hit>| match place {
        Ok((shard, place)) => {
            let source = Some(SourceName::new(&shards[shard].name));
            told[shard].get(place).map(|hit| Hit { source, ..hit.clone() })
        }
        Err(hit) => Some(hit),
    };
    let hits: Option<Vec<Hit>> = places.into_iter().map(hit).collect();
    hits.ok_or_else(|| Error::new(ErrorKind::Internal, "a shard sent fewer hits than were asked for"))
}

/// By shard: the hits that the shard makes of its files; an error while replies are missing.
fn told_hits(
    shards: &mut [Shard],
    search: &Arc<AskedSearch>,
    of_shards: Vec<AskedHits>,
    queries: &[HitsQuery],
) -> Result<Vec<Vec<Hit>>, Error> {
    let mut told: Vec<Vec<Hit>> = Vec::with_capacity(of_shards.len());
    for (shard, hits) in shards.iter_mut().zip(of_shards) {
        if hits.is_empty() {
            told.push(Vec::new());
            continue;
        }
        let ask = ShardAsk::Hits(0, HitsAsk { queries: queries.to_vec(), hits });
        let ask = PendingAsk::new(Some(search), ask);
        match shard.told.get(&ask.key) {
            Some(KnownReply::Hits(hits)) => told.push(hits.clone()),
            _ => {
                shard.ask(ask);
                told.push(Vec::new());
            }
        }
    }
    if shards.iter().any(|shard| !shard.asked.is_empty()) {
        return Err(pending());
    }
    Ok(told)
}

/// The head of a query, with the place and the best hit of one file; an error while replies are missing.
pub(super) fn rank_of(
    state: &mut AskedState,
    query: &Query,
    search: &Arc<AskedSearch>,
    path: &RelPath,
) -> Result<RemoteRank, Error> {
    let SearchRequest { filter, profile, per_file, exhaustive, .. } = &search.request;
    let profile = profile.as_deref().unwrap_or(Profile::built_in());
    let exact = exhaustive.then_some(ExactFiles::AsWritten);
    let settings = RankSettings { profile, per_file: *per_file, has_kinds: !filter.kind.is_empty(), exact };
    let (Federated { ranking, terms, .. }, table, live) = ranked(state, query, settings, search)?;
    let place = ranking.files.iter().position(|ranked| table.path(ranked.file) == path.as_str());
    let best = ranking.hits.iter().find(|hit| Some(hit.file) == place);
    let mut told = Vec::new();
    if let (Some(hit), Some(place)) = (best, place) {
        let (shard, hit) = of_its_shard(&table, &live, ranking.files[place].clone(), *hit);
        let mut of_shards: Vec<AskedHits> = vec![Vec::new(); state.shards.len()];
        of_shards[shard].push((0, hit.0, hit.1));
        let query = HitsQuery { place: 0, typed: query.clone(), respelled: ranking.respelled.clone(), terms };
        told = told_hits(&mut state.shards, search, of_shards, &[query])?;
    }
    let hit = told.into_iter().flatten().next().map(|hit| Hit { query_index: None, ..hit });
    Ok(RemoteRank { files: ranking.files, place, hit })
}

/// The shard of a hit, and the hit with its file by the numbers of the shard.
fn of_its_shard(
    table: &ShardFiles,
    live: &[usize],
    mut file: RankedFile,
    mut hit: Ranked,
) -> (usize, (Ranked, RankedFile)) {
    let (shard, number) = table.of_shard(file.file);
    (file.file, file.measured.file) = (number, number);
    (hit.file, hit.doc) = (0, table.doc_of_shard(hit.doc));
    (live[shard], (hit, file))
}

/// The hits that a shard is asked for: the query of each, the hit, and the file.
type AskedHits = Vec<(usize, Ranked, RankedFile)>;

/// The shards that answer, with what they have not told yet.
struct Asking<'s> {
    shards: &'s [Shard],
    search: &'s Arc<AskedSearch>,
    /// The numbers of the shards that are not lost.
    live: Vec<usize>,
    missing: RefCell<Vec<(usize, PendingAsk)>>,
}

impl<'s> Asking<'s> {
    fn new(shards: &'s [Shard], search: &'s Arc<AskedSearch>) -> Asking<'s> {
        let live = (0..shards.len()).filter(|shard| shards[*shard].lost.is_none()).collect();
        Asking { shards, search, live, missing: RefCell::default() }
    }

    /// The numbers of the shards that answer, and what is missing.
    fn finish(self) -> (Vec<usize>, Vec<(usize, PendingAsk)>) {
        (self.live, self.missing.into_inner())
    }
}

impl Shards for Asking<'_> {
    fn n_shards(&self) -> usize {
        self.live.len()
    }

    fn told(&self, shard: usize, ask: federated::RankAsk) -> Option<Arc<federated::RankTold>> {
        let shard = self.live[shard];
        let ask = PendingAsk::new(Some(self.search), ShardAsk::Rank(0, Box::new(ask)));
        match self.shards[shard].told.get(&ask.key) {
            Some(KnownReply::Rank(told)) => Some(Arc::clone(told)),
            _ => {
                self.missing.borrow_mut().push((shard, ask));
                None
            }
        }
    }
}
