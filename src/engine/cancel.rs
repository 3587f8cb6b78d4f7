//! Cancelling a call of the engine ([`spyhop_base::cancel`]).

pub use spyhop_base::cancel::{Cancel, current, is_cancelled, with};

use super::core::Engine;
use crate::error::Error;
use spyhop_files::walk::WalkError;

impl Engine {
    /// Runs calls on this thread that `cancel` ends early, also at a deadline ([`Cancel::at`]). A walk of the tree or of a
    /// commit ends at the next folder, ranking and the code graph end at one of the next steps, and the call fails with an
    /// error of kind [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled). An update that has begun to write goes on to its end, because the next
    /// call needs it; with [`Cancel::ending_updates`], the update ends too.
    pub fn cancellable<T>(cancel: &Cancel, calls: impl FnOnce() -> T) -> T {
        with(Some(cancel.clone()), calls)
    }
}

/// Notes that the call on this thread has its snapshot and begins to answer. Fails if the call is cancelled.
pub(super) fn begin_answer() -> Result<(), Error> {
    current().iter().for_each(Cancel::begin_answer);
    check()
}

/// Fails if the call on this thread is cancelled.
pub(super) fn check() -> Result<(), Error> {
    match is_cancelled() {
        true => Err(WalkError::Cancelled.into()),
        false => Ok(()),
    }
}
