//! One ranking over several shards, bit for bit that of one snapshot with all their files.
//!
//! [`rank`] reads like a search of one snapshot; where that reads its index, this asks the shards. A reply that has not come
//! yet ends the call, and the caller calls again when more replies are there. So nothing here waits or sends, and what runs
//! again is the fusion and the weighing, some hundred files.
//!
//! Everything beyond one file is a sum over the shards (statistics), a choice among what each of them offers (the fused lists,
//! the budget of the literal pass, frames), or a comparison within the head.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::calibration;
use super::error::SearchError;
use super::evidence::TermRarity;
use super::fuse;
use super::head_files::HeadFiles;
use super::literal::{
    self, FoundLiteral, Literal, LiteralCandidates, LiteralReads, NarrowingCounts, ReadFiles,
};
use super::measure::HeadScope;
use super::model::RankedFile;
use super::order;
use super::places::{self, PlacesOfFile};
use super::ranking::Ranking;
pub use super::rounds::{Gathered, Gathering, HeadRow, LiteralTask, Offers, ShardFiles, gather};
use super::spelling;
pub use super::statistics::Statistics;
use super::unknown::{UnknownWord, unknown_words};
use super::words::{Lookup, WordRow, WordRows};
use crate::profile::Profile;
use crate::query::Query;

pub use super::counted::statistics;

/// A question to a shard about a query.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RankAsk {
    /// A question about a word.
    Word(Lookup),
    /// The statistics of a query among the files that contain the quoted parts.
    /// Of an exact search, files that contain `whole` count too.
    Statistics { query: Query, quoted: Vec<String>, whole: Option<String> },
    /// The offers of the shard to the fused lists, with the measures and places that are probably asked next.
    Offers(Gathering),
    /// The measures of files of the head which the offers lack.
    Measures(Gathering, Vec<u32>),
    /// The places of files which the offers lack.
    Places(Gathering, Vec<u32>),
}

/// The reply to an [`RankAsk`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RankTold {
    Words(Vec<WordRow>),
    Statistics(Statistics),
    Offers(Offers),
    Measures(Vec<HeadRow>),
    Places(Vec<PlacesOfFile>),
}

/// The shards of a view.
pub trait Shards {
    /// The number of shards.
    fn n_shards(&self) -> usize;

    /// What a shard has told; `None` until its reply is there.
    fn told(&self, shard: usize, ask: RankAsk) -> Option<Arc<RankTold>>;
}

/// What ranks besides the query.
#[derive(Clone, Copy)]
pub struct RankSettings<'s> {
    pub profile: &'s Profile,
    /// The most hits of one file.
    pub per_file: usize,
    /// Whether the filter has kinds.
    pub has_kinds: bool,
    /// The files that are ranked in any case.
    pub exact: Option<ExactFiles<'s>>,
}

/// The files of an exact search, all of which are ranked.
#[derive(Clone, Copy)]
pub enum ExactFiles<'s> {
    /// Those that contain the query as written.
    AsWritten,
    /// By shard: those that another search found, with their numbers of matching lines.
    Listed(&'s [Vec<(String, u32)>]),
}

/// A query, ranked over all shards. Its files are those of the [`ShardFiles`].
pub struct Federated {
    pub ranking: Ranking,
    /// Whether no file contains the quoted parts of the query, so that the quotes were dropped.
    pub is_unquoted: bool,
    pub unknown: Vec<UnknownWord>,
    /// By term of the query that was answered.
    pub terms: Vec<TermRarity>,
}

/// A reply of another kind than the ask; a shard with the same version does not send one.
const OTHER: &str = "the reply is of the kind of its ask";

