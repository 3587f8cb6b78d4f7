//! Everything that is learned from: each query with the head of its list, and what its files measure.

use std::collections::BTreeSet;
use std::sync::Arc;

use spyhop::{Feature, Profile, QueryKind, RankedCandidates};
use spyhop_base::judged::JudgedList;

use super::feature::weighed_alone;
use super::model::Lesson;
use super::names::{self, DEFINITIONS};
use crate::failure::Failure;
use crate::run::{call, request};
use crate::select::Selection;
use crate::sets::Query;

/// Pairs have one of this number of first files that answer,
const BETTER: usize = 10;

/// and one of this number of first files that does not: those that are hard to distinguish.
const HARD: usize = 30;

/// A query with its head.
pub struct Question {
    /// The set.
    pub set: String,
    /// The tree.
    pub tree: String,
    /// The kind of the query: which weights apply.
    pub shape: QueryKind,
    /// The files of the head, in the order of the start.
    pub paths: Vec<String>,
    /// The targets that each file answers.
    pub answered: Vec<Vec<usize>>,
    grades: Vec<u32>,
    /// The measures of the features: a row for each file.
    pub rows: Vec<f32>,
    /// By file: the contribution of the signals that are weighed and not learned.
    pub kept: Vec<f64>,
    /// What can be learned from it; nothing where no file of the head answers, or every one that is looked at.
    pub lesson: Option<Lesson>,
}

/// All queries.
pub struct Gathered {
    /// The sets whose trees were there.
    pub sets: Vec<String>,
    /// How many trees were there.
    pub n_trees: usize,
    /// Their queries.
    pub questions: Vec<Question>,
    /// Trees that were not there, as `set/folder`.
    pub missing: Vec<String>,
}

/// The repository of a tree, whatever its revision.
pub fn repository(tree: &str) -> &str {
    tree.split('@').next().unwrap_or(tree)
}

/// Asks everything, and `n_names` questions about names that each repository defines, chosen by the seed.
pub fn gathered(
    selection: &Selection,
    start: &Arc<Profile>,
    features: &[Feature],
    n_names: usize,
    seed: u64,
) -> Result<Gathered, Failure> {
    let mut repositories = BTreeSet::new();
    let mut gathered = Gathered { sets: Vec::new(), n_trees: 0, questions: Vec::new(), missing: Vec::new() };
    gathered.missing = selection.each(&selection.read()?, |set, tree, opened| {
        gathered.n_trees += 1;
        if gathered.sets.last() != Some(&set.name) {
            gathered.sets.push(set.name.clone());
        }
        let mut ask = |set: &str, query: &Query| {
            let candidates = opened.engine.candidates(&request(&query.text, 1, start), &call())?;
            gathered.questions.push(Question::new(set, &tree.name, query, &candidates, features, start));
            Ok::<(), Failure>(())
        };
        tree.queries.iter().try_for_each(|query| ask(&set.name, query))?;
        if repositories.insert(repository(&tree.name).to_string()) {
            let names = names::questions(&opened.engine, n_names, seed)?;
            names.iter().try_for_each(|query| ask(DEFINITIONS, query))?;
        }
        Ok(())
    })?;
    Ok(gathered)
}

impl Question {
    fn new(
        set: &str,
        tree: &str,
        query: &Query,
        candidates: &RankedCandidates,
        features: &[Feature],
        start: &Profile,
    ) -> Question {
        let files = &candidates.files;
        let rows: Vec<f32> =
            files.iter().flat_map(|file| features.iter().map(|feature| file.measure(*feature))).collect();
        let kept = files.iter().map(|file| {
            let parts =
                weighed_alone().map(|feature| start.weight(candidates.kind, feature) * file.measure(feature));
            f64::from(parts.sum::<f32>())
        });
        let is_answer: Vec<bool> = files
            .iter()
            .map(|file| query.targets.iter().any(|target| target.names(file.path.as_str())))
            .collect();
        let answered = files.iter().map(|file| query.answered(file.path.as_str(), file.lines));
        Question {
            set: set.to_string(),
            tree: tree.to_string(),
            shape: candidates.kind,
            paths: files.iter().map(|file| file.path.to_string()).collect(),
            answered: answered.collect(),
            grades: query.targets.iter().map(|target| target.grade).collect(),
            kept: kept.collect(),
            lesson: lesson(candidates.kind, &is_answer, &rows, features.len()),
            rows,
        }
    }

    /// The repository, which is held out as a whole, because its trees are alike.
    pub fn repository(&self) -> &str {
        repository(&self.tree)
    }

    /// The group for averages: the set and the tree.
    pub fn group(&self) -> (&str, &str) {
        (&self.set, &self.tree)
    }

    /// The NDCG of the files in some order.
    pub fn ndcg(&self, order: impl Iterator<Item = usize>, k: usize) -> f64 {
        let hits: Vec<&[usize]> = order.map(|at| self.answered[at].as_slice()).collect();
        JudgedList::new(&hits, &self.grades).ndcg(k)
    }
}

/// The rows of the files that pairs are made of.
fn lesson(shape: QueryKind, answers: &[bool], rows: &[f32], n: usize) -> Option<Lesson> {
    let row = |at: usize| &rows[at * n..][..n];
    let better: Vec<usize> = (0..answers.len()).filter(|at| answers[*at]).take(BETTER).collect();
    let worse: Vec<usize> = (0..answers.len().min(HARD)).filter(|at| !answers[*at]).collect();
    if better.is_empty() || worse.is_empty() {
        return None;
    }
    let rows = better.iter().chain(&worse).flat_map(|at| row(*at)).copied().collect();
    Some(Lesson { shape, better: better.len(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `answers` has a `+` for each file that answers; the rows of the lesson are their indexes.
    fn check(answers: &str, expected: Option<(usize, &[f32])>) {
        let answers: Vec<bool> = answers.chars().map(|sign| sign == '+').collect();
        let rows: Vec<f32> = (0..answers.len()).map(|at| at as f32).collect();
        let lesson = lesson(QueryKind::Names, &answers, &rows, 1);
        assert_eq!(lesson.as_ref().map(|lesson| (lesson.better, lesson.rows.as_slice())), expected);
    }

    #[test]
    fn a_lesson_needs_both_sides() {
        check("-+-", Some((1, &[1.0, 0.0, 2.0])));
        check("--+-+", Some((2, &[2.0, 4.0, 0.0, 1.0, 3.0])));
        check("", None);
        check("---", None);
        check("++", None);
    }

    #[test]
    fn a_lesson_has_ten_answers_and_the_hardest_others() {
        let answers: Vec<bool> = (0..100).map(|at| at % 2 == 1).collect();
        let rows: Vec<f32> = (0..100).map(|at| at as f32).collect();
        let lesson = lesson(QueryKind::Names, &answers, &rows, 1).unwrap();
        assert_eq!((lesson.better, lesson.rows.len()), (10, 10 + 15));
        assert_eq!((lesson.rows[9], lesson.rows[10], lesson.rows[24]), (19.0, 0.0, 28.0));
    }

    #[test]
    fn revisions_are_one_repository() {
        assert_eq!(repository("web@0123456789"), "web");
        assert_eq!(repository("lazy.web"), "lazy.web");
    }
}
