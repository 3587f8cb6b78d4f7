//! From ranked files and their places to hits. The best place of a file has the rank of the file; further places rank
//! lower.

use serde::{Deserialize, Serialize};

use super::calibration::QueryCalibration;
use super::context::Context;
use super::evidence::Evidence;
use super::head_files::HeadFiles;
use super::measure::MeasuredFile;
use super::model::{RankedFile, probability};
use super::places::{MeasuredPlace, Place};
use crate::profile::{Feature, Profile, QueryKind, Signal, Transform};
use crate::query::Query;

/// A hit: a place or a chunk of a ranked file. There are hundreds of hits and a page shows a few, so data of the chunk
/// is read from the index later.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ranked {
    /// The index of the file among the ranked files.
    pub file: usize,
    /// The chunk in which the hit begins, by its number in the snapshot.
    pub doc: u32,
    /// The place that is shown; `None` if the chunk is shown, because the file has no places.
    pub place: Option<Place>,
    /// The symbol that the query names, if the chunk is shown and the query is nothing but names.
    pub exact: Option<u32>,
    /// The penalty for a better place in the file, in log-odds.
    pub sibling: f32,
    /// The gain of a hit that is moved to the first page, because few files contain the query as written; in log-odds.
    /// The value is 0 until then.
    pub lift: f32,
    /// The sum before calibration, in log-odds.
    pub raw: f32,
    /// The sum of the contributions, in log-odds. The sum distinguishes scores that are equal after rounding.
    pub sum: f32,
    /// The calibrated score, 0 to 1.
    pub score: f32,
    /// Whether the hit contains the query as written.
    pub literal: bool,
}

impl Ranked {
    /// The hit with `to` as its sum, because few files contain the query as written.
    pub fn lifted(self, to: f32) -> Ranked {
        Ranked { lift: self.lift + (to - self.sum), sum: to, score: probability(to), ..self }
    }

    /// The order of hits in an answer: by score, then by path and position.
    pub fn order(&self, other: &Ranked, table: &dyn HeadFiles) -> std::cmp::Ordering {
        let path = |hit: &Ranked| table.path(table.file_of_doc(hit.doc));
        (other.sum.total_cmp(&self.sum))
            .then_with(|| path(self).cmp(path(other)))
            .then_with(|| self.start(table).cmp(&other.start(table)))
            .then_with(|| self.doc.cmp(&other.doc))
    }

    /// The byte at which the hit begins in its file.
    pub fn start(&self, table: &dyn HeadFiles) -> u32 {
        self.place.map_or_else(|| table.start(self.doc), |place| place.span.start)
    }
}

/// A chunk that shows a file without places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownChunk {
    /// The chunk, by its number in the snapshot.
    pub doc: u32,
    /// The score of the chunk by its text and its symbols.
    worth: f32,
    /// Whether the chunk contains the query as written.
    literal: bool,
}

/// The chunks that show a file without places: the chunk to show, then at most [`CHUNKS_BESIDE`] others by their scores.
pub fn shown_chunks(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    measured: &MeasuredFile,
) -> Vec<ShownChunk> {
    let snapshot = context.snapshot;
    let Some(best) = measured.row.best() else { return Vec::new() };
    let shown = |doc: u32| ShownChunk {
        doc,
        worth: evidence.chunk_score(doc),
        literal: evidence.literal_docs.binary_search(&doc).is_ok(),
    };
    // A query that only names a definition is answered by the definition.
    let facts = &measured.facts;
    let is_only_names = query.kind == QueryKind::Names;
    let named = facts.exact.filter(|_| is_only_names).map(|_| snapshot.doc_of(measured.file, facts.exact_at));
    let best = named.filter(|doc| snapshot.is_of_kinds(*doc, context.filter)).unwrap_or(best);
    let mut chunks = vec![shown(best)];
    if context.per_file > 1 {
        let docs = snapshot.docs(measured.file).filter(|doc| *doc != best);
        let mut others: Vec<ShownChunk> = docs
            .filter(|doc| evidence.chunk_score(*doc) > 0.0 && snapshot.is_of_kinds(*doc, context.filter))
            .map(shown)
            .collect();
        // The chunks of a file are in order, and the sort is stable.
        others.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        others.truncate((context.per_file - 1).min(CHUNKS_BESIDE));
        chunks.extend(others);
    }
    chunks
}

