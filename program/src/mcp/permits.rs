//! How many calls run at once, and on which threads.
//!
//! Calls are of two classes. A quick call searches, reads or lists. A slow call, such as a pack, a question about the code
//! graph or a batch, may take seconds in a large tree. Slow calls have permits of their own, which all trees of a server
//! share, and threads of a lower priority, so quick calls never wait for them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use spyhop_engine::no_thread;
use spyhop_interface::render::agent::{self, Answer};
use tokio::sync::{Semaphore, oneshot};

use crate::limits;

/// The permits of calls of one class.
#[derive(Clone)]
pub struct CallPermits {
    semaphore: Arc<Semaphore>,
    is_slow: bool,
}

impl CallPermits {
    /// CallPermits of quick calls: one for each processor. More would only compete for the same processors.
    pub fn quick() -> CallPermits {
        CallPermits { semaphore: Arc::new(Semaphore::new(processors())), is_slow: false }
    }

    /// CallPermits of slow calls.
    pub fn slow() -> CallPermits {
        CallPermits { semaphore: Arc::new(Semaphore::new((processors() / 2).max(2))), is_slow: true }
    }

    /// Runs blocking work on a thread of its own, as soon as there is a permit.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
    ) -> Result<T, Answer> {
        let permit = Arc::clone(&self.semaphore).acquire_owned().await;
        run_with(permit, self.is_slow, work).await
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2))
}

/// Runs blocking work on a thread of its own. The permit is released with the work, not with the call: work that nobody
/// waits for any more still runs to its end, or to its next look at the handle that cancels it.
pub async fn run_with<T: Send + 'static>(
    permit: impl Send + 'static,
    is_slow: bool,
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    let held = move || {
        let _permit = permit;
        work()
    };
    let done = if is_slow { on_slow_thread(held).await } else { on_thread(held).await };
    done.unwrap_or_else(|fault| match fault {
        WorkFault::NoThread(text) => Err(agent::error(&text, "no-thread")),
        WorkFault::Failed(text) => Err(agent::error(&format!("the call failed: {text}"), "internal")),
    })
}

/// Why blocking work has no result.
pub enum WorkFault {
    /// The system starts no further thread.
    NoThread(String),
    /// The work panicked, or the runtime ended.
    Failed(String),
}

/// Runs blocking work on a thread of the runtime.
pub async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkFault> {
    // Tokio panics where the system cannot start a thread.
    let started = catch_unwind(AssertUnwindSafe(|| tokio::task::spawn_blocking(work)))
        .map_err(|panic| without_thread(text_of(&*panic)))?;
    started.await.map_err(|error| WorkFault::Failed(error.to_string()))
}

/// Runs blocking work on a new thread of a lower priority. A thread cannot get its priority back, so the runtime's threads
/// keep theirs.
async fn on_slow_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WorkFault> {
    let (sender, receiver) = oneshot::channel();
    let lowered = move || {
        limits::lower_priority();
        // Nobody waits for a call whose client has gone.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    };
    let started = std::thread::Builder::new().name("slow call".to_string()).spawn(lowered);
    started.map_err(|error| without_thread(Some(&format!("failed to spawn thread: {error}"))))?;
    match receiver.await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(panic)) => Err(WorkFault::Failed(text_of(&*panic).unwrap_or("a panic").to_string())),
        Err(_) => Err(WorkFault::Failed("its thread has ended".to_string())),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied())
}

fn without_thread(said: Option<&str>) -> WorkFault {
    let text = said.and_then(no_thread);
    WorkFault::NoThread(
        text.unwrap_or_else(|| "the system starts no further thread; raise the limit".to_string()),
    )
}