/// Ranks a query; `None` while replies are missing.
pub fn rank(
    typed: &Query,
    settings: RankSettings<'_>,
    shards: &dyn Shards,
    table: &mut ShardFiles,
) -> Result<Option<Federated>, SearchError> {
    let words = ShardWords { shards, is_pending: Cell::new(false) };
    let respelled = spelling::respelled(typed, &words)?;
    let whole = matches!(settings.exact, Some(ExactFiles::AsWritten)).then_some(typed.text.as_str());
    let of_typed = sums(typed, (&typed.quoted, whole), shards);
    if words.is_pending.get() {
        return Ok(None);
    }
    let unknown = unknown_words(typed, &words)?;
    let Some(of_typed) = of_typed else { return Ok(None) };
    let is_unquoted = !typed.quoted.is_empty() && of_typed.0.quoting == 0;
    let quoted = if is_unquoted { Vec::new() } else { typed.quoted.clone() };
    let query = respelled.as_ref().map_or(typed, |respelled| &respelled.query);
    let statistics = match is_unquoted || respelled.is_some() {
        true => sums(query, (&quoted, whole), shards),
        false => Some(of_typed),
    };
    let Some((statistics, is_idle)) = statistics else { return Ok(None) };
    let shards = &BusyShards::new(shards, is_idle, settings);
    let literal = match whole {
        Some(text) => LiteralTask::Exhaustive(text.to_string()),
        None => LiteralTask::Offer { narrowing: None, also: Vec::new() },
    };
    let gathering = Gathering { query: query.clone(), quoted, statistics, literal };
    let ranked = rank_gathered(gathering, settings, shards, table)?;
    if words.is_pending.get() {
        return Ok(None);
    }
    Ok(ranked.map(|(ranking, terms)| Federated {
        ranking: Ranking { respelled, ..ranking },
        is_unquoted,
        unknown,
        terms,
    }))
}

/// The defined names nearest to a typed one; `None` while replies are missing.
pub fn near_names(typed: &str, shards: &dyn Shards) -> Result<Option<Vec<String>>, SearchError> {
    let words = ShardWords { shards, is_pending: Cell::new(false) };
    let names = spelling::near_names(typed, &words)?;
    Ok((!words.is_pending.get()).then_some(names))
}

/// The statistics of all shards, and by shard whether it can offer nothing.
fn sums(
    query: &Query,
    (quoted, whole): (&[String], Option<&str>),
    shards: &dyn Shards,
) -> Option<(Statistics, Vec<bool>)> {
    let all = from_all(shards, |_| RankAsk::Statistics {
        query: query.clone(),
        quoted: quoted.to_vec(),
        whole: whole.map(str::to_string),
    })?;
    let statistics = || {
        all.iter().map(|told| match &**told {
            RankTold::Statistics(own) => own,
            _ => unreachable!("{OTHER}"),
        })
    };
    let is_idle = statistics().map(|own| own.is_idle).collect();
    Some((Statistics::sum(statistics()).unwrap_or_default(), is_idle))
}

/// Shards of which those that can offer nothing are not asked for offers.
struct BusyShards<'s> {
    shards: &'s dyn Shards,
    is_idle: Vec<bool>,
    none: Arc<RankTold>,
}

impl<'s> BusyShards<'s> {
    fn new(shards: &'s dyn Shards, mut is_idle: Vec<bool>, settings: RankSettings<'_>) -> BusyShards<'s> {
        // An exact search finds files that are not ranked as well.
        if settings.exact.is_some() {
            is_idle.fill(false);
        }
        // One shard at least tells how rare the terms are.
        if is_idle.iter().all(|is_idle| *is_idle) {
            is_idle.iter_mut().take(1).for_each(|first| *first = false);
        }
        BusyShards { shards, is_idle, none: Arc::new(RankTold::Offers(Offers::none())) }
    }
}

impl Shards for BusyShards<'_> {
    fn n_shards(&self) -> usize {
        self.shards.n_shards()
    }

    fn told(&self, shard: usize, ask: RankAsk) -> Option<Arc<RankTold>> {
        match ask {
            RankAsk::Offers(_) if self.is_idle[shard] => Some(Arc::clone(&self.none)),
            _ => self.shards.told(shard, ask),
        }
    }
}

/// What all shards told, in their order; `None` while a reply is missing. Every shard is asked in any case.
fn from_all(shards: &dyn Shards, ask: impl Fn(usize) -> RankAsk) -> Option<Vec<Arc<RankTold>>> {
    let all: Vec<_> = (0..shards.n_shards()).map(|shard| shards.told(shard, ask(shard))).collect();
    all.into_iter().collect()
}

