//! The engine for programs on tokio, with the feature `async`. A call blocks a thread for its duration, so each call runs
//! on one of tokio's threads for blocking work. A dropped future cancels its call by a [`Cancel`].

use std::path::PathBuf;

use super::api::*;
use super::core::Engine;
use super::fault::guarded;
use super::operation::Operation;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind};

/// An [`Engine`] whose calls can be awaited. Clones share the engine. The calls need a runtime of tokio.
///
/// A future does nothing until it is polled. When a future is dropped, its call is cancelled: a walk ends at the next folder,
/// an exact search at the next file, and a refresh or rebuild between two files; the next refresh continues a refresh. An update
/// that another call needs for its answer, such as the first search of a tree, goes on to its end, because the next call needs it
/// too. A limit of time is tokio's: `tokio::time::timeout(limit, engine.ask(request))`.
pub struct AsyncEngine {
    engine: Engine,
}

impl Clone for AsyncEngine {
    fn clone(&self) -> AsyncEngine {
        self.engine.with_policy(self.engine.policy()).into()
    }
}

impl From<Engine> for AsyncEngine {
    fn from(engine: Engine) -> AsyncEngine {
        AsyncEngine { engine }
    }
}

impl AsyncEngine {
    /// Opens the tree at `root`, as [`Engine::open`].
    ///
    /// # Errors
    /// As for [`Engine::open`].
    pub async fn open(root: impl Into<PathBuf>, options: Options) -> Result<AsyncEngine, Error> {
        let root = root.into();
        on_own_thread(Cancel::default(), move || Engine::open(root, options)).await.map(AsyncEngine::from)
    }

    /// The engine, for calls that do not block, and for operations that have no method here, with [`AsyncEngine::run`].
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Runs calls to the engine. All of them are cancelled if the future is dropped.
    ///
    /// # Errors
    /// The error of `calls`; `Internal` if they panic; `Cancelled` if the runtime ends before they begin.
    pub async fn run<T: Send + 'static>(
        &self,
        calls: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.run_until(Cancel::default(), calls).await
    }

    /// Runs calls to the engine, which `cancel` ends.
    async fn run_until<T: Send + 'static>(
        &self,
        cancel: Cancel,
        calls: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let AsyncEngine { engine } = self.clone();
        on_own_thread(cancel, move || calls(&engine)).await
    }

    /// Updates the index, or builds the index if there is none, as [`Engine::refresh`]. If the future is dropped, the update
    /// ends soon, and the next one continues from there.
    ///
    /// # Errors
    /// As for [`Engine::refresh`].
    pub async fn refresh(
        &self,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> Result<RefreshReport, Error> {
        self.run_until(Cancel::default().ending_updates(), move |engine| engine.refresh(&progress)).await
    }

    /// Rebuilds the index from the sources, as [`Engine::rebuild`]. If the future is dropped, the rebuild ends soon, and the old
    /// index answers.
    ///
    /// # Errors
    /// As for [`Engine::rebuild`].
    pub async fn rebuild(
        &self,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> Result<RefreshReport, Error> {
        self.run_until(Cancel::default().ending_updates(), move |engine| engine.rebuild(&progress)).await
    }

    /// Answers a request, as [`Engine::ask`].
    ///
    /// # Errors
    /// As for [`Engine::ask`].
    pub async fn ask<O>(&self, request: O) -> Result<O::Reply, Error>
    where
        O: Operation<Reply: Send> + Send + 'static,
    {
        self.run(move |engine| engine.ask(&request)).await
    }

    /// The state of the index, as [`Engine::status`].
    ///
    /// # Errors
    /// As for [`Engine::status`].
    pub async fn status(&self) -> Result<Status, Error> {
        self.run(Engine::status).await
    }
}

/// Cancels the call of a future that is dropped. After the end of a call this has no effect.
struct DroppedFuture(Cancel);

impl Drop for DroppedFuture {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `calls` on a thread for blocking work, unless the future is dropped before.
async fn on_own_thread<T: Send + 'static>(
    cancel: Cancel,
    calls: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let _on_drop = DroppedFuture(cancel.clone());
    let task = tokio::task::spawn_blocking(move || match cancel.is_cancelled() {
        true => Err(Error::new(ErrorKind::Cancelled, "the call was cancelled before it began")),
        false => guarded("the call", || Engine::cancellable(&cancel, calls)),
    });
    task.await.unwrap_or_else(|_| {
        let text =
            "the runtime of tokio ended before the call began; keep the runtime until the call returns";
        Err(Error::new(ErrorKind::Cancelled, text))
    })
}
