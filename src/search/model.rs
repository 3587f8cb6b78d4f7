//! The explainable model: measures in their forms times weights, by named signal; their sum, and the score that is
//! shown.
//!
//! s = the sum of the contributions in log-odds, the base among them; the score is p = 1 / (1 + e^-s). Shares: the
//! base has what p would be without evidence; what lies between that and p is shared out in proportion to the other
//! contributions, so a share has its contribution's sign and all shares add up to p.

use super::corpus::Corpus;
use super::measure::{Measured, Values};
use crate::profile::{Profile, QueryKind, Signal, Transform};

/// By signal and form: what the weights are multiplied with.
pub type Forms = [[f32; Transform::ALL.len()]; Signal::COUNT];

/// A file of the head, scored.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// Which file.
    pub file: u32,
    /// The sum of its weighed measures, in log-odds: what it is ordered by.
    pub raw: f32,
    /// The sum of its contributions, in log-odds: what its score is made of.
    pub sum: f32,
    /// What each signal contributes, in log-odds.
    pub parts: Values,
    /// What it is made from.
    pub measured: Measured,
}

/// The measures of the head's files in all forms, in the order of `measured`.
pub fn forms(measured: &[Measured]) -> Vec<Forms> {
    forms_of(measured, |_| true)
}

/// The measures in all forms; shares and ranks only of the signals that are `wanted`.
fn forms_of(measured: &[Measured], wanted: impl Fn(usize) -> bool) -> Vec<Forms> {
    let mut forms = vec![[[0.0; Transform::ALL.len()]; Signal::COUNT]; measured.len()];
    for (of_file, measured) in forms.iter_mut().zip(measured) {
        for (of_signal, value) in of_file.iter_mut().zip(measured.values) {
            of_signal[Transform::Value as usize] = value;
        }
    }
    let mut order: Vec<(f32, usize)> = Vec::new();
    for signal in (0..Signal::COUNT).filter(|signal| wanted(*signal)) {
        order.clear();
        let values = measured.iter().map(|measured| measured.values[signal]).enumerate();
        order.extend(values.filter(|(_, value)| *value > 0.0).map(|(file, value)| (value, file)));
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let Some((greatest, _)) = order.first().copied() else { continue };
        let mut rank = 0;
        for (place, (value, file)) in order.iter().enumerate() {
            // Files that tie share the better rank.
            if place > 0 && order[place - 1].0 != *value {
                rank = place;
            }
            forms[*file][signal][Transform::Share as usize] = value / greatest;
            forms[*file][signal][Transform::Rank as usize] = 10.0 / (10.0 + rank as f32);
        }
    }
    forms
}

/// Weighs the measures; best first, equal ones by path.
pub fn weigh(measured: &[Measured], kind: QueryKind, profile: &Profile, corpus: &Corpus) -> Vec<RankedFile> {
    let weights = profile.weights(kind);
    let is_compared = |signal: usize| {
        [Transform::Share, Transform::Rank].iter().any(|form| weights[signal][*form as usize] != 0.0)
    };
    let forms = forms_of(measured, is_compared);
    let weighed = |forms: &Forms| {
        let mut parts = [0.0; Signal::COUNT];
        for ((part, forms), weights) in parts.iter_mut().zip(forms).zip(weights) {
            *part = forms.iter().zip(weights).map(|(form, weight)| form * weight).sum();
        }
        parts
    };
    let parts: Vec<Values> = forms.iter().map(weighed).collect();
    let mut order: Vec<(f32, usize)> =
        parts.iter().enumerate().map(|(place, parts)| (parts.iter().sum(), place)).collect();
    let path = |place: usize| corpus.path(measured[place].file);
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1))));
    let ranked = |(sum, place): (f32, usize)| {
        let measured = measured[place].clone();
        RankedFile { file: measured.file, raw: sum, sum, parts: parts[place], measured }
    };
    order.into_iter().map(ranked).collect()
}

/// The probability of log-odds.
pub fn probability(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// What each part adds to the score, in the order of the signals.
pub fn shares(parts: &Values) -> Values {
    let base = parts[Signal::Base as usize];
    let evidence = parts.iter().sum::<f32>() - base;
    // The slope between the two points; where they meet, the curve's own.
    let slope = if evidence.abs() > 1e-4 {
        (probability(base + evidence) - probability(base)) / evidence
    } else {
        probability(base) * (1.0 - probability(base))
    };
    let mut shares = parts.map(|part| part * slope);
    shares[Signal::Base as usize] = probability(base);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_keep_their_signs() {
        for values in [&[1.0, 2.0, -0.5][..], &[-3.0, 0.2], &[0.5, -0.5], &[], &[9.0]] {
            let mut parts = [0.0; Signal::COUNT];
            parts[Signal::Base as usize] = -2.0;
            parts[1..=values.len()].copy_from_slice(values);
            let score = probability(parts.iter().sum());
            let shares = shares(&parts);
            let total: f32 = shares.iter().sum();
            assert!((total - score).abs() < 1e-5, "{values:?}: {total} is not {score}");
            assert!((1..=values.len()).all(|part| shares[part] * parts[part] > 0.0));
            assert!((0.0..=1.0).contains(&score));
        }
    }
}