/// The words of all shards. A reply that is missing counts as an occurrence, or as no similar word.
struct ShardWords<'s> {
    shards: &'s dyn Shards,
    is_pending: Cell<bool>,
}

impl WordRows for ShardWords<'_> {
    fn rows(&self, lookup: &Lookup) -> Result<Vec<WordRow>, SearchError> {
        let Some(all) = from_all(self.shards, |_| RankAsk::Word(lookup.clone())) else {
            self.is_pending.set(true);
            return Ok(match lookup {
                Lookup::Occurs(_) | Lookup::OccursAnywhere(_) | Lookup::IsDefined(_) => {
                    vec![(0, 0, String::new())]
                }
                _ => Vec::new(),
            });
        };
        let rows = all.iter().flat_map(|told| match &**told {
            RankTold::Words(rows) => rows.iter().cloned(),
            _ => unreachable!("{OTHER}"),
        });
        Ok(rows.collect())
    }
}

/// The ranking of a query whose statistics are known, with the rarity of its terms.
fn rank_gathered(
    gathering: Gathering,
    settings: RankSettings<'_>,
    shards: &dyn Shards,
    table: &mut ShardFiles,
) -> Result<Option<(Ranking, Vec<TermRarity>)>, SearchError> {
    let query = gathering.query.clone();
    let Some((tasks, offers, literal)) = dealt_offers(&gathering, settings, shards, table)? else {
        return Ok(None);
    };
    let gathering =
        |shard: usize| Gathering { literal: LiteralTask::clone(&tasks[shard]), ..gathering.clone() };
    let offers: Vec<&Offers> = offers.iter().map(|told| offers_of(told)).collect();
    let head = head(&offers, (&literal, settings.exact.is_some()), settings.profile, table);
    let n_framed = offers.iter().map(|own| own.framed.len()).sum();
    let terms =
        offers.iter().map(|own| &own.terms).find(|terms| !terms.is_empty()).cloned().unwrap_or_default();
    let told = Told { offers: &offers, table: &*table };
    // The measures that the offers lack.
    let lacking =
        by_shard(told.lacking(&head, |own| own.rows.iter().map(|row| row.measured.file)), shards, table);
    let measures =
        from_shards(shards, (&lacking, table), |shard, files| RankAsk::Measures(gathering(shard), files));
    let Some(measures) = measures else { return Ok(None) };
    let mut rows = told.by_file(|own| own.rows.iter().map(|row| (row.measured.file, row)));
    rows.extend(rows_of(&measures));
    let paths: Vec<String> = head.iter().map(|file| table.path(*file).to_string()).collect();
    let holding = literal.files.iter().map(|(file, _)| table.path(*file));
    let scope = HeadScope::new(paths.iter().map(String::as_str), holding, n_framed);
    let (mut measured, mut chunks) = (Vec::with_capacity(head.len()), FxHashMap::default());
    for (file, path) in head.iter().zip(&paths) {
        let Some(row) = rows.get(file) else { continue };
        chunks.insert(*file, table.measured(*file, row));
        let mut own = row.measured.clone();
        own.file = *file;
        scope.settle(&mut own, path);
        measured.push(own);
    }
    let similarity = |ranked: &RankedFile| rows[&ranked.file].related;
    let mut files = order::weighed(&query, settings.profile, &measured, similarity, table);
    // The places of the first files that the offers lack.
    let n_divided = places::n_divided(&query, &files, |ranked| rows[&ranked.file].bytes);
    let first: Vec<u32> = files[..n_divided].iter().map(|ranked| ranked.file).collect();
    let told = Told { offers: &offers, table: &*table };
    let lacking =
        by_shard(told.lacking(&first, |own| own.places.iter().map(|(file, _)| *file)), shards, table);
    let of_lacking =
        from_shards(shards, (&lacking, table), |shard, files| RankAsk::Places(gathering(shard), files));
    let Some(of_lacking) = of_lacking else { return Ok(None) };
    let mut places = told.by_file(|own| own.places.iter().map(|(file, places)| (*file, places)));
    places.extend(places_of(&of_lacking));
    let found = first.iter().map(|file| places.get(file).map_or_else(Default::default, |own| (*own).clone()));
    let places = places::add_places(&query, settings.profile, &mut files, found.collect(), table);
    let known = calibration::known_share(n_framed, &terms);
    let RankSettings { profile, per_file, .. } = settings;
    let ranking = order::ranking(&query, (profile, per_file), (files, places), known, table, |ranked| {
        chunks[&ranked.file].clone()
    });
    let matching_files = offers.iter().map(|own| own.matching).sum();
    let Literal { lines, complete, holding, .. } = literal;
    let ranking =
        Ranking { literal_lines: lines, literal_complete: complete, holding, matching_files, ..ranking };
    Ok(Some((ranking, terms)))
}

