//! The limit on requests that an engine answers at once: more would only compete for the same processors.
//!
//! A request that waits for the first index holds no permit, so it keeps no other request from being answered.

use std::sync::{Condvar, Mutex, PoisonError};

/// The permits.
pub struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Permits {
    /// As many permits as are useful on this machine.
    pub fn new() -> Permits {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        Permits { free: Mutex::new(cores.max(4)), freed: Condvar::new() }
    }

    /// Waits for a permit, which is returned when the value is dropped.
    pub fn take(&self) -> Permit<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Permit(self)
    }
}

/// A permit; see [`Permits::take`].
pub struct Permit<'t>(&'t Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}
