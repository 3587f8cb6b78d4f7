//! The reply of a shard about a query in each round: its statistics, what it offers to the fused lists, the measures of its files
//! of the head, and the places of its first files. [`crate::federated`] makes one ranking of it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::context::Context;
use super::error::SearchError;
use super::evidence::{Evidence, TermRarity, collect_with};
use super::fuse;
use super::head_files::HeadFiles;
use super::hits::{self, ShownChunk};
use super::literal::{
    self, Literal, LiteralCandidates, LiteralReads, MAX_FEW_FILES, Narrowing, NarrowingCounts, ReadFiles,
    SnapshotReads,
};
use super::measure::{self, MeasuredFile};
use super::model::RankedFile;
use super::order;
use super::places::{self, PlacesOfFile};
use super::related;
use super::source::ReadSource;
use super::statistics::Statistics;
use crate::query::Query;
use spyhop_base::id::ContentHash;

/// The literal pass of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LiteralTask {
    /// The pass within the whole budget, with these files read as well. `narrowing` is what all shards together lead to.
    Offer { narrowing: Option<Narrowing>, also: Vec<u32> },
    /// The files that contain the query, with their numbers of lines, as the budget of all shards allows.
    Dealt(Vec<(u32, u32)>),
    /// All files that contain this text, by the exact search of the context.
    Exhaustive(String),
    /// All files of another exact search, by path, with their numbers of matching lines.
    Listed(Vec<(String, u32)>),
}

/// The input of the evidence of a shard, besides the filter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gathering {
    pub query: Query,
    /// The texts of which a file must contain all.
    pub quoted: Vec<String>,
    /// The statistics of all shards.
    pub statistics: Statistics,
    pub literal: LiteralTask,
}

/// The evidence of a shard, and what the literal pass found.
pub struct Gathered {
    evidence: Evidence,
    literal: Literal,
    offer: LiteralOffer,
    is_exhaustive: bool,
}

/// The result of the literal pass of a shard, from which the budget of all shards is dealt out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LiteralOffer {
    pub counts: NarrowingCounts,
    pub complete: bool,
    /// The candidates, best first: the score of the other evidence, the file and its bytes.
    pub candidates: Vec<(f32, u32, u64)>,
    /// The path-only candidates by path, with their bytes.
    pub unranked: Vec<(u32, u64)>,
    /// The lines of the files that were read, and how many count; `None` for a file that has changed.
    pub read: Vec<(u32, Option<[u32; 2]>)>,
    /// The lines of path-only files.
    pub counted: Vec<(u32, Option<u32>)>,
}

/// The offers of a shard to the fused lists.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Offers {
    /// By list: scores and files, best first.
    pub(crate) lists: Vec<Vec<(f32, u32)>>,
    /// The paths of all files that are named here.
    pub(crate) paths: Vec<(u32, String)>,
    /// By term of the query.
    pub(crate) terms: Vec<TermRarity>,
    /// The files that frames of the query name.
    pub(crate) framed: Vec<u32>,
    /// The files that were found to contain the query, with the lines.
    pub(crate) literal: Vec<(u32, u32)>,
    /// Of an exact search: the files whose lines count.
    pub(crate) holding: Vec<u32>,
    /// Of an exact search: the number of these lines, and whether all were counted.
    pub(crate) lines: (usize, bool),
    /// The files of these that can be shown, if the shard has few, or of an exact search.
    pub(crate) shown: Vec<u32>,
    pub(crate) offer: LiteralOffer,
    pub(crate) matching: usize,
    /// The measures of the files that would be the head if the shard were alone. The head of all shards has few others.
    pub(crate) rows: Vec<HeadRow>,
    /// The places of those that would be divided.
    pub(crate) places: Vec<(u32, PlacesOfFile)>,
}

