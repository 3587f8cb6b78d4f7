//! Trees that stay warm: each has an engine whose index is brought up to date in the background while calls are
//! answered.
//!
//! This module owns waiting. The engine blocks; a call waits for it for a short time and then answers with what there
//! is: the last commit with a note, or, before the first commit, the state `indexing` with the progress. Work whose
//! timeout has passed goes on in its thread, so the next call finds it done; work that the client cancelled stops at
//! the next step of a tree walk. A client that receives progress notifications waits longer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use spyhop::engine::api::{Options, Progress, State};
use spyhop::engine::{Cancel, Error, ErrorKind, Stop, no_thread};
use spyhop::render::agent::{self, Answer};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;

use super::arguments::ToolCall;
use super::calls::{self, PendingReply};
use super::engines::Engines;
use super::progress::Watcher;
use crate::keep;

/// The timeout of a call that waits for an update, after which the call answers from the last commit. Long enough for
/// small trees and small changes.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// The timeout of a call whose client receives progress notifications. Below the minute after which common clients give
/// up.
const WATCHED_PATIENCE: Duration = Duration::from_secs(30);

/// A tree that is served.
pub struct ServedTree {
    engines: Arc<Engines>,
    update: watch::Receiver<UpdateState>,
    /// The limit on calls that run at once; more would only compete for the same processors.
    calls: Arc<Semaphore>,
    /// The limit on concurrent answers from the last commit and exact searches, which waiting calls must not block.
    asides: Arc<Semaphore>,
    /// The limit on concurrent status requests. Calls that walk a whole tree must not block them.
    states: Arc<Semaphore>,
}

/// The update that begins with the server.
#[derive(Clone, Copy, Debug)]
pub enum UpdateState {
    Running(Option<Progress>),
    /// The update has ended; set again whenever the index changes.
    Done,
}

/// An answer, as an error if the call failed.
pub type CallOutcome = Result<Answer, Answer>;

impl ServedTree {
    /// Opens the tree and begins to bring its index up to date, if the options ask for a current index.
    pub fn open(root: &Path, options: Options, wake: Arc<Notify>) -> Result<ServedTree, Error> {
        let engines = Arc::new(Engines::open(root, options.clone(), wake)?);
        let engine = engines.worktree();
        let (sender, update) = watch::channel(UpdateState::Done);
        let refreshes = keep::refreshes(&options);
        if keep::begins_with_update(engine, &options)? {
            sender.send_replace(UpdateState::Running(None));
            let engines = Arc::clone(&engines);
            let keep = move || {
                let tell = |progress| _ = sender.send_replace(UpdateState::Running(Some(progress)));
                keep::bring_up_to_date(engines.worktree(), &tell);
                sender.send_replace(UpdateState::Done);
                engines.mark_used();
                if refreshes {
                    let used = || {
                        engines.mark_used();
                        sender.send_replace(UpdateState::Done);
                    };
                    keep::stay_up_to_date(engines.worktree(), &Stop::default(), &used);
                }
            };
            // The sender is dropped with the thread, and each call then compares the tree itself.
            if let Err(error) = std::thread::Builder::new().spawn(keep) {
                tracing::warn!(%error, "no thread keeps the index up to date");
            }
        }
        let at_once = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        let [calls, asides, states] = [at_once; 3].map(|permits| Arc::new(Semaphore::new(permits)));
        Ok(ServedTree { engines, update, calls, asides, states })
    }

    /// The root, as the engine names it.
    pub fn root(&self) -> &Path {
        self.engines.worktree().root()
    }

    /// Whether a folder is the tree's own index.
    pub fn is_index(&self, dir: &Path) -> bool {
        dir.canonicalize().is_ok_and(|dir| dir == self.engines.worktree().index_dir())
    }

    /// The engines that answer calls.
    pub fn engines(&self) -> Arc<Engines> {
        Arc::clone(&self.engines)
    }

    /// The state of the update, which changes also when the index does.
    pub fn updates(&self) -> watch::Receiver<UpdateState> {
        self.update.clone()
    }

    /// Answers a call about this tree. When the future is dropped before the answer has come, because the client
    /// cancelled the request or its connection has closed, the call is cancelled.
    pub async fn answer(&self, call: Arc<ToolCall>, watcher: &mut Watcher) -> Result<PendingReply, Answer> {
        let cancel = CancelOnDrop::default();
        let outcome = self.answered(call, watcher, &cancel.cancel).await;
        cancel.disarm();
        outcome
    }