/// By shard: its files among `files`, by the numbers of the table.
fn by_shard(files: Vec<u32>, shards: &dyn Shards, table: &ShardFiles) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); shards.n_shards()];
    files.into_iter().for_each(|file| all[table.of_shard(file).0].push(file));
    all
}

/// What shards told with their offers.
struct Told<'t, 's> {
    offers: &'t [&'t Offers],
    table: &'s ShardFiles,
}

impl<'t> Told<'t, '_> {
    /// By file: what was told of the file.
    fn by_file<T, I: Iterator<Item = (u32, T)>>(&self, of: impl Fn(&'t Offers) -> I) -> FxHashMap<u32, T> {
        let of_shard = |(shard, own): (usize, &&'t Offers)| {
            let known = of(own).filter_map(|(file, told)| Some((self.table.number(shard, file)?, told)));
            known.collect::<Vec<_>>()
        };
        self.offers.iter().enumerate().flat_map(of_shard).collect()
    }

    /// The files of which nothing was told.
    fn lacking<I: Iterator<Item = u32>>(&self, files: &[u32], of: impl Fn(&'t Offers) -> I) -> Vec<u32> {
        let known = self.by_file(|own| of(own).map(|file| (file, ())));
        files.iter().copied().filter(|file| !known.contains_key(file)).collect()
    }
}

/// What the shards with files told, each with its files; `None` while a reply is missing.
fn from_shards<'f>(
    shards: &dyn Shards,
    (files, table): (&'f [Vec<u32>], &ShardFiles),
    ask: impl Fn(usize, Vec<u32>) -> RankAsk,
) -> Option<Vec<(&'f [u32], Arc<RankTold>)>> {
    let with_files = files.iter().enumerate().filter(|(_, files)| !files.is_empty());
    let told = with_files.map(|(shard, files)| {
        let own = files.iter().map(|file| table.of_shard(*file).1).collect();
        Some((&files[..], shards.told(shard, ask(shard, own))?))
    });
    let all: Vec<Option<_>> = told.collect();
    all.into_iter().collect()
}

/// What shards with files told, each with its files.
type FromShards<'f> = [(&'f [u32], Arc<RankTold>)];

/// By file: what its shard measured.
fn rows_of<'t>(measures: &'t FromShards<'_>) -> FxHashMap<u32, &'t HeadRow> {
    let of_shard = |(files, told): &'t (&[u32], Arc<RankTold>)| match &**told {
        RankTold::Measures(own) => files.iter().copied().zip(own),
        _ => unreachable!("{OTHER}"),
    };
    measures.iter().flat_map(of_shard).collect()
}

/// By file: its places.
fn places_of<'t>(told: &'t FromShards<'_>) -> FxHashMap<u32, &'t PlacesOfFile> {
    let of_shard = |(files, told): &'t (&[u32], Arc<RankTold>)| match &**told {
        RankTold::Places(own) => files.iter().copied().zip(own),
        _ => unreachable!("{OTHER}"),
    };
    told.iter().flat_map(of_shard).collect()
}

fn offers_of(told: &RankTold) -> &Offers {
    match told {
        RankTold::Offers(own) => own,
        _ => unreachable!("{OTHER}"),
    }
}

/// The offers of all shards, with the tasks that led to them and the result of the literal pass over all shards. The shards
/// run the pass as if each were alone. Only if the budget of all does not suffice for what they read, or leads to other
/// candidates, they are asked again.
type DealtOffers = (Vec<LiteralTask>, Vec<Arc<RankTold>>, Literal);

