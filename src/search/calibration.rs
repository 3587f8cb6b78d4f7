//! Calibration: from the sum of a file's contributions to the score that is shown. The score depends on the evidence of
//! the file and on its lead over the other files of the head.
//!
//! Let s be the sum and p = e^s / Σ e^s over the head. The log-odds of the score are `intercept + sum · s + softmax ·
//! ln(p / (1 - p))`. The profile has these coefficients for each kind of query; `spyhop-eval fit-scores` fits them. Calibration does not change the order of files.

use super::measure::Values;
use super::model::{RankedFile, probability};
use crate::profile::{Calibration, Profile, Signal};
use crate::query::Query;

/// The maximum of ln(p / (1 - p)): a file without competition is not certain.
const MAX_LOG_ODDS: f32 = 6.0;

/// The minimum of ln(p / (1 - p)).
const MIN_LOG_ODDS: f32 = -60.0;

/// A query with fewer terms is never doubted: if every file contains its terms, the evidence does not separate the
/// files.
pub const MIN_TERMS_TO_DOUBT: usize = 3;

/// The greatest log-odds of a file if no file has the evidence of an answer: a lead over weaker files, or the lack of other
/// files, does not make an answer. The score is .59 then.
const MAX_IN_DOUBT: f32 = 0.36;

/// The calibration for one query.
#[derive(Clone, Copy, Debug)]
pub struct QueryCalibration {
    coefficients: Calibration,
    /// The greatest sum of the head.
    greatest: f32,
    /// The sum of e^s / e^greatest.
    total: f32,
    /// The evidence below which the files do not answer; `None` for a query that is never doubted.
    doubt: Option<f32>,
}

impl QueryCalibration {
    /// The calibration for the files of a head.
    pub fn of(files: &[RankedFile], query: &Query, profile: &Profile) -> QueryCalibration {
        let greatest = files.iter().map(|ranked| ranked.raw).fold(f32::NEG_INFINITY, f32::max);
        let total = files.iter().map(|ranked| (ranked.raw - greatest).exp()).sum();
        QueryCalibration {
            coefficients: profile.scores.calibration(query.kind, query.is_report),
            greatest,
            total,
            doubt: (query.terms.len() >= MIN_TERMS_TO_DOUBT).then_some(profile.scores.doubt),
        }
    }

    /// The calibrated log-odds of a file of the head, or of a further place in such a file.
    pub(crate) fn log_odds(&self, sum: f32) -> f32 {
        self.calibrated(sum, self.softmax_log_odds(sum))
    }

    /// The uncalibrated ln(p / (1 - p)) of a file of the head.
    pub fn softmax_log_odds(&self, sum: f32) -> f32 {
        log_odds_of_share((sum - self.greatest).exp() / self.total)
    }

    /// The calibrated log-odds of a file outside the head.
    pub(crate) fn log_odds_beyond(&self, sum: f32) -> f32 {
        if self.total == 0.0 {
            return self.calibrated(sum, MAX_LOG_ODDS);
        }
        let share = (sum - self.greatest).exp();
        self.calibrated(sum, log_odds_of_share(share / (self.total + share)))
    }

    fn calibrated(&self, sum: f32, odds: f32) -> f32 {
        let Calibration { intercept, sum: sum_weight, softmax } = self.coefficients;
        intercept + sum_weight * sum + softmax * odds
    }

    /// Calibrates the sums of the files. The contributions of a file are scaled by one factor, so they still add up to
    /// its sum.
    pub(crate) fn calibrate(&self, files: &mut [RankedFile]) {
        let is_doubted = self.doubt.is_some_and(|least| {
            files
                .iter()
                .all(|ranked| ranked.measured.row.literal == 0 && probability(ranked.own_sum()) < least)
        });
        let mut before = if is_doubted { MAX_IN_DOUBT } else { f32::INFINITY };
        for ranked in files {
            let wanted = self.log_odds(ranked.raw).min(before);
            ranked.factor = scale(&mut ranked.parts, ranked.raw, wanted);
            ranked.sum = ranked.parts.iter().sum::<f32>().min(before);
            before = ranked.sum;
        }
    }
}

fn log_odds_of_share(share: f32) -> f32 {
    (share / (1.0 - share).max(f32::MIN_POSITIVE)).ln().clamp(MIN_LOG_ODDS, MAX_LOG_ODDS)
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
