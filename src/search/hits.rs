//! From ranked files to hits: each file's best chunk at the file's rank, further ones behind a penalty.

use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::Evidence;
use super::model::{RankedFile, probability};
use super::{Context, SearchError};
use crate::id::VersionId;
use crate::index::Columns;
use crate::path::RelPath;
use crate::profile::{Feature, Form, Signal};
use crate::query::Query;
use crate::text::Span;

/// A hit: a chunk of a ranked file.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The place of its file among the ranked ones.
    pub file: usize,
    /// The file version.
    pub version: VersionId,
    /// Its path.
    pub path: RelPath,
    /// The chunk.
    pub chunk: Columns,
    /// What it loses because a better chunk of its file stands before it, in log-odds.
    pub sibling: f32,
    /// The sum of the contributions, in log-odds: it tells scores apart that round to the same.
    pub sum: f32,
    /// 0 to 1.
    pub score: f32,
    /// Whether it holds the query as written.
    pub literal: bool,
}

impl Ranked {
    /// Before `other` in an answer: by score, then by path and place.
    pub fn order(&self, other: &Ranked) -> std::cmp::Ordering {
        (other.sum.total_cmp(&self.sum))
            .then_with(|| self.path.cmp(&other.path))
            .then_with(|| self.chunk.span.cmp(&other.chunk.span))
    }

    /// What tells it from every other hit.
    pub fn place(&self) -> (&RelPath, Span) {
        (&self.path, self.chunk.span)
    }
}

/// The hits of the ranked files, best first.
pub fn hits(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &[RankedFile],
) -> Result<Vec<Ranked>, SearchError> {
    let by_file = siblings(context, evidence, files);
    let penalty = context.profile.weight(query.kind, Feature { signal: Signal::Sibling, form: Form::Value });
    let mut hits = Vec::new();
    for (place, ranked) in files.iter().enumerate() {
        let known = &ranked.measured.known;
        let Some(best) = known.best() else { continue };
        hits.push(hit(context, evidence, (place, ranked), best, 0.0)?);
        let Some(docs) = by_file.get(&ranked.file) else { continue };
        let mut others: Vec<(f32, u32)> = docs
            .iter()
            .filter(|doc| **doc != best)
            .map(|doc| (evidence.chunk_body[*doc as usize] + evidence.chunk_symbol[*doc as usize], *doc))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        others.sort_unstable_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| place_of(context, a.1).cmp(&place_of(context, b.1)))
        });
        let greatest = known.best_worth.max(f32::MIN_POSITIVE);
        for (worth, doc) in others.into_iter().take(context.per_file - 1) {
            let sibling = penalty * (2.0 - (worth / greatest).min(1.0)) / 2.0;
            hits.push(hit(context, evidence, (place, ranked), doc, sibling)?);
        }
    }
    hits.sort_by(Ranked::order);
    Ok(hits)
}

/// The matching chunks of each ranked file, where more than one may be shown.
fn siblings(context: &Context<'_>, evidence: &Evidence, files: &[RankedFile]) -> FxHashMap<u32, Vec<u32>> {
    let mut by_file: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    if context.per_file > 1 {
        let wanted: FxHashSet<u32> = files.iter().map(|ranked| ranked.file).collect();
        for doc in &evidence.chunks {
            let file = context.corpus.files()[*doc as usize];
            if wanted.contains(&file) {
                by_file.entry(file).or_default().push(*doc);
            }
        }
    }
    by_file
}

fn place_of(context: &Context<'_>, doc: u32) -> u32 {
    let (segment, within) = context.corpus.locate(doc);
    let columns = context.corpus.committed().reader.segments()[segment].columns(within);
    columns.map_or(0, |columns| columns.span.start)
}

fn hit(
    context: &Context<'_>,
    evidence: &Evidence,
    (place, ranked): (usize, &RankedFile),
    doc: u32,
    sibling: f32,
) -> Result<Ranked, SearchError> {
    let (segment, within) = context.corpus.locate(doc);
    let columns = context.corpus.committed().reader.segments()[segment].columns(within)?;
    let version = context.corpus.version(ranked.file);
    let sum = ranked.sum + sibling;
    Ok(Ranked {
        file: place,
        version: version.id(),
        path: RelPath::new(version.path()).expect("paths are checked before they are recorded"),
        chunk: columns,
        sibling,
        sum,
        score: probability(sum),
        literal: evidence.literal_docs.binary_search(&doc).is_ok(),
    })
}
