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

use spyhop::engine::api::{OnMissing, Options, Progress, StalePolicy, State, Watched};
use spyhop::engine::{Cancel, Engine, Error, ErrorKind, Stop, no_thread};
use spyhop::render::agent::{self, Answer};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;

use super::arguments::{Call, ToolRequest};
use super::calls::{self, PendingReply};
use super::engines::{self, Engines};
use super::progress::Watcher;

/// The timeout of a call that waits for an update, after which the call answers from the last commit. Long enough for
/// small trees and small changes.
const PATIENCE: Duration = Duration::from_secs(2);

/// The timeout of a call whose client receives progress notifications. Below the minute after which common clients give
/// up.
const WATCHED_PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked whether a tree that somebody else watches still is, or may be by now.
const WATCH_AGAIN: Duration = Duration::from_secs(60);

/// How often an index that another process is building is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A tree that is served.
pub struct Tree {
    engines: Arc<Engines>,
    update: watch::Receiver<Update>,
    /// How many calls run at once; more would only compete for the same processors.
    calls: Arc<Semaphore>,
    /// How many answers from the last commit and exact searches run at once, which calls that wait must not hold up.
    asides: Arc<Semaphore>,
    /// How many questions for the state run at once. None of the calls above, which may walk a whole tree, holds these up.
    states: Arc<Semaphore>,
}

/// The update that begins with the server.
#[derive(Clone, Copy, Debug)]
enum Update {
    Running(Option<Progress>),
    Done,
}

/// An answer, and whether it is a failure.
pub type Outcome = Result<Answer, Answer>;

impl Tree {
    /// Opens the tree and begins to bring its index up to date, if the options want one that is.
    pub fn open(root: &Path, options: Options, wake: Arc<Notify>) -> Result<Tree, Error> {
        let engines = Arc::new(Engines::open(root, options.clone(), wake)?);
        let engine = engines.worktree();
        let (sender, update) = watch::channel(Update::Done);
        let builds = options.on_missing == OnMissing::Build;
        let refreshes = matches!(options.stale_policy, StalePolicy::Refresh | StalePolicy::Wait);
        if builds && (refreshes || engine.status()?.state == State::Missing) {
            sender.send_replace(Update::Running(None));
            let engines = Arc::clone(&engines);
            let keep = move || {
                bring_up_to_date(engines.worktree(), &sender);
                engines.mark_used();
                if refreshes {
                    stay_up_to_date(&engines);
                }
            };
            // With the thread goes the sender, and calls compare the tree for themselves.
            if let Err(error) = std::thread::Builder::new().spawn(keep) {
                tracing::warn!(%error, "no thread keeps the index up to date");
            }
        }
        let at_once = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        let [calls, asides, states] = [at_once; 3].map(|permits| Arc::new(Semaphore::new(permits)));
        Ok(Tree { engines, update, calls, asides, states })
    }

    /// The root, as the engine names it.
    pub fn root(&self) -> &Path {
        self.engines.worktree().root()
    }

    /// Whether a folder is that of the tree's own index.
    pub fn is_index(&self, dir: &Path) -> bool {
        dir.canonicalize().is_ok_and(|dir| dir == self.engines.worktree().index_dir())
    }

    /// What answers.
    pub fn engines(&self) -> Arc<Engines> {
        Arc::clone(&self.engines)
    }

    /// Answers a call about this tree. Where the answer is dropped before it has come, because the client cancelled the
    /// request or its connection has gone, the call is cancelled.
    pub async fn answer(&self, call: Arc<Call>, watcher: &mut Watcher) -> Result<PendingReply, Answer> {
        let cancel = CancelOnDrop::default();
        let outcome = self.answered(call, watcher, &cancel.cancel).await;
        cancel.disarm();
        outcome
    }

