//! Two parts of one answer on two threads, if the tree is so large that this pays for the start of a thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tracing::{Span, dispatcher};

use crate::cancel;
use crate::cores::cores;

/// The number of chunks from which a second thread is used. Starting and ending a thread takes some 50 microseconds, as
/// long as scoring their postings. Debug builds use two threads for small trees too, so that tests cover
/// both.
const MIN_DOCS: usize = if cfg!(debug_assertions) { 16 } else { 1 << 16 };

/// Whether two threads compute an answer from `n_docs` chunks. The number of threads never changes the answer.
pub fn is_worthwhile(n_docs: usize) -> bool {
    cores() > 1 && n_docs >= MIN_DOCS
}

thread_local! {
    static HELPER: RefCell<Helper> = const { RefCell::new(Helper { answers: 0, pool: None }) };
}

/// The helper thread of this thread, during an answer.
struct Helper {
    /// The number of nested calls of [`with_helper_thread`].
    answers: usize,
    /// The helper thread, started at its first use.
    pool: Option<Rc<ThreadPool>>,
}

/// Runs `work` with one helper thread, which lives until `work` ends. Starting a thread for each part of the work would
/// take as long as some parts, and each thread would use new memory, because an allocator keeps memory for each thread.
pub fn with_helper_thread<R>(work: impl FnOnce() -> R) -> R {
    struct Around;
    impl Drop for Around {
        fn drop(&mut self) {
            let pool = HELPER.with_borrow_mut(|helper| {
                helper.answers -= 1;
                if helper.answers == 0 { helper.pool.take() } else { None }
            });
            drop(pool);
        }
    }
    HELPER.with_borrow_mut(|helper| helper.answers += 1);
    let _around = Around;
    work()
}

/// The helper thread; `None` if the system refuses to start one. Outside of [`with_helper_thread`] each call starts a
/// thread.
fn helper() -> Option<Rc<ThreadPool>> {
    let start = || ThreadPoolBuilder::new().num_threads(1).build().ok().map(Rc::new);
    HELPER.with_borrow_mut(|helper| match helper.answers {
        0 => start(),
        _ => {
            helper.pool = helper.pool.take().or_else(start);
            helper.pool.clone()
        }
    })
}

/// Runs both closures, `there` on the helper thread if `is_worthwhile`. The handle that cancels the call cancels both. A panic in either closure becomes a panic of the
/// caller.
pub fn join<A, B: Send>(
    is_worthwhile: bool,
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, B) {
    let Some(helper) = is_worthwhile.then(helper).flatten() else { return (here(), there()) };
    let (dispatch, span) = (dispatcher::get_default(Clone::clone), Span::current());
    let there = cancel::carried(there);
    let mut made = None;
    let here = helper.in_place_scope(|scope| {
        scope.spawn(|_| made = Some(dispatcher::with_default(&dispatch, || span.in_scope(there))));
        here()
    });
    (here, made.expect("a scope ends after its spawned closures"))
}

/// Applies `work` to each item and keeps their order. If `is_worthwhile`, two threads take the items in turn. The second
/// thread runs `aside` before its first item; without a second thread nothing runs `aside`.
pub fn map<T: Send, R: Send>(
    is_worthwhile: bool,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
    aside: impl FnOnce() + Send,
) -> Vec<R> {
    map_init(is_worthwhile, items, || (), |(), item| work(item), aside)
}

/// Like [`map`], with a value that each thread creates once by `init`.
pub fn map_init<T: Send, W, R: Send>(
    is_worthwhile: bool,
    items: Vec<T>,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> R + Sync,
    aside: impl FnOnce() + Send,
) -> Vec<R> {
    if !is_worthwhile || items.len() < 2 {
        let mut state = init();
        return items.into_iter().map(|item| work(&mut state, item)).collect();
    }
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let some = || {
        let mut state = init();
        let mut done = Vec::new();
        while let Some((place, item)) = next() {
            done.push((place, work(&mut state, item)));
        }
        done
    };
    let there = || {
        aside();
        some()
    };
    let (mut done, others) = join(true, some, there);
    done.extend(others);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn both_are_done_and_a_panic_arrives() {
        for is_worthwhile in [false, true] {
            let here = std::thread::current().id();
            let (one, other) = join(is_worthwhile, || 1, || std::thread::current().id());
            assert_eq!((one, other == here), (1, !is_worthwhile));
            let panics = || join(is_worthwhile, || (), || panic!("no segment"));
            let caught = std::panic::catch_unwind(panics).unwrap_err();
            assert_eq!(caught.downcast_ref(), Some(&"no segment"));
        }
    }

    #[test]
    fn the_helper_thread_sees_that_the_call_is_cancelled() {
        let cancel = cancel::Cancel::default();
        cancel.cancel();
        let there = || join(true, || (), cancel::is_cancelled).1;
        assert!(cancel::with(Some(cancel), there) && !there());
    }

    #[test]
    fn one_thread_helps_from_beginning_to_end() {
        let other = || join(true, || (), || std::thread::current().id()).1;
        let (first, second, within) = with_helper_thread(|| (other(), other(), with_helper_thread(other)));
        assert_eq!((first, first), (second, within));
        assert_ne!(first, with_helper_thread(other));
        let caught =
            std::panic::catch_unwind(|| with_helper_thread(|| join(true, || (), || panic!("no segment"))));
        assert!(caught.is_err());
        HELPER.with_borrow(|helper| assert!(helper.answers == 0 && helper.pool.is_none()));
    }

    #[test]
    fn each_item_is_worked_on_once_and_stays_in_its_place() {
        for is_worthwhile in [false, true] {
            for n_items in [0, 1, 2, 50] {
                let asides = AtomicUsize::new(0);
                let aside = || _ = asides.fetch_add(1, Relaxed);
                let made = map(is_worthwhile, (0..n_items).collect(), |item| item * 2, aside);
                assert_eq!(made, (0..n_items).map(|item| item * 2).collect::<Vec<_>>());
                assert_eq!(asides.into_inner(), usize::from(is_worthwhile && n_items > 1));
            }
        }
    }
}