/// A measured file, and what else the ranking of the head needs of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeadRow {
    pub(crate) measured: MeasuredFile,
    /// The similarity to the question by related words.
    pub(crate) related: Option<f32>,
    /// The bytes that are read to divide the file into places.
    pub(crate) bytes: u64,
    pub(crate) content: Option<ContentHash>,
    /// The chunks that show the file, each with its first byte.
    pub(crate) chunks: Vec<(ShownChunk, u32)>,
}

/// Gathers the evidence of a shard. The context has the statistics of all shards.
pub fn gather(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    task: &LiteralTask,
) -> Result<Gathered, SearchError> {
    let mut offer = LiteralOffer::default();
    let (evidence, literal) = collect_with(query, context, |likely, worth| {
        let reads = SnapshotReads { query, context, source };
        let mut literal = match task {
            LiteralTask::Dealt(files) => dealt(files, reads)?,
            LiteralTask::Exhaustive(_) | LiteralTask::Listed(_) => {
                literal::find(query, context, source, likely, worth)?
            }
            LiteralTask::Offer { narrowing, also } => {
                let mut noted = NotedReads { reads, offer: &mut offer };
                let best = literal::best_candidates(query, context, (likely, *narrowing), worth)?;
                noted.note(&best, worth);
                let literal = literal::deal(query, best, &mut noted)?;
                let (unranked, ranked): (Vec<u32>, Vec<u32>) =
                    also.iter().partition(|file| context.snapshot.is_path_only(**file));
                noted.read(ranked)?;
                noted.count_unranked(unranked);
                literal
            }
        };
        literal.sort();
        Ok(literal)
    })?;
    let is_exhaustive = matches!(task, LiteralTask::Exhaustive(_) | LiteralTask::Listed(_));
    Ok(Gathered { evidence, literal, offer, is_exhaustive })
}

/// The matches in the files that the budget of all shards was dealt to.
fn dealt(files: &[(u32, u32)], mut reads: SnapshotReads<'_>) -> Result<Literal, SearchError> {
    let snapshot = reads.context.snapshot;
    let (unranked, ranked): (Vec<_>, Vec<_>) =
        files.iter().copied().partition(|(file, _)| snapshot.is_path_only(*file));
    let mut literal = Literal::default();
    literal.add(reads.read(ranked.into_iter().map(|(file, _)| file).collect())?);
    literal.docs.extend(unranked.iter().filter_map(|(file, _)| reads.first_doc(*file)));
    literal.files.extend(unranked);
    Ok(literal)
}

/// Reads candidates in a snapshot, and notes what was found.
struct NotedReads<'r> {
    reads: SnapshotReads<'r>,
    offer: &'r mut LiteralOffer,
}

impl NotedReads<'_> {
    fn note(&mut self, best: &LiteralCandidates, worth: impl Fn(u32) -> f32) {
        let LiteralCandidates { files, complete, unranked, counts } = best;
        (self.offer.complete, self.offer.counts) = (*complete, *counts);
        // One candidate more than can be read tells that there are more.
        let most = literal::most_read(self.reads.query).0 + 1;
        let candidates = files.iter().take(most).map(|file| (worth(*file), *file, self.reads.bytes(*file)));
        self.offer.candidates = candidates.collect();
        self.offer.unranked =
            unranked.iter().take(most).map(|file| (*file, self.reads.bytes(*file))).collect();
    }
}

impl LiteralReads for NotedReads<'_> {
    fn bytes(&self, file: u32) -> u64 {
        self.reads.bytes(file)
    }

    fn read(&mut self, files: Vec<u32>) -> Result<ReadFiles, SearchError> {
        let read = self.reads.read(files)?;
        let lines = |own: &literal::FoundLiteral| [own.lines, own.counted];
        self.offer.read.extend(read.iter().map(|(file, found)| (*file, found.as_ref().map(lines))));
        Ok(read)
    }

    fn count_unranked(&mut self, files: Vec<u32>) -> Vec<(u32, Option<u32>)> {
        let counted = self.reads.count_unranked(files);
        self.offer.counted.extend(counted.iter().copied());
        counted
    }

    fn has_kinds(&self) -> bool {
        self.reads.has_kinds()
    }

    fn first_doc(&self, file: u32) -> Option<u32> {
        self.reads.first_doc(file)
    }
}

