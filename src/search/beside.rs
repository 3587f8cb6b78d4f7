//! Two parts of one answer side by side, where a tree is large enough for a thread to be worth its start.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::LazyLock;

use tracing::{Span, dispatcher};

/// A thread takes some 50 microseconds to start and end, as long as the postings of this many chunks. While the crate
/// itself is worked on, small trees go both ways, so that tests do.
const LEAST_DOCS: usize = if cfg!(debug_assertions) { 16 } else { 1 << 16 };

static HAS_TWO_CORES: LazyLock<bool> =
    LazyLock::new(|| std::thread::available_parallelism().is_ok_and(|cores| cores > NonZero::<usize>::MIN));

/// Whether an answer from so many chunks is worked on by two threads. It never changes the answer.
pub fn is_worth_it(n_docs: usize) -> bool {
    *HAS_TWO_CORES && n_docs >= LEAST_DOCS
}

/// Does both; `there` on a thread of its own if that is worth it. A panic of either is one of the caller.
pub fn both<A, B: Send>(
    is_worth_it: bool,
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, B) {
    if !is_worth_it {
        return (here(), there());
    }
    let (dispatch, span) = (dispatcher::get_default(Clone::clone), Span::current());
    std::thread::scope(|scope| {
        let there = scope.spawn(|| dispatcher::with_default(&dispatch, || span.in_scope(there)));
        let here = here();
        (here, there.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_a_panic_arrives() {
        for is_worth_it in [false, true] {
            let here = std::thread::current().id();
            let (one, other) = both(is_worth_it, || 1, || std::thread::current().id());
            assert_eq!((one, other == here), (1, !is_worth_it));
            let panics = || both(is_worth_it, || (), || panic!("no segment"));
            let caught = std::panic::catch_unwind(panics).unwrap_err();
            assert_eq!(caught.downcast_ref(), Some(&"no segment"));
        }
    }
}
