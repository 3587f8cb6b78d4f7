//! The regions of a tree that the goals of a task are about. Goals of one region are collected together.
//!
//! Two goals are of one region if the first files that they find are the same, lie in the same folders, define the same
//! symbols or import each other. One region is the primary one, and at most one other is its backup.

use super::decompose::Goal;
use super::planner::Clusterer;
use spyhop_attributes::Name;
use spyhop_base::path;

/// The nearness from which two goals are of one region.
const MIN_NEARNESS: f32 = 0.25;

/// The first results for one goal.
#[derive(Clone, Debug, Default)]
pub struct GoalHead<'p> {
    /// The first files, best first.
    pub files: Vec<HeadFile<'p>>,
}

#[derive(Clone, Debug)]
pub struct HeadFile<'p> {
    pub file: u32,
    pub path: &'p str,
    /// The symbol of the best place.
    pub symbol: Option<&'p str>,
    /// The score of the best place.
    pub weight: f32,
}

/// Why two goals are of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name)]
pub enum MergeReason {
    /// The goals find the same files.
    Files,
    /// The goals find the same symbols.
    Symbols,
    /// Their files import each other.
    Edges,
    /// Their files lie in the same folders.
    Folders,
    /// The semantic clusterer says so.
    Meaning,
}

/// Two goals that were compared.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalPair {
    pub first: usize,
    pub second: usize,
    /// How near their files are, 0 to 1.
    pub nearness: f32,
    /// The strongest evidence.
    pub reason: MergeReason,
    /// Whether the goals are of one region.
    pub is_merged: bool,
}

/// A region: the goals that are about it.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalRegion {
    /// The goals, in their order.
    pub goals: Vec<usize>,
    /// The sum of the weights of its first files.
    pub mass: f32,
}

/// The regions of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoalRegions {
    /// The regions, the primary one first.
    pub all: Vec<GoalRegion>,
    /// The pairs of goals that were compared.
    pub pairs: Vec<GoalPair>,
}

