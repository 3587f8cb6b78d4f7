//! Which segments are merged: pure arithmetic over their sizes.
//!
//! Work is counted in live documents, because a merge drops the deleted ones. [`plan`] is for the end of a command: its
//! work is bounded by the documents that the command added, and it is geometric: a segment is included only if it is at
//! most three times as large as the smaller ones that are merged with it. So every rewritten document ends up in a
//! segment that is at least a third larger than its previous one, and no document is rewritten more than some
//! `log_4/3(n)` times. Thirteen segments, each more than three times as large as those before it, would hold 4^12
//! documents, so whenever there are too many segments, some can be merged, as far as the bound allows. [`compaction`]
//! is the work of a separate command and does all merges that are worthwhile.

/// The number of segments above which segments are merged.
pub(super) const MAX_SEGMENTS: usize = 12;

/// The number of documents that every merge may rewrite, however few were added: some tens of milliseconds. Arbitrary.
pub(super) const FREE_DOCS: u64 = 4096;

/// The most times that [`FREE_DOCS`] doubles.
const MAX_DOUBLINGS: u32 = 2;

/// The size of the largest segment that a merge builds, so that no merge takes minutes and no file becomes huge.
pub(super) const MAX_SEGMENT_DOCS: u64 = 1 << 20;

/// The least number of deleted documents for which a segment is rewritten.
const MIN_GARBAGE: u64 = 1024;

/// The number of documents below which a merge is not worth a second thread and an additional segment. In debug builds
/// small merges are halved too, so that tests cover the halving.
const MIN_TO_HALVE: u64 = if cfg!(debug_assertions) { 64 } else { 1 << 16 };

/// The largest ratio of a segment's size to that of all smaller segments together at which it is merged with them.
const GROWTH: u64 = 3;

/// The documents of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub live: u64,
    pub deleted: u64,
}

impl Size {
    /// Whether dropping the deleted documents pays for rewriting the segment.
    fn is_garbage(self) -> bool {
        self.deleted >= MIN_GARBAGE && self.deleted >= self.live
    }
}

/// How many documents a merge after a commit may rewrite: half of the documents that the commit added, but at least as
/// many as can be rewritten in about half a second. That minimum doubles with every two excess segments, up to
/// [`MAX_DOUBLINGS`] times. Segments that are too large for it wait for a larger commit or a compaction.
fn budget(segments: usize, added: u32) -> u64 {
    let excess = segments.saturating_sub(MAX_SEGMENTS) as u32 / 2;
    (FREE_DOCS << excess.min(MAX_DOUBLINGS)).max(u64::from(added) / 2)
}

/// The positions in `sizes` of the segments to merge into one after a commit that added `added` documents.
pub(super) fn plan(sizes: &[Size], added: u32) -> Vec<usize> {
    let budget = budget(sizes.len(), added).min(MAX_SEGMENT_DOCS);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| (sizes[place].live, place));
    let mut taken = order[..smallest(sizes, &order, budget)].to_vec();
    let mut total: u64 = taken.iter().map(|&place| sizes[place].live).sum();
    for &place in &order[taken.len()..] {
        if sizes[place].is_garbage() && total + sizes[place].live <= budget {
            total += sizes[place].live;
            taken.push(place);
        }
    }
    taken
}

/// Splits a large merge into two merges of about equal size; a small one stays one.
pub(super) fn halves(sizes: &[Size], mut segments: Vec<usize>) -> Vec<Vec<usize>> {
    let live = |place: &usize| sizes[*place].live;
    if segments.len() < 4 || segments.iter().map(live).sum::<u64>() < MIN_TO_HALVE {
        return vec![segments];
    }
    segments.sort_by_key(|place| (std::cmp::Reverse(live(place)), *place));
    let mut halves = [(0, Vec::new()), (0, Vec::new())];
    for place in segments {
        let [one, other] = &mut halves;
        let half = if one.0 <= other.0 { one } else { other };
        half.0 += live(&place);
        half.1.push(place);
    }
    match halves {
        [(_, one), (_, other)] if one.len() > 1 && other.len() > 1 => vec![one, other],
        [(_, one), (_, other)] => vec![[one, other].concat()],
    }
}

/// How many of the smallest segments to merge: as few as suffice, and more while that costs next to nothing.
fn smallest(sizes: &[Size], order: &[usize], budget: u64) -> usize {
    if order.len() <= MAX_SEGMENTS {
        return 0;
    }
    let suffices = order.len() - MAX_SEGMENTS + 1;
    let (mut best, mut total) = (0, 0);
    for (before, &place) in order.iter().enumerate() {
        let live = sizes[place].live;
        let is_fit = before > 0 && live <= GROWTH * total;
        total += live;
        if total > budget || (best >= suffices && total > FREE_DOCS) {
            break;
        }
        if is_fit {
            best = before + 1;
        }
    }
    best
}

