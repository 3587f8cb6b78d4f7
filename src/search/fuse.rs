//! Reciprocal rank fusion of lists of files, one list for each kind of evidence.
//!
//! Each list is truncated at a depth of the profile and keeps all ties of its last entry, so the result does not depend
//! on the order of documents.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::context::Context;
use super::evidence::{Evidence, FusedList};
use crate::profile::Fusion;
use spyhop_base::parallel;

/// The head: the best files of the fused lists, best first. Then follow files that contain the query as written: the
/// files `literal`, or after an exact search all such files, by number. Then follow the files that frames of the query
/// name.
pub fn head(evidence: &Evidence, context: &Context<'_>, literal: &[u32]) -> Vec<u32> {
    head_of(offers(evidence, context), evidence, context, literal)
}

/// The head of these lists.
pub(crate) fn head_of(
    lists: Vec<Vec<(f32, u32)>>,
    evidence: &Evidence,
    context: &Context<'_>,
    literal: &[u32],
) -> Vec<u32> {
    // Equal paths of several indexes are in the order of their rows.
    let path = |row: u32| context.snapshot.path(evidence.matching[row as usize]);
    let best = fused(lists, evidence.matching.len(), context.profile.fusion, path);
    let mut head: Vec<u32> = best.into_iter().map(|row| evidence.matching[row as usize]).collect();
    if context.exhaustive.is_some() {
        head.extend(literal_beside(evidence, &head));
    } else {
        let beside = literal.iter().filter(|file| !head.contains(file) && is_shown(evidence, file));
        head.extend(beside.copied().collect::<Vec<u32>>());
    }
    let framed = evidence.framed.iter().map(|(file, _)| *file);
    let named: Vec<u32> = framed.filter(|file| !head.contains(file)).collect();
    head.extend(named);
    head
}

/// The best rows of each list with their scores, and all ties of the last one.
pub(crate) fn offers(evidence: &Evidence, context: &Context<'_>) -> Vec<Vec<(f32, u32)>> {
    let fusion = context.profile.fusion;
    let n_rows = evidence.sums.len();
    let lists_of = |rows: Range<usize>| lists(evidence, rows, fusion.depth);
    let (mut lists, others) = parallel::join(
        context.snapshot.is_large(),
        || lists_of(0..n_rows / 2),
        || lists_of(n_rows / 2..n_rows),
    );
    for (list, other) in lists.iter_mut().zip(others) {
        other.entries.into_iter().for_each(|(score, row)| list.offer(score, row));
    }
    for (file, lines) in &evidence.literal_files {
        if let Ok(row) = evidence.matching.binary_search(file)
            && evidence.sums[row].is_shown
        {
            lists[FusedList::Literal as usize].offer(*lines as f32, row as u32);
        }
    }
    lists.into_iter().map(TopList::best).collect()
}

/// The best rows of the fused lists, whose entries are sorted by score, best first. Ties are in the order of paths, then of
/// rows. Rows are below `n_rows`.
pub(crate) fn fused<'p>(
    lists: Vec<Vec<(f32, u32)>>,
    n_rows: usize,
    fusion: Fusion,
    path: impl Fn(u32) -> &'p str,
) -> Vec<u32> {
    // By row; more than 0 if the file is in a list.
    let mut fused = vec![0.0; n_rows];
    let mut rows: Vec<u32> = Vec::new();
    for entries in lists {
        // Ties share the better rank, so their order within the list does not matter.
        let mut rank = 0;
        for (place, (score, row)) in entries.iter().enumerate() {
            if place == 0 || entries[place - 1].0 != *score {
                rank = place + 1;
            }
            let sum = &mut fused[*row as usize];
            if *sum == 0.0 {
                rows.push(*row);
            }
            *sum += 1.0 / (fusion.k + rank as f32);
        }
    }
    let mut entries: Vec<(f32, u32)> = rows.into_iter().map(|row| (fused[row as usize], row)).collect();
    cut_with_ties(&mut entries, fusion.head);
    entries.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1))).then_with(|| a.1.cmp(&b.1))
    });
    entries.truncate(fusion.head);
    entries.into_iter().map(|(_, row)| row).collect()
}

