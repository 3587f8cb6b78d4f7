//! Blocking work on a thread of its own.

use std::sync::Arc;

use hyper::StatusCode;
use spyhop_engine::{Cancel, Engine};
use tokio::sync::Semaphore;

use super::reply::ApiError;
use crate::mcp::{WorkFault, on_thread};

/// Runs blocking work on a thread of its own as soon as `permits` has a permit. `cancel` ends the work.
pub async fn blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    cancel: Cancel,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let held = move || {
        let _permit = permit;
        if cancel.is_cancelled() { Err(ApiError::superseded()) } else { Engine::cancellable(&cancel, work) }
    };
    on_thread(held).await.unwrap_or_else(|fault| {
        Err(match fault {
            WorkFault::NoThread(text) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "no-thread", text),
            WorkFault::Failed(text) => ApiError::internal(format!("a fault of the program: {text}")),
        })
    })
}
