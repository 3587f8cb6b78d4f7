//! From ranked files and their places to hits. The best place of a file has the rank of the file; further places rank
//! lower.

use super::calibration::QueryCalibration;
use super::context::Context;
use super::evidence::Evidence;
use super::model::{RankedFile, probability};
use super::places::{MeasuredPlace, Place};
use super::snapshot::SearchSnapshot;
use crate::profile::{Feature, QueryKind, Signal, Transform};
use crate::query::Query;

/// A hit: a place or a chunk of a ranked file. There are hundreds of hits and a page shows a few, so data of the chunk
/// is read from the index later.
#[derive(Clone, Copy, Debug)]
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
    pub fn order(&self, other: &Ranked, snapshot: &SearchSnapshot) -> std::cmp::Ordering {
        let path = |hit: &Ranked| snapshot.path_of(hit.doc);
        (other.sum.total_cmp(&self.sum))
            .then_with(|| path(self).cmp(path(other)))
            .then_with(|| self.start(snapshot).cmp(&other.start(snapshot)))
            .then_with(|| self.doc.cmp(&other.doc))
    }

    /// The byte at which the hit begins in its file.
    pub fn start(&self, snapshot: &SearchSnapshot) -> u32 {
        self.place.map_or_else(|| snapshot.start(self.doc), |place| place.span.start)
    }
}

/// The hits of the ranked files, best first. `places` has an entry for each of the first files.
pub fn hits(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &[RankedFile],
    places: &[Vec<MeasuredPlace>],
    calibration: &QueryCalibration,
) -> Vec<Ranked> {
    let snapshot = context.snapshot;
    // A report needs every place that plays a part in the fault, a question rather other files. The names that replace
    // a name are different answers, even in one file.
    let has_names = query.is_respelled && query.names.len() > 1;
    let penalty = match query.is_report || has_names {
        true => 0.0,
        false => context
            .profile
            .weight(query.kind, Feature { signal: Signal::Sibling, transform: Transform::Value }),
    };
    let spread = if query.is_report { context.profile.reports.spread } else { 1.0 };
    let is_only_names = query.kind == QueryKind::Names;
    let mut hits = Vec::new();
    let mut others: Vec<(f32, u32)> = Vec::new();
    for (place, ranked) in files.iter().enumerate() {
        // `penalty` is that of a further place, before calibration.
        let mut add = |doc, shown: Option<&Place>, penalty: f32| {
            let exact = ranked.measured.facts.exact.filter(|_| shown.is_none() && is_only_names);
            let raw = ranked.raw + penalty;
            let sibling = if penalty == 0.0 { 0.0 } else { calibration.log_odds(raw) - ranked.sum };
            hits.push(Ranked { exact, raw, ..hit(evidence, (place, ranked), (doc, shown), sibling) });
        };
        if let Some([first, rest @ ..]) = places.get(place).map(Vec::as_slice) {
            add(doc_of(snapshot, ranked.file, first.place.span.start), Some(&first.place), 0.0);
            for other in rest.iter().take(context.per_file - 1) {
                let ratio = (other.place.probability / first.place.probability).powf(spread);
                let further = sibling_penalty(ranked.raw, ratio, penalty);
                add(doc_of(snapshot, ranked.file, other.place.span.start), Some(&other.place), further);
            }
            continue;
        }
        let row = &ranked.measured.row;
        let Some(best) = row.best() else { continue };
        // A query that only names a definition is answered by the definition.
        let facts = &ranked.measured.facts;
        let named =
            facts.exact.filter(|_| is_only_names).map(|_| doc_of(snapshot, ranked.file, facts.exact_at));
        let best = named.filter(|doc| snapshot.is_of_kinds(*doc, context.filter)).unwrap_or(best);
        add(best, None, 0.0);
        if context.per_file == 1 {
            continue;
        }
        let docs = snapshot.docs(ranked.file).filter(|doc| *doc != best);
        let weighed = docs.map(|doc| (evidence.chunk_score(doc), doc));
        others.clear();
        others.extend(
            weighed.filter(|(worth, doc)| *worth > 0.0 && snapshot.is_of_kinds(*doc, context.filter)),
        );
        // The chunks of a file are in order, and the sort is stable.
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        let greatest = row.best_worth.max(f32::MIN_POSITIVE);
        for (worth, doc) in others.iter().take((context.per_file - 1).min(CHUNKS_BESIDE)) {
            let ratio = HALF * (worth / greatest).min(1.0);
            add(*doc, None, sibling_penalty(ranked.raw, ratio, penalty));
        }
    }
    hits.sort_by(|a, b| a.order(b, snapshot));
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

/// The chunk of a file that contains a byte.
fn doc_of(snapshot: &SearchSnapshot, file: u32, at: u32) -> u32 {
    let docs = snapshot.docs(file);
    docs.clone().rev().find(|doc| snapshot.start(*doc) <= at).unwrap_or(docs.start)
}

fn hit(
    evidence: &Evidence,
    (file, ranked): (usize, &RankedFile),
    (doc, place): (u32, Option<&Place>),
    sibling: f32,
) -> Ranked {
    let sum = ranked.sum + sibling;
    Ranked {
        file,
        doc,
        place: place.copied(),
        exact: None,
        sibling,
        lift: 0.0,
        raw: ranked.raw,
        sum,
        score: probability(sum),
        literal: match place {
            Some(place) => place.literal,
            None => evidence.literal_docs.binary_search(&doc).is_ok(),
        },
    }
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
