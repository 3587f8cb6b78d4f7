//! From ranked files to hits: each file's best chunk at the file's rank, further ones behind a penalty.

use super::Context;
use super::corpus::Corpus;
use super::evidence::Evidence;
use super::model::{RankedFile, probability};
use crate::id::VersionId;
use crate::profile::{Feature, Form, Signal};
use crate::query::Query;

/// A hit: a chunk of a ranked file. There are hundreds, of which a page shows a few, so what the index can tell of a
/// chunk is left there.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// The place of its file among the ranked ones.
    pub file: usize,
    /// The file version.
    pub version: VersionId,
    /// The chunk, by its number in the corpus.
    pub doc: u32,
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
    pub fn order(&self, other: &Ranked, corpus: &Corpus) -> std::cmp::Ordering {
        let path = |hit: &Ranked| corpus.path_of(hit.doc);
        let start = |hit: &Ranked| corpus.start(hit.doc);
        (other.sum.total_cmp(&self.sum))
            .then_with(|| path(self).cmp(path(other)))
            .then_with(|| start(self).cmp(&start(other)))
    }
}

/// The hits of the ranked files, best first.
pub fn hits(query: &Query, context: &Context<'_>, evidence: &Evidence, files: &[RankedFile]) -> Vec<Ranked> {
    let corpus = context.corpus;
    let penalty = context.profile.weight(query.kind, Feature { signal: Signal::Sibling, form: Form::Value });
    let mut hits = Vec::new();
    let mut others: Vec<(f32, u32)> = Vec::new();
    for (place, ranked) in files.iter().enumerate() {
        let known = &ranked.measured.known;
        let Some(best) = known.best() else { continue };
        let mut add = |doc, sibling| hits.push(hit(corpus, evidence, (place, ranked), doc, sibling));
        add(best, 0.0);
        if context.per_file == 1 {
            continue;
        }
        let docs = corpus.docs(ranked.file).filter(|doc| *doc != best);
        let weighed =
            docs.map(|doc| (evidence.chunk_body[doc as usize] + evidence.chunk_symbol[doc as usize], doc));
        others.clear();
        others
            .extend(weighed.filter(|(worth, doc)| *worth > 0.0 && corpus.is_of_kinds(*doc, context.filter)));
        // The chunks of a file stand in order, so of equal ones the first comes first.
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        let greatest = known.best_worth.max(f32::MIN_POSITIVE);
        for (worth, doc) in others.iter().take(context.per_file - 1) {
            let sibling = penalty * (2.0 - (worth / greatest).min(1.0)) / 2.0;
            add(*doc, sibling);
        }
    }
    hits.sort_by(|a, b| a.order(b, corpus));
    hits
}

fn hit(
    corpus: &Corpus,
    evidence: &Evidence,
    (place, ranked): (usize, &RankedFile),
    doc: u32,
    sibling: f32,
) -> Ranked {
    let sum = ranked.sum + sibling;
    Ranked {
        file: place,
        version: corpus.version(ranked.file).id(),
        doc,
        sibling,
        sum,
        score: probability(sum),
        literal: evidence.literal_docs.binary_search(&doc).is_ok(),
    }
}
