//! The library of a server: calls that ask several sources or served trees at once, and calls about the library itself.
//!
//! The sources of a library are trees that the user has added to it, so they may lie outside of the server's roots. The
//! library is opened at the first call that asks it. As with roots, a call whose sources have to be compared with their
//! indexes for too long is answered from their last commits.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use spyhop_engine::api::Options;
use spyhop_engine::{Corpus, Engine, Error};
use spyhop_interface::render::agent::{self, Answer};
use spyhop_library::{AddProgress, Library, LibraryOptions, OnAddProgress, SourceChoice, SourceReader};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use super::calls::{self, PendingReply, ToolCall};
use super::engines::Rests;
use super::library_request::LibraryRequest;
use super::permits::{CallPermits, run_with};
use super::progress::Watcher;
use super::warm::{CallOutcome, CancelOnDrop, NOT_YET, PATIENCE, within_limit};

/// The timeout of a call that imports: below the minute after which common clients give up.
const IMPORT_PATIENCE: Duration = Duration::from_secs(50);

/// How many calls that may ask servers on other machines run at once.
const FETCHES: usize = 2;

/// The most tokens of an answer about the library itself.
const BUDGET: usize = 4_000;

/// The library of a server; see the module.
pub struct ServedLibrary {
    folder: Option<PathBuf>,
    options: Options,
    open: Mutex<OpenLibrary>,
    /// Notified at the first use after a release.
    wake: Arc<Notify>,
    calls: CallPermits,
    asides: CallPermits,
    slow: CallPermits,
    /// Imports run one after the other.
    changes: Arc<Semaphore>,
    /// Calls that may ask servers on other machines wait for them, and must not keep other changes waiting.
    fetches: Arc<Semaphore>,
}

/// The trees that a call asks as one.
#[derive(Clone)]
pub enum Members {
    /// Sources of the library.
    Sources(SourceChoice),
    /// Served trees, by their names.
    Served(Arc<Corpus>),
}

impl Members {
    fn set(&self, library: &ServedLibrary) -> Result<Arc<Corpus>, Error> {
        match self {
            Members::Sources(choice) => library.set(choice),
            Members::Served(set) => Ok(Arc::clone(set)),
        }
    }
}

/// The sources that are open.
#[derive(Default)]
struct OpenLibrary {
    reader: Option<Arc<SourceReader>>,
    /// When a call last asked; `None` once the sources are closed.
    used: Option<Instant>,
}

impl ServedLibrary {
    pub fn new(
        folder: Option<PathBuf>,
        options: Options,
        wake: Arc<Notify>,
        slow: &CallPermits,
    ) -> ServedLibrary {
        let [calls, asides] = [(); 2].map(|()| CallPermits::quick());
        let [changes, fetches] = [1, FETCHES].map(|permits| Arc::new(Semaphore::new(permits)));
        let (open, slow) = (Mutex::default(), slow.clone());
        ServedLibrary { folder, options, open, wake, calls, asides, slow, changes, fetches }
    }

    /// The sources of a choice.
    pub fn set(&self, choice: &SourceChoice) -> Result<Arc<Corpus>, Error> {
        let reader = {
            let mut open = self.lock();
            if open.used.replace(Instant::now()).is_none() {
                self.wake.notify_one();
            }
            match &open.reader {
                Some(reader) => Arc::clone(reader),
                None => {
                    let library = self.library(Duration::ZERO)?;
                    let reader = Arc::new(library.reader(self.options.clone()));
                    open.reader = Some(Arc::clone(&reader));
                    reader
                }
            }
        };
        reader.set(choice)
    }

    /// Answers a call about several trees. When the future is dropped before the answer has come, the call is cancelled.
    pub async fn answer(
        self: &Arc<Self>,
        members: Members,
        call: Arc<ToolCall>,
    ) -> Result<PendingReply, Answer> {
        let guard = CancelOnDrop::default();
        let cancel = guard.cancel.clone();
        let (library, asked, wanted) = (Arc::clone(self), Arc::clone(&call), members.clone());
        let is_slow = call.is_slow;
        let calls = if is_slow { &self.slow } else { &self.calls };
        let work = calls.run(move || {
            let set = wanted.set(&library).map_err(|error| calls::failed(&error))?;
            Engine::cancellable(&cancel, || calls::of_sources(&set, &asked))
                .map_err(|error| calls::failed(&error))
        });
        tokio::pin!(work);
        let in_time = tokio::select! {
            biased;
            outcome = &mut work => Some(outcome),
            () = tokio::time::sleep(PATIENCE) => None,
        };
        let outcome = match in_time {
            Some(outcome) => outcome,
            None if guard.cancel.is_answering() => within_limit(work, &guard.cancel).await,
            None => tokio::select! {
                outcome = &mut work => outcome,
                outcome = self.from_last_commits(members, call) => {
                    guard.cancel.end_answer();
                    outcome
                }
            },
        };
        guard.disarm();
        outcome
    }

