//! Measures of ranked lists, as functions of which targets each hit answers: for the evaluation harness and the page.
//!
//! A target counts at the rank of the first hit that answers it. Targets that share that hit count once for everything
//! that looks at ranks, with the best of their grades, because a reader gets one result; recall counts each of them,
//! because the reader has them all. Formulas and sources are in `eval/README.md`.

use std::collections::BTreeMap;

/// A list as the measures see it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedList {
    /// For each hit, in order of rank, what it gives: the best grade of the targets that it is the first to answer.
    gains: Vec<u32>,
    /// For each target the rank, from 1, of the first hit that answers it.
    first: Vec<Option<usize>>,
    /// The grade of each target.
    grades: Vec<u32>,
}

impl JudgedList {
    /// A list: `hits` holds the targets that each hit answers, by their place in `grades`.
    pub fn new(hits: &[&[usize]], grades: &[u32]) -> JudgedList {
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
        JudgedList { gains, first, grades: grades.to_vec() }
    }

    /// The rank, from 1, of the first hit that answers each target.
    pub fn first(&self) -> &[Option<usize>] {
        &self.first
    }

    /// Whether a hit is the first to answer several targets.
    pub fn shares(&self) -> bool {
        let answered = self.first.iter().flatten().count();
        answered > self.gains.iter().filter(|gain| **gain > 0).count()
    }

    /// Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002), the gain of a hit being its grade.
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

    /// The sum of the precisions at the ranks that answer, over the number of targets.
    pub fn average_precision(&self) -> f64 {
        let answers = (0..self.gains.len()).filter(|at| self.gains[*at] > 0);
        let sum: f64 = (1..).zip(answers).map(|(found, at)| f64::from(found) / (at + 1) as f64).sum();
        sum / self.grades.len().max(1) as f64
    }

    /// The share of targets that are answered by one of the first `k`.
    pub fn recall(&self, k: usize) -> f64 {
        let answered = self.first.iter().flatten().filter(|rank| **rank <= k).count();
        answered as f64 / self.grades.len().max(1) as f64
    }

    /// Whether one of the first `k` answers.
    pub fn success(&self, k: usize) -> f64 {
        f64::from(u8::from(self.first_answer(k).is_some()))
    }

    /// 1 when every target is among the first `k`, else 0.
    pub fn all_within(&self, k: usize) -> f64 {
        f64::from(u8::from(self.first.iter().all(|rank| rank.is_some_and(|rank| rank <= k))))
    }

    /// Tokens of the hits up to the first answer, it included; of all first `k` where none of them answers.
    pub fn tokens(&self, k: usize, chars: &[usize]) -> usize {
        let read = self.first_answer(k).map_or(k, |at| at + 1);
        chars.iter().take(read).map(|chars| chars.div_ceil(4)).sum()
    }

    /// Where the first answer among the first `k` stands, from 0.
    fn first_answer(&self, k: usize) -> Option<usize> {
        self.gains.iter().take(k).position(|gain| *gain > 0)
    }
}

fn discounted(gains: &[u32], k: usize) -> f64 {
    (1..).zip(gains.iter().take(k)).map(|(rank, gain)| f64::from(*gain) / f64::from(rank + 1).log2()).sum()
}

/// The arithmetic mean; 0 of nothing.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The mean over groups of the means over their values.
pub fn mean_of_means<G: Ord>(values: impl IntoIterator<Item = (G, f64)>) -> f64 {
    let mut groups: BTreeMap<G, Vec<f64>> = BTreeMap::new();
    for (group, value) in values {
        groups.entry(group).or_default().push(value);
    }
    mean(groups.into_values().map(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hits` spells the targets of each hit as digits, `.` for none.
    fn judged(hits: &str, grades: &[u32]) -> JudgedList {
        let hits: Vec<Vec<usize>> = hits
            .split_whitespace()
            .map(|hit| hit.chars().filter_map(|sign| sign.to_digit(10)).map(|digit| digit as usize).collect())
            .collect();
        let hits: Vec<&[usize]> = hits.iter().map(Vec::as_slice).collect();
        JudgedList::new(&hits, grades)
    }

    fn check(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
    }

    #[test]
    fn ndcg_counts_each_target_at_its_first_hit() {
        let second = 1.0 / 3f64.log2();
        check(judged("0", &[1]).ndcg(10), 1.0);
        check(judged(". 0", &[1]).ndcg(10), second);
        check(judged("0 0 0", &[1]).ndcg(10), 1.0);
        check(judged(". . .", &[1]).ndcg(10), 0.0);
        check(judged("0 . 1", &[1, 1]).ndcg(10), 1.5 / (1.0 + second));
        check(judged("0 . 1", &[1, 1]).ndcg(2), 1.0 / (1.0 + second));
    }

    #[test]
    fn two_targets_of_one_hit_count_once_and_the_ideal_counts_both() {
        check(judged("01", &[1, 1]).ndcg(10), 1.0 / (1.0 + 1.0 / 3f64.log2()));
        check(judged("01", &[1, 1]).recall(10), 1.0);
        check(judged("01", &[1, 1]).average_precision(), 0.5);
        assert!(judged("01", &[1, 1]).shares() && !judged("0 01", &[1, 1]).shares());
    }

    #[test]
    fn the_ideal_is_k_hits_at_most() {
        check(judged("0 1", &[1; 5]).ndcg(2), 1.0);
    }

    #[test]
    fn grades_are_gains_and_the_best_of_a_hit_counts() {
        let second = 1.0 / 3f64.log2();
        check(judged("0 1", &[1, 3]).ndcg(10), (1.0 + 3.0 * second) / (3.0 + second));
        check(judged("01", &[1, 3]).ndcg(10), 3.0 / (3.0 + second));
    }

    #[test]
    fn ranks_and_shares() {
        let list = judged(". 0 . 1 2", &[1, 1, 1, 1]);
        check(list.reciprocal_rank(10), 0.5);
        check(list.reciprocal_rank(1), 0.0);
        check(list.average_precision(), (1.0 / 2.0 + 2.0 / 4.0 + 3.0 / 5.0) / 4.0);
        check(list.recall(4), 0.5);
        check(list.recall(10), 0.75);
        check(list.success(1), 0.0);
        check(judged("0", &[1]).success(1), 1.0);
        assert_eq!(list.first(), [Some(2), Some(4), Some(5), None]);
    }

    #[test]
    fn tokens_are_read_up_to_the_first_answer() {
        let chars = [4, 5, 400, 1];
        assert_eq!(judged("0 . . .", &[1]).tokens(3, &chars), 1);
        assert_eq!(judged(". 0 . .", &[1]).tokens(3, &chars), 1 + 2);
        assert_eq!(judged(". . . 0", &[1]).tokens(3, &chars), 1 + 2 + 100);
        assert_eq!(judged("", &[1]).tokens(3, &[]), 0);
    }

    #[test]
    fn means() {
        check(mean([1.0, 2.0, 6.0]), 3.0);
        check(mean([]), 0.0);
        check(mean_of_means([("a", 1.0), ("a", 0.0), ("b", 1.0)]), 0.75);
    }
}
