//! The probability that a task needs a file, and the number of files that are worth their tokens.

use super::weights as w;

/// The evidence that a task needs a file.
#[derive(Clone, Debug, Default)]
pub struct NeedEvidence {
    /// The rank, from 0, and the score in the search for the whole task.
    pub task: Option<(usize, f32)>,
    /// The best rank and score in a search for one of several goals.
    pub goal: Option<(usize, f32)>,
    /// The share of the first files, by their weight, that import the file.
    pub imported: f32,
    /// The share of the first files, by their weight, that the file imports.
    pub importing: f32,
    /// The share of the first files, by their weight, whose best units the file uses or has the callees of.
    pub called: f32,
    /// The likeness of the file's name to that of a first file, 0 to 1, times the share of that file.
    pub name: f32,
    /// Whether the task does not ask for this kind of file, such as a test.
    pub is_aside: bool,
    /// Whether the task or a start point names the file.
    pub is_named: bool,
    /// How near the file is to a start point that it uses, 0 to 1.
    pub near: f32,
}

impl NeedEvidence {
    /// The estimated probability that the task needs the file, 0 to 1.
    pub fn probability(&self) -> f32 {
        let of_search = |found: Option<(usize, f32)>| {
            let (rank, score) = found.map_or((w::NO_RANK, w::NO_SCORE), |(rank, score)| {
                let score = score.clamp(1e-4, 0.999);
                (rank as f32, (score / (1.0 - score)).ln().max(w::NO_SCORE))
            });
            w::SCORE * score + w::RANK / (w::HALF_RANK + rank)
        };
        let goal = self.goal.map_or(f32::MIN, |found| of_search(Some(found)) - w::GOAL);
        let sum = w::BASE
            + of_search(self.task).max(goal)
            + w::IMPORTED * self.imported
            + w::IMPORTING * self.importing
            + w::CALLED * self.called
            + w::NAME * self.name
            - if self.is_aside { w::ASIDE } else { 0.0 }
            + w::NAMED * if self.is_named { 1.0 } else { self.near };
        1.0 / (1.0 + (-sum).exp())
    }
}

/// A file with its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeighedFile {
    /// The index of the file among those that were weighed.
    pub at: usize,
    /// The probability that the task needs the file.
    pub probability: f32,
}

/// The files by their probability, best first. `key` breaks ties.
pub fn order<K: Ord>(
    evidence: impl Iterator<Item = NeedEvidence>,
    key: impl Fn(usize) -> K,
) -> Vec<WeighedFile> {
    let weigh = |(at, need): (usize, NeedEvidence)| WeighedFile { at, probability: need.probability() };
    let mut files: Vec<WeighedFile> = evidence.enumerate().map(weigh).collect();
    files.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| key(a.at).cmp(&key(b.at))));
    files
}

/// How much a few right files count against many files of which some are right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The weight of precision against recall.
    pub precision: f32,
}

/// The number of files, given their probabilities in order, at which expected recall and weighted precision are best.
/// `all` is the expected number of needed files.
pub fn cut(probabilities: &[f32], all: f32, spread: Spread) -> usize {
    let (mut sum, mut best, mut at) = (0.0, f32::MIN, 0);
    for (n_files, probability) in (1_u16..).zip(probabilities) {
        sum += probability;
        let value = sum / all.max(1.0) + spread.precision * sum / f32::from(n_files);
        if value > best {
            (best, at) = (value, usize::from(n_files));
        }
    }
    at
}

/// The tokens up to which a unit counts as small.
const SMALL_UNIT: usize = 200;

/// How much a place is worth its tokens: its share of the best score in the file, less for a large unit.
pub fn worth(score: f32, best: f32, tokens: usize) -> f32 {
    score / best.max(f32::MIN_POSITIVE) * SMALL_UNIT as f32 / tokens.max(SMALL_UNIT) as f32
}

/// Whether a file belongs to the core of the pack: it is nearly as probable as the first file.
pub fn is_core(probability: f32, first: f32) -> bool {
    probability >= 0.5 * first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_raises_and_lowers_the_probability() {
        let found = NeedEvidence { task: Some((3, 0.4)), ..NeedEvidence::default() };
        let more = |change: fn(&mut NeedEvidence)| {
            let mut changed = found.clone();
            change(&mut changed);
            changed.probability() - found.probability()
        };
        assert!(more(|evidence| evidence.task = Some((0, 0.4))) > 0.0);
        assert!(more(|evidence| evidence.imported = 0.3) > 0.0);
        assert!(more(|evidence| evidence.importing = 0.3) > 0.0);
        assert!(more(|evidence| evidence.called = 0.3) > 0.0);
        assert!(more(|evidence| evidence.name = 0.5) > 0.0);
        assert!(more(|evidence| evidence.is_named = true) > 0.0);
        assert!(more(|evidence| evidence.near = 0.5) > 0.0);
        assert!(more(|evidence| evidence.is_aside = true) < 0.0);
        assert!(more(|evidence| evidence.goal = Some((0, 0.99))) > 0.0);
        assert_eq!(more(|evidence| evidence.goal = Some((40, 0.01))), 0.0);
    }

    #[test]
    fn a_clear_head_ends_the_list_and_a_flat_one_does_not() {
        let clear: Vec<f32> = [0.9, 0.9, 0.9].into_iter().chain(std::iter::repeat_n(0.02, 30)).collect();
        let flat = vec![0.08; 33];
        let spread = Spread { precision: 0.5 };
        assert_eq!(cut(&clear, 4.0, spread), 3);
        assert_eq!(cut(&flat, 4.0, spread), 33);
        assert_eq!(cut(&clear, 4.0, Spread { precision: 0.0 }), 33);
        assert_eq!(cut(&[], 4.0, spread), 0);
    }

    #[test]
    fn a_large_unit_is_worth_less_than_a_small_one_that_is_nearly_as_good() {
        assert!(worth(0.5, 0.5, 2_000) < worth(0.2, 0.5, 150));
        assert!(worth(0.5, 0.5, 180) > worth(0.4, 0.5, 20));
    }

    #[test]
    fn equal_probabilities_are_ordered_by_key() {
        let files = order((0..3).map(|_| NeedEvidence::default()), std::cmp::Reverse);
        assert_eq!(files.iter().map(|file| file.at).collect::<Vec<_>>(), [2, 1, 0]);
    }
}
