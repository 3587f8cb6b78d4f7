//! Everything that is learned from: each query with the head of its list, and what its files measure.

use std::collections::BTreeSet;
use std::sync::Arc;

use spyhop::{Feature, Profile, QueryKind, RankedCandidates};

use super::feature::weighed_alone;
use super::model::Lesson;
use super::names::{self, DEFINITIONS};
use crate::corpus::Places;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::record::{HitRow, QueryRow, TreeRow};
use crate::run::{query_row, request, tree_row};
use crate::sets::{Query, Set};

/// Pairs have one of so many first files that answer,
const BETTER: usize = 10;

/// and one that does not, of so many first files: those that are hard to tell apart.
const HARD: usize = 30;

/// A query with its head.
pub struct Question {
    /// The query; without hits.
    pub row: QueryRow,
    /// What is held out together: trees of one repository are alike.
    pub repository: String,
    /// Its shape: which weights apply.
    pub shape: QueryKind,
    /// The files of the head, in the order of the start.
    pub files: Vec<HitRow>,
    /// What each feature measures, a row a file.
    pub rows: Vec<f32>,
    /// What signals that are weighed and not learned add, by file.
    pub kept: Vec<f64>,
    /// What can be learned from it; nothing where no file of the head answers, or every one that is looked at.
    pub lesson: Option<Lesson>,
}

/// All queries.
pub struct Gathered {
    /// The trees that were there.
    pub trees: Vec<TreeRow>,
    /// Their queries.
    pub questions: Vec<Question>,
    /// Trees that were not there, as `set/folder`.
    pub missing: Vec<String>,
}

/// Questions about names that trees define, beside those of the sets.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// How many of each repository.
    pub of_a_tree: usize,
    /// What chooses them.
    pub seed: u64,
}

/// The repository of a tree, whatever its revision.
pub fn repository(tree: &str) -> &str {
    tree.split('@').next().unwrap_or(tree)
}

/// Asks everything.
pub fn gathered(
    sets: &[Set],
    places: &Places,
    start: &Arc<Profile>,
    features: &[Feature],
    names: Names,
) -> Result<Gathered, Failure> {
    let own = Set { name: DEFINITIONS.to_string(), trees: Vec::new() };
    let mut known = BTreeSet::new();
    let bar = Bar::new(sets.iter().flat_map(|set| &set.trees).map(|tree| tree.queries.len()).sum());
    let mut gathered = Gathered { trees: Vec::new(), questions: Vec::new(), missing: Vec::new() };
    for set in sets {
        for tree in &set.trees {
            bar.at(&tree.folder);
            let Some(opened) = places.open(&set.name, tree)? else {
                bar.say(&format!("left out, not there: {}", tree.folder));
                gathered.missing.push(format!("{}/{}", set.name, tree.folder));
                bar.advance(tree.queries.len());
                continue;
            };
            gathered.trees.push(tree_row(set, tree, &opened));
            for query in &tree.queries {
                let candidates = opened.engine.candidates(&request(&query.text, 1, start))?;
                let row = query_row(set, tree, query, Vec::new());
                gathered.questions.push(Question::new(row, query, &candidates, features, start));
                bar.advance(1);
            }
            if known.insert(repository(&tree.name)) {
                for query in names::questions(&opened.engine, names.of_a_tree, names.seed)? {
                    let candidates = opened.engine.candidates(&request(&query.text, 1, start))?;
                    let row = query_row(&own, tree, &query, Vec::new());
                    gathered.questions.push(Question::new(row, &query, &candidates, features, start));
                }
            }
        }
    }
    Ok(gathered)
}

impl Question {
    fn new(
        row: QueryRow,
        query: &Query,
        candidates: &RankedCandidates,
        features: &[Feature],
        start: &Profile,
    ) -> Question {
        let files: Vec<HitRow> = candidates
            .files
            .iter()
            .map(|file| HitRow::place(query, file.path.as_str(), file.lines, logistic(f64::from(file.sum))))
            .collect();
        let rows: Vec<f32> = candidates
            .files
            .iter()
            .flat_map(|file| features.iter().map(|feature| file.measure(*feature)))
            .collect();
        let kept = candidates.files.iter().map(|file| {
            let parts =
                weighed_alone().map(|feature| start.weight(candidates.kind, feature) * file.measure(feature));
            f64::from(parts.sum::<f32>())
        });
        let kept = kept.collect();
        let answers: Vec<bool> =
            files.iter().map(|file| query.targets.iter().any(|target| target.names(&file.path))).collect();
        let repository = repository(&row.tree).to_string();
        let lesson = lesson(candidates.kind, &answers, &rows, features.len());
        Question { row, repository, shape: candidates.kind, files, rows, kept, lesson }
    }

    /// The list in some order, each file with the score that is shown.
    pub fn listed(&self, order: impl IntoIterator<Item = (usize, f32)>, depth: usize) -> QueryRow {
        let files = order.into_iter().take(depth);
        let hits = files.map(|(at, score)| HitRow { score, ..self.files[at].clone() }).collect();
        QueryRow { hits, ..self.row.clone() }
    }
}

/// What a sum of contributions is as a probability.
pub fn logistic(sum: f64) -> f32 {
    (1.0 / (1.0 + (-sum).exp())) as f32
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

    /// `answers` has a `+` for each file that answers; the rows of the lesson are their places.
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
