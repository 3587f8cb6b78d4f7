//! Reciprocal rank fusion of the lists that the evidence gives, one a kind of evidence, over files.
//!
//! A list is cut at a depth of the profile; the files that tie with the last one are taken as well, so that a cut
//! never depends on the order of documents.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::Context;
use super::evidence::Evidence;
use crate::parallel;

/// The head: the best files of the fused lists, best first. The `few` files that hold the query as written are added; where
/// that was looked for everywhere, all files that hold it are, by number. So are the files that frames of the query name.
pub fn head(evidence: &Evidence, context: &Context<'_>, few: &[u32]) -> Vec<u32> {
    let fusion = context.profile.fusion;
    let n_rows = evidence.sums.len();
    let lists_of = |rows: Range<usize>| lists(evidence, rows, fusion.depth);
    let (mut lists, others) = parallel::join(
        context.corpus.is_large(),
        || lists_of(0..n_rows / 2),
        || lists_of(n_rows / 2..n_rows),
    );
    for (list, other) in lists.iter_mut().zip(others) {
        other.entries.into_iter().for_each(|(score, row)| list.offer(score, row));
    }
    for (file, lines) in &evidence.literal_files {
        if let Ok(row) = evidence.touched.binary_search(file)
            && evidence.sums[row].is_shown
        {
            lists[8].offer(*lines as f32, row as u32);
        }
    }
    // By row; more than 0 for those that are in a list.
    let mut fused = vec![0.0; evidence.touched.len()];
    let mut rows: Vec<u32> = Vec::new();
    for list in lists {
        // Files that tie share the better rank, so their order among themselves does not matter.
        let entries = list.best();
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
    let path = |row: u32| context.corpus.path(evidence.touched[row as usize]);
    let mut entries: Vec<(f32, u32)> = rows.into_iter().map(|row| (fused[row as usize], row)).collect();
    cut_with_ties(&mut entries, fusion.head);
    entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1))));
    entries.truncate(fusion.head);
    let mut head: Vec<u32> = entries.into_iter().map(|(_, row)| evidence.touched[row as usize]).collect();
    if context.everywhere.is_some() {
        head.extend(literal_beside(evidence, &head));
    } else {
        let beside = few.iter().filter(|file| !head.contains(file) && is_shown(evidence, file));
        head.extend(beside.copied().collect::<Vec<u32>>());
    }
    let framed = evidence.framed.iter().map(|(file, _)| *file);
    let named: Vec<u32> = framed.filter(|file| !head.contains(file)).collect();
    head.extend(named);
    head
}

/// What the evidence says of some files, one list a kind of evidence; the last is for what the query as written says.
fn lists(evidence: &Evidence, rows: Range<usize>, depth: usize) -> [List; 9] {
    let mut lists: [List; 9] = std::array::from_fn(|_| List::new(depth));
    for row in rows.filter(|row| evidence.sums[*row].is_shown) {
        for (list, score) in lists.iter_mut().zip(evidence.scores(row)) {
            list.offer(score, row as u32);
        }
    }
    lists
}

/// The files beside those of the head that hold the query as written and have something to show.
fn literal_beside(evidence: &Evidence, head: &[u32]) -> Vec<u32> {
    let known: FxHashSet<u32> = head.iter().copied().collect();
    let files = evidence.literal_files.iter().map(|(file, _)| *file);
    files.filter(|file| !known.contains(file) && is_shown(evidence, file)).collect()
}

/// Whether a file has something to show.
fn is_shown(evidence: &Evidence, file: &u32) -> bool {
    let row = evidence.touched.binary_search(file);
    row.is_ok_and(|row| evidence.sums[row].is_shown)
}

/// The best entries of a list whose scores come in any order. Most are refused at once, because so many better ones
/// have come before.
struct List {
    depth: usize,
    /// Less is not among the best.
    least: f32,
    entries: Vec<(f32, u32)>,
    /// At so many entries the worst are thrown out.
    full: usize,
}

impl List {
    fn new(depth: usize) -> List {
        List { depth, least: f32::MIN_POSITIVE, entries: Vec::new(), full: 2 * depth }
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
        // Where all that is left are ties, it grows instead.
        self.full = self.full.max(2 * self.entries.len());
    }

    /// The best of what was offered, with all that tie with the last of them, best first.
    fn best(mut self) -> Vec<(f32, u32)> {
        self.throw_out();
        self.entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        self.entries
    }
}

/// Keeps the best `depth` entries and those that tie with the last of them, in any order; that one's score, if
/// there are so many.
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
            let mut list = List::new(10);
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
