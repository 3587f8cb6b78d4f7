//! Reciprocal rank fusion of the lists that the evidence gives, one a kind of evidence, over files.
//!
//! A list is cut at a depth of the profile; the files that tie with the last one are taken as well, so that a cut
//! never depends on the order of documents.

use super::Context;
use super::evidence::{Evidence, FileEvidence};

/// The lists that are fused: what each ranks by. Zero means that a file is not in the list.
const LISTS: &[fn(&FileEvidence) -> f32] = &[
    |file| file.body,
    |file| file.chunks[0],
    |file| file.chunks.iter().sum(),
    |file| file.symbol,
    |file| file.name,
    |file| file.path,
    |file| file.comment,
    |file| file.defines.count_ones() as f32,
    |file| file.literal as f32,
];

/// The head: the best files of the fused lists, best first.
pub fn head(evidence: &Evidence, context: &Context<'_>) -> Vec<u32> {
    let fusion = context.profile.fusion;
    let shown: Vec<u32> = evidence
        .touched
        .iter()
        .copied()
        .filter(|file| evidence.files[*file as usize].best().is_some())
        .collect();
    let mut fused = vec![0.0f32; evidence.files.len()];
    let by_path = |a: &u32, b: &u32| context.corpus.path(*a).cmp(context.corpus.path(*b));
    for list in LISTS {
        let mut entries: Vec<(f32, u32)> = shown
            .iter()
            .map(|file| (list(&evidence.files[*file as usize]), *file))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        cut_with_ties(&mut entries, fusion.depth);
        // Files that tie share the better rank, so their order among themselves does not matter.
        entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut rank = 0;
        for (place, (score, file)) in entries.iter().enumerate() {
            if place == 0 || entries[place - 1].0 != *score {
                rank = place + 1;
            }
            fused[*file as usize] += 1.0 / (fusion.k + rank as f32);
        }
    }
    let mut entries: Vec<(f32, u32)> = shown
        .into_iter()
        .map(|file| (fused[file as usize], file))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    cut_with_ties(&mut entries, fusion.head);
    entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| by_path(&a.1, &b.1)));
    entries.truncate(fusion.head);
    entries.into_iter().map(|(_, file)| file).collect()
}

/// Keeps the best `depth` entries and those that tie with the last of them, in any order.
fn cut_with_ties(entries: &mut Vec<(f32, u32)>, depth: usize) {
    if entries.len() <= depth {
        return;
    }
    let (_, last, _) = entries.select_nth_unstable_by(depth - 1, |a, b| b.0.total_cmp(&a.0));
    let least = last.0;
    entries.retain(|(score, _)| *score >= least);
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
}