/// Divides goals into regions by their heads. `linked` tells whether one of two files imports the other.
pub fn regions(
    goals: &[Goal],
    heads: &[GoalHead<'_>],
    linked: &dyn Fn(u32, u32) -> bool,
    semantic: Option<&dyn Clusterer>,
) -> GoalRegions {
    let mut region_of: Vec<usize> = (0..heads.len()).collect();
    let mut pairs = Vec::new();
    for second in 1..heads.len() {
        for first in 0..second {
            let judged = semantic.and_then(|semantic| semantic.nearness(&goals[first], &goals[second]));
            let (nearness, reason) = match judged {
                Some(nearness) => (nearness, MergeReason::Meaning),
                None => nearness(&heads[first], &heads[second], linked),
            };
            let is_merged = nearness >= MIN_NEARNESS;
            pairs.push(GoalPair { first, second, nearness, reason, is_merged });
            if is_merged {
                let (from, to) = (region_of[second], region_of[first]);
                region_of.iter_mut().filter(|region| **region == from).for_each(|region| *region = to);
            }
        }
    }
    let mut all: Vec<GoalRegion> = Vec::new();
    for region in 0..heads.len() {
        let goals: Vec<usize> = (0..heads.len()).filter(|goal| region_of[*goal] == region).collect();
        if !goals.is_empty() {
            let mass = goals.iter().map(|goal| mass(&heads[*goal])).sum();
            all.push(GoalRegion { goals, mass });
        }
    }
    all.sort_by(|a, b| b.mass.total_cmp(&a.mass).then_with(|| a.goals.cmp(&b.goals)));
    GoalRegions { all, pairs }
}

fn mass(head: &GoalHead<'_>) -> f32 {
    head.files.iter().map(|file| file.weight).sum()
}

/// The share of the weight of both heads that lies in files with a counterpart in the other head, and the evidence with
/// the largest part of that share. A counterpart in the same folder counts half.
fn nearness(
    first: &GoalHead<'_>,
    second: &GoalHead<'_>,
    linked: &dyn Fn(u32, u32) -> bool,
) -> (f32, MergeReason) {
    let reasons = [MergeReason::Files, MergeReason::Symbols, MergeReason::Edges, MergeReason::Folders];
    let mut shares = [0.0; 4];
    for (goal, others) in [(first, second), (second, first)] {
        for file in &goal.files {
            let kinds = others.files.iter().filter_map(|other| counterpart(file, other, linked));
            if let Some(kind) = kinds.min() {
                shares[kind] += file.weight * if kind == 3 { 0.5 } else { 1.0 };
            }
        }
    }
    let all = (mass(first) + mass(second)).max(f32::MIN_POSITIVE);
    let best = (0..4).max_by(|a, b| shares[*a].total_cmp(&shares[*b]).then_with(|| b.cmp(a))).unwrap_or(0);
    (shares.iter().sum::<f32>() / all, reasons[best])
}

/// The strongest relation of two files, as an index of the reasons.
fn counterpart(
    file: &HeadFile<'_>,
    other: &HeadFile<'_>,
    linked: &dyn Fn(u32, u32) -> bool,
) -> Option<usize> {
    if file.file == other.file {
        return Some(0);
    }
    if file.symbol.is_some() && file.symbol == other.symbol {
        return Some(1);
    }
    if linked(file.file, other.file) {
        return Some(2);
    }
    let (folder, other_folder) = (path::split(file.path).0, path::split(other.path).0);
    (folder == other_folder && !folder.is_empty()).then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(files: &[(u32, &'static str, f32)]) -> GoalHead<'static> {
        let file =
            |&(file, path, weight): &(u32, &'static str, f32)| HeadFile { file, path, symbol: None, weight };
        GoalHead { files: files.iter().map(file).collect() }
    }

    fn found(
        heads: &[GoalHead<'_>],
        linked: &dyn Fn(u32, u32) -> bool,
        semantic: Option<&dyn Clusterer>,
    ) -> GoalRegions {
        regions(&vec![Goal::default(); heads.len()], heads, linked, semantic)
    }

    fn goals(regions: &GoalRegions) -> Vec<Vec<usize>> {
        regions.all.iter().map(|region| region.goals.clone()).collect()
    }

    #[test]
    fn goals_of_the_same_files_are_one_region() {
        let heads = [
            head(&[(1, "a/x.rs", 0.5), (2, "b/y.rs", 0.1)]),
            head(&[(1, "a/x.rs", 0.6)]),
            head(&[(9, "c/z.rs", 0.2)]),
        ];
        let all = found(&heads, &|_, _| false, None);
        assert_eq!(goals(&all), [vec![0, 1], vec![2]]);
        assert_eq!(all.pairs[0].reason, MergeReason::Files);
        assert!(all.pairs[0].is_merged && !all.pairs[1].is_merged);
    }

    #[test]
    fn folders_and_imports_bring_goals_together() {
        let heads = [head(&[(1, "a/x.rs", 0.5)]), head(&[(2, "a/y.rs", 0.5)]), head(&[(3, "b/z.rs", 0.9)])];
        let apart = found(&heads, &|_, _| false, None);
        assert_eq!(goals(&apart), [vec![0, 1], vec![2]]);
        let linked = found(&heads, &|one, other| one.min(other) == 1 && one.max(other) == 3, None);
        assert_eq!(goals(&linked), [vec![0, 1, 2]]);
    }

    #[test]
    fn a_semantic_clusterer_decides_if_there_is_one() {
        struct Never;
        impl Clusterer for Never {
            fn nearness(&self, _: &Goal, _: &Goal) -> Option<f32> {
                Some(0.0)
            }
        }
        let heads = [head(&[(1, "a/x.rs", 0.5)]), head(&[(1, "a/x.rs", 0.5)])];
        assert_eq!(goals(&found(&heads, &|_, _| false, Some(&Never))), [vec![0], vec![1]]);
        assert_eq!(goals(&found(&heads, &|_, _| false, None)), [vec![0, 1]]);
    }
}
