//! The memory budget of an update, and how its threads share the budget.
//!
//! Memory that grows with the work is bounded in two places: the segments that the workers fill, which are flushed at a
//! given size, and the files that are being read and parsed, which wait at a [`MemoryGate`] if they are large. Memory that
//! grows with the tree (its paths, stat data and outlines) is set aside beforehand. None of this changes what is stored
//! for a file, only in which segment the file lies, and no answer depends on that.
//!
//! Memory is estimated and not measured: an application that embeds this crate uses memory too, and the same
//! update is to be split the same way everywhere.

use std::sync::{Condvar, Mutex, PoisonError};

const MIB: u64 = 1 << 20;

/// The smallest budget that an update accepts: below it, a single file of the default size limit would not fit.
pub const MIN_MEMORY: u64 = 64 * MIB;

/// The default budget of an update, without the memory that grows with the tree.
pub const DEFAULT_MEMORY: u64 = 200 * MIB;

/// Source bytes above which the default budget grows by a third of the excess, up to [`MAX_MORE`]: larger segments are
/// fewer, and need fewer merges.
const LARGE_SOURCE: u64 = 200 * MIB;
const MAX_MORE: u64 = 256 * MIB;

/// The program itself: grammars, dictionaries, buffers, and memory that the allocator retains.
const PROGRAM: u64 = 20 * MIB;

/// The memory for a file of the tree: its path and stat data as walked, planned and recorded, and its names in the
/// outlines, and its uses of names. On average these take some 300 bytes, and they are written when no segment is filled.
const PER_FILE: u64 = 780;

/// The memory of a thread besides its segment and its file: buffers and cached terms.
const PER_THREAD: u64 = 5 * MIB;

/// The additional memory of a segment, in eighths of its size, while it is sorted and written.
const WHILE_WRITTEN: u64 = 4;

/// The size from which filling a segment further is not worthwhile: it makes fewer segments and a higher peak.
const MAX_A_SEGMENT: u64 = 96 * MIB;

/// The smallest size of a segment. An empty segment counts for some 12 MiB: a first page of each arena, and the term
/// table.
const MIN_A_SEGMENT: u64 = 16 * MIB;

/// The memory for each byte of a file that is parsed: its text, its tree, symbols and terms.
const PER_PARSED_BYTE: u64 = 36;

/// The memory for each byte of a file of which only the words are indexed.
const PER_WORDS_BYTE: u64 = 6;

/// The memory for each byte of a file whose definitions are found by line rules: its text three times, tokens and brackets.
const PER_RULE_BYTE: u64 = 12;

/// The largest file that does not wait at the gate: its memory is part of the thread's.
const SMALL_FILE: u64 = 64 << 10;

/// How the memory of an update is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    pub threads: usize,
    /// The size at which a worker flushes its segment.
    pub segment: usize,
    /// The memory for all large files that are being parsed.
    pub files: u64,
}

impl Shares {
    /// Divides `max_memory` bytes, or the default, for a tree of `n_files` of which `bytes` are to be read, among at
    /// most `threads` threads.
    pub fn of(max_memory: Option<u64>, n_files: usize, bytes: u64, threads: usize) -> Shares {
        let more = (bytes.saturating_sub(LARGE_SOURCE) / 3).min(MAX_MORE);
        let max_memory = max_memory.unwrap_or(DEFAULT_MEMORY + more + PER_FILE * n_files as u64);
        let aside = PROGRAM + PER_FILE * n_files as u64;
        let left = max_memory.saturating_sub(aside);
        let least = PER_THREAD + MIN_A_SEGMENT * (8 + WHILE_WRITTEN) / 8;
        // Two thirds are for segments. If each segment reaches its largest useful size, the rest is for files.
        let of_segments = left / 3 * 2;
        let threads = (of_segments / least).clamp(1, threads as u64);
        let each = (of_segments / threads).saturating_sub(PER_THREAD) * 8 / (8 + WHILE_WRITTEN);
        let segment = each.clamp(MIN_A_SEGMENT, MAX_A_SEGMENT);
        let taken = threads * (PER_THREAD + segment * (8 + WHILE_WRITTEN) / 8);
        Shares { threads: threads as usize, segment: segment as usize, files: left.saturating_sub(taken) }
    }
}