fn dealt_offers(
    gathering: &Gathering,
    settings: RankSettings<'_>,
    shards: &dyn Shards,
    table: &mut ShardFiles,
) -> Result<Option<DealtOffers>, SearchError> {
    let query = &gathering.query;
    let mut tasks = match settings.exact {
        Some(ExactFiles::Listed(files)) => files.iter().cloned().map(LiteralTask::Listed).collect(),
        _ => vec![gathering.literal.clone(); shards.n_shards()],
    };
    let ask = |tasks: &[LiteralTask]| {
        from_all(shards, |shard| {
            RankAsk::Offers(Gathering { literal: tasks[shard].clone(), ..gathering.clone() })
        })
    };
    let Some(mut offers) = ask(&tasks) else { return Ok(None) };
    if settings.exact.is_some() {
        let literal = exact_matches(&offers, table);
        return Ok(Some((tasks, offers, literal)));
    }
    let mut counts = NarrowingCounts::default();
    offers.iter().for_each(|told| counts.add(offers_of(told).offer.counts));
    let narrowing = literal::narrowing_of(query, counts);
    for (task, told) in tasks.iter_mut().zip(&offers) {
        if literal::narrowing_of(query, offers_of(told).offer.counts) != narrowing {
            *task = LiteralTask::Offer { narrowing: Some(narrowing), also: Vec::new() };
        }
    }
    // Each pass reads what the one before lacked.
    let literal = loop {
        let Some(again) = ask(&tasks) else { return Ok(None) };
        offers = again;
        for (shard, told) in offers.iter().enumerate() {
            table.add(shard, &offers_of(told).paths);
        }
        let mut told = ToldReads::new(&offers, settings.has_kinds, table);
        let candidates = told.candidates(table);
        let mut literal = literal::deal(query, candidates, &mut told)?;
        literal.sort();
        if told.missing.is_empty() {
            break literal;
        }
        for file in told.missing {
            let (shard, file) = table.of_shard(file);
            if let LiteralTask::Offer { also, .. } = &mut tasks[shard] {
                also.push(file);
            }
        }
    };
    let mut of_shards = vec![Vec::new(); tasks.len()];
    for (file, lines) in &literal.files {
        let (shard, file) = table.of_shard(*file);
        of_shards[shard].push((file, *lines));
    }
    for ((task, told), mut files) in tasks.iter_mut().zip(&offers).zip(of_shards) {
        files.sort_unstable();
        if files != offers_of(told).literal {
            *task = LiteralTask::Dealt(files);
        }
    }
    let Some(offers) = ask(&tasks) else { return Ok(None) };
    Ok(Some((tasks, offers, literal)))
}

/// The result of an exact search over all shards.
fn exact_matches(offers: &[Arc<RankTold>], table: &mut ShardFiles) -> Literal {
    let mut literal = Literal { complete: true, ..Literal::default() };
    for (shard, told) in offers.iter().enumerate() {
        let own = offers_of(told);
        table.add(shard, &own.paths);
        let number = |file: u32| table.number(shard, file);
        literal.lines += own.lines.0;
        literal.complete &= own.lines.1;
        literal.files.extend(own.literal.iter().filter_map(|(file, lines)| Some((number(*file)?, *lines))));
        literal.holding.extend(own.holding.iter().filter_map(|file| number(*file)));
    }
    literal.sort();
    literal
}

/// The literal pass over what shards have read.
struct ToldReads {
    has_kinds: bool,
    complete: bool,
    /// By file of the table: its bytes, and the score of its other evidence.
    candidates: Vec<(f32, u32)>,
    unranked: Vec<u32>,
    bytes: FxHashMap<u32, u64>,
    read: FxHashMap<u32, Option<[u32; 2]>>,
    counted: FxHashMap<u32, Option<u32>>,
    /// The files that no shard has read yet.
    missing: Vec<u32>,
}

