//! A token bucket for each key: refills with time, a request takes one.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub struct Throttle {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    tokens: f64,
    filled_at: Instant,
}

impl Throttle {
    pub fn new(per_second: f64, burst: f64) -> Throttle {
        Throttle { per_second, burst, buckets: Mutex::default() }
    }

    /// Lets a request of `key` pass, or says how long it has to wait.
    pub fn admit(&self, key: &str) -> Result<(), Duration> {
        self.admit_at(key, Instant::now())
    }

    fn admit_at(&self, key: &str, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap();
        let bucket = buckets.entry(key.into()).or_insert(Bucket { tokens: self.burst, filled_at: now });
        let passed = now.duration_since(bucket.filled_at).as_secs_f64();
        bucket.tokens = (bucket.tokens + passed * self.per_second).min(self.burst);
        bucket.filled_at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.tokens) / self.per_second))
    }

    /// Forgets keys that have been full for a while.
    pub fn sweep(&self, now: Instant) {
        let full_after = Duration::from_secs_f64(self.burst / self.per_second);
        self.buckets.lock().unwrap().retain(|_, bucket| now.duration_since(bucket.filled_at) < full_after);
    }
}
