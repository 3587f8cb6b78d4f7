//! How calls of the library run: without the interpreter's lock, on threads of their own, while the caller's thread looks
//! for signals and reports progress.
//!
//! Python handles a signal only between two instructions of its main thread. A call that blocked this thread would keep
//! a KeyboardInterrupt waiting until its end. So the thread of the caller wakes up at intervals. If a handler raises, the
//! call is cancelled, its threads are joined, and the exception is passed on. No thread outlives a call.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use spyhop::Progress;
use spyhop_engine::Cancel;

use crate::failure::{Failure, kebab};

/// The time between two looks at signals and progress.
const SLICE: Duration = Duration::from_millis(25);

/// The progress of a call: of an update, or of a batch of queries.
struct CallProgress {
    stage: String,
    done: usize,
    total: usize,
    bytes: u64,
    total_bytes: u64,
}

/// What the threads of a call tell the caller's thread.
#[derive(Default)]
pub struct Told {
    progress: Mutex<VecDeque<CallProgress>>,
}

impl Told {
    /// Notes progress. Of one stage only the newest state is kept.
    pub fn note(&self, progress: Progress) {
        let stage = kebab(&format!("{:?}", progress.stage));
        let (done, total) = (progress.files, progress.total_files);
        let (bytes, total_bytes) = (progress.bytes, progress.total_bytes);
        self.push(CallProgress { stage, done, total, bytes, total_bytes });
    }

    /// Notes progress of a batch of queries.
    pub fn note_queries(&self, done: usize, total: usize) {
        self.push(CallProgress { stage: "queries".to_string(), done, total, bytes: 0, total_bytes: 0 });
    }

    fn push(&self, progress: CallProgress) {
        let mut waiting = unpoisoned(&self.progress);
        match waiting.back_mut() {
            Some(last) if last.stage == progress.stage => *last = progress,
            _ => waiting.push_back(progress),
        }
    }

    /// Calls `listener` with what was noted, and looks for signals.
    fn deliver(&self, py: Python<'_>, listener: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let Some(listener) = listener else { return Ok(()) };
        let waiting = std::mem::take(&mut *unpoisoned(&self.progress));
        for CallProgress { stage, done, total, bytes, total_bytes } in waiting {
            listener.call1(py, (stage, done, total, bytes, total_bytes))?;
        }
        Ok(())
    }
}

/// Runs `work` on a thread of its own, and reports its progress to `listener`.
///
/// The work is cancelled if a signal handler or `listener` raises; then the call raises that exception, after the work
/// has ended. A cancelled update ends between two files, and the next one continues from there.
pub fn call<T: Send>(
    py: Python<'_>,
    listener: Option<&Py<PyAny>>,
    work: impl FnOnce(&Told, &Cancel) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let (told, cancel) = (Told::default(), Cancel::default().ending_updates());
    let ended = py.detach(|| {
        std::thread::scope(|scope| {
            // Nothing is sent: the receiver wakes up when the thread drops the sender.
            let (sender, receiver) = mpsc::channel::<()>();
            let (told, cancel) = (&told, &cancel);
            let run = move || {
                let _until_the_end = sender;
                guarded(|| spyhop::Engine::cancellable(cancel, || work(told, cancel)))
            };
            let thread =
                std::thread::Builder::new().name("spyhop".to_string()).spawn_scoped(scope, run).map_err(
                    |error| Outcome::Failed(Failure::internal(format!("no thread was started: {error}"))),
                )?;
            let mut raised = None;
            while receiver.recv_timeout(SLICE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| told.deliver(py, listener))
                {
                    cancel.cancel();
                    raised = Some(error);
                }
            }
            let outcome = thread.join().unwrap_or_else(|panic| Err(of_panic(panic.as_ref())));
            raised.map_or(outcome.map_err(Outcome::Failed), |raised| Err(Outcome::Raised(raised)))
        })
    });
    match ended {
        Ok(value) => {
            // What was noted in the last slice.
            told.deliver(py, listener)?;
            Ok(value)
        }
        Err(Outcome::Raised(error)) => Err(error),
        Err(Outcome::Failed(failure)) => Err(failure.raised(py)),
    }
}

/// Why a call has no value.
enum Outcome {
    Raised(PyErr),
    Failed(Failure),
}

/// Runs `work`; a panic is a failure of kind `internal`.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref())))
}

fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
    Failure::internal(format!("a part of the library panicked: {text}"))
}

/// Keeps panics from standard error. The hook is that of this extension module only: each Rust library in a process has
/// its own.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|_| ()));
}

pub fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Panics on the thread of a call. Only builds for development have the function; the tests call it.
#[cfg(debug_assertions)]
#[pyfunction]
pub fn panic_inside(py: Python<'_>) -> PyResult<()> {
    call(py, None, |_, _| -> Result<(), Failure> { panic!("as asked") })
}