impl Offers {
    /// The offers of a shard none of whose files is admitted.
    pub(crate) fn none() -> Offers {
        Offers { offer: LiteralOffer { complete: true, ..LiteralOffer::default() }, ..Offers::default() }
    }
}

impl Gathered {
    /// The offers of the shard to the fused lists, with what is asked next if they prevail.
    pub fn offers(
        &self,
        query: &Query,
        context: &Context<'_>,
        source: &ReadSource<'_>,
    ) -> Result<Offers, SearchError> {
        let Gathered { evidence, literal, offer, is_exhaustive } = self;
        let lists = fuse::offers(evidence, context);
        let head = fuse::head_of(lists.clone(), evidence, context, literal.files_if_few());
        let rows = self.head_rows(query, context, &head)?;
        let divided = self.divided(query, context, &rows);
        let places = places::places(query, context, evidence, divided.clone(), source)?;
        let places = divided.into_iter().map(|measured| measured.file).zip(places).collect();
        let file = |row: u32| evidence.matching[row as usize];
        let list = |own: Vec<(f32, u32)>| own.into_iter().map(|(score, row)| (score, file(row))).collect();
        let lists: Vec<Vec<(f32, u32)>> = lists.into_iter().map(list).collect();
        let framed: Vec<u32> = evidence.framed.iter().map(|(file, _)| *file).collect();
        let few = if literal.holding.len() <= MAX_FEW_FILES { literal.holding.clone() } else { Vec::new() };
        let found = literal.files.iter().map(|(file, _)| *file);
        let mut shown: Vec<u32> = if *is_exhaustive { found.collect() } else { few };
        shown.retain(|file| fuse::is_shown(evidence, file));
        let mut named: Vec<u32> = lists.iter().flatten().map(|(_, file)| *file).collect();
        named.extend(&framed);
        named.extend(&literal.holding);
        named.extend(literal.files.iter().map(|(file, _)| *file));
        named.extend(offer.candidates.iter().map(|(_, file, _)| *file));
        named.extend(offer.unranked.iter().map(|(file, _)| *file));
        named.extend(&head);
        named.sort_unstable();
        named.dedup();
        let path = |file: u32| (file, context.snapshot.path(file).to_string());
        Ok(Offers {
            rows,
            places,
            lists,
            paths: named.into_iter().map(path).collect(),
            terms: evidence.rarities(context.totals().chunks),
            framed,
            literal: literal.files.clone(),
            holding: if *is_exhaustive { literal.holding.clone() } else { Vec::new() },
            lines: (literal.lines, literal.complete),
            shown,
            offer: offer.clone(),
            matching: evidence.matching.len(),
        })
    }

    /// The measured files that would be divided into places if the shard were alone.
    fn divided<'r>(
        &self,
        query: &Query,
        context: &Context<'_>,
        rows: &'r [HeadRow],
    ) -> Vec<&'r MeasuredFile> {
        let of: FxHashMap<u32, &HeadRow> = rows.iter().map(|row| (row.measured.file, row)).collect();
        let measured = rows.iter().map(|row| row.measured.clone()).collect();
        let measured = measure::settled(context, &self.evidence, measured);
        let similarity = |ranked: &RankedFile| of[&ranked.file].related;
        let files = order::weighed(query, context.profile, &measured, similarity, context.snapshot);
        let n_divided = places::n_divided(query, &files, |ranked| of[&ranked.file].bytes);
        files[..n_divided].iter().map(|ranked| &of[&ranked.file].measured).collect()
    }

    /// The measures of files of the shard.
    pub fn head_rows(
        &self,
        query: &Query,
        context: &Context<'_>,
        files: &[u32],
    ) -> Result<Vec<HeadRow>, SearchError> {
        let (evidence, snapshot) = (&self.evidence, context.snapshot);
        let terms = evidence.rarities(context.totals().chunks);
        let vector = related::question_vector(query, context.profile, &terms);
        let row = |measured: MeasuredFile| {
            let file = measured.file;
            let chunks = hits::shown_chunks(query, context, evidence, &measured);
            HeadRow {
                related: vector.as_ref().and_then(|vector| related::similarity(vector, snapshot, file)),
                bytes: places::bytes_to_divide(snapshot, file),
                content: HeadFiles::content(snapshot, file),
                chunks: chunks.into_iter().map(|chunk| (chunk, snapshot.start(chunk.doc))).collect(),
                measured,
            }
        };
        let measured = measure::measure(query, context, evidence, files)?;
        Ok(measured.into_iter().map(row).collect())
    }

    /// The places of files of the shard.
    pub fn places(
        &self,
        query: &Query,
        context: &Context<'_>,
        source: &ReadSource<'_>,
        files: &[u32],
    ) -> Result<Vec<PlacesOfFile>, SearchError> {
        // Places depend on no measure that depends on the head.
        let measured = measure::measure(query, context, &self.evidence, files)?;
        places::places(query, context, &self.evidence, measured.iter().collect(), source)
    }
}

