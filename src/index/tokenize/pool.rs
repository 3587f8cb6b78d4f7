//! A pool of tokenizers, so that the word caches survive from one query to the next.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::extra::ExtraTerms;
use super::tokenizer::Tokenizer;

/// A pool of tokenizers for any number of threads.
#[derive(Default)]
pub struct Tokenizers {
    idle: Mutex<Vec<Tokenizer>>,
    extra: ExtraTerms,
}

impl Tokenizers {
    /// A pool of tokenizers that add further terms.
    pub fn with(extra: ExtraTerms) -> Tokenizers {
        Tokenizers { idle: Mutex::default(), extra }
    }

    /// Whether the tokenizers may add further terms.
    pub fn has_extra(&self) -> bool {
        self.extra.any()
    }

    /// Takes a tokenizer out of the pool, or makes a new one.
    pub fn take(&self) -> PooledTokenizer<'_> {
        let idle = self.lock().pop();
        let tokenizer = idle.unwrap_or_else(|| Tokenizer::with(self.extra.clone()));
        PooledTokenizer { pool: self, tokenizer }
    }

    /// Drops the tokenizers in the pool.
    pub fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Tokenizer>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tokenizer that returns to its pool when it is dropped.
pub struct PooledTokenizer<'p> {
    pool: &'p Tokenizers,
    tokenizer: Tokenizer,
}

impl Deref for PooledTokenizer<'_> {
    type Target = Tokenizer;

    fn deref(&self) -> &Tokenizer {
        &self.tokenizer
    }
}

impl DerefMut for PooledTokenizer<'_> {
    fn deref_mut(&mut self) -> &mut Tokenizer {
        &mut self.tokenizer
    }
}

impl Drop for PooledTokenizer<'_> {
    fn drop(&mut self) {
        // A panic may have left the word cache inconsistent.
        if !std::thread::panicking() {
            self.pool.lock().push(std::mem::take(&mut self.tokenizer));
        }
    }
}
