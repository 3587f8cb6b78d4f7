//! Trees that stay warm: each has an engine whose index is brought up to date in the background while calls are
//! answered.
//!
//! This module owns waiting. The engine blocks; a call waits for it for a short time and then answers with what there
//! is: the last commit with a note, or, before the first commit, the state `indexing` with the progress. Work whose
//! timeout has passed goes on in its thread, so the next call finds it done; work that the client cancelled stops at
//! the next step of a tree walk. A client that receives progress notifications waits longer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use spyhop_engine::api::{Options, Progress, State};
use spyhop_engine::{Cancel, Engine, Error, ErrorKind, Stop};
use spyhop_interface::render::agent::{self, Answer};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::calls::{self, PendingReply, ToolCall};
use super::engines::Engines;
use super::permits::CallPermits;
use super::progress::Watcher;
use crate::keep;

/// The timeout of a call that waits for an update, after which the call answers from the last commit. Long enough for
/// small trees and small changes.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// The timeout of a call whose client receives progress notifications. Below the minute after which common clients give
/// up.
const WATCHED_PATIENCE: Duration = Duration::from_secs(30);

/// The most time of an answer, without the wait for an update. Common clients give up after a minute.
const ANSWER_LIMIT: Duration = Duration::from_secs(120);

/// A tree that is served.
pub struct ServedTree {
    engines: Arc<Engines>,
    update: watch::Receiver<UpdateState>,
    /// The permits of calls.
    calls: CallPermits,
    /// The permits of answers from the last commit and of exact searches, which waiting calls must not block.
    asides: CallPermits,
    /// The permits of slow calls, of all trees.
    slow: CallPermits,
    /// The permits of status requests. Calls that walk a whole tree must not block them.
    states: CallPermits,
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
    pub fn open(
        root: &Path,
        options: Options,
        wake: Arc<Notify>,
        slow: &CallPermits,
    ) -> Result<ServedTree, Error> {
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
        let [calls, asides, states] = [(); 3].map(|()| CallPermits::quick());
        Ok(ServedTree { engines, update, calls, asides, slow: slow.clone(), states })
    }

    /// The root, as the engine names it.
    pub fn root(&self) -> &Path {
        self.engines.worktree().root()
    }

