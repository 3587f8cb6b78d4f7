//! A model that failed is left alone for a while, so that a dead one delays one search and not each.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::SemanticError;

/// How long a model that failed is not asked again.
const SILENCE: Duration = Duration::from_secs(30);

/// The last failure of a model.
#[derive(Default)]
pub struct Silence(Mutex<Option<(Instant, String)>>);

impl Silence {
    /// Asks the model, unless it failed a moment ago. The error says that the answer is ranked `without` the model, and why.
    pub fn ask<T>(&self, without: &str, ask: impl FnOnce() -> Result<T, SemanticError>) -> Result<T, String> {
        if let Some((at, why)) = &*lock(&self.0)
            && at.elapsed() < SILENCE
        {
            return Err(format!("{why}; it is not asked again for {} s", SILENCE.as_secs()));
        }
        let answer = ask().map_err(|error| format!("the answer is ranked without {without}: {error}"));
        *lock(&self.0) = answer.as_ref().err().map(|why| (Instant::now(), why.clone()));
        answer
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
