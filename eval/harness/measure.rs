//! The quality of a list: the measures of [`spyhop_base::judged`] that the harness records.

use spyhop_base::judged::JudgedList;

/// The measures of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Normalised discounted cumulative gain of the first k.
    pub ndcg: f64,
    /// One over the first rank that answers, 0 when none of the first k does.
    pub reciprocal_rank: f64,
    /// The mean, over the targets, of the precision at their ranks, over the whole list.
    pub average_precision: f64,
    /// The share of targets that the first k answer.
    pub recall: f64,
    /// 1 when the first hit answers, else 0.
    pub success: f64,
    /// Tokens that are read until the first answer.
    pub tokens: f64,
}

/// The measures of a list of places.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaceMeasures {
    /// 1 when the first hit is a place that answers.
    pub place_1: f64,
    /// 1 when one of the first five is.
    pub place_5: f64,
    /// NDCG of the first k.
    pub ndcg: f64,
    /// One over the first rank that answers.
    pub reciprocal_rank: f64,
    /// 1 when the snippet of the first hit shows a line of a place that answers.
    pub shown_1: f64,
    /// 1 when one of the first five snippets does.
    pub shown_5: f64,
    /// 1 when all places are among the first five hits.
    pub all_5: f64,
    /// 1 when all places are among the first ten.
    pub all_10: f64,
}

impl Measures {
    /// All measures. `chars` is how many characters are read of each hit.
    pub fn of(judged: &JudgedList, k: usize, chars: &[usize]) -> Measures {
        Measures {
            ndcg: judged.ndcg(k),
            reciprocal_rank: judged.reciprocal_rank(k),
            average_precision: judged.average_precision(),
            recall: judged.recall(k),
            success: judged.success(1),
            tokens: judged.tokens(k, chars) as f64,
        }
    }
}

/// The value that `share` of the sorted values do not exceed, by the nearest rank; 0 of nothing.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let check = |actual: f64, expected: f64| {
            assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}")
        };
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        check(percentile(&values, 0.5), 5.0);
        check(percentile(&values, 0.9), 9.0);
        check(percentile(&values, 0.99), 10.0);
        check(percentile(&values[..1], 0.5), 1.0);
        check(percentile(&[], 0.5), 0.0);
    }
}
