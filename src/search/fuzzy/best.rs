//! The best of many matches, found by several threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spyhop_base::cores::{cores, spread};

/// The number of paths that a thread takes at a time.
pub(super) const BLOCK: u32 = 8192;

/// A matching path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPath<'p> {
    pub file: u32,
    pub path: &'p str,
    pub part: MatchedPart,
    /// Whether the letters of the pattern are so scattered that the match is probably a coincidence: over a path in runs of
    /// fewer than two letters on average, or with a score below that of consecutive letters without bonuses.
    pub is_scattered: bool,
    key: u64,
}

/// The part of a path with the best match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedPart {
    Name,
    /// The whole path.
    Path,
}

impl<'p> FoundPath<'p> {
    pub(super) fn new(
        file: u32,
        path: &'p str,
        place: NamedPlace,
        (score, part, is_scattered): (u32, MatchedPart, bool),
    ) -> FoundPath<'p> {
        FoundPath { file, path, part, is_scattered, key: key(place, score, path.len()) }
    }

    /// The match of two words.
    pub(super) fn with(self, other: &FoundPath<'p>) -> FoundPath<'p> {
        let flags = (self.key | other.key) & FLAGS;
        let score = (self.key & SCORE) + (other.key & SCORE);
        let is_name = self.part == MatchedPart::Name && other.part == MatchedPart::Name;
        FoundPath {
            part: if is_name { MatchedPart::Name } else { MatchedPart::Path },
            is_scattered: self.is_scattered || other.is_scattered,
            key: flags | score.min(SCORE) | u64::from(u32::MAX - self.path.len() as u32),
            ..self
        }
    }

    pub(super) fn key(&self) -> u64 {
        self.key
    }
}

/// The parts of a path that the pattern names, apart from its letters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NamedPlace {
    pub is_name: bool,
    pub is_folder: bool,
}

/// The bits of a key for [`NamedPlace`] and for the score.
const FLAGS: u64 = 3 << 62;
const SCORE: u64 = ((1 << 30) - 1) << 32;

/// The sort key of a path; a greater key is better. Equal keys are ordered by path.
pub(super) fn key(place: NamedPlace, score: u32, len: usize) -> u64 {
    let flags = u64::from(place.is_name) << 63 | u64::from(place.is_folder) << 62;
    flags | u64::from(score) << 32 | u64::from(u32::MAX - len as u32)
}

impl Ord for FoundPath<'_> {
    /// A better match is less.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key).then_with(|| self.path.cmp(other.path))
    }
}

impl PartialOrd for FoundPath<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best `keep` of the added matches. A better match is less.
pub(super) struct Best<T> {
    keep: usize,
    /// The worst match is on top.
    heap: BinaryHeap<T>,
}

impl<T: Ord> Best<T> {
    /// Keeps up to `keep` matches.
    pub fn new(keep: usize) -> Best<T> {
        Best { keep, heap: BinaryHeap::new() }
    }

    /// The worst kept match, if `keep` matches are kept.
    pub fn worst(&self) -> Option<&T> {
        self.heap.peek().filter(|_| self.heap.len() == self.keep)
    }

    /// Keeps a match if it is among the best.
    pub fn add(&mut self, found: T) {
        if self.heap.len() < self.keep {
            self.heap.push(found);
        } else if let Some(mut worst) = self.heap.peek_mut().filter(|worst| found < **worst) {
            *worst = found;
        }
    }

    /// The best `keep` of several threads, best first.
    pub fn merged(keep: usize, parts: impl IntoIterator<Item = Best<T>>) -> Vec<T> {
        let mut all: Vec<T> = parts.into_iter().flat_map(|part| part.heap).collect();
        all.sort_unstable();
        all.truncate(keep);
        all
    }
}

impl Best<FoundPath<'_>> {
    /// The key that a path needs to be kept.
    pub(super) fn least(&self) -> u64 {
        if self.keep == 0 { u64::MAX } else { self.worst().map_or(0, FoundPath::key) }
    }
}

/// The first `keep` of `n` paths in their order, and the number of paths. `path` returns the path with a number, or
/// `None` if the file is filtered out.
pub fn listed<'p>(
    n: u32,
    keep: usize,
    path: impl Fn(u32) -> Option<&'p str> + Sync,
) -> (Vec<FoundPath<'p>>, usize) {
    let parts = in_blocks(n, BLOCK, |next| {
        let (mut best, mut total) = (Best::new(keep), 0);
        while let Some(block) = next() {
            for (file, path) in block.filter_map(|file| Some((file, path(file)?))) {
                total += 1;
                best.add(FoundPath { file, path, part: MatchedPart::Path, is_scattered: false, key: 0 });
            }
        }
        (best, total)
    });
    let total = parts.iter().map(|(_, total)| total).sum();
    (Best::merged(keep, parts.into_iter().map(|(best, _)| best)), total)
}

/// Runs `work` on several threads. Each call takes blocks of `block` numbers of `0..n` from the function in its
/// argument, until that function returns `None`.
pub(super) fn in_blocks<R: Send>(
    n: u32,
    block: u32,
    work: impl Fn(&dyn Fn() -> Option<Range<u32>>) -> R + Sync,
) -> Vec<R> {
    let blocks = n.div_ceil(block);
    let taken = AtomicU32::new(0);
    let next = || {
        let at = taken.fetch_add(1, Relaxed);
        (at < blocks).then(|| at * block..n.min((at + 1).saturating_mul(block)))
    };
    let work = || work(&next);
    // Starting a thread costs about as much as a few blocks.
    let threads = cores().min(blocks as usize / 2).min(16);
    spread(threads, work)
}
