//! When an update writes a checkpoint of its progress.
//!
//! A checkpoint is called by incrementing an epoch that all workers read between two files. Each worker then flushes
//! its batch, so that all work done before the call is delivered.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The longest pause between checkpoints.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The epoch of a worker that has nothing left to do.
pub const HOME: u32 = u32::MAX;

/// Whether a batch completes a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchKind {
    /// More batches are to come.
    Between,
    /// All work done when the checkpoint was called has been delivered.
    Checkpoint,
}

/// When checkpoints are called, and which workers have answered the last call.
pub(crate) struct CheckpointScheduler {
    /// When the next checkpoint is called; `None` while one is in progress, and if there is to be none.
    next: Option<Instant>,
    is_called: bool,
    pause: Duration,
    called: u32,
    answered: Vec<u32>,
}

impl CheckpointScheduler {
    /// A scheduler whose first checkpoint is called after `first`.
    pub fn new(first: Duration, threads: usize) -> CheckpointScheduler {
        CheckpointScheduler {
            next: Instant::now().checked_add(first),
            is_called: false,
            pause: first,
            called: 0,
            answered: vec![0; threads],
        }
    }

    /// The time until the next checkpoint is called; `None` when none is due.
    pub fn left(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    pub fn call(&mut self, epoch: &AtomicU32) {
        self.called += 1;
        epoch.store(self.called, Ordering::Relaxed);
        (self.next, self.is_called) = (None, true);
    }

    /// Whether no worker has anything left to do.
    pub(crate) fn all_are_home(&self) -> bool {
        self.answered.iter().all(|answered| *answered == HOME)
    }

    /// Records that a batch arrived: from which worker, and how many checkpoints had been called when it was flushed.
    pub fn receive(&mut self, thread: usize, epoch: u32) -> BatchKind {
        self.answered[thread] = epoch;
        if !self.is_called
            || self.all_are_home()
            || self.answered.iter().any(|answered| *answered < self.called)
        {
            return BatchKind::Between;
        }
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        (self.next, self.is_called) = (Instant::now().checked_add(self.pause), false);
        BatchKind::Checkpoint
    }
}
