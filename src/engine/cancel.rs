//! Cancelling a call from another thread.
//!
//! A call blocks its thread, so the handle that cancels the call is a thread-local value for the duration of the call.
//! Calls share an engine, so the engine cannot hold the handle. As a parameter of every operation, the handle would be
//! useful to servers only.

use std::cell::RefCell;

pub use crate::walk::Cancel;

use super::Error;
use super::core::Engine;
use crate::walk::WalkError;

thread_local! {
    /// The handle that cancels the call on this thread.
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

impl Engine {
    /// Runs calls on this thread that `cancel` ends early, also at a deadline ([`Cancel::at`]). A walk of the tree or of a commit ends at the next folder, and the
    /// call fails with an error of kind [`super::ErrorKind::Cancelled`]. An update that has begun to write goes on to its
    /// end, because the next call needs it; with [`Cancel::ending_updates`], the update ends too.
    pub fn cancellable<T>(cancel: &Cancel, calls: impl FnOnce() -> T) -> T {
        struct Restored(Option<Cancel>);
        impl Drop for Restored {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restored = Restored(CURRENT.replace(Some(cancel.clone())));
        calls()
    }
}

/// The handle that cancels the call on this thread, if there is one.
pub(super) fn current() -> Option<Cancel> {
    CURRENT.with_borrow(Clone::clone)
}

/// Whether the call on this thread is cancelled.
pub(crate) fn is_cancelled() -> bool {
    current().is_some_and(|cancel| cancel.is_cancelled())
}

/// Fails if the call on this thread is cancelled.
pub(super) fn check() -> Result<(), Error> {
    match current() {
        Some(cancel) if cancel.is_cancelled() => Err(WalkError::Cancelled.into()),
        _ => Ok(()),
    }
}