    async fn answered(
        &self,
        call: Arc<Call>,
        watcher: &mut Watcher,
        cancel: &Cancel,
    ) -> Result<PendingReply, Answer> {
        let (engines, cancel) = (Arc::clone(&self.engines), cancel.clone());
        if matches!(call.ask, ToolRequest::Grep(_)) {
            // It reads the files as they are and needs no index, so it is what there is meanwhile.
            let work = move || engines.answer(&call, &cancel, &|_| ());
            return run(&self.asides, work).await;
        }
        let patience = if watcher.is_there() { WATCHED_PATIENCE } else { PATIENCE };
        // A revision has a view of its own, and so has another index; that update makes neither.
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

    /// The state of the tree, with how far its update is; the roots are all that are served.
    pub async fn status(&self, roots: Vec<PathBuf>, index_dir: Option<PathBuf>) -> Outcome {
        let engines = self.engines();
        let update = if index_dir.is_none() { *self.update.borrow() } else { Update::Done };
        run(&self.states, move || {
            let status = engines.of(None, index_dir.as_deref())?.status();
            engines.mark_used();
            let mut status = status.map_err(|error| calls::failed(&error))?;
            let running = matches!(update, Update::Running(_));
            if running && status.state == State::Missing {
                status.state = State::Indexing;
            }
            let roots: Vec<&Path> = roots.iter().map(|root| root.as_path()).collect();
            let progress = match update {
                Update::Running(progress) if status.state == State::Indexing => progress,
                _ => None,
            };
            Ok(agent::status(&status, &roots, progress))
        })
        .await
    }

    /// Waits for the first update, telling how far it is; whether it has ended by then.
    async fn is_up_to_date(&self, deadline: Instant, watcher: &mut Watcher) -> bool {
        let mut update = self.update.clone();
        loop {
            let seen = *update.borrow_and_update();
            let Update::Running(progress) = seen else { return true };
            watcher.tell(progress).await;
            tokio::select! {
                changed = update.changed() => if changed.is_err() { return true },
                () = tokio::time::sleep_until(deadline) => return false,
            }
        }
    }

    /// Answers from the last commit as it is. The engine is a new one, because whether one compares is settled when
    /// it is opened; opening maps a few files.
    async fn as_it_is(&self, call: Arc<Call>) -> Result<PendingReply, Answer> {
        let root = self.root().to_path_buf();
        let (stale_policy, view) = (StalePolicy::Ignore, call.view.clone());
        let options =
            Options { stale_policy, on_missing: OnMissing::Fail, view, ..self.engines.options().clone() };
        let progress = match *self.update.borrow() {
            Update::Running(progress) => progress,
            Update::Done => None,
        };
        run(&self.asides, move || {
            let engine = engines::open(&root, options, call.index_dir.as_deref())?;
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

/// Cancels a call when it is dropped before it was disarmed.
#[derive(Default)]
struct CancelOnDrop {
    cancel: Cancel,
    is_disarmed: bool,
}

impl CancelOnDrop {
    /// The call has ended, or goes on although nobody waits for it.
    fn disarm(mut self) {
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

/// What an answer says that did not wait.
const NOT_YET: &str = "comparing the tree with the index takes longer; this answer is from the last commit";

/// Runs blocking work on a thread for it, when it is its turn.
async fn run<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    // The turn ends with the work, not with the call: work that nobody waits for any more still runs.
    let turn = Arc::clone(turns).acquire_owned().await;
    let start = move || {
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        })
    };
    // Where the system gives no thread, tokio panics.
    let started = catch_unwind(AssertUnwindSafe(start)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().and_then(|said| no_thread(said));
        agent::error(&said.unwrap_or_else(|| "the call failed".to_string()), "no-thread")
    })?;
    started.await.unwrap_or_else(|error| Err(agent::error(&format!("the call failed: {error}"), "internal")))
}

/// Makes the index or brings it up to date. Where another process is at it, its result is waited for: a first answer
/// needs it. Other failures are left for the calls to meet and to tell.
fn bring_up_to_date(engine: &Engine, update: &watch::Sender<Update>) {
    let tell = |progress| _ = update.send_replace(Update::Running(Some(progress)));
    while let Err(error) = engine.refresh(&tell) {
        tracing::warn!(root = %engine.root().display(), %error, "the index was not brought up to date");
        let is_first = engine.status().is_ok_and(|status| status.generation.is_none());
        if error.kind() != ErrorKind::Locked || !is_first {
            break;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    update.send_replace(Update::Done);
}

/// Watches the tree as long as the server lives, so that calls need not compare it. Where another process does that, or
/// it fails, calls ask that process or compare for themselves meanwhile.
fn stay_up_to_date(engines: &Engines) {
    let (engine, stop) = (engines.worktree(), Stop::default());
    let tell = |event: Watched| match event {
        Watched::Begun { folders } => {
            tracing::info!(folders, "the tree is watched");
            engines.mark_used();
        }
        Watched::Polling { why, .. } => {
            tracing::warn!(%why, "the tree cannot be watched; each call compares it");
            stop.stop();
        }
        Watched::Updated { report, took } => {
            tracing::debug!(?report, ?took, "changes are in the index");
            engines.mark_used();
        }
        Watched::Failed(error) => tracing::warn!(%error, "changes are not in the index yet"),
    };
    loop {
        match engine.watch(&stop, &tell) {
            // It cannot be, or is another repository's now than the engine's; calls compare for themselves.
            Ok(_) => return,
            Err(error) => tracing::info!(root = %engine.root().display(), %error, "the tree is not watched"),
        }
        std::thread::sleep(WATCH_AGAIN);
    }
}
