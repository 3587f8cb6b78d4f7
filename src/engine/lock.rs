//! Locks that a panic in another thread does not spoil.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock whose holder panicked still guards whole values: each is replaced in one step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