/// The memory for reading and parsing a file.
pub(crate) fn of_parsed(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_PARSED_BYTE)
}

/// The memory for the words of a file.
pub(crate) fn of_words(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_WORDS_BYTE)
}

/// The memory for the words and the definitions of a file that line rules read.
pub(crate) fn of_rules(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_RULE_BYTE)
}

/// Whether a file of this many bytes waits at the gate.
pub fn is_large(bytes: u64) -> bool {
    bytes > SMALL_FILE
}

/// A gate where large files wait until there is memory for them.
pub(crate) struct MemoryGate {
    most: u64,
    taken: Mutex<u64>,
    left: Condvar,
}

/// Memory that is granted to a file. Dropping the permit returns the memory.
pub(crate) struct MemoryPermit<'g> {
    gate: &'g MemoryGate,
    bytes: u64,
}

impl MemoryGate {
    /// A gate that grants at most `most` bytes at a time.
    pub fn new(most: u64) -> MemoryGate {
        MemoryGate { most, taken: Mutex::new(0), left: Condvar::new() }
    }

    /// The most bytes that the gate grants at a time.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Waits until `bytes` are available. If no permit is out, the request is granted whatever its size, because
    /// otherwise it could never be.
    pub fn enter(&self, bytes: u64) -> MemoryPermit<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut u64| *taken > 0 && taken.saturating_add(bytes) > self.most;
        let mut taken = self.left.wait_while(taken, is_full).unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(bytes);
        MemoryPermit { gate: self, bytes }
    }
}

impl Drop for MemoryPermit<'_> {
    fn drop(&mut self) {
        let mut taken = self.gate.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        self.gate.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn shares_never_exceed_the_whole() {
        for max_memory in [MIN_MEMORY, 96 * MIB, 128 * MIB, DEFAULT_MEMORY, 1 << 30, u64::MAX / 64] {
            for n_files in [0, 1_000, 20_000] {
                for threads in [1, 2, 8, 64] {
                    let shares = Shares::of(Some(max_memory), n_files, 1 << 34, threads);
                    let Shares { threads: taken, segment, files } = shares;
                    assert!((1..=threads).contains(&taken), "{shares:?}");
                    let segments = taken as u64 * (PER_THREAD + segment as u64 * (8 + WHILE_WRITTEN) / 8);
                    let total = PROGRAM + PER_FILE * n_files as u64 + segments + files;
                    assert!(total <= max_memory, "{max_memory} of {n_files} files: {shares:?}");
                }
            }
        }
        // By default a tree may be of any size.
        let segment = |n_files, bytes| {
            let usual = Shares::of(None, n_files, bytes, 2);
            assert_eq!(usual.threads, 2, "{usual:?}");
            usual.segment as u64 / MIB
        };
        assert_eq!([segment(20_000, 0), segment(5_000_000, LARGE_SOURCE)], [36, 36]);
        assert_eq!([segment(80_000, 600 * MIB), segment(5_000_000, 1 << 40)], [66, 93]);
    }

    #[test]
    fn files_wait_until_there_is_room() {
        let gate = MemoryGate::new(10);
        let (inside, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [3, 4, 5, 6, 7, 10] {
                let (gate, inside, most) = (&gate, &inside, &most);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let room = gate.enter(bytes);
                        let now = inside.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(bytes, Ordering::SeqCst);
                        drop(room);
                    }
                });
            }
        });
        assert!((7..=10).contains(&most.into_inner()));
    }

    #[test]
    fn a_file_larger_than_the_whole_budget_goes_alone() {
        let gate = MemoryGate::new(10);
        drop(gate.enter(1_000));
        let room = gate.enter(1);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(gate.enter(u64::MAX)));
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!waiting.is_finished());
            drop(room);
        });
    }
}
