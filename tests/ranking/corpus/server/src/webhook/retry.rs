//! When a call that failed is repeated.

use std::time::Duration;

/// Three days in all, then the endpoint is switched off.
const MAX_ATTEMPTS: u32 = 14;

/// The pause before the next attempt: 15 seconds, doubled each time, never more than 8 hours; `None` to give up.
pub fn pause(attempts: u32) -> Option<Duration> {
    if attempts >= MAX_ATTEMPTS {
        return None;
    }
    let seconds = 15u64 << attempts.min(12);
    Some(Duration::from_secs(seconds.min(8 * 3600)))
}