    /// The folder of another index that `db` names; `None` if it names the tree's own, or the database of its vectors.
    pub fn other_index(&self, db: PathBuf) -> Result<Option<PathBuf>, Answer> {
        let worktree = self.engines.worktree();
        if db.canonicalize().is_ok_and(|dir| dir == worktree.index_dir()) {
            return Ok(None);
        }
        match worktree.database(&db) {
            None => Ok(Some(db)),
            Some(Ok(())) => Ok(None),
            Some(Err(error)) => Err(agent::error(&error.to_string(), "no-index")),
        }
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
        let (engines, own) = (Arc::clone(&self.engines), cancel.clone());
        if call.needs_no_index {
            // The files are read as they are, so the call can be answered while the index is updated.
            let work = self.asides.run(move || engines.answer(&call, &own, &|_| ()));
            return within_limit(work, cancel).await;
        }
        let patience = if watcher.is_there() { WATCHED_PATIENCE } else { PATIENCE };
        // A revision and another index have views of their own, which the update of the worktree does not make.
        let is_own = call.view.is_none() && call.index_dir.is_none();
        if is_own && !self.is_up_to_date(Instant::now() + patience, watcher).await {
            return self.as_it_is(call).await;
        }
        let (sender, mut progress) = watch::channel(None);
        let asked = Arc::clone(&call);
        let permits = if call.is_slow { &self.slow } else { &self.calls };
        let work = permits.run(move || {
            let tell = |progress: Progress| _ = sender.send_replace(Some(progress));
            engines.answer(&asked, &own, &tell)
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
        // An answer that has begun does not wait for the tree: another one would take as long.
        if cancel.is_answering() {
            return within_limit(work, cancel).await;
        }
        tokio::select! {
            outcome = &mut work => outcome,
            outcome = self.as_it_is(call) => {
                // The update goes on, and ends before its answer.
                cancel.end_answer();
                outcome
            }
        }
    }

    /// The status of the tree, with the progress of its update; `roots` are all roots that are served.
    pub async fn status(&self, roots: Vec<PathBuf>, index_dir: Option<PathBuf>) -> CallOutcome {
        let engines = self.engines();
        let update = if index_dir.is_none() { *self.update.borrow() } else { UpdateState::Done };
        self.states
            .run(move || {
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
        let guard = CancelOnDrop::default();
        let cancel = guard.cancel.clone();
        let permits = if call.is_slow { &self.slow } else { &self.asides };
        let work = permits.run(move || {
            let engine = engines.of(call.view.as_deref(), call.index_dir.as_deref())?;
            let engine = engine.with_policy(engine.policy().last_commit());
            match Engine::cancellable(&cancel, || calls::answer(&engine, &call, &|_| ())) {
                Ok(told) => Ok(told.warn(NOT_YET)),
                Err(error) if matches!(error.kind(), ErrorKind::NoIndex | ErrorKind::Stale) => {
                    Ok(agent::indexing(&root, progress).into())
                }
                Err(error) => Err(calls::failed(&error)),
            }
        });
        let outcome = within_limit(work, &guard.cancel).await;
        guard.disarm();
        outcome
    }
}

/// Waits for an answer, and cancels its work when the answer takes too long.
pub async fn within_limit<T>(
    work: impl Future<Output = Result<T, Answer>>,
    cancel: &Cancel,
) -> Result<T, Answer> {
    let in_time = tokio::time::timeout(ANSWER_LIMIT, work).await;
    in_time.unwrap_or_else(|_| {
        cancel.cancel();
        let seconds = ANSWER_LIMIT.as_secs();
        let text = format!("there is no answer after {seconds} s, which is the most; ask about less: a folder in 'path', or fewer results");
        Err(agent::error(&text, "cancelled"))
    })
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

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};

    use serde_json::json;
    use spyhop_engine::api::{ExtraTerms, TokenizerHook};
    use spyhop_interface::catalog::tools;

    use super::super::arguments;
    use super::super::roots::Roots;
    use super::*;

    /// How many calls are at the word `stall`, and whether they may go on.
    #[derive(Default)]
    struct Gate(Mutex<(usize, bool)>, Condvar);

    struct Stalls(Arc<Gate>);

    impl TokenizerHook for Stalls {
        fn fingerprint(&self) -> String {
            "stalls".to_string()
        }

        fn extra_terms(&self, word: &str) -> Vec<String> {
            if word == "stall" {
                let Gate(state, changed) = &*self.0;
                let mut state = state.lock().unwrap();
                state.0 += 1;
                changed.notify_all();
                drop(changed.wait_while(state, |(_, is_open)| !*is_open).unwrap());
            }
            Vec::new()
        }
    }

    /// More calls than there are permits of any class, until the clients lose their patience.
    const MANY: usize = 200;

    #[test]
    fn searches_are_answered_while_slow_calls_take_every_permit_of_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.py"), "def draw_circle():\n    pass\n").unwrap();
        let gate = Arc::new(Gate::default());
        let extra_terms = ExtraTerms::of(Stalls(Arc::clone(&gate)));
        let index_dir = Some(folder.path().join("index"));
        let options = Options { index_dir, extra_terms, ..Options::default() };
        let tree = ServedTree::open(&root, options, Arc::default(), &CallPermits::slow()).unwrap();
        let (tree, roots) = (Arc::new(tree), Roots::new(vec![root]));
        let call = |tool: &str, given: serde_json::Value| {
            let given = given.as_object().unwrap().clone();
            let call =
                arguments::call(tools::tool(tool).unwrap(), &[], given, (&roots, &|_| false), None).unwrap();
            let tree = Arc::clone(&tree);
            async move { tree.answer(Arc::new(call), &mut Watcher::of_nobody()).await.map(PendingReply::send) }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let slow: Vec<_> = (0..MANY)
                .map(|number| match number % 3 {
                    0 => call("get_context_pack", json!({ "task": "stall" })),
                    1 => call("search_batch", json!({ "queries": ["circle", "stall"] })),
                    _ => call("why_not", json!({ "file": "a.py", "query": "stall" })),
                })
                .map(tokio::spawn)
                .collect();
            // All that can begin have begun, also those that are answered from the last commit.
            tokio::time::sleep(PATIENCE + Duration::from_millis(500)).await;
            let stalled = gate.0.lock().unwrap().0;
            assert!(stalled >= 2, "{stalled}");
            for (tool, given) in [
                ("codebase_search", json!({ "query": "draw circle" })),
                ("grep_files", json!({ "pattern": "circle" })),
                ("file_search", json!({ "pattern": "a.py" })),
            ] {
                let answer = tokio::time::timeout(Duration::from_secs(100), call(tool, given)).await;
                let answer = answer.unwrap_or_else(|_| panic!("{tool} waits for slow calls"));
                assert!(answer.is_ok_and(|answer| answer.text.contains("a.py")), "{tool}");
            }
            // Whoever does not wait any more needs no permit, and the others are answered.
            let (mut slow, kept) = (slow, 3);
            slow.drain(kept..).for_each(|gone| gone.abort());
            *gate.0.lock().unwrap() = (0, true);
            gate.1.notify_all();
            for answer in slow {
                assert!(answer.await.unwrap().is_ok());
            }
        });
    }
}
