//! Cancelling a call from another thread.
//!
//! Calls block, so what cancels one belongs to the thread that runs it, for as long as it runs. An engine is shared by
//! calls and cannot hold it; a parameter of every operation would be one that only servers use.

use std::cell::RefCell;

pub use crate::walk::Cancel;

use super::{Engine, Error};
use crate::walk::WalkError;

thread_local! {
    /// What cancels the call that this thread runs.
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

impl Engine {
    /// Runs calls on this thread that `cancel` ends early. A walk of the tree or of a commit ends at the next folder, and the
    /// call fails with an error of kind [`super::ErrorKind::Cancelled`]. An update that has begun to write goes on to its
    /// end, because the next call needs it.
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

/// What cancels the call that this thread runs; `None` where nothing does.
pub(super) fn current() -> Option<Cancel> {
    CURRENT.with_borrow(Clone::clone)
}

/// Fails where the call that this thread runs is cancelled.
pub(super) fn check() -> Result<(), Error> {
    match current() {
        Some(cancel) if cancel.is_cancelled() => Err(WalkError::Cancelled.into()),
        _ => Ok(()),
    }
}
