//! From ranked files and their places to hits: each file's best place at the file's rank, further ones behind it.

use super::Context;
use super::corpus::Corpus;
use super::evidence::Evidence;
use super::model::{RankedFile, probability};
use super::places::{MeasuredPlace, Place};
use super::standing::Standing;
use crate::id::VersionId;
use crate::profile::{Feature, Signal, Transform};
use crate::query::Query;

/// A hit: a place of a ranked file. There are hundreds, of which a page shows a few, so what the index can tell of a
/// chunk is left there.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// The place of its file among the ranked ones.
    pub file: usize,
    /// The file version.
    pub version: VersionId,
    /// The chunk in which it begins, by its number in the corpus.
    pub doc: u32,
    /// What is shown; `None` where the chunk is, because its file was not cut into places.
    pub place: Option<Place>,
    /// What it loses because a better place of its file stands before it, in log-odds.
    pub sibling: f32,
    /// What it gains because few files hold the query as written, in log-odds; 0 until the first page is put together.
    pub lift: f32,
    /// The sum of the contributions, in log-odds: it tells scores apart that round to the same.
    pub sum: f32,
    /// 0 to 1.
    pub score: f32,
    /// The uncalibrated score: the logistic function of the sum of contributions before calibration, which does not depend
    /// on the other hits. 0 to 1.
    pub evidence: f32,
    /// Whether it holds the query as written.
    pub literal: bool,
}

impl Ranked {
    /// This hit with the sum `to`, because few files hold the query as written.
    pub fn lifted(self, to: f32) -> Ranked {
        Ranked { lift: self.lift + (to - self.sum), sum: to, score: probability(to), ..self }
    }

    /// Before `other` in an answer: by score, then by path and place.
    pub fn order(&self, other: &Ranked, corpus: &Corpus) -> std::cmp::Ordering {
        let path = |hit: &Ranked| corpus.path_of(hit.doc);
        (other.sum.total_cmp(&self.sum))
            .then_with(|| path(self).cmp(path(other)))
            .then_with(|| self.start(corpus).cmp(&other.start(corpus)))
    }

    /// Where it begins in its file, in bytes.
    pub fn start(&self, corpus: &Corpus) -> u32 {
        self.place.map_or_else(|| corpus.start(self.doc), |place| place.span.start)
    }
}

/// The hits of the ranked files, best first; `places` are those of the first files.
pub fn hits(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &[RankedFile],
    places: &[Vec<MeasuredPlace>],
    standing: &Standing,
) -> Vec<Ranked> {
    let corpus = context.corpus;
    // Who reports a fault wants every place that plays a part; who asks a question wants other files first.
    // The names that a prefix or a slip stands for are different answers, also in one file.
    let has_names = query.is_respelled && query.names.len() > 1;
    let penalty = match query.is_report || has_names {
        true => 0.0,
        false => {
            context.profile.weight(query.kind, Feature { signal: Signal::Sibling, form: Transform::Value })
        }
    };
    let mut hits = Vec::new();
    let mut others: Vec<(f32, u32)> = Vec::new();
    for (place, ranked) in files.iter().enumerate() {
        let mut add = |doc, shown: Option<&Place>, sibling| {
            hits.push(hit(corpus, evidence, (place, ranked), (doc, shown), sibling));
        };
        // What a place loses beside the best of its file, as it is shown.
        let shown = |sibling: f32| standing.log_odds(ranked.raw + sibling) - standing.log_odds(ranked.raw);
        if let Some([first, rest @ ..]) = places.get(place).map(Vec::as_slice) {
            add(doc_of(corpus, ranked.file, first.place.span.start), Some(&first.place), 0.0);
            for other in rest.iter().take(context.per_file - 1) {
                let ratio = other.place.share / first.place.share;
                let sibling = shown(sibling(ranked.raw, ratio, penalty));
                add(doc_of(corpus, ranked.file, other.place.span.start), Some(&other.place), sibling);
            }
            continue;
        }
        let known = &ranked.measured.known;
        let Some(best) = known.best() else { continue };
        add(best, None, 0.0);
        if context.per_file == 1 {
            continue;
        }
        let docs = corpus.docs(ranked.file).filter(|doc| *doc != best);
        let weighed = docs.map(|doc| (evidence.of_chunk(doc), doc));
        others.clear();
        others
            .extend(weighed.filter(|(worth, doc)| *worth > 0.0 && corpus.is_of_kinds(*doc, context.filter)));
        // The chunks of a file stand in order, so of equal ones the first comes first.
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        let greatest = known.best_worth.max(f32::MIN_POSITIVE);
        for (worth, doc) in others.iter().take((context.per_file - 1).min(CHUNKS_BESIDE)) {
            let ratio = HALF * (worth / greatest).min(1.0);
            add(*doc, None, shown(sibling(ranked.raw, ratio, penalty)));
        }
    }
    hits.sort_by(|a, b| a.order(b, corpus));
    hits
}

/// A file beyond the first ones has so many further chunks among the hits: hundreds of files come behind, and putting all
/// their chunks in order takes as long as the places of the first.
const CHUNKS_BESIDE: usize = 2;

/// What is as good as the best chunk of its file is half as probable: the best is one of the two.
const HALF: f32 = 0.5;

/// What a place loses, in log-odds, that is `ratio` times as probable as the first of its file, of which the file's sum
/// tells how probable that is; `penalty` is added to the logarithm of the ratio.
fn sibling(sum: f32, ratio: f32, penalty: f32) -> f32 {
    let ratio = (ratio.max(1e-6).ln() + penalty).exp().min(0.999);
    let odds = probability(sum) * ratio;
    (odds / (1.0 - odds)).max(f32::MIN_POSITIVE).ln() - sum
}

/// The chunk of a file that holds a byte.
fn doc_of(corpus: &Corpus, file: u32, at: u32) -> u32 {
    let docs = corpus.docs(file);
    docs.clone().rev().find(|doc| corpus.start(*doc) <= at).unwrap_or(docs.start)
}

fn hit(
    corpus: &Corpus,
    evidence: &Evidence,
    (file, ranked): (usize, &RankedFile),
    (doc, place): (u32, Option<&Place>),
    sibling: f32,
) -> Ranked {
    let sum = ranked.sum + sibling;
    Ranked {
        file,
        version: corpus.version(ranked.file).id(),
        doc,
        place: place.copied(),
        sibling,
        lift: 0.0,
        sum,
        score: probability(sum),
        evidence: probability(ranked.raw),
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
            let score = probability(sum + sibling(sum, ratio, 0.0));
            assert!((score - probability(sum) * ratio).abs() < 1e-5, "{sum} {ratio}: {score}");
        }
        assert!(sibling(1.0, 1.0, 0.0) < 0.0);
        assert!(sibling(1.0, 0.5, -4.0) < sibling(1.0, 0.5, 0.0));
    }
}
