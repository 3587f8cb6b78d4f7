//! The results of the threads of a walk, and how they become one sorted list.
//!
//! Sorting every path of a tree costs a good part of the time to find them. Instead, a directory's few names are sorted
//! where they are listed, and the directories' blocks are then concatenated in the order of the tree. That is the order
//! of the paths as text, if a directory's name is compared with its `/`.

use super::walked::{Candidate, Walked};
use spyhop_base::model::Skipped;

/// The results of one thread.
#[derive(Default)]
pub(super) struct Tally {
    pub blocks: Vec<DirectoryCandidates>,
    pub skipped: Vec<Skipped>,
}

/// The candidates of one directory, by path, and the positions of its subdirectories among them.
pub(super) struct DirectoryCandidates {
    number: usize,
    pub files: Vec<Candidate>,
    /// How many of the files come before a directory, and the directory's number.
    dirs: Vec<(usize, usize)>,
}

impl DirectoryCandidates {
    /// An empty block of the directory `number`, with capacity for `room` candidates.
    pub(super) fn of(number: usize, room: usize) -> DirectoryCandidates {
        DirectoryCandidates { number, files: Vec::with_capacity(room), dirs: Vec::new() }
    }

    /// Records that the directory `number` comes next.
    pub(super) fn enter(&mut self, number: usize) {
        self.dirs.push((self.files.len(), number));
    }
}

/// Merges the results for directories that have no common root, and sorts them by path.
pub(super) fn heap(parts: impl Iterator<Item = Tally>) -> Walked {
    let mut walked = Walked::default();
    for mut part in parts {
        walked.skipped.append(&mut part.skipped);
        walked.candidates.extend(part.blocks.into_iter().flat_map(|block| block.files));
    }
    walked.candidates.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walked.skipped.sort_unstable();
    walked
}

/// Merges all results, sorted by path. The directory with number 0 is the root.
pub(super) fn sum(parts: impl Iterator<Item = Tally>) -> Walked {
    let mut walked = Walked::default();
    let mut blocks: Vec<Option<DirectoryCandidates>> = Vec::new();
    for mut part in parts {
        walked.skipped.append(&mut part.skipped);
        for block in part.blocks {
            let number = block.number;
            if blocks.len() <= number {
                blocks.resize_with(number + 1, || None);
            }
            blocks[number] = Some(block);
        }
    }
    walked.skipped.sort_unstable();
    walked.candidates.reserve(blocks.iter().flatten().map(|block| block.files.len()).sum());
    // No recursion: a tree can be deeper than the stack.
    let mut way = Vec::new();
    let mut next = Some(0);
    loop {
        // A directory that has gone since it was listed has no block.
        if let Some(block) = next.take().and_then(|number: usize| blocks.get_mut(number)?.take()) {
            way.push((0, block.files.into_iter(), block.dirs.into_iter()));
        }
        let Some((done, files, dirs)) = way.last_mut() else { return walked };
        match dirs.next() {
            Some((before, number)) => {
                walked.candidates.extend(files.by_ref().take(before - *done));
                *done = before;
                next = Some(number);
            }
            None => {
                walked.candidates.extend(files);
                way.pop();
            }
        }
    }
}
