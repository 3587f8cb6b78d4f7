//! A work queue whose tasks produce more tasks.
//!
//! This module owns the threads of a walk, and nothing about files. The threads are scoped and end with the walk, so an
//! application that embeds the crate is not left with a pool of idle threads.

use std::sync::{Condvar, Mutex, MutexGuard};

use spyhop_base::cores::spread;

/// Runs `work` on every task and on the tasks that it returns, on up to `threads` threads, and returns the result of
/// each thread. The latest tasks come first, which keeps the queue short on deep trees.
pub(super) fn drain<T, Out, F>(tasks: Vec<T>, threads: usize, work: F) -> Vec<Out>
where
    T: Send,
    Out: Default + Send,
    F: Fn(T, &mut Out) -> Vec<T> + Sync,
{
    if tasks.is_empty() {
        return Vec::new();
    }
    let queue =
        Queue { state: Mutex::new(QueueState { tasks, busy: 0, waiting: 0 }), changed: Condvar::new() };
    let run = || {
        let mut out = Out::default();
        while let Some(task) = queue.next() {
            let mut guard = TaskGuard { queue: &queue, more: Vec::new() };
            guard.more = work(task, &mut out);
        }
        out
    };
    spread(threads, run)
}

struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    tasks: Vec<T>,
    /// How many threads hold a task, and so may still produce more.
    busy: usize,
    /// How many threads wait for a task. If none does, a notification would be a wasted system call.
    waiting: usize,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn next(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop() {
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            state.waiting -= 1;
        }
    }
}

/// A task that a thread works on. Dropping it reports its end, so that a panic in one thread ends the others instead of
/// leaving them waiting.
struct TaskGuard<'q, T> {
    queue: &'q Queue<T>,
    more: Vec<T>,
}

impl<T> Drop for TaskGuard<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.busy -= 1;
        state.tasks.append(&mut self.more);
        if state.waiting > 0 && (!state.tasks.is_empty() || state.busy == 0) {
            self.queue.changed.notify_all();
        }
    }
}
