//! The measures of `spyhop-eval` that the page shows; formulas and sources are in `eval/README.md`.
//!
//! A target counts at the rank of the first hit that answers it. Targets that share that hit count once, with the best
//! of their grades.

use std::collections::BTreeMap;

/// A list as the measures see it.
pub struct JudgedList {
    /// For each hit, the best grade of the targets that it is the first to answer.
    gains: Vec<u32>,
    /// For each target the rank, from 1, of the first hit that answers it.
    first: Vec<Option<usize>>,
    grades: Vec<u32>,
}

impl JudgedList {
    /// A list: `hits` holds the targets that each hit answers, by their place in `grades`.
    pub fn new(hits: &[&[usize]], grades: Vec<u32>) -> JudgedList {
        let mut first = vec![None; grades.len()];
        let mut gains = Vec::with_capacity(hits.len());
        for (rank, answered) in (1..).zip(hits) {
            let mut gain = 0;
            for &target in *answered {
                if first[target].is_none() {
                    first[target] = Some(rank);
                    gain = gain.max(grades[target]);
                }
            }
            gains.push(gain);
        }
        JudgedList { gains, first, grades }
    }

    /// The rank of each target.
    pub fn first(&self) -> &[Option<usize>] {
        &self.first
    }

    /// Normalised discounted cumulative gain of the first `k`.
    pub fn ndcg(&self, k: usize) -> f64 {
        let mut ideal = self.grades.clone();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let best = discounted(&ideal, k);
        if best > 0.0 { discounted(&self.gains, k) / best } else { 0.0 }
    }

    /// One over the rank of the first answer among the first `k`.
    pub fn reciprocal_rank(&self, k: usize) -> f64 {
        self.first_answer(k).map_or(0.0, |at| 1.0 / (at + 1) as f64)
    }

    /// 1 if one of the first `k` answers, else 0.
    pub fn success(&self, k: usize) -> f64 {
        f64::from(u8::from(self.first_answer(k).is_some()))
    }

    fn first_answer(&self, k: usize) -> Option<usize> {
        self.gains.iter().take(k).position(|gain| *gain > 0)
    }
}

fn discounted(gains: &[u32], k: usize) -> f64 {
    (1..).zip(gains.iter().take(k)).map(|(rank, gain)| f64::from(*gain) / f64::from(rank + 1).log2()).sum()
}

/// The mean of the means of groups, so that a large tree counts no more than a small one.
pub fn mean_of_means<G: Ord>(values: impl IntoIterator<Item = (G, f64)>) -> f64 {
    let mut groups: BTreeMap<G, Vec<f64>> = BTreeMap::new();
    for (group, value) in values {
        groups.entry(group).or_default().push(value);
    }
    mean(groups.values().map(|values| mean(values.iter().copied())))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_the_evaluation() {
        let check = |hits: &[&[usize]], grades: &[u32], ndcg: f64, rank: f64| {
            let judged = JudgedList::new(hits, grades.to_vec());
            assert!(
                (judged.ndcg(10) - ndcg).abs() < 1e-12 && (judged.reciprocal_rank(10) - rank).abs() < 1e-12
            );
        };
        let second = 1.0 / 3f64.log2();
        check(&[&[0]], &[1], 1.0, 1.0);
        check(&[&[], &[0]], &[1], second, 0.5);
        check(&[&[], &[]], &[1], 0.0, 0.0);
        check(&[&[0], &[], &[1]], &[1, 1], 1.5 / (1.0 + second), 1.0);
        check(&[&[0, 1]], &[1, 1], 1.0 / (1.0 + second), 1.0);
        assert_eq!(mean_of_means([("a", 1.0), ("a", 0.0), ("b", 1.0)]), 0.75);
    }
}