    async fn answered(
        &self,
        call: Arc<ToolCall>,
        watcher: &mut Watcher,
        cancel: &Cancel,
    ) -> Result<PendingReply, Answer> {
        let (engines, cancel) = (Arc::clone(&self.engines), cancel.clone());
        if call.ask.needs_no_index() {
            // The files are read as they are, so the call can be answered while the index is updated.
            let work = move || engines.answer(&call, &cancel, &|_| ());
            return run(&self.asides, work).await;
        }
        let patience = if watcher.is_there() { WATCHED_PATIENCE } else { PATIENCE };
        // A revision and another index have views of their own, which the update of the worktree does not make.
        let is_own = call.view.is_none() && call.index_dir.is_none();
        if is_own && !self.is_up_to_date(Instant::now() + patience, watcher).await {
            return self.as_it_is(call).await;
        }
        let (sender, mut progress) = watch::channel(None);
        let asked = Arc::clone(&call);
        let work = run(&self.calls, move || {
            let tell = |progress: Progress| _ = sender.send_replace(Some(progress));
            engines.answer(&asked, &cancel, &tell)
        });
        tokio::pin!(work);
        let deadline = tokio::time::sleep(patience);
        tokio::pin!(deadline);
        loop {
            tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                () = &mut deadline => break,
                Ok(()) = progress.changed() => {
                    let seen = *progress.borrow_and_update();
                    watcher.tell(seen).await;
                }
            }
        }
        tokio::select! {
            outcome = &mut work => outcome,
            outcome = self.as_it_is(call) => outcome,
        }
    }

    /// The status of the tree, with the progress of its update; `roots` are all roots that are served.
    pub async fn status(&self, roots: Vec<PathBuf>, index_dir: Option<PathBuf>) -> CallOutcome {
        let engines = self.engines();
        let update = if index_dir.is_none() { *self.update.borrow() } else { UpdateState::Done };
        run(&self.states, move || {
            let status = engines.of(None, index_dir.as_deref())?.status();
            engines.mark_used();
            let mut status = status.map_err(|error| calls::failed(&error))?;
            let running = matches!(update, UpdateState::Running(_));
            if running && status.state == State::Missing {
                status.state = State::Indexing;
            }
            let roots: Vec<&Path> = roots.iter().map(|root| root.as_path()).collect();
            let progress = match update {
                UpdateState::Running(progress) if status.state == State::Indexing => progress,
                _ => None,
            };
            Ok(agent::status(&status, &roots, progress))
        })
        .await
    }

    /// Waits for the first update while sending progress; returns whether the update ended before the deadline.
    async fn is_up_to_date(&self, deadline: Instant, watcher: &mut Watcher) -> bool {
        let mut update = self.update.clone();
        loop {
            let seen = *update.borrow_and_update();
            let UpdateState::Running(progress) = seen else { return true };
            watcher.tell(progress).await;
            tokio::select! {
                changed = update.changed() => if changed.is_err() { return true },
                () = tokio::time::sleep_until(deadline) => return false,
            }
        }
    }

    /// Answers from the last commit, without waiting for an update or a comparison.
    async fn as_it_is(&self, call: Arc<ToolCall>) -> Result<PendingReply, Answer> {
        let root = self.root().to_path_buf();
        let engines = self.engines();
        let progress = match *self.update.borrow() {
            UpdateState::Running(progress) => progress,
            UpdateState::Done => None,
        };
        run(&self.asides, move || {
            let engine = engines.of(call.view.as_deref(), call.index_dir.as_deref())?;
            let engine = engine.with_policy(engine.policy().last_commit());
            match calls::answer(&engine, &call, &|_| ()) {
                Ok(told) => Ok(told.warn(NOT_YET)),
                Err(error) if matches!(error.kind(), ErrorKind::NoIndex | ErrorKind::Stale) => {
                    Ok(agent::indexing(&root, progress).into())
                }
                Err(error) => Err(calls::failed(&error)),
            }
        })
        .await
    }
}

/// Cancels a call when dropped, unless disarmed before.
#[derive(Default)]
pub struct CancelOnDrop {
    pub cancel: Cancel,
    is_disarmed: bool,
}

impl CancelOnDrop {
    /// Disarms the guard: the call has ended, or goes on although nobody waits for it.
    pub fn disarm(mut self) {
        self.is_disarmed = true;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.is_disarmed {
            self.cancel.cancel();
        }
    }
}

/// The warning of an answer that did not wait for the update.
pub const NOT_YET: &str =
    "comparing the tree with the index takes longer; this answer is from the last commit";

/// Runs blocking work on a thread of its own, as soon as `permits` has a permit.
pub async fn run<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    let permit = Arc::clone(permits).acquire_owned().await;
    run_with(permit, work).await
}

/// Runs blocking work on a thread of its own. The permit is released with the work, not with the call: work that nobody
/// waits for any more still runs.
pub async fn run_with<T: Send + 'static>(
    permit: impl Send + 'static,
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    let held = move || {
        let _permit = permit;
        work()
    };
    on_thread(held).await.unwrap_or_else(|fault| match fault {
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

/// Runs blocking work on a thread of its own.
pub async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkFault> {
    // Tokio panics where the system cannot start a thread.
    let started = catch_unwind(AssertUnwindSafe(|| tokio::task::spawn_blocking(work))).map_err(|panic| {
        let said = panic.downcast_ref::<String>().and_then(|said| no_thread(said));
        WorkFault::NoThread(
            said.unwrap_or_else(|| "the system starts no further thread; raise the limit".into()),
        )
    })?;
    started.await.map_err(|error| WorkFault::Failed(error.to_string()))
}
