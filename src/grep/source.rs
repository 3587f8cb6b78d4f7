//! The files of a search, in batches, as the threads of the search take them.
//!
//! The files are a list, or a feed that another thread fills while the search goes on.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use spyhop_base::path::RelPath;

/// The files of a search, in the order of the answer.
pub enum FileSource<'f> {
    /// All files are known.
    List(FileList<'f>),
    /// The files are found while the search goes on.
    Feed(&'f FileFeed),
}

/// A list of files, and the batch that is taken next.
pub struct FileList<'f> {
    files: &'f [RelPath],
    next: AtomicUsize,
}

/// The next work of a thread of a search.
pub(super) enum NextBatch<'f> {
    /// The files of the batch with this number.
    Batch(usize, Cow<'f, [RelPath]>),
    /// There are no further batches; the field is their number.
    End(usize),
}

/// The number of files in a batch: few enough to keep all threads busy, and enough to outweigh the synchronization.
fn batch_len(files: usize) -> usize {
    (files / 256).clamp(2, 64)
}

/// The number of files in a batch of a feed, unless a thread waits for fewer.
const FEED_BATCH: usize = 16;

impl<'f> FileSource<'f> {
    pub fn list(files: &'f [RelPath]) -> FileSource<'f> {
        FileSource::List(FileList { files, next: AtomicUsize::new(0) })
    }

    /// The most threads that have something to do.
    pub(super) fn most_threads(&self) -> usize {
        match self {
            FileSource::List(list) => list.n_batches(),
            FileSource::Feed(_) => usize::MAX,
        }
    }

    /// The next batch, once there is one.
    pub(super) fn next(&self) -> NextBatch<'f> {
        match self {
            FileSource::List(list) => {
                let (number, len) = (list.next.fetch_add(1, Ordering::Relaxed), batch_len(list.files.len()));
                match list.files.chunks(len).nth(number) {
                    Some(files) => NextBatch::Batch(number, Cow::Borrowed(files)),
                    None => NextBatch::End(list.n_batches()),
                }
            }
            FileSource::Feed(feed) => feed.next(),
        }
    }

    /// Says that no thread takes further batches.
    pub(super) fn stop(&self) {
        if let FileSource::Feed(feed) = self {
            feed.lock().is_stopped = true;
            feed.changed.notify_all();
        }
    }
}

impl FileList<'_> {
    fn n_batches(&self) -> usize {
        self.files.len().div_ceil(batch_len(self.files.len()))
    }
}

/// A queue of files between the thread that finds them and the threads that search them.
#[derive(Default)]
pub struct FileFeed {
    state: Mutex<FeedState>,
    changed: Condvar,
}

#[derive(Default)]
struct FeedState {
    files: VecDeque<RelPath>,
    /// The number of batches that were taken.
    taken: usize,
    /// How many threads wait for a batch.
    waiting: usize,
    is_closed: bool,
    is_stopped: bool,
}

impl FileFeed {
    fn lock(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds files after the others. Returns whether anybody still takes files.
    pub fn add(&self, files: impl IntoIterator<Item = RelPath>) -> bool {
        let mut state = self.lock();
        state.files.extend(files);
        if state.waiting > 0 && !state.files.is_empty() {
            self.changed.notify_all();
        }
        !state.is_stopped
    }

    /// Says that no further files come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn next<'f>(&self) -> NextBatch<'f> {
        let mut state = self.lock();
        loop {
            if state.is_stopped || (state.is_closed && state.files.is_empty()) {
                return NextBatch::End(state.taken);
            }
            if !state.files.is_empty() {
                let len = state.files.len().min(FEED_BATCH);
                let files = state.files.drain(..len).collect();
                state.taken += 1;
                return NextBatch::Batch(state.taken - 1, Cow::Owned(files));
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }
}
