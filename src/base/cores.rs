//! The number of threads that can run at a time, and work that is spread over them.
//!
//! The standard library asks the system for that number on each call, which on Linux reads several files and takes a
//! tenth of a millisecond, while some queries take only a few. A limit of processes or memory may allow fewer threads
//! than there are cores, or none besides the calling one; then fewer threads do the work.

use std::io;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread;

use crate::threads;

static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// The number of cores, at least 1, as it was on the first call.
pub fn cores() -> usize {
    *CORES
}

/// The error for a thread that was needed and that the system did not start.
#[derive(Debug, thiserror::Error)]
#[error(
    "the system gives this process no further thread: {0}; raise the limit of processes and threads (ulimit -u), or \
     end some"
)]
pub struct NoThread(String);

impl NoThread {
    /// The error with the message of the system or a library.
    pub fn new(said: impl ToString) -> NoThread {
        NoThread(said.to_string())
    }

    /// The error that the message of a panic stands for, if the standard library or tokio panicked for lack of a
    /// thread.
    pub fn of_panic(said: &str) -> Option<NoThread> {
        let begins = ["failed to spawn thread", "OS can't spawn worker thread"];
        begins.iter().any(|begin| said.starts_with(begin)).then(|| NoThread::new(said))
    }
}

impl From<NoThread> for io::Error {
    fn from(error: NoThread) -> io::Error {
        io::Error::new(io::ErrorKind::WouldBlock, error)
    }
}

/// Checks that the system can start one more thread now. This is for libraries that start a thread and panic without
/// it.
pub fn check_thread() -> Result<(), NoThread> {
    let trial = threads::for_no_call(thread::Builder::new(), || ()).map_err(NoThread::new)?;
    trial.join().unwrap_or_else(|panic| resume_unwind(panic));
    Ok(())
}

/// Runs `work` on up to `threads` threads at once, including the calling one, and returns the result of each. The
/// system may start fewer threads, so `work` takes its tasks from a shared source.
pub fn spread<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let start = |_| match threads::for_call(scope, thread::Builder::new(), &work) {
            Ok(helper) => Some(helper),
            Err(error) => {
                tracing::debug!(%error, "there is no further thread");
                None
            }
        };
        let helpers: Vec<_> = (1..threads).map_while(start).collect();
        let mut results = vec![work()];
        for helper in helpers {
            results.push(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::spread;
    use crate::cancel::{self, Cancel};

    #[test]
    fn helpers_have_the_handle_of_their_call() {
        let cancel = Cancel::default();
        cancel.cancel();
        let of_helpers = cancel::with(Some(cancel), || spread(2, cancel::is_cancelled));
        assert_eq!(of_helpers, [true, true]);
    }
}
