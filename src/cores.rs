//! How many threads can run at a time, and work that is spread over them.
//!
//! The standard library asks the system anew each time how many, which on Linux reads several files: a tenth of a
//! millisecond, in answers of a few. A limit of processes or memory may leave fewer threads than there are cores, or
//! none beside the calling one; then fewer do the work.

use std::io;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread;

static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// At least 1, as it was when it was first asked for.
pub fn cores() -> usize {
    *CORES
}

/// That a thread was needed and the system gave none.
#[derive(Debug, thiserror::Error)]
#[error(
    "the system gives this process no further thread: {0}; raise the limit of processes and threads (ulimit -u), or \
     end some"
)]
pub struct NoThread(String);

impl NoThread {
    /// With what the system, or a library, said.
    pub fn new(said: impl ToString) -> NoThread {
        NoThread(said.to_string())
    }

    /// What a panic says, if that is how the standard library or tokio tell that there was no thread.
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

/// Whether the system gives one more thread just now. It is for libraries that start one and cannot do without.
pub fn check_thread() -> Result<(), NoThread> {
    let trial = thread::Builder::new().spawn(|| ()).map_err(NoThread::new)?;
    trial.join().unwrap_or_else(|panic| resume_unwind(panic));
    Ok(())
}

/// Runs `work` on up to `threads` threads at once, the calling one among them, and gives back what each gave. Where the
/// system gives fewer threads, fewer work, so `work` takes its tasks from something that all share.
pub fn spread<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let start = |_| match thread::Builder::new().spawn_scoped(scope, &work) {
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
