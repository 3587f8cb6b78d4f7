//! How long this server's answers took, by kind: counts in buckets that double.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

/// The number of buckets: up to 1, 2, 4, ... 16,384 ms, and above.
const BUCKETS: usize = 16;

/// The most recent durations of a kind, from which percentiles are taken.
const RECENT: usize = 1_000;

/// The durations of all answers.
pub struct Latencies {
    since: SystemTime,
    kinds: Mutex<BTreeMap<String, Kind>>,
}

#[derive(Default)]
struct Kind {
    count: usize,
    max: Duration,
    buckets: [usize; BUCKETS],
    /// A ring of the most recent durations.
    recent: Vec<Duration>,
}

impl Latencies {
    pub fn new() -> Latencies {
        Latencies { since: SystemTime::now(), kinds: Mutex::default() }
    }

    /// Records an answer.
    pub fn record(&self, kind: &str, took: Duration) {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if !kinds.contains_key(kind) {
            kinds.insert(kind.to_string(), Kind::default());
        }
        if let Some(kind) = kinds.get_mut(kind) {
            kind.add(took);
        }
    }

    pub fn json(&self) -> Value {
        let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let since = self.since.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        json!({
            "since": since,
            "kinds": kinds.iter().map(|(name, kind)| kind.json(name)).collect::<Vec<_>>(),
        })
    }
}

impl Kind {
    fn add(&mut self, took: Duration) {
        if self.recent.len() < RECENT {
            self.recent.push(took);
        } else {
            self.recent[self.count % RECENT] = took;
        }
        self.count += 1;
        self.max = self.max.max(took);
        let fits = |bucket: &usize| took.as_secs_f64() * 1e3 <= f64::from(1u32 << bucket);
        self.buckets[(0..BUCKETS - 1).find(fits).unwrap_or(BUCKETS - 1)] += 1;
    }

    fn json(&self, name: &str) -> Value {
        let mut sorted = self.recent.clone();
        sorted.sort_unstable();
        let at = |share: f64| ms(sorted[((sorted.len() - 1) as f64 * share).round() as usize]);
        let buckets: Vec<Value> = self
            .buckets
            .iter()
            .enumerate()
            .map(|(at, count)| {
                let to = (at < BUCKETS - 1).then(|| 1u32 << at);
                json!({ "to_ms": to, "count": count })
            })
            .collect();
        json!({
            "name": name, "count": self.count, "p50_ms": at(0.5), "p95_ms": at(0.95), "max_ms": ms(self.max),
            "buckets": buckets,
        })
    }
}

/// A duration in milliseconds, with three decimals.
pub fn ms(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_and_ranked() {
        let latencies = Latencies::new();
        for millis in [1, 2, 3, 100, 60_000] {
            latencies.record("a", Duration::from_millis(millis));
        }
        latencies.record("b", Duration::from_micros(1));
        let json = latencies.json();
        let kind = &json["kinds"][0];
        assert_eq!((kind["count"].as_u64(), kind["p50_ms"].as_f64()), (Some(5), Some(3.0)));
        assert_eq!(kind["max_ms"].as_f64(), Some(60_000.0));
        let counts: Vec<u64> =
            kind["buckets"].as_array().unwrap().iter().map(|it| it["count"].as_u64().unwrap()).collect();
        assert_eq!(counts, [1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert!(kind["buckets"][15]["to_ms"].is_null());
    }
}