/// The hits of the ranked files, best first. `places` has an entry for each of the first files; the others are shown by
/// their `chunks`.
pub fn hits(
    query: &Query,
    (profile, per_file): (&Profile, usize),
    (files, places): (&[RankedFile], &[Vec<MeasuredPlace>]),
    calibration: &QueryCalibration,
    table: &dyn HeadFiles,
    chunks: impl Fn(&RankedFile) -> Vec<ShownChunk>,
) -> Vec<Ranked> {
    // A report needs every place that plays a part in the fault, a question rather other files. The names that replace
    // a name are different answers, even in one file.
    let has_names = query.is_respelled && query.names.len() > 1;
    let penalty = match query.is_report || has_names {
        true => 0.0,
        false => profile.weight(query.kind, Feature { signal: Signal::Sibling, transform: Transform::Value }),
    };
    let spread = if query.is_report { profile.reports.spread } else { 1.0 };
    let is_only_names = query.kind == QueryKind::Names;
    let mut hits = Vec::new();
    for (at, ranked) in files.iter().enumerate() {
        // `penalty` is that of a further place, before calibration.
        let mut add = |doc, place: Option<&Place>, literal, penalty: f32| {
            let exact = ranked.measured.facts.exact.filter(|_| place.is_none() && is_only_names);
            let raw = ranked.raw + penalty;
            let sibling = if penalty == 0.0 { 0.0 } else { calibration.log_odds(raw) - ranked.sum };
            let sum = ranked.sum + sibling;
            let (place, score) = (place.copied(), probability(sum));
            hits.push(Ranked { file: at, doc, place, exact, sibling, lift: 0.0, raw, sum, score, literal });
        };
        if let Some([first, rest @ ..]) = places.get(at).map(Vec::as_slice) {
            let doc = |measured: &MeasuredPlace| table.doc_of(ranked.file, measured.place.span.start);
            add(doc(first), Some(&first.place), first.place.literal, 0.0);
            for other in rest.iter().take(per_file - 1) {
                let ratio = (other.place.probability / first.place.probability).powf(spread);
                let further = sibling_penalty(ranked.raw, ratio, penalty);
                add(doc(other), Some(&other.place), other.place.literal, further);
            }
            continue;
        }
        let [best, others @ ..] = &chunks(ranked)[..] else { continue };
        add(best.doc, None, best.literal, 0.0);
        let greatest = ranked.measured.row.best_worth.max(f32::MIN_POSITIVE);
        for other in others {
            let ratio = HALF * (other.worth / greatest).min(1.0);
            add(other.doc, None, other.literal, sibling_penalty(ranked.raw, ratio, penalty));
        }
    }
    hits.sort_by(|a, b| a.order(b, table));
    hits
}

/// The most further chunks of a file without places. Hundreds of files are in the head, and sorting all their chunks
/// would take as long as measuring the places of the first files.
const CHUNKS_BESIDE: usize = 2;

/// The probability of a chunk that ties with the best chunk of its file, relative to that chunk.
const HALF: f32 = 0.5;

/// The penalty, in log-odds, of a place that is `ratio` times as probable as the best place of its file. `sum` is the
/// sum of the file, and `penalty` is added to the logarithm of the ratio.
fn sibling_penalty(sum: f32, ratio: f32, penalty: f32) -> f32 {
    let ratio = (ratio.max(1e-6).ln() + penalty).exp().min(0.999);
    let odds = probability(sum) * ratio;
    (odds / (1.0 - odds)).max(f32::MIN_POSITIVE).ln() - sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sibling_is_as_probable_as_its_ratio_says() {
        for (sum, ratio) in [(2.0, 0.5), (-3.0, 0.9), (0.0, 0.01)] {
            let score = probability(sum + sibling_penalty(sum, ratio, 0.0));
            assert!((score - probability(sum) * ratio).abs() < 1e-5, "{sum} {ratio}: {score}");
        }
        assert!(sibling_penalty(1.0, 1.0, 0.0) < 0.0);
        assert!(sibling_penalty(1.0, 0.5, -4.0) < sibling_penalty(1.0, 0.5, 0.0));
    }
}
