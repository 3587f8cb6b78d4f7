//! What an update may hold in memory, and how its threads share that.
//!
//! What grows with the work is bounded in two places: the segments that threads fill, which are handed over at a size,
//! and the files that are being read and parsed, which wait at a [`Gate`] where they are large. What grows with the
//! tree (its paths, stat data and outlines) is set aside beforehand. None of it changes what is stored for a file,
//! only in which segment it lies, and no answer depends on that.
//!
//! Memory is counted by estimates and not asked of the system: who embeds this crate has memory of
//! their own, and the same update is to be cut alike everywhere.

use std::sync::{Condvar, Mutex, PoisonError};

const MIB: u64 = 1 << 20;

/// The least that an update can be asked to keep to: below it a single file of the default size limit would not fit.
pub const LEAST: u64 = 64 * MIB;

/// What an update keeps to when nobody says otherwise, beside what grows with the tree.
pub const DEFAULT: u64 = 200 * MIB;

/// From so many bytes of source on it takes a third of the rest more, up to [`MOST_MORE`]: larger segments are fewer,
/// and fewer merges are to be made of them.
const LARGE_SOURCE: u64 = 200 * MIB;
const MOST_MORE: u64 = 256 * MIB;

/// The program itself: grammars, dictionaries, buffers, what the allocator keeps for later.
const PROGRAM: u64 = 20 * MIB;

/// A file of the tree: its path and stat data as walked, planned and recorded, its names in the outlines.
const PER_FILE: u64 = 700;

/// What a thread takes beside its segment and its file: buffers, and terms that it remembers.
const PER_THREAD: u64 = 5 * MIB;

/// A segment takes this much more, in eighths, while it is sorted and written.
const WHILE_WRITTEN: u64 = 4;

/// A segment is not worth filling further from here on; more makes fewer segments and a higher peak.
const MOST_A_SEGMENT: u64 = 96 * MIB;

/// One that is empty counts for some 12 MiB: a first page of each arena, and the table of terms.
const LEAST_A_SEGMENT: u64 = 16 * MIB;

/// A file that is parsed takes so many bytes for each of its own: its text, its tree, symbols and terms.
const PER_PARSED_BYTE: u64 = 36;

/// A file of which only the words are wanted takes so many.
const PER_WORDS_BYTE: u64 = 6;

/// Smaller files do not wait: they are set aside with the thread.
const SMALL_FILE: u64 = 64 << 10;

/// How an update's memory is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// How many threads work.
    pub threads: usize,
    /// The size at which a thread hands its segment over.
    pub segment: usize,
    /// What the large files that are being parsed may take together.
    pub files: u64,
}

impl Shares {
    /// The shares of `max_memory` bytes, or of the default, for a tree of `n_files` of which `bytes` are to be read, and
    /// at most so many threads.
    pub fn of(max_memory: Option<u64>, n_files: usize, bytes: u64, threads: usize) -> Shares {
        let more = (bytes.saturating_sub(LARGE_SOURCE) / 3).min(MOST_MORE);
        let max_memory = max_memory.unwrap_or(DEFAULT + more + PER_FILE * n_files as u64);
        let aside = PROGRAM + PER_FILE * n_files as u64;
        let left = max_memory.saturating_sub(aside);
        let least = PER_THREAD + LEAST_A_SEGMENT * (8 + WHILE_WRITTEN) / 8;
        // Two thirds are for segments, and where each has what it is worth, the rest is for files.
        let of_segments = left / 3 * 2;
        let threads = (of_segments / least).clamp(1, threads as u64);
        let each = (of_segments / threads).saturating_sub(PER_THREAD) * 8 / (8 + WHILE_WRITTEN);
        let segment = each.clamp(LEAST_A_SEGMENT, MOST_A_SEGMENT);
        let taken = threads * (PER_THREAD + segment * (8 + WHILE_WRITTEN) / 8);
        Shares { threads: threads as usize, segment: segment as usize, files: left.saturating_sub(taken) }
    }
}

/// What reading a file and parsing it takes.
pub fn of_parsed(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_PARSED_BYTE)
}

/// What the words of a file take.
pub fn of_words(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_WORDS_BYTE)
}

/// Whether a file of so many bytes has to wait.
pub fn is_large(bytes: u64) -> bool {
    bytes > SMALL_FILE
}

/// Where large files wait until there is room for them.
pub struct Gate {
    most: u64,
    taken: Mutex<u64>,
    left: Condvar,
}

/// Room that a file has. It is given back when this is dropped.
pub struct MemoryPermit<'g> {
    gate: &'g Gate,
    bytes: u64,
}

impl Gate {
    /// A gate that lets `most` bytes through at a time.
    pub fn new(most: u64) -> Gate {
        Gate { most, taken: Mutex::new(0), left: Condvar::new() }
    }

    /// How much it lets through at a time.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Waits for room for `bytes`. One that finds nobody inside goes through whatever its size: it can be had in no
    /// other way.
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
        for max_memory in [LEAST, 96 * MIB, 128 * MIB, DEFAULT, 1 << 30, u64::MAX / 64] {
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
        let gate = Gate::new(10);
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
    fn one_that_is_larger_than_everything_goes_alone() {
        let gate = Gate::new(10);
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
