//! Calibration: from the sum of a file's contributions to the score that is shown, the probability that the file answers.
//!
//! The log-odds of a score are a weighted sum of the [`ScoreInput`]s of the file. Other files are one input of several:
//! two files that answer can both have a high score. The profile has the weights for each kind of query; `spyhop-eval
//! fit-scores` fits them. Calibration does not change the order of files. A file scores less than the files before it
//! whose sums are greater.

use super::evidence::TermRarity;
use super::measure::Values;
use super::model::RankedFile;
use super::places::MeasuredPlace;
use crate::profile::{Calibration, PlaceSignal, Profile, ScoreInput, Signal};
use crate::query::Query;

/// A value for each input of scores.
pub type ScoreInputs = [f32; ScoreInput::COUNT];

/// A query with fewer terms is never doubted: if every file contains its terms, the evidence does not separate the
/// files.
pub const MIN_TERMS_TO_DOUBT: usize = 3;

/// The least difference, in log-odds, of two files whose sums differ.
const LEAST_STEP: f32 = 1e-4;

/// The greatest log-odds: no hit is certain. The score is .99 then.
const MAX_LOG_ODDS: f32 = 4.6;

/// If the tree has a smaller share of the query, the query is about something else: the lead of a file over weaker ones
/// does not make an answer.
const LEAST_KNOWN: f32 = 0.3;

/// The greatest log-odds of a file for such a query. The score is .38 then.
const MAX_OF_FOREIGN: f32 = -0.5;

/// The greatest log-odds of a file for a question with words that the tree lacks: an answer to the rest is not certain to be an
/// answer. The score is .79 then.
const MAX_OF_PARTLY_KNOWN: f32 = 1.32;

/// Files whose sums are less than this behind the sum of a file, or before it, are its rivals.
const RIVAL: f32 = 1.0;

/// The greatest log-odds of a share: a file without competition is not certain.
const MAX_SHARE: f32 = 6.0;

/// The greatest lead that counts.
const MAX_LEAD: f32 = 8.0;

/// The calibration for one query.
#[derive(Clone, Debug, Default)]
pub struct QueryCalibration {
    /// The sum and the calibrated log-odds of each file of the head, best first.
    points: Vec<[f32; 2]>,
    /// The sum of e^(sum - greatest sum) over the head.
    total: f32,
}

impl QueryCalibration {
    /// Calibrates the sums of the files of a head, which are in their order. The contributions of a file are scaled by
    /// one factor, so they still add up to its sum.
    pub(crate) fn calibrate(
        files: &mut [RankedFile],
        query: &Query,
        profile: &Profile,
        inputs: &[ScoreInputs],
    ) -> QueryCalibration {
        let coefficients = profile.scores.calibration(query.kind, query.is_report);
        let mut points: Vec<[f32; 2]> = Vec::with_capacity(files.len());
        let is_literal = |ranked: &RankedFile| ranked.measured.row.literal > 0;
        let is_foreign = query.terms.len() >= MIN_TERMS_TO_DOUBT
            && known_of(inputs) < LEAST_KNOWN
            && !files.iter().any(is_literal);
        // The values in a message are rarely words of the tree.
        let is_partly_known =
            !query.is_message && !query.is_report && known_of(inputs) < 1.0 && !files.iter().any(is_literal);
        let most = match () {
            () if is_foreign => MAX_OF_FOREIGN,
            () if is_partly_known => MAX_OF_PARTLY_KNOWN,
            () => MAX_LOG_ODDS,
        };
        for (ranked, inputs) in files.iter_mut().zip(inputs) {
            let own = log_odds(&coefficients, inputs);
            ranked.sum = match points.last() {
                None => own.min(most),
                Some([raw, before]) if *raw == ranked.raw => *before,
                Some([_, before]) => own.min(before - LEAST_STEP),
            };
            ranked.factor = scale(&mut ranked.parts, ranked.raw, ranked.sum);
            points.push([ranked.raw, ranked.sum]);
        }
        let total = total_odds(&points.iter().map(|[raw, _]| *raw).collect::<Vec<f32>>());
        QueryCalibration { points, total }
    }

    /// The log-odds of the share e^sum / Σ e^sum of the head, for callers that divide their attention among the files.
    pub fn share_log_odds(&self, sum: f32) -> f32 {
        let Some([greatest, _]) = self.points.first() else { return MAX_SHARE };
        log_odds_of_share((sum - greatest).exp() / self.total)
    }

    /// The calibrated log-odds for a sum: between those of the two files of the head whose sums are nearest.
    pub(crate) fn log_odds(&self, sum: f32) -> f32 {
        let at = self.points.partition_point(|[raw, _]| *raw > sum);
        match (at.checked_sub(1).map(|before| self.points[before]), self.points.get(at).copied()) {
            (Some([raw, odds]), Some([next, next_odds])) => {
                next_odds + (odds - next_odds) * (sum - next) / (raw - next)
            }
            (Some([raw, odds]), None) | (None, Some([raw, odds])) => odds + sum - raw,
            (None, None) => sum,
        }
    }
}

/// The share of the query, weighed by rarity, whose words the tree has; 1 if no file is ranked.
pub(crate) fn known_of(inputs: &[ScoreInputs]) -> f32 {
    inputs.first().map_or(1.0, |inputs| inputs[ScoreInput::Known as usize])
}

