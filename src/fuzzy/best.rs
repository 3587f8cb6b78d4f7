//! The best of many paths, found by several threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::cores::{cores, spread};

/// A thread takes this many paths at once.
pub(super) const BLOCK: u32 = 8192;

/// A path that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'p> {
    /// Its number.
    pub file: u32,
    /// The path.
    pub path: &'p str,
    /// Where it matches best.
    pub part: Part,
    key: u64,
}

/// Where a path matches best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In the file's name.
    Name,
    /// In the whole path.
    Path,
}

impl<'p> Found<'p> {
    pub(super) fn new(file: u32, path: &'p str, is_it: bool, score: u32, part: Part) -> Found<'p> {
        Found { file, path, part, key: key(is_it, score, path.len()) }
    }

    pub(super) fn key(&self) -> u64 {
        self.key
    }
}

/// What orders paths, but for those that it finds equal: the greater the better.
pub(super) fn key(is_it: bool, score: u32, len: usize) -> u64 {
    u64::from(is_it) << 63 | u64::from(score) << 32 | u64::from(u32::MAX - len as u32)
}

impl Ord for Found<'_> {
    /// The better, the less.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key).then_with(|| self.path.cmp(other.path))
    }
}

impl PartialOrd for Found<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best `keep` of the matches that were added. A better match is less.
pub(super) struct Best<T> {
    keep: usize,
    /// The worst of them on top.
    heap: BinaryHeap<T>,
}

impl<T: Ord> Best<T> {
    /// Keeps up to `keep` matches.
    pub fn new(keep: usize) -> Best<T> {
        Best { keep, heap: BinaryHeap::new() }
    }

    /// The worst match that is kept, once `keep` of them are.
    pub fn worst(&self) -> Option<&T> {
        self.heap.peek().filter(|_| self.heap.len() == self.keep)
    }

    /// Takes a match if it is among the best.
    pub fn add(&mut self, found: T) {
        if self.heap.len() < self.keep {
            self.heap.push(found);
        } else if let Some(mut worst) = self.heap.peek_mut().filter(|worst| found < **worst) {
            *worst = found;
        }
    }

    /// The best `keep` of several, best first.
    pub fn merged(keep: usize, parts: impl IntoIterator<Item = Best<T>>) -> Vec<T> {
        let mut all: Vec<T> = parts.into_iter().flat_map(|part| part.heap).collect();
        all.sort_unstable();
        all.truncate(keep);
        all
    }
}

impl Best<Found<'_>> {
    /// The key that a path must reach to be taken.
    pub(super) fn least(&self) -> u64 {
        if self.keep == 0 { u64::MAX } else { self.worst().map_or(0, Found::key) }
    }
}

/// The first `keep` of `n` paths in their order, and how many there are. `path` gives each by its number, `None` for one
/// that does not count.
pub fn listed<'p>(
    n: u32,
    keep: usize,
    path: impl Fn(u32) -> Option<&'p str> + Sync,
) -> (Vec<Found<'p>>, usize) {
    let parts = in_blocks(n, BLOCK, |next| {
        let (mut best, mut total) = (Best::new(keep), 0);
        while let Some(block) = next() {
            for (file, path) in block.filter_map(|file| Some((file, path(file)?))) {
                total += 1;
                best.add(Found { file, path, part: Part::Path, key: 0 });
            }
        }
        (best, total)
    });
    let total = parts.iter().map(|(_, total)| total).sum();
    (Best::merged(keep, parts.into_iter().map(|(best, _)| best)), total)
}

/// Has several threads do `work`, which takes blocks of `0..n`, each of `block` numbers, by the function that it is given
/// until there are none.
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
    // A thread costs as much as a few blocks.
    let threads = cores().min(blocks as usize / 2).min(16);
    spread(threads, work)
}
