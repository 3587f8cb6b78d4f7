//! From the sum of a file's contributions to the score that is shown: how probable an answer is, by its evidence and by
//! how far it stands before the other files of the head.
//!
//! With s the sum and p = e^s / Σ e^s over the head, the log-odds of the score are
//! `base + scale · s + standing · ln(p / (1 - p))`, with a line of the profile for each shape of query. `spyhop-eval
//! fit-scores` learns the lines. The order of files stays.

use super::measure::Values;
use super::model::RankedFile;
use crate::profile::{Profile, ScoreLine, Signal};
use crate::query::Query;

/// The log-odds of a share of the head are at most this: a file that stands alone is not certain.
const MOST: f32 = 6.0;

/// And at least this.
const LEAST: f32 = -60.0;

/// How the sums of one query become scores.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    line: ScoreLine,
    /// The greatest sum.
    greatest: f32,
    /// The sum of e^s / e^greatest.
    total: f32,
}

impl Standing {
    /// Of the files of a head.
    pub fn of(files: &[RankedFile], query: &Query, profile: &Profile) -> Standing {
        let greatest = files.iter().map(|ranked| ranked.raw).fold(f32::NEG_INFINITY, f32::max);
        let total = files.iter().map(|ranked| (ranked.raw - greatest).exp()).sum();
        Standing { line: profile.scores.line(query.kind, query.is_report), greatest, total }
    }

    /// The log-odds that are shown of a file of the head, or of a further place of one.
    pub fn log_odds(&self, sum: f32) -> f32 {
        self.calibrated(sum, self.of_head(sum))
    }

    /// The log-odds of the share of a file of the head.
    pub fn of_head(&self, sum: f32) -> f32 {
        log_odds_of_share((sum - self.greatest).exp() / self.total)
    }

    /// The log-odds that are shown of a file that is not in the head.
    pub fn log_odds_beyond(&self, sum: f32) -> f32 {
        if self.total == 0.0 {
            return self.calibrated(sum, MOST);
        }
        let own = (sum - self.greatest).exp();
        self.calibrated(sum, log_odds_of_share(own / (self.total + own)))
    }

    fn calibrated(&self, sum: f32, odds: f32) -> f32 {
        let ScoreLine { base, scale, standing } = self.line;
        base + scale * sum + standing * odds
    }

    /// Gives the files of the head their shown sums. What each signal contributes is scaled alike, so that contributions
    /// still add up to the sum.
    pub fn calibrate(&self, files: &mut [RankedFile]) {
        let mut before = f32::INFINITY;
        for ranked in files {
            let wanted = self.log_odds(ranked.raw).min(before);
            scale(&mut ranked.parts, ranked.raw, wanted);
            ranked.sum = ranked.parts.iter().sum::<f32>().min(before);
            before = ranked.sum;
        }
    }
}

fn log_odds_of_share(share: f32) -> f32 {
    (share / (1.0 - share).max(f32::MIN_POSITIVE)).ln().clamp(LEAST, MOST)
}

/// Scales the evidence in `parts`, which add up to `raw`, so that they add up to `wanted`; its signs stay. Where the sum
/// that is wanted is beyond the base, the base gives way.
pub fn scale(parts: &mut Values, raw: f32, wanted: f32) {
    let base = parts[Signal::Base as usize];
    let evidence = raw - base;
    let factor = if evidence.abs() > 1e-3 { ((wanted - base) / evidence).max(0.01) } else { 1.0 };
    for signal in Signal::ALL.iter().filter(|signal| **signal != Signal::Base) {
        parts[*signal as usize] *= factor;
    }
    parts[Signal::Base as usize] = wanted - factor * evidence;
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
