//! The explainable model: a score is the sum of named contributions, and a contribution is the sum of the transforms of
//! one measure times their weights.
//!
//! s is the sum of the contributions in log-odds, with the base; the score is p = 1 / (1 + e^-s). The amount of the base
//! is the score without evidence. The rest of p is divided among the other contributions in proportion to their values.
//! So each of these amounts has the sign of its contribution, and all amounts add up to p.

use serde::{Deserialize, Serialize};

use super::head_files::HeadFiles;
use super::measure::{MeasuredFile, Values};
use crate::profile::{Profile, QueryKind, Signal, Transform};

/// By signal and transform: the measures that the weights multiply.
pub type FeatureMeasures = [[f32; Transform::ALL.len()]; Signal::COUNT];

/// A scored file of the head.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankedFile {
    pub file: u32,
    /// The sum of the weighed measures, in log-odds. Files are ordered by this sum.
    pub raw: f32,
    /// The sum of the contributions after calibration, in log-odds. The score is computed from this sum.
    pub sum: f32,
    /// By signal: its contribution, in log-odds.
    #[serde(with = "super::array")]
    pub parts: Values,
    /// The factor by which calibration changed the contributions.
    pub factor: f32,
    /// The contribution of each signal of the host in log-odds, before calibration. Their sum is that of
    /// [`Signal::Own`].
    pub host_parts: Vec<f32>,
    pub measured: MeasuredFile,
}

impl RankedFile {
    /// Adds the contribution of a signal that is measured after the files were weighed.
    pub(super) fn add(&mut self, signal: Signal, value: f32, weight: f32) {
        self.measured.values[signal as usize] = value;
        self.parts[signal as usize] = weight * value;
        self.raw += weight * value;
        self.sum = self.raw;
    }
}

/// The measures of the files of the head under all transforms, in the order of `measured`.
pub fn feature_measures(measured: &[MeasuredFile]) -> Vec<FeatureMeasures> {
    transformed(measured, |_| true)
}

/// The measures under all transforms; relative values and ranks only for the signals that are `wanted`.
fn transformed(measured: &[MeasuredFile], wanted: impl Fn(usize) -> bool) -> Vec<FeatureMeasures> {
    let mut measures = vec![[[0.0; Transform::ALL.len()]; Signal::COUNT]; measured.len()];
    for (of_file, measured) in measures.iter_mut().zip(measured) {
        for (of_signal, value) in of_file.iter_mut().zip(measured.values) {
            of_signal[Transform::Value as usize] = value;
        }
    }
    let is_compared = |signal: &usize| wanted(*signal) && !Signal::ALL[*signal].has_only_value();
    for signal in (0..Signal::COUNT).filter(is_compared) {
        let column = transformed_column(measured.iter().map(|measured| measured.values[signal]));
        for (of_file, [relative, rank]) in measures.iter_mut().zip(column) {
            of_file[signal][Transform::Relative as usize] = relative;
            of_file[signal][Transform::Rank as usize] = rank;
        }
    }
    measures
}

/// For each value: the value relative to the greatest one, and its rank. Both are 0 for values of at most 0.
pub(super) fn transformed_column(values: impl Iterator<Item = f32> + Clone) -> Vec<[f32; 2]> {
    let mut column = vec![[0.0; 2]; values.clone().count()];
    let mut order: Vec<(f32, usize)> =
        values.enumerate().filter(|(_, value)| *value > 0.0).map(|(file, value)| (value, file)).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let Some((greatest, _)) = order.first().copied() else { return column };
    let mut rank = 0;
    for (place, (value, file)) in order.iter().enumerate() {
        // Ties share the better rank.
        if place > 0 && order[place - 1].0 != *value {
            rank = place;
        }
        column[*file] = [value / greatest, 10.0 / (10.0 + rank as f32)];
    }
    column
}

/// Weighs the measures. The files are returned best first, ties by path.
pub fn weigh(
    measured: &[MeasuredFile],
    kind: QueryKind,
    profile: &Profile,
    table: &dyn HeadFiles,
) -> Vec<RankedFile> {
    let weights = profile.weights(kind);
    let is_compared = |signal: usize| {
        [Transform::Relative, Transform::Rank]
            .iter()
            .any(|transform| weights[signal][*transform as usize] != 0.0)
    };
    let measures = transformed(measured, is_compared);
    let weighed = |measures: &FeatureMeasures| {
        let mut parts = [0.0; Signal::COUNT];
        for ((part, measures), weights) in parts.iter_mut().zip(measures).zip(weights) {
            *part = measures.iter().zip(weights).map(|(measure, weight)| measure * weight).sum();
        }
        parts
    };
    let mut parts: Vec<Values> = measures.iter().map(weighed).collect();
    let mut host_parts = host_parts_of(measured, kind, profile);
    for (parts, host) in parts.iter_mut().zip(&host_parts) {
        parts[Signal::Own as usize] = host.iter().sum();
    }
    let mut order: Vec<(f32, usize)> =
        parts.iter().enumerate().map(|(place, parts)| (parts.iter().sum(), place)).collect();
    let path = |place: usize| table.path(measured[place].file);
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1))));
    let ranked = |(sum, place): (f32, usize)| {
        let (measured, host_parts) = (measured[place].clone(), std::mem::take(&mut host_parts[place]));
        RankedFile {
            file: measured.file,
            raw: sum,
            sum,
            parts: parts[place],
            factor: 1.0,
            host_parts,
            measured,
        }
    };
    order.into_iter().map(ranked).collect()
}

/// For each file: what each signal of the host adds to its sum, in log-odds.
fn host_parts_of(files: &[MeasuredFile], kind: QueryKind, profile: &Profile) -> Vec<Vec<f32>> {
    let mut parts = vec![Vec::new(); files.len()];
    let signals = files.first().map_or(&[][..], |file| &file.host_measures);
    for (place, signal) in signals.iter().enumerate() {
        let weights = profile.own_weights(kind, &signal.name);
        let values = files.iter().map(|file| file.host_measures[place].value.value);
        let measures = values.clone().zip(transformed_column(values));
        for (parts, (value, [relative, rank])) in parts.iter_mut().zip(measures) {
            let measures = [value, relative, rank];
            parts.push(measures.iter().zip(weights).map(|(measure, weight)| measure * weight).sum());
        }
    }
    parts
}

/// The probability for log-odds: the logistic function.
pub fn probability(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// The contribution of a unit of evidence to the score: the slope of the secant, or that of the tangent if the two points coincide.
pub fn slope(parts: &Values) -> f32 {
    let base = parts[Signal::Base as usize];
    let evidence = parts.iter().sum::<f32>() - base;
    if evidence.abs() > 1e-4 {
        (probability(base + evidence) - probability(base)) / evidence
    } else {
        probability(base) * (1.0 - probability(base))
    }
}

/// By signal: what its contribution adds to the score.
pub(crate) fn amounts(parts: &Values) -> Values {
    let (base, slope) = (parts[Signal::Base as usize], slope(parts));
    let mut amounts = parts.map(|part| part * slope);
    amounts[Signal::Base as usize] = probability(base);
    amounts
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
            let amounts = amounts(&parts);
            let total: f32 = amounts.iter().sum();
            assert!((total - score).abs() < 1e-5, "{values:?}: {total} is not {score}");
            assert!((1..=values.len()).all(|part| amounts[part] * parts[part] > 0.0));
            assert!((0.0..=1.0).contains(&score));
        }
    }
}