/// The groups of segments to merge so that no deleted document stays and few segments are left.
pub(super) fn compaction(sizes: &[Size]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| (std::cmp::Reverse(sizes[place].live), place));
    let mut groups: Vec<(u64, Vec<usize>)> = Vec::new();
    for place in order {
        let live = sizes[place].live;
        match groups.iter_mut().find(|(total, _)| total + live <= MAX_SEGMENT_DOCS) {
            Some((total, group)) => {
                *total += live;
                group.push(place);
            }
            None => groups.push((live, vec![place])),
        }
    }
    let is_worth_it = |group: &Vec<usize>| group.len() > 1 || sizes[group[0]].deleted > 0;
    groups.into_iter().map(|(_, group)| group).filter(is_worth_it).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn live(sizes: &[u64]) -> Vec<Size> {
        sizes.iter().map(|&live| Size { live, deleted: 0 }).collect()
    }

    /// Carries out a plan. Returns how many documents that rewrites.
    fn merge(sizes: &mut Vec<Size>, added: u32) -> u64 {
        let taken = plan(sizes, added);
        let total: u64 = taken.iter().map(|&place| sizes[place].live).sum();
        assert!(total <= budget(sizes.len(), added));
        let mut place = 0;
        sizes.retain(|_| {
            place += 1;
            !taken.contains(&(place - 1))
        });
        if total > 0 {
            sizes.push(Size { live: total, deleted: 0 });
        }
        total
    }

    /// Merges after each of many commits. Returns how many documents are rewritten, and the largest number of segments.
    fn run(start: &[u64], commits: u32, added: u32) -> (u64, usize) {
        let mut sizes = live(start);
        let (mut rewritten, mut most) = (0, 0);
        for _ in 0..commits {
            sizes.push(Size { live: added.into(), deleted: 0 });
            rewritten += merge(&mut sizes, added);
            most = most.max(sizes.len());
        }
        (rewritten, most)
    }

    #[test]
    fn a_large_segment_is_not_rewritten_for_a_few_small_ones() {
        let mut sizes = vec![3000];
        sizes.extend([1; 12]);
        assert_eq!(plan(&live(&sizes), 1), (1..13).collect::<Vec<_>>());
    }

    #[test]
    fn a_build_pays_for_no_more_than_it_needs() {
        let taken = plan(&live(&[30_000; 20]), 600_000);
        assert_eq!(taken.len(), 9);
    }

    #[test]
    fn a_segment_of_deleted_documents_is_rewritten_when_it_fits() {
        let sizes = [Size { live: 4000, deleted: 5000 }, Size { live: 5000, deleted: 6000 }];
        assert_eq!(plan(&sizes, 1), [0]);
        assert_eq!(plan(&sizes, 18_000), [0, 1]);
        assert!(plan(&[Size { live: 10, deleted: 20 }], 1).is_empty());
    }

    #[test]
    fn a_hundred_thousand_small_commits_cost_little_each() {
        let (rewritten, most) = run(&[700_000, 30_000], 100_000, 1);
        assert!(most <= 16, "{most} segments");
        // log2(100,000) is 16.6.
        assert!(rewritten < 16 * 100_000, "{rewritten} documents");
    }

    #[test]
    fn no_small_commit_pays_for_what_a_large_build_left() {
        let mut sizes = live(&[40_000; 60]);
        for _ in 0..1000 {
            sizes.push(Size { live: 5, deleted: 0 });
            assert!(merge(&mut sizes, 5) <= FREE_DOCS << MAX_DOUBLINGS);
        }
        assert!(sizes.len() <= 60 + 4, "{} segments", sizes.len());
        sizes.push(Size { live: 1_000_000, deleted: 0 });
        merge(&mut sizes, 1_000_000);
        assert!(sizes.len() <= 60, "{} segments", sizes.len());
    }

    #[test]
    fn compaction_leaves_nothing_deleted_and_no_segment_too_large() {
        let sizes = [
            Size { live: 900_000, deleted: 0 },
            Size { live: 900_000, deleted: 1 },
            Size { live: 100_000, deleted: 7 },
            Size { live: 50_000, deleted: 0 },
        ];
        assert_eq!(compaction(&sizes), [vec![0, 2], vec![1, 3]]);
        assert_eq!(compaction(&live(&[MAX_SEGMENT_DOCS, 1_000_000])), Vec::<Vec<usize>>::new());
    }

    proptest! {
        #[test]
        fn commits_of_any_size_keep_segments_few_and_work_logarithmic(
            added in proptest::collection::vec(prop_oneof![4 => 1u32..20, 1 => 1u32..300], 1..600),
        ) {
            let mut sizes = Vec::new();
            let (mut rewritten, mut total, mut most) = (0, 0u64, 0);
            for added in added {
                sizes.push(Size { live: added.into(), deleted: 0 });
                total += u64::from(added);
                rewritten += merge(&mut sizes, added);
                most = most.max(sizes.len());
            }
            prop_assert!(most <= 20, "{} segments", most);
            let log = (total as f64).ln() / (4.0f64 / 3.0).ln();
            prop_assert!(rewritten as f64 <= total as f64 * (log + 1.0), "{} of {}", rewritten, total);
        }
    }

    #[test]
    fn large_merges_are_halved_and_small_ones_are_not() {
        let halves = |sizes: &[u64]| halves(&live(sizes), (0..sizes.len()).collect());
        assert_eq!(halves(&[9, 9, 9, 9]), [vec![0, 1, 2, 3]]);
        assert_eq!(halves(&[90_000, 20_000, 20_000]), [vec![0, 1, 2]]);
        assert_eq!(halves(&[90_000, 2_000, 3_000, 1_000]), [vec![0, 2, 1, 3]]);
        let size = |group: &Vec<usize>| group.iter().map(|place| [50, 40, 30, 20, 10][*place]).sum::<u64>();
        let two = halves(&[50_000, 40_000, 30_000, 20_000, 10_000]);
        assert_eq!(two.iter().map(size).collect::<Vec<_>>(), [80, 70]);
    }
}
