//! Blocking work on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hyper::StatusCode;
use spyhop::engine::{Cancel, Engine};
use tokio::sync::Semaphore;

use super::reply::ApiError;

/// Runs blocking work on a thread of its own as soon as `permits` has a permit. `cancel` ends the work.
pub async fn blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    cancel: Cancel,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let guarded = move || {
        let _permit = permit;
        if cancel.is_cancelled() {
            return Err(ApiError::superseded());
        }
        let run = || Engine::cancellable(&cancel, work);
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            Err(ApiError::internal(format!("a fault of the program: {text}")))
        })
    };
    // Tokio panics where the system cannot start a thread.
    let started = catch_unwind(AssertUnwindSafe(|| tokio::task::spawn_blocking(guarded)));
    match started {
        Ok(running) => running.await.unwrap_or_else(|error| Err(ApiError::internal(error.to_string()))),
        Err(_) => {
            let text = "the system starts no further thread; raise the limit";
            Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "no-thread", text))
        }
    }
}