    /// The library, for a question that does not wait for another process.
    pub fn open(&self) -> Result<Library, Error> {
        self.library(Duration::ZERO)
    }

    fn library(&self, wait: Duration) -> Result<Library, Error> {
        Library::open(LibraryOptions { root: self.folder.clone(), wait })
    }

    /// Answers a call about the library itself. A call that changes the library waits for its turn.
    pub async fn of_itself(self: &Arc<Self>, request: LibraryRequest, watcher: &mut Watcher) -> CallOutcome {
        if !request.tool.read_only {
            return self.change(request, watcher).await;
        }
        let (guard, library) = (CancelOnDrop::default(), Arc::clone(self));
        let cancel = guard.cancel.clone();
        let permits = if request.is_slow() { &self.slow } else { &self.asides };
        let outcome = permits
            .run(move || {
                let answer = || library.answered(request, Duration::ZERO, &|_| ());
                Engine::cancellable(&cancel, answer).map_err(|error| calls::failed(&error))
            })
            .await;
        guard.disarm();
        outcome
    }

    /// Changes the library. An import that takes longer than clients wait goes on, and so does one whose call was
    /// cancelled: the same call continues with what is there. A call that has to wait too long for another import is
    /// refused.
    async fn change(self: &Arc<Self>, request: LibraryRequest, watcher: &mut Watcher) -> CallOutcome {
        let deadline = tokio::time::sleep(IMPORT_PATIENCE);
        tokio::pin!(deadline);
        let turns = if request.asks_servers { &self.fetches } else { &self.changes };
        let permit = turn(turns, IMPORT_PATIENCE).await?;
        let (sender, mut progress) = watch::channel(None);
        let library = Arc::clone(self);
        let work = run_with(permit, true, move || {
            let tell = |progress: AddProgress| {
                if let AddProgress::Indexing(progress) = progress {
                    sender.send_replace(Some(progress));
                }
            };
            library.answered(request, IMPORT_PATIENCE, &tell).map_err(|error| calls::failed(&error))
        });
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                () = &mut deadline => return Ok(agent::import_goes_on()),
                Ok(()) = progress.changed() => {
                    let seen = *progress.borrow_and_update();
                    watcher.tell(seen).await;
                }
            }
        }
    }

    /// Runs the operation of the command line, and cuts its text.
    fn answered(
        &self,
        request: LibraryRequest,
        wait: Duration,
        progress: OnAddProgress<'_>,
    ) -> Result<Answer, Error> {
        let reply = (request.run)(&self.library(wait)?, self.options.clone(), progress)?;
        Ok(agent::cut(agent::of_library(&*reply), BUDGET))
    }

    /// Answers from the last commits, without comparing a source with its tree.
    async fn from_last_commits(
        self: &Arc<Self>,
        members: Members,
        call: Arc<ToolCall>,
    ) -> Result<PendingReply, Answer> {
        let (guard, library) = (CancelOnDrop::default(), Arc::clone(self));
        let cancel = guard.cancel.clone();
        let permits = if call.is_slow { &self.slow } else { &self.asides };
        let work = permits.run(move || {
            let set = members.set(&library).map_err(|error| calls::failed(&error))?.of_last_commits();
            let told = Engine::cancellable(&cancel, || calls::of_sources(&set, &call))
                .map_err(|error| calls::failed(&error))?;
            Ok(told.warn(NOT_YET))
        });
        let outcome = within_limit(work, &guard.cancel).await;
        guard.disarm();
        outcome
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, OpenLibrary> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit to change the library.
async fn turn(turns: &Arc<Semaphore>, patience: Duration) -> Result<OwnedSemaphorePermit, Answer> {
    let permit = tokio::time::timeout(patience, Arc::clone(turns).acquire_owned()).await;
    permit.ok().and_then(Result::ok).ok_or_else(agent::import_is_running)
}

impl Rests for ServedLibrary {
    fn rest(&self, idle: Duration) -> Option<Duration> {
        let mut open = self.lock();
        let left = idle.saturating_sub(open.used?.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        *open = OpenLibrary::default();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_that_does_not_begin_is_not_said_to_go_on() {
        let library = ServedLibrary::new(None, Options::default(), Arc::default(), &CallPermits::slow());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = &library.changes;
            let Ok(running) = turn(turns, Duration::from_secs(60)).await else { panic!("no import runs") };
            let Err(refused) = turn(turns, Duration::from_millis(20)).await else {
                panic!("one import at a time");
            };
            assert!(refused.text.starts_with("another change of the library is running"), "{}", refused.text);
            assert_eq!(refused.data["kind"], "locked");
            drop(running);
            assert!(turn(turns, Duration::from_secs(60)).await.is_ok());
        });
    }
}
