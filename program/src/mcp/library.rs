//! The library of a server: calls that ask several sources at once, and calls that list, add and update sources.
//!
//! The sources of a library are trees that the user has added to it, so they may lie outside of the server's roots. The
//! library is opened at the first call that asks it. As with roots, a call whose sources have to be compared with their
//! indexes for too long is answered from their last commits.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use spyhop::engine::api::Options;
use spyhop::engine::{Engine, Error, SourceSet};
use spyhop::library::{AddProgress, Library, LibraryOptions, OnAddProgress, SourceChoice, SourceReader};
use spyhop::render::agent::{self, Answer};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use super::arguments::{ToolCall, ToolRequest};
use super::calls::{self, PendingReply};
use super::engines::Rests;
use super::progress::Watcher;
use super::warm::{CallOutcome, CancelOnDrop, NOT_YET, PATIENCE, run, run_with};

/// The timeout of a call that imports: below the minute after which common clients give up.
const IMPORT_PATIENCE: Duration = Duration::from_secs(50);

/// The most tokens of an answer about the library itself.
const BUDGET: usize = 4_000;

/// The library of a server; see the module.
pub struct ServedLibrary {
    folder: Option<PathBuf>,
    options: Options,
    open: Mutex<OpenLibrary>,
    /// Notified at the first use after a release.
    wake: Arc<Notify>,
    calls: Arc<Semaphore>,
    asides: Arc<Semaphore>,
    /// Imports run one after the other.
    changes: Arc<Semaphore>,
}

/// The sources that are open.
#[derive(Default)]
struct OpenLibrary {
    reader: Option<Arc<SourceReader>>,
    /// When a call last asked; `None` once the sources are closed.
    used: Option<Instant>,
}

impl ServedLibrary {
    pub fn new(folder: Option<PathBuf>, options: Options, wake: Arc<Notify>) -> ServedLibrary {
        let at_once = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        let [calls, asides] = [at_once; 2].map(|permits| Arc::new(Semaphore::new(permits)));
        let changes = Arc::new(Semaphore::new(1));
        ServedLibrary { folder, options, open: Mutex::default(), wake, calls, asides, changes }
    }

    /// The sources of a choice.
    pub fn set(&self, choice: &SourceChoice) -> Result<Arc<SourceSet>, Error> {
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

    /// Answers a call about the sources of a choice. When the future is dropped before the answer has come, the call is
    /// cancelled.
    pub async fn answer(
        self: &Arc<Self>,
        choice: SourceChoice,
        call: Arc<ToolCall>,
    ) -> Result<PendingReply, Answer> {
        let guard = CancelOnDrop::default();
        let cancel = guard.cancel.clone();
        let (library, asked, wanted) = (Arc::clone(self), Arc::clone(&call), choice.clone());
        let work = run(&self.calls, move || {
            let set = library.set(&wanted).map_err(|error| calls::failed(&error))?;
            Engine::cancellable(&cancel, || calls::of_sources(&set, &asked))
                .map_err(|error| calls::failed(&error))
        });
        tokio::pin!(work);
        let outcome = tokio::select! {
            biased;
            outcome = &mut work => outcome,
            () = tokio::time::sleep(PATIENCE) => tokio::select! {
                outcome = &mut work => outcome,
                outcome = self.from_last_commits(choice, call) => outcome,
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

    /// The sources of the library, or one of them.
    pub async fn show(self: &Arc<Self>, source: Option<String>) -> CallOutcome {
        let library = Arc::clone(self);
        run(&self.asides, move || {
            let shown = library.library(Duration::ZERO).and_then(|library| match source {
                None => Ok(agent::sources(&library.list()?)),
                Some(name) => Ok(agent::source(&library.show(&name)?, &library.path(&name)?)),
            });
            shown.map(|answer| agent::cut(answer, BUDGET)).map_err(|error| calls::failed(&error))
        })
        .await
    }

    /// Adds or updates sources. An import that takes longer than clients wait goes on, and so does one whose call was
    /// cancelled: the same call continues with what is there. A call that has to wait too long for another import is
    /// refused.
    pub async fn change(self: &Arc<Self>, call: Arc<ToolCall>, watcher: &mut Watcher) -> CallOutcome {
        let deadline = tokio::time::sleep(IMPORT_PATIENCE);
        tokio::pin!(deadline);
        let permit = self.turn(IMPORT_PATIENCE).await?;
        let (sender, mut progress) = watch::channel(None);
        let library = Arc::clone(self);
        let work = run_with(permit, move || {
            let tell = |progress: AddProgress| {
                if let AddProgress::Indexing(progress) = progress {
                    sender.send_replace(Some(progress));
                }
            };
            library.changed(&call.ask, &tell).map_err(|error| calls::failed(&error))
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

    /// The permit to change the library, of which there is one.
    async fn turn(&self, patience: Duration) -> Result<OwnedSemaphorePermit, Answer> {
        let permit = tokio::time::timeout(patience, Arc::clone(&self.changes).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(agent::import_is_running)
    }

    fn changed(&self, ask: &ToolRequest, progress: OnAddProgress<'_>) -> Result<Answer, Error> {
        let library = self.library(IMPORT_PATIENCE)?;
        let answer = match ask {
            ToolRequest::AddSource(request) => {
                agent::added_source(&library.add(request, &self.options, progress)?)
            }
            ToolRequest::UpdateSources(names) => match &names[..] {
                [name] => agent::updated_sources(&library.update(name, &self.options, progress)?.into()),
                names => agent::updated_sources(&library.update_all(names, &self.options, progress)?),
            },
            _ => unreachable!("only these tools change the library"),
        };
        Ok(agent::cut(answer, BUDGET))
    }

    /// Answers from the last commits, without comparing a source with its tree.
    async fn from_last_commits(
        self: &Arc<Self>,
        choice: SourceChoice,
        call: Arc<ToolCall>,
    ) -> Result<PendingReply, Answer> {
        let library = Arc::clone(self);
        run(&self.asides, move || {
            let set = library.set(&choice).map_err(|error| calls::failed(&error))?.of_last_commits();
            let told = calls::of_sources(&set, &call).map_err(|error| calls::failed(&error))?;
            Ok(told.warn(NOT_YET))
        })
        .await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, OpenLibrary> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let library = ServedLibrary::new(None, Options::default(), Arc::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let Ok(running) = library.turn(Duration::from_secs(60)).await else { panic!("no import runs") };
            let Err(refused) = library.turn(Duration::from_millis(20)).await else {
                panic!("one import at a time");
            };
            assert!(refused.text.starts_with("another import is running"), "{}", refused.text);
            assert_eq!(refused.data["kind"], "locked");
            drop(running);
            assert!(library.turn(Duration::from_secs(60)).await.is_ok());
        });
    }
}
