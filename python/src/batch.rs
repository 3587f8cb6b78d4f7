//! Many queries on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use spyhop_engine::Cancel;

use crate::failure::Failure;
use crate::run::{Told, guarded, unpoisoned};

/// The values of `each` for 0 to `n`, computed on `threads` threads. The error of the first query that failed ends the
/// batch.
pub fn each_of<T: Send>(
    n: usize,
    threads: usize,
    (told, cancel): (&Told, &Cancel),
    each: impl Fn(usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let (next, done, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let failed: Mutex<Option<(usize, Failure)>> = Mutex::new(None);
    let work = || {
        let mut own = Vec::new();
        while !stop.load(Relaxed) && !cancel.is_cancelled() {
            let at = next.fetch_add(1, Relaxed);
            if at >= n {
                break;
            }
            match guarded(|| each(at)) {
                Ok(value) => own.push((at, value)),
                Err(failure) => {
                    stop.store(true, Relaxed);
                    let mut first = unpoisoned(&failed);
                    if first.as_ref().is_none_or(|(other, _)| at < *other) {
                        *first = Some((at, failure));
                    }
                }
            }
            told.note_queries(done.fetch_add(1, Relaxed) + 1, n);
        }
        own
    };
    let mut values: Vec<(usize, T)> = std::thread::scope(|scope| {
        // The calling thread works too. If the system starts no further thread, it works alone.
        let others: Vec<_> = (1..threads.clamp(1, n.max(1)))
            .filter_map(|_| {
                std::thread::Builder::new().name("spyhop-batch".to_string()).spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut values = work();
        values.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        values
    });
    if let Some((at, failure)) = unpoisoned(&failed).take() {
        return Err(failure.of_query(at));
    }
    if values.len() < n {
        return Err(Failure::internal("the batch was cancelled"));
    }
    values.sort_unstable_by_key(|(at, _)| *at);
    Ok(values.into_iter().map(|(_, value)| value).collect())
}