/// The files of which shards have told, by one sequence of numbers.
#[derive(Default)]
pub struct ShardFiles {
    /// By number: the shard and the file of the shard, its path, and its content.
    files: Vec<((usize, u32), String, Option<ContentHash>)>,
    numbers: FxHashMap<(usize, u32), u32>,
    /// By number of a chunk: the file, the first byte, and the chunk of the shard.
    docs: Vec<(u32, u32, u32)>,
    /// By file of the head: its first chunk.
    first_docs: FxHashMap<u32, u32>,
}

impl ShardFiles {
    /// Adds the files that a shard names.
    pub(crate) fn add(&mut self, shard: usize, paths: &[(u32, String)]) {
        for (file, path) in paths {
            if !self.numbers.contains_key(&(shard, *file)) {
                self.numbers.insert((shard, *file), self.files.len() as u32);
                self.files.push(((shard, *file), path.clone(), None));
            }
        }
    }

    /// The number of a file of a shard that was named.
    pub(crate) fn number(&self, shard: usize, file: u32) -> Option<u32> {
        self.numbers.get(&(shard, file)).copied()
    }

    pub(crate) fn n_files(&self) -> usize {
        self.files.len()
    }

    /// The shard of a file, and the file's number there.
    pub fn of_shard(&self, file: u32) -> (usize, u32) {
        self.files[file as usize].0
    }

    /// The chunk of a shard with this number.
    pub fn doc_of_shard(&self, doc: u32) -> u32 {
        self.docs[doc as usize].2
    }

    /// Adds what a shard measured of a file. Returns the chunks that show the file.
    pub(crate) fn measured(&mut self, file: u32, row: &HeadRow) -> Vec<ShownChunk> {
        self.files[file as usize].2 = row.content;
        // A file that is only shown by its places has a chunk as well.
        self.first_docs.insert(file, self.docs.len() as u32);
        self.docs.push((file, 0, 0));
        let chunk = |(chunk, start): &(ShownChunk, u32)| {
            self.docs.push((file, *start, chunk.doc));
            let mut chunk = *chunk;
            chunk.doc = self.docs.len() as u32 - 1;
            chunk
        };
        row.chunks.iter().map(chunk).collect()
    }
}

impl HeadFiles for ShardFiles {
    fn path(&self, file: u32) -> &str {
        &self.files[file as usize].1
    }

    fn member_of(&self, _file: u32) -> usize {
        0
    }

    fn content(&self, file: u32) -> Option<ContentHash> {
        self.files[file as usize].2
    }

    fn file_of_doc(&self, doc: u32) -> u32 {
        self.docs[doc as usize].0
    }

    fn start(&self, doc: u32) -> u32 {
        self.docs[doc as usize].1
    }

    fn doc_of(&self, file: u32, _at: u32) -> u32 {
        self.first_docs[&file]
    }
}
