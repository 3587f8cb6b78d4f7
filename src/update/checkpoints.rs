//! When what an update has got so far is written down.
//!
//! A checkpoint is called by raising a number that all threads look at between two files; each then hands over what it
//! has, so that what was done before the call is there.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The longest pause between checkpoints.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The epoch of a thread that has nothing left to do.
pub const HOME: u32 = u32::MAX;

/// Whether a parcel completes a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchKind {
    /// There is more to come.
    Between,
    /// All that was done when the checkpoint was called has been delivered.
    Checkpoint,
}

/// When checkpoints are called, and which threads have answered the last one.
pub struct CheckpointScheduler {
    /// When the next one is called; `None` while one is on its way, and for never.
    next: Option<Instant>,
    is_called: bool,
    pause: Duration,
    called: u32,
    answered: Vec<u32>,
}

impl CheckpointScheduler {
    /// The first is called after `first`.
    pub fn new(first: Duration, threads: usize) -> CheckpointScheduler {
        CheckpointScheduler {
            next: Instant::now().checked_add(first),
            is_called: false,
            pause: first,
            called: 0,
            answered: vec![0; threads],
        }
    }

    /// How long until the next one is called; `None` when there is none to be called.
    pub fn left(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    /// Calls one.
    pub fn call(&mut self, epoch: &AtomicU32) {
        self.called += 1;
        epoch.store(self.called, Ordering::Relaxed);
        (self.next, self.is_called) = (None, true);
    }

    /// Whether no thread has anything left to do.
    pub fn all_are_home(&self) -> bool {
        self.answered.iter().all(|answered| *answered == HOME)
    }

    /// Takes note of a parcel: of which thread, and how many checkpoints had been called when it was made.
    pub fn receive(&mut self, thread: usize, epoch: u32) -> BatchKind {
        self.answered[thread] = epoch;
        if !self.is_called
            || self.all_are_home()
            || self.answered.iter().any(|answered| *answered < self.called)
        {
            return BatchKind::Between;
        }
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        (self.next, self.is_called) = (Instant::now().checked_add(self.pause), false);
        BatchKind::Checkpoint
    }
}
