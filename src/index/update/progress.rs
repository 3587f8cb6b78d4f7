//! How an update tells its caller how far it is.

use spyhop_base::store::LockHolder;

/// The progress of an update.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Files that are done.
    pub files: usize,
    /// The total number of files, as far as known.
    pub total_files: usize,
    /// Bytes that are done.
    pub bytes: u64,
    /// The total number of bytes, as far as known.
    pub total_bytes: u64,
    /// The process that holds the lock, if known, in the stage [`Stage::Wait`].
    pub holder: Option<LockHolder>,
}

impl Progress {
    /// The begin of a stage, of which nothing is done or known yet.
    pub fn new(stage: Stage) -> Progress {
        Progress { stage, files: 0, total_files: 0, bytes: 0, total_bytes: 0, holder: None }
    }
}

/// A stage of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Stage {
    /// Waiting for another process that is changing the index.
    Wait,
    /// Walking the tree.
    Scan,
    /// Indexing the text of a large tree before its structure.
    Text,
    /// Reading, parsing and indexing.
    Index,
    /// Writing and syncing.
    Commit,
    /// Making vectors of a model.
    Vectors,
}

/// The progress callback; called from indexing threads.
pub type OnProgress<'p> = &'p (dyn Fn(Progress) + Sync);

/// Reports that a stage begins.
pub(super) fn tell(progress: OnProgress<'_>, stage: Stage, files: usize, bytes: u64) {
    progress(Progress { stage, files, total_files: files, bytes, total_bytes: bytes, holder: None });
}

/// Reports through `progress` that an update waits for the holder of the lock.
pub fn tell_waiting(progress: OnProgress<'_>) -> impl FnMut(Option<&LockHolder>) + '_ {
    |holder| {
        let nothing =
            Progress { stage: Stage::Wait, files: 0, total_files: 0, bytes: 0, total_bytes: 0, holder: None };
        progress(Progress { holder: holder.copied(), ..nothing });
    }
}
