//! Cancelling a call from another thread, or at a deadline.
//!
//! A call blocks its thread, so the handle that cancels the call is a thread-local value for the duration of the call.
//! Calls share an engine, so the engine cannot hold the handle. As a parameter of every function down to the innermost loop,
//! the handle would be in the way of all of them. Threads are started by [`threads`](crate::threads), which passes the handle
//! on.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Cancels work from another thread, or at a deadline. Clones cancel the same work.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    ends_updates: bool,
    answer: Arc<AnswerState>,
}

/// How far a call is.
#[derive(Debug, Default)]
struct AnswerState {
    /// Whether the snapshot is ready, so that the tree is not compared and the index not updated any more.
    has_begun: AtomicBool,
    /// Whether nobody wants the answer any more, but what comes before it goes on.
    is_unwanted: AtomicBool,
}

impl Cancel {
    /// A handle that also cancels the work at `deadline`.
    pub fn at(deadline: Instant) -> Cancel {
        Cancel { deadline: Some(deadline), ..Cancel::default() }
    }

    /// A handle that ends with this one, and at `deadline` too.
    pub fn until(self, deadline: Instant) -> Cancel {
        let deadline = self.deadline.map_or(deadline, |own| own.min(deadline));
        Cancel { deadline: Some(deadline), ..self }
    }

    /// This handle, which then also ends an update that has begun to write. What the update has indexed is kept as its
    /// progress: the next update continues from there.
    pub fn ending_updates(self) -> Cancel {
        Cancel { ends_updates: true, ..self }
    }

    /// Whether an update that has begun to write ends too.
    #[doc(hidden)]
    pub fn ends_update(&self) -> bool {
        self.ends_updates && self.is_cancelled()
    }

    /// Cancels the work soon, or before it starts.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// Whether the work was cancelled, or its deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        let is_unwanted = || self.answer.is_unwanted.load(Relaxed) && self.is_answering();
        self.is_cancelled.load(Relaxed)
            || is_unwanted()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Cancels the answer, and not the comparison of the tree or the update that come before it: the next call needs them.
    #[doc(hidden)]
    pub fn end_answer(&self) {
        self.answer.is_unwanted.store(true, Relaxed);
    }

    /// Whether the answer has begun: the tree is compared, and the index updated.
    #[doc(hidden)]
    pub fn is_answering(&self) -> bool {
        self.answer.has_begun.load(Relaxed)
    }

    #[doc(hidden)]
    pub fn begin_answer(&self) {
        self.answer.has_begun.store(true, Relaxed);
    }
}

thread_local! {
    /// The handle that cancels the call on this thread.
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Runs `calls` on this thread with the handle that cancels them.
pub fn with<T>(cancel: Option<Cancel>, calls: impl FnOnce() -> T) -> T {
    struct Restored(Option<Cancel>);
    impl Drop for Restored {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restored = Restored(CURRENT.replace(cancel));
    calls()
}

/// `work` for another thread, with the handle of the call on this thread.
pub(crate) fn carried<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let cancel = current();
    move || with(cancel, work)
}

/// The handle that cancels the call on this thread, if there is one.
pub fn current() -> Option<Cancel> {
    CURRENT.with_borrow(Clone::clone)
}

/// Whether the call on this thread is cancelled.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|cancel| cancel.as_ref().is_some_and(Cancel::is_cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_carried_to_other_threads_and_ends_with_its_calls() {
        let cancel = Cancel::default();
        cancel.cancel();
        with(Some(cancel), || {
            assert!(is_cancelled());
            let there = std::thread::scope(|scope| scope.spawn(carried(is_cancelled)).join());
            assert!(there.unwrap());
        });
        assert!(!is_cancelled() && current().is_none());
    }

    #[test]
    fn a_handle_may_have_a_deadline_besides() {
        let (past, later) = (Instant::now(), Instant::now() + std::time::Duration::from_secs(600));
        let cancel = Cancel::default();
        assert!(cancel.clone().until(past).is_cancelled() && !cancel.clone().until(later).is_cancelled());
        assert!(Cancel::at(past).until(later).is_cancelled());
        let until = cancel.clone().until(later);
        cancel.cancel();
        assert!(until.is_cancelled());
    }

    #[test]
    fn an_unwanted_answer_ends_when_it_begins() {
        let cancel = Cancel::default();
        let there = cancel.clone();
        cancel.end_answer();
        assert!(!there.is_cancelled() && !cancel.is_answering());
        there.begin_answer();
        assert!(there.is_cancelled() && cancel.is_answering());
    }
}
