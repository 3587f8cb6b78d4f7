//! Two parts of one answer side by side, where a tree is large enough for a thread to be worth its start.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tracing::{Span, dispatcher};

use crate::cores::cores;

/// A thread takes some 50 microseconds to start and end, as long as the postings of this many chunks. While the crate
/// itself is worked on, small trees go both ways, so that tests do.
const LEAST_DOCS: usize = if cfg!(debug_assertions) { 16 } else { 1 << 16 };

/// Whether an answer from so many chunks is worked on by two threads. It never changes the answer.
pub fn is_worth_it(n_docs: usize) -> bool {
    cores() > 1 && n_docs >= LEAST_DOCS
}

thread_local! {
    static HELPER: RefCell<Helper> = const { RefCell::new(Helper { answers: 0, pool: None }) };
}

/// The thread that helps this one, if it answers.
struct Helper {
    /// How many calls of [`helped`] there are around.
    answers: usize,
    /// Started when it is first wanted.
    pool: Option<Rc<ThreadPool>>,
}

/// Does `work`, for which one thread helps this one from beginning to end. Another one for each part of it would take
/// as long to start as some parts, and touch new memory each time: an allocator gives each thread some of its own.
pub fn helped<R>(work: impl FnOnce() -> R) -> R {
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

/// The thread that helps this one; `None` where no thread can be had. Outside of [`helped`] it is a new one.
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

/// Does both; `there` on the helping thread if that is worth it. A panic of either is one of the caller.
pub fn both<A, B: Send>(
    is_worth_it: bool,
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, B) {
    let Some(helper) = is_worth_it.then(helper).flatten() else { return (here(), there()) };
    let (dispatch, span) = (dispatcher::get_default(Clone::clone), Span::current());
    let mut made = None;
    let here = helper.in_place_scope(|scope| {
        scope.spawn(|_| made = Some(dispatcher::with_default(&dispatch, || span.in_scope(there))));
        here()
    });
    (here, made.expect("a scope ends when all that it began has"))
}

/// What `work` makes of each item, in their order: by two threads if that is worth it, each of which takes the next
/// item when it is done with one. `aside` is done by the other thread before it takes any, and by nobody where there is
/// none.
pub fn each<T: Send, R: Send>(
    is_worth_it: bool,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
    aside: impl FnOnce() + Send,
) -> Vec<R> {
    each_with(is_worth_it, items, || (), |(), item| work(item), aside)
}

/// The same for work with something at hand, which each thread makes for itself.
pub fn each_with<T: Send, W, R: Send>(
    is_worth_it: bool,
    items: Vec<T>,
    at_hand: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> R + Sync,
    aside: impl FnOnce() + Send,
) -> Vec<R> {
    if !is_worth_it || items.len() < 2 {
        let mut own = at_hand();
        return items.into_iter().map(|item| work(&mut own, item)).collect();
    }
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let some = || {
        let mut own = at_hand();
        let mut done = Vec::new();
        while let Some((place, item)) = next() {
            done.push((place, work(&mut own, item)));
        }
        done
    };
    let there = || {
        aside();
        some()
    };
    let (mut done, others) = both(true, some, there);
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
        for is_worth_it in [false, true] {
            let here = std::thread::current().id();
            let (one, other) = both(is_worth_it, || 1, || std::thread::current().id());
            assert_eq!((one, other == here), (1, !is_worth_it));
            let panics = || both(is_worth_it, || (), || panic!("no segment"));
            let caught = std::panic::catch_unwind(panics).unwrap_err();
            assert_eq!(caught.downcast_ref(), Some(&"no segment"));
        }
    }

    #[test]
    fn one_thread_helps_from_beginning_to_end() {
        let other = || both(true, || (), || std::thread::current().id()).1;
        let (first, second, within) = helped(|| (other(), other(), helped(other)));
        assert_eq!((first, first), (second, within));
        assert_ne!(first, helped(other));
        let caught = std::panic::catch_unwind(|| helped(|| both(true, || (), || panic!("no segment"))));
        assert!(caught.is_err());
        HELPER.with_borrow(|helper| assert!(helper.answers == 0 && helper.pool.is_none()));
    }

    #[test]
    fn each_item_is_worked_on_once_and_stays_in_its_place() {
        for is_worth_it in [false, true] {
            for n_items in [0, 1, 2, 50] {
                let asides = AtomicUsize::new(0);
                let aside = || _ = asides.fetch_add(1, Relaxed);
                let made = each(is_worth_it, (0..n_items).collect(), |item| item * 2, aside);
                assert_eq!(made, (0..n_items).map(|item| item * 2).collect::<Vec<_>>());
                assert_eq!(asides.into_inner(), usize::from(is_worth_it && n_items > 1));
            }
        }
    }
}
