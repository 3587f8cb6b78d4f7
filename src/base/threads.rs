//! The start of threads.
//!
//! The handle that cancels a call is a value of its thread ([`cancel`]), so a thread that works for a call needs the handle too.
//! Nothing else in the rooms starts a thread, which `.ci/house` checks; so the handle cannot be forgotten.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use crate::cancel;

/// Starts a thread that works for the call on this thread: what cancels the call cancels the work.
pub fn for_call<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    thread: Builder,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    thread.spawn_scoped(scope, cancel::carried(work))
}

/// Starts a thread that ends by itself and works for no call, such as one that reads a pipe.
pub fn for_no_call<T: Send + 'static>(
    thread: Builder,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread.spawn(work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;

    #[test]
    fn every_thread_of_a_call_has_its_handle() {
        let cancel = Cancel::default();
        cancel.cancel();
        cancel::with(Some(cancel), || {
            let of_call = std::thread::scope(|scope| {
                for_call(scope, Builder::new(), cancel::is_cancelled).unwrap().join().unwrap()
            });
            let of_none = for_no_call(Builder::new(), cancel::is_cancelled).unwrap().join().unwrap();
            assert!(of_call && !of_none);
        });
    }
}