/// One list of the entries of several, best first, with all ties of the last one.
pub(crate) fn joined(lists: impl Iterator<Item = (f32, u32)>, depth: usize) -> Vec<(f32, u32)> {
    let mut entries: Vec<(f32, u32)> = lists.collect();
    cut_with_ties(&mut entries, depth);
    entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    entries
}

/// The lists for a range of rows, by [`FusedList`]. The list of the literal pass stays empty here.
fn lists(evidence: &Evidence, rows: Range<usize>, depth: usize) -> [TopList; FusedList::ALL.len()] {
    let mut lists = FusedList::ALL.map(|_| TopList::new(depth));
    for (kind, list) in FusedList::ALL.into_iter().zip(&mut lists) {
        evidence.for_each_score(kind, rows.clone(), |score, row| list.offer(score, row));
    }
    lists
}

/// The files outside the head that contain the query as written and have a chunk to show.
fn literal_beside(evidence: &Evidence, head: &[u32]) -> Vec<u32> {
    let known: FxHashSet<u32> = head.iter().copied().collect();
    let files = evidence.literal_files.iter().map(|(file, _)| *file);
    files.filter(|file| !known.contains(file) && is_shown(evidence, file)).collect()
}

/// Whether a file has a chunk to show.
pub(crate) fn is_shown(evidence: &Evidence, file: &u32) -> bool {
    let row = evidence.matching.binary_search(file);
    row.is_ok_and(|row| evidence.sums[row].is_shown)
}

/// The best entries of a list whose scores arrive in any order. Most entries are rejected by the lowest score of the
/// kept ones.
struct TopList {
    depth: usize,
    /// Entries below this score are rejected.
    least: f32,
    entries: Vec<(f32, u32)>,
    /// The number of entries at which the list is truncated.
    full: usize,
}

impl TopList {
    fn new(depth: usize) -> TopList {
        TopList { depth, least: f32::MIN_POSITIVE, entries: Vec::new(), full: 2 * depth }
    }

    #[inline]
    fn offer(&mut self, score: f32, row: u32) {
        if score >= self.least {
            self.take(score, row);
        }
    }

    fn take(&mut self, score: f32, row: u32) {
        self.entries.push((score, row));
        if self.entries.len() >= self.full {
            self.throw_out();
        }
    }

    fn throw_out(&mut self) {
        if let Some(least) = cut_with_ties(&mut self.entries, self.depth) {
            self.least = least;
        }
        // If most entries are ties, the list grows.
        self.full = self.full.max(2 * self.entries.len());
    }

    /// The best entries with all ties of the last one, best first.
    fn best(mut self) -> Vec<(f32, u32)> {
        self.throw_out();
        self.entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        self.entries
    }
}

/// Keeps the best `depth` entries and all ties of the last one, in any order. Returns the score of the last one, or
/// `None` if there are fewer entries.
fn cut_with_ties(entries: &mut Vec<(f32, u32)>, depth: usize) -> Option<f32> {
    if entries.len() < depth {
        return None;
    }
    let (_, last, _) = entries.select_nth_unstable_by(depth - 1, |a, b| b.0.total_cmp(&a.0));
    let least = last.0;
    entries.retain(|(score, _)| *score >= least);
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_its_ties() {
        let mut entries = vec![(1.0, 0), (3.0, 1), (2.0, 2), (2.0, 3), (2.0, 4)];
        cut_with_ties(&mut entries, 2);
        entries.sort_unstable_by_key(|entry| entry.1);
        assert_eq!(entries, [(3.0, 1), (2.0, 2), (2.0, 3), (2.0, 4)]);
    }

    #[test]
    fn a_list_has_what_sorting_all_would_give() {
        for modulus in [1, 3, 17, 1000] {
            let offered = (0..500u32).map(|row| ((row * 7919 % modulus) as f32, row));
            let mut list = TopList::new(10);
            offered.clone().for_each(|(score, row)| list.offer(score, row));
            let mut all: Vec<(f32, u32)> = offered.filter(|(score, _)| *score > 0.0).collect();
            cut_with_ties(&mut all, 10);
            let sorted = |mut entries: Vec<(f32, u32)>| {
                entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                entries
            };
            assert_eq!(sorted(list.best()), sorted(all), "{modulus}");
        }
    }
}
