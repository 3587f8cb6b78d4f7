//! Cross-validation: what weights do for repositories that they were not learned from.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use fastrand::Rng;
use spyhop::Feature;

use super::model::{Lesson, Restraint, Weights, learned};
use super::question::Question;

/// The head of a query under weights that were learned without its repository: the files by their index in the question,
/// best first, with their sums.
pub type Held = Vec<(usize, f64)>;

/// The fold of each repository: shuffled by the seed, then dealt out in turn.
pub fn folds<'q>(
    repositories: impl Iterator<Item = &'q str>,
    n: usize,
    seed: u64,
) -> BTreeMap<&'q str, usize> {
    let repositories: BTreeSet<&str> = repositories.collect();
    let mut repositories: Vec<&str> = repositories.into_iter().collect();
    Rng::with_seed(seed).shuffle(&mut repositories);
    repositories.into_iter().enumerate().map(|(at, repository)| (repository, at % n)).collect()
}

/// The lessons of some questions.
pub fn lessons<'q>(questions: impl Iterator<Item = &'q Question>) -> Vec<&'q Lesson> {
    questions.filter_map(|question| question.lesson.as_ref()).collect()
}

/// Every question under the weights of the folds that it is not in, in order.
pub fn held_out(
    questions: &[Question],
    features: &[Feature],
    restraint: Restraint,
    n: usize,
    seed: u64,
) -> Vec<Held> {
    let folds = folds(questions.iter().map(Question::repository), n, seed);
    let fold = |question: &Question| folds[question.repository()];
    let mut weights: Vec<Option<Weights>> = (0..n).map(|_| None).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = n.div_ceil(threads);
    // A fold is learned on one thread, so how many there are changes nothing.
    thread::scope(|scope| {
        for (begin, weights) in (0..n).step_by(share).zip(weights.chunks_mut(share)) {
            let fold = &fold;
            scope.spawn(move || {
                for (at, weights) in (begin..).zip(weights) {
                    let others = lessons(questions.iter().filter(|question| fold(question) != at));
                    *weights = Some(learned(&others, features, restraint));
                }
            });
        }
    });
    let weights: Vec<Weights> = weights.into_iter().flatten().collect();
    questions.iter().map(|question| ordered(question, &weights[fold(question)])).collect()
}

/// The files of a question by their sums, ties by path.
fn ordered(question: &Question, weights: &Weights) -> Held {
    let rows = question.rows.chunks_exact(weights.scale.len());
    let mut order: Held = rows
        .enumerate()
        .map(|(at, row)| (at, weights.sum(question.shape, row) + question.kept[at]))
        .collect();
    let path = |at: usize| &question.paths[at];
    order.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| path(one.0).cmp(path(other.0))));
    order
}

#[cfg(test)]
mod tests {
    use super::super::question::repository;
    use super::*;

    #[test]
    fn folds_never_split_a_repository() {
        let trees: Vec<String> = (0..40).map(|at| format!("r{}@{at}", at % 13)).collect();
        let folds_of = |seed| folds(trees.iter().map(|tree| repository(tree)), 5, seed);
        let folds = folds_of(1);
        assert_eq!(folds.len(), 13);
        let sizes: Vec<usize> = (0..5)
            .map(|fold| folds.values().filter(|of_repository| **of_repository == fold).count())
            .collect();
        assert_eq!(sizes, [3, 3, 3, 2, 2]);
        assert_eq!(folds, folds_of(1));
        assert_ne!(folds, folds_of(2));
    }
}
