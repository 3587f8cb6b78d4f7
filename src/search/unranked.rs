//! Files outside the head that contain the query as written and have no other evidence.

use super::calibration::{self, QueryCalibration};
use super::measure::Values;
use super::model::{amounts, probability};
use super::reason::{Contribution, OF_FEW, base, literal};
use crate::profile::{Profile, Signal};
use crate::query::Query;

/// The score of such a file.
#[derive(Clone, Debug)]
pub struct UnrankedMatch {
    /// The gain of a file that is moved to the first page, because few files contain the query as written; in log-odds.
    lift: f32,
    /// The sum of its contributions, in log-odds.
    pub sum: f32,
    /// The calibrated score, 0 to 1.
    pub score: f32,
    parts: Values,
}

/// The score of a file that contains the query as written and has no other evidence, relative to the head.
pub fn unranked(query: &Query, profile: &Profile, head: &QueryCalibration) -> UnrankedMatch {
    let weights = profile.weights(query.kind);
    let mut parts: Values = [0.0; Signal::COUNT];
    for signal in [Signal::Base, Signal::Literal] {
        parts[signal as usize] = weights[signal as usize].iter().sum();
    }
    let raw = parts.iter().sum();
    calibration::scale(&mut parts, raw, head.log_odds(raw));
    let sum = parts.iter().sum();
    UnrankedMatch { lift: 0.0, sum, score: probability(sum), parts }
}

impl UnrankedMatch {
    /// The score with `to` as its sum, because few files contain the query as written.
    pub fn lifted(&self, to: f32) -> UnrankedMatch {
        let mut parts = self.parts;
        let lift = to - self.sum;
        parts[Signal::Literal as usize] += lift;
        UnrankedMatch { lift: self.lift + lift, sum: to, score: probability(to), parts }
    }

    /// The contributions to a file with `lines` matching lines, the base last. Their amounts add up to the score.
    pub fn reasons(&self, lines: u32) -> Vec<Contribution> {
        let amounts = amounts(&self.parts);
        let reason = |signal: Signal, text: String| Contribution {
            signal,
            value: self.parts[signal as usize],
            amount: amounts[signal as usize],
            text,
        };
        let end = if self.lift != 0.0 { OF_FEW } else { "" };
        let literal = reason(Signal::Literal, format!("{}: {}{end}", Signal::Literal, literal(lines)));
        let reasons = [literal, reason(Signal::Base, base())];
        reasons.into_iter().filter(|reason| reason.signal == Signal::Base || reason.value != 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amounts_add_up_to_the_score() {
        let query = Query::parse("needle").unwrap();
        let head = QueryCalibration::default();
        let found = unranked(&query, Profile::built_in(), &head);
        let reasons = found.reasons(3);
        let total: f32 = reasons.iter().map(|reason| reason.amount).sum();
        assert!((total - found.score).abs() < 1e-5, "{found:?}");
        assert_eq!(reasons[0].text, "literal: contains the query as written on 3 lines");
        assert!(reasons[0].amount > 0.0);
    }
}