impl ToldReads {
    fn new(offers: &[Arc<RankTold>], has_kinds: bool, table: &ShardFiles) -> ToldReads {
        let mut all = ToldReads {
            has_kinds,
            complete: true,
            candidates: Vec::new(),
            unranked: Vec::new(),
            bytes: FxHashMap::default(),
            read: FxHashMap::default(),
            counted: FxHashMap::default(),
            missing: Vec::new(),
        };
        for (shard, told) in offers.iter().enumerate() {
            let own = &offers_of(told).offer;
            let number = |file: &u32| table.number(shard, *file);
            all.complete &= own.complete;
            for (worth, file, bytes) in &own.candidates {
                let Some(file) = number(file) else { continue };
                all.candidates.push((*worth, file));
                all.bytes.insert(file, *bytes);
            }
            for (file, bytes) in &own.unranked {
                let Some(file) = number(file) else { continue };
                all.unranked.push(file);
                all.bytes.insert(file, *bytes);
            }
            all.read.extend(own.read.iter().filter_map(|(file, lines)| Some((number(file)?, *lines))));
            all.counted.extend(own.counted.iter().filter_map(|(file, lines)| Some((number(file)?, *lines))));
        }
        all
    }

    /// The candidates of all shards, in the order in which one snapshot reads them.
    fn candidates(&mut self, table: &ShardFiles) -> LiteralCandidates {
        let path = |file: u32| table.path(file);
        let (mut files, mut unranked) =
            (std::mem::take(&mut self.candidates), std::mem::take(&mut self.unranked));
        files.sort_unstable_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| (path(a.1), a.1).cmp(&(path(b.1), b.1)))
        });
        unranked.sort_unstable_by_key(|file| (path(*file), *file));
        let files = files.into_iter().map(|(_, file)| file).collect();
        LiteralCandidates { files, complete: self.complete, unranked, counts: NarrowingCounts::default() }
    }
}

impl LiteralReads for ToldReads {
    fn bytes(&self, file: u32) -> u64 {
        self.bytes.get(&file).copied().unwrap_or_default()
    }

    fn read(&mut self, files: Vec<u32>) -> Result<ReadFiles, SearchError> {
        let of = |file: u32| match self.read.get(&file) {
            Some(lines) => {
                let found = lines.map(|[lines, counted]| FoundLiteral { lines, counted, docs: Vec::new() });
                (file, found)
            }
            None => {
                self.missing.push(file);
                (file, Some(FoundLiteral::default()))
            }
        };
        Ok(files.into_iter().map(of).collect())
    }

    fn count_unranked(&mut self, files: Vec<u32>) -> Vec<(u32, Option<u32>)> {
        let of = |file: u32| match self.counted.get(&file) {
            Some(lines) => (file, *lines),
            None => {
                self.missing.push(file);
                (file, Some(0))
            }
        };
        files.into_iter().map(of).collect()
    }

    fn has_kinds(&self) -> bool {
        self.has_kinds
    }

    fn first_doc(&self, _file: u32) -> Option<u32> {
        None
    }
}

/// The head over what all shards offer, by the numbers of the table.
fn head(
    offers: &[&Offers],
    (literal, is_exhaustive): (&Literal, bool),
    profile: &Profile,
    table: &mut ShardFiles,
) -> Vec<u32> {
    for (shard, own) in offers.iter().enumerate() {
        table.add(shard, &own.paths);
    }
    let n_lists = offers.iter().map(|own| own.lists.len()).max().unwrap_or(0);
    let entries = |list: usize| {
        offers.iter().enumerate().flat_map(move |(shard, own)| {
            own.lists.get(list).into_iter().flatten().map(move |(score, file)| (shard, *score, *file))
        })
    };
    let numbered = |list: usize| {
        let known =
            entries(list).filter_map(|(shard, score, file)| Some((score, table.number(shard, file)?)));
        fuse::joined(known, profile.fusion.depth)
    };
    let lists = (0..n_lists).map(numbered).collect();
    let mut head = fuse::fused(lists, table.n_files(), profile.fusion, |file| table.path(file));
    let is_few = is_exhaustive || !literal.files_if_few().is_empty();
    let beside = |named: fn(&Offers) -> &[u32], head: &mut Vec<u32>| {
        for (shard, own) in offers.iter().enumerate() {
            let files = named(own).iter().filter_map(|file| table.number(shard, *file));
            for file in files {
                if !head.contains(&file) {
                    head.push(file);
                }
            }
        }
    };
    if is_few {
        beside(|own| &own.shown, &mut head);
    }
    beside(|own| &own.framed, &mut head);
    head
}
