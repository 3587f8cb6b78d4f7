//! Tokenizers that nobody uses just now: each remembers the words it has met, which spares cutting and stemming them
//! again.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Tokenizer;

/// A pool of them, from which any number of threads take one each.
#[derive(Default)]
pub struct Tokenizers(Mutex<Vec<Tokenizer>>);

impl Tokenizers {
    /// One that nobody else uses meanwhile.
    pub fn take(&self) -> PooledTokenizer<'_> {
        PooledTokenizer { pool: self, own: self.lock().pop().unwrap_or_default() }
    }

    /// Forgets those that nobody uses.
    pub fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Tokenizer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tokenizer that goes back to its pool.
pub struct PooledTokenizer<'p> {
    pool: &'p Tokenizers,
    own: Tokenizer,
}

impl Deref for PooledTokenizer<'_> {
    type Target = Tokenizer;

    fn deref(&self) -> &Tokenizer {
        &self.own
    }
}

impl DerefMut for PooledTokenizer<'_> {
    fn deref_mut(&mut self) -> &mut Tokenizer {
        &mut self.own
    }
}

impl Drop for PooledTokenizer<'_> {
    fn drop(&mut self) {
        // What a panic has left of its words is not trusted.
        if !std::thread::panicking() {
            self.pool.lock().push(std::mem::take(&mut self.own));
        }
    }
}
