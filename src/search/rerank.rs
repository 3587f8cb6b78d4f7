//! Reranking: a cross-encoder reads the question beside the best part of each of the first files.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::context::Context;
use super::model::RankedFile;
use super::related::standardized;
use super::reranker::RerankText;
use super::similar::{ComparedFiles, add_values};
use super::similar_texts::Similarity;
use super::source::{CurrentFile, ReadSource};
use crate::profile::{Feature, Signal, Transform};
use crate::query::Query;
use spyhop_base::text::Span;

/// The number of files that are reranked. A cross-encoder takes as long for each as a search does.
const FILES: usize = 30;

/// The deviation of log-odds that few files are assumed to have.
const USUAL_DEVIATION: f32 = 2.0;

/// The least distance of a probability from 0 and 1, so that its log-odds are finite.
const LEAST: f32 = 1e-4;

/// Adds to the sums of the first files how well their best parts answer `question`, and sorts them again. The best part
/// is the most similar one, if vectors were compared, else the best chunk.
pub(crate) fn add_rerank(
    question: &str,
    query: &Query,
    context: &Context<'_>,
    (files, compared): (&mut [RankedFile], Option<&ComparedFiles>),
    source: &ReadSource<'_>,
) -> Option<ComparedFiles> {
    let reranker = context.reranker?;
    let weight =
        context.profile.weight(query.kind, Feature { signal: Signal::Rerank, transform: Transform::Value });
    if weight == 0.0 || query.is_report || files.is_empty() {
        return None;
    }
    let n_files = files.len().min(FILES);
    let files = &mut files[..n_files];
    let parts: Vec<Option<(Arc<String>, Span)>> =
        files.iter().map(|ranked| best_part(ranked, context, compared, source)).collect();
    let of_file = files.iter().map(|ranked| context.snapshot.path(ranked.file)).zip(&parts);
    let candidates: Vec<RerankText<'_>> = of_file
        .filter_map(|(path, part)| {
            let (text, span) = part.as_ref()?;
            Some(RerankText { path, text: text.as_str(), span: *span })
        })
        .collect();
    let scores = match reranker.scores(question, &candidates) {
        Ok(scores) => scores,
        Err(note) => return Some(ComparedFiles::only_note(note)),
    };
    let mut left = scores.iter().zip(log_odds(&scores));
    let of_part = |part: &Option<(Arc<String>, Span)>| {
        let (_, span) = part.as_ref()?;
        let (score, odds) = left.next()?;
        Some(Similarity { of_file: odds, of_part: *score, part: *span, word: None })
    };
    let all: Vec<Option<Similarity>> = parts.iter().map(of_part).collect();
    let values = standardized(all.iter().map(|known| Some(known.as_ref()?.of_file)), USUAL_DEVIATION);
    let numbers: Vec<u32> = files.iter().map(|ranked| ranked.file).collect();
    add_values((Signal::Rerank, weight), files, &values, context.snapshot);
    Some(ComparedFiles::new((reranker.model(), question), numbers.into_iter().zip(all), None))
}

/// The text of a file and its best part; `None` if the indexed text cannot be read.
fn best_part(
    ranked: &RankedFile,
    context: &Context<'_>,
    compared: Option<&ComparedFiles>,
    source: &ReadSource<'_>,
) -> Option<(Arc<String>, Span)> {
    if context.snapshot.is_path_only(ranked.file) {
        return None;
    }
    let similar = compared.and_then(|compared| compared.of(ranked.file));
    let span = match similar {
        Some(similarity) => similarity.part,
        None => context.snapshot.columns(ranked.measured.row.best()?).ok()?.span,
    };
    let CurrentFile::Text(text) = source(ranked.file, &Finder::new("")) else { return None };
    text.get(span.range()).is_some().then_some((text, span))
}

/// Scores as log-odds: if all are probabilities, theirs.
fn log_odds(scores: &[f32]) -> Vec<f32> {
    if !scores.iter().all(|score| (0.0..=1.0).contains(score)) {
        return scores.to_vec();
    }
    let of = |score: &f32| {
        let score = score.clamp(LEAST, 1.0 - LEAST);
        (score / (1.0 - score)).ln()
    };
    scores.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_become_log_odds_and_log_odds_stay() {
        assert_eq!(log_odds(&[-3.5, 0.5, 9.0]), [-3.5, 0.5, 9.0]);
        let odds = log_odds(&[0.0, 0.5, 1.0]);
        assert!(odds[0] < -9.0 && odds[1] == 0.0 && odds[2] > 9.0 && odds[2].is_finite(), "{odds:?}");
    }
}