/// The log-odds of the inputs under some coefficients.
fn log_odds(coefficients: &Calibration, inputs: &ScoreInputs) -> f32 {
    let weighed = coefficients.weights.iter().zip(inputs).map(|(weight, input)| weight * input);
    coefficients.intercept + weighed.sum::<f32>()
}

/// The inputs of the score of each file of a head. `known` is the share of the query whose words the tree has, and `places`
/// has an entry for each of the first files.
pub(crate) fn score_inputs(
    query: &Query,
    known: f32,
    (files, places): (&[RankedFile], &[Vec<MeasuredPlace>]),
) -> Vec<ScoreInputs> {
    let sums: Vec<f32> = files.iter().map(|ranked| ranked.raw).collect();
    let first = sums.first().copied().unwrap_or_default();
    let lead = sums.get(1).map_or(MAX_LEAD, |second| (first - second).min(MAX_LEAD));
    let total = total_odds(&sums);
    let of_file = |(at, ranked): (usize, &RankedFile)| {
        let mut inputs = [0.0; ScoreInput::COUNT];
        let mut set = |input: ScoreInput, value: f32| inputs[input as usize] = value;
        let best = places.get(at).and_then(|places| places.first());
        let name = best.map_or(0.0, |best| best.values[PlaceSignal::Name as usize][0]);
        let rivals = sums.partition_point(|sum| *sum > ranked.raw - RIVAL).saturating_sub(1);
        set(ScoreInput::Sum, ranked.raw);
        set(ScoreInput::Share, log_odds_of_share((ranked.raw - first).exp() / total));
        set(ScoreInput::Behind, first - ranked.raw);
        set(ScoreInput::Lead, if at == 0 { lead } else { -lead });
        set(ScoreInput::Rivals, (rivals as f32).ln_1p());
        set(ScoreInput::Known, known);
        set(ScoreInput::Coverage, known * ranked.measured.values[Signal::Coverage as usize]);
        set(ScoreInput::PlaceName, known * name);
        set(ScoreInput::PlaceProbability, best.map_or(0.0, |best| best.place.probability));
        set(ScoreInput::Terms, (query.terms.len() as f32).ln_1p());
        set(ScoreInput::Related, ranked.parts[Signal::Related as usize]);
        inputs
    };
    files.iter().enumerate().map(of_file).collect()
}

/// The sum of e^(sum - greatest sum) of files that are in their order.
fn total_odds(sums: &[f32]) -> f32 {
    sums.iter().map(|sum| (sum - sums[0]).exp()).sum()
}

fn log_odds_of_share(share: f32) -> f32 {
    (share / (1.0 - share).max(f32::MIN_POSITIVE)).ln().clamp(-MAX_SHARE * 10.0, MAX_SHARE)
}

/// The share of the query, weighed by rarity, whose words the tree has. A word that the tree lacks is as rare as a word
/// can be. A query whose frames name files of the tree is known.
pub(crate) fn known_share(n_framed: usize, terms: &[TermRarity]) -> f32 {
    if n_framed > 0 {
        return 1.0;
    }
    let (mut known, mut all) = (0.0, f32::MIN_POSITIVE);
    for TermRarity { rarity, is_known } in terms {
        all += rarity;
        known += if *is_known { *rarity } else { 0.0 };
    }
    known / all
}

/// Scales the evidence in `parts` so that all parts add up to `wanted` instead of `raw`. The evidence keeps its signs.
/// If a factor of at least 0.01 does not suffice, the base changes too. Returns the factor.
pub fn scale(parts: &mut Values, raw: f32, wanted: f32) -> f32 {
    let base = parts[Signal::Base as usize];
    let evidence = raw - base;
    let factor = if evidence.abs() > 1e-3 { ((wanted - base) / evidence).max(0.01) } else { 1.0 };
    for signal in Signal::ALL.iter().filter(|signal| **signal != Signal::Base) {
        parts[*signal as usize] *= factor;
    }
    parts[Signal::Base as usize] = wanted - factor * evidence;
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_between_two_files_has_log_odds_between_theirs() {
        let calibration =
            QueryCalibration { points: vec![[4.0, 2.0], [1.0, -1.0], [1.0, -1.0], [0.0, -5.0]], total: 1.0 };
        for (sum, odds) in
            [(5.0, 3.0), (4.0, 2.0), (2.5, 0.5), (1.0, -1.0), (0.5, -3.0), (0.0, -5.0), (-1.0, -6.0)]
        {
            assert!((calibration.log_odds(sum) - odds).abs() < 1e-5, "{sum}: {}", calibration.log_odds(sum));
        }
        assert_eq!(QueryCalibration::default().log_odds(-2.0), -2.0);
    }

    #[test]
    fn scaled_contributions_add_up_and_keep_their_signs() {
        for (base, wanted) in [(-7.0, 2.0), (-7.0, -6.5), (-7.0, -12.0), (-1.0, 3.0)] {
            let mut parts: Values = [0.0; Signal::COUNT];
            parts[Signal::Base as usize] = base;
            (parts[Signal::Lexical as usize], parts[Signal::Test as usize]) = (4.0, -1.5);
            scale(&mut parts, base + 2.5, wanted);
            let sum: f32 = parts.iter().sum();
            assert!((sum - wanted).abs() < 1e-4, "{base} {wanted}: {sum}");
            assert!(parts[Signal::Lexical as usize] > 0.0 && parts[Signal::Test as usize] < 0.0);
        }
    }
}
