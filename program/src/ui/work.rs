//! The threads that own the engine's time: one answers queries, one reads previews, one keeps the index current.
//!
//! The ui thread only puts requests into mailboxes and takes messages from a channel, so it never waits for the engine. A
//! mailbox holds the newest request only. A request that replaces a running one cancels it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use spyhop_base::path::PathBase;
use spyhop_engine::api::{Progress, RefreshReport, Stage, WatchEvent};
use spyhop_engine::{Cancel, Engine, Stop};
use spyhop_interface::render::error_text;

use super::answer::{Asker, NoAnswer, ResolvePath};
use super::pick::{PickPlace, PickQuery};
use super::state::{IndexNews, Message};

/// The time between two reports of an update.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// What the threads work with. The process ends with the picker, so the engine is never dropped.
pub struct Workplace {
    pub engine: &'static Engine,
    /// How paths are shown and printed.
    pub base: PathBase,
    /// The conversion of a typed path to a root-relative one.
    pub resolve: Box<ResolvePath>,
    /// The folder or file that every query is limited to.
    pub within: Option<String>,
    /// Whether the index is compared with the tree and kept current.
    pub refreshes: bool,
}

/// The ui thread's side of the threads.
pub struct Workers {
    queries: Arc<Mailbox<(u64, PickQuery)>>,
    previews: Arc<Mailbox<PickPlace>>,
    stop: Stop,
}

impl Workers {
    /// Starts the threads, which report to `sender`.
    pub fn start(place: Workplace, sender: &Sender<Message>) -> std::io::Result<Workers> {
        let place: &'static Workplace = Box::leak(Box::new(place));
        let workers = Workers { queries: Arc::default(), previews: Arc::default(), stop: Stop::default() };
        let asker = || Asker {
            engine: place.engine,
            base: &place.base,
            resolve: &*place.resolve,
            within: place.within.as_deref(),
        };
        let (own, mailbox, send) = (asker(), Arc::clone(&workers.queries), sender.clone());
        spawn("queries", move || {
            mailbox.serve(|(number, query)| {
                let answer = match guarded(|| own.answer(&query)) {
                    Ok(Err(NoAnswer::Superseded)) => return true,
                    Ok(Err(NoAnswer::Failed(text))) | Err(text) => Err(text),
                    Ok(Ok(answer)) => Ok(answer),
                };
                send.send(Message::Answered(number, answer)).is_ok()
            });
        })?;
        let (own, mailbox, send) = (asker(), Arc::clone(&workers.previews), sender.clone());
        spawn("previews", move || {
            mailbox.serve(|place| {
                let text = guarded(|| own.preview(&place)).unwrap_or_else(Err);
                send.send(Message::Previewed(place, text)).is_ok()
            });
        })?;
        if place.refreshes {
            let (send, stop) = (sender.clone(), workers.stop.clone());
            spawn("index", move || {
                if let Err(panic) = guarded(|| keep_current(place.engine, &stop, &send)) {
                    let _ = send.send(Message::Index(IndexNews::Failed(panic)));
                }
            })?;
        }
        Ok(workers)
    }

    /// Asks a question in place of the one before.
    pub fn ask(&self, number: u64, query: PickQuery) {
        self.queries.put((number, query));
    }

    /// Asks for a preview in place of the one before.
    pub fn preview(&self, place: PickPlace) {
        self.previews.put(place);
    }

    /// Ends the watch of the tree.
    pub fn stop(&self) {
        self.stop.stop();
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(format!("ui {name}")).spawn(work).map(drop)
}

/// The result of `work`, or the text of its panic.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        format!("a fault of the program: {text}")
    })
}

/// Compares the index with the tree, then updates the index whenever a file changes.
fn keep_current(engine: &Engine, stop: &Stop, sender: &Sender<Message>) {
    let send = |news: IndexNews| _ = sender.send(Message::Index(news));
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    let report = |progress: Progress| {
        let mut last = lock(&last);
        if last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) {
            *last = Some(Instant::now());
            send(IndexNews::Progress(words(&progress)));
        }
    };
    match engine.refresh(&report) {
        Ok(report) => send(news_of(&report)),
        Err(error) => return send(IndexNews::Failed(error_text(&error))),
    }
    let tell = |event: WatchEvent| match event {
        WatchEvent::Updated { report, .. } => send(news_of(&report)),
        WatchEvent::Failed(error) => send(IndexNews::Failed(error_text(&error))),
        // The watch begins with an update of its own, which is not reported.
        _ => send(IndexNews::Changed),
    };
    // Another process may be watching the tree already, and a commit does not change: the index stays current.
    if let Err(error) = engine.watch(stop, &tell) {
        tracing::debug!(%error, "the tree is not watched");
    }
}

fn news_of(report: &RefreshReport) -> IndexNews {
    match report.added + report.changed + report.deleted {
        0 => IndexNews::Current,
        _ => IndexNews::Changed,
    }
}

/// How far an update is.
fn words(progress: &Progress) -> String {
    let stage = match progress.stage {
        Stage::Wait => {
            let who = progress.holder.map(|it| format!(" {}", it.pid)).unwrap_or_default();
            return format!("waiting for process{who}, which is changing the index");
        }
        Stage::Scan => "scanning",
        Stage::Text => "indexing the text of",
        Stage::Index => "indexing",
        _ => "writing",
    };
    match progress.total_files {
        0 => format!("{stage} {} files", progress.files),
        total => format!("{stage} {}/{total} files", progress.files),
    }
}

/// A place for the newest request.
struct Mailbox<T> {
    newest: Mutex<MailSlot<T>>,
    has_come: Condvar,
}

struct MailSlot<T> {
    request: Option<T>,
    /// Cancels the running request.
    running: Cancel,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Mailbox<T> {
        let slot = MailSlot { request: None, running: Cancel::default() };
        Mailbox { newest: Mutex::new(slot), has_come: Condvar::new() }
    }
}

impl<T> Mailbox<T> {
    /// Replaces the request that waits, and cancels the one that runs.
    fn put(&self, request: T) {
        let mut slot = lock(&self.newest);
        slot.request = Some(request);
        slot.running.cancel();
        self.has_come.notify_one();
    }

    /// Waits for the newest request, and returns what cancels it.
    fn take(&self) -> (T, Cancel) {
        let mut slot = lock(&self.newest);
        loop {
            if let Some(request) = slot.request.take() {
                slot.running = Cancel::default();
                return (request, slot.running.clone());
            }
            slot = self.has_come.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Serves requests until `serve` returns false.
    fn serve(&self, mut serve: impl FnMut(T) -> bool) {
        loop {
            let (request, cancel) = self.take();
            if !Engine::cancellable(&cancel, || serve(request)) {
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_request_runs() {
        let mailbox = Arc::new(Mailbox::default());
        let (started, is_started) = std::sync::mpsc::channel();
        let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
        let server = Arc::clone(&mailbox);
        let served = std::thread::spawn(move || {
            let mut served = Vec::new();
            server.serve(|number: u32| {
                served.push(number);
                started.send(()).unwrap();
                may_go_on.recv().unwrap();
                number < 9
            });
            served
        });
        mailbox.put(1);
        is_started.recv().unwrap();
        (2..=5).for_each(|number| mailbox.put(number));
        go_on.send(()).unwrap();
        is_started.recv().unwrap();
        mailbox.put(9);
        go_on.send(()).unwrap();
        is_started.recv().unwrap();
        go_on.send(()).unwrap();
        assert_eq!(served.join().unwrap(), [1, 5, 9]);
    }

    #[test]
    fn a_new_request_cancels_the_running_one() {
        let mailbox = Mailbox::default();
        mailbox.put(1);
        let (_, cancel) = mailbox.take();
        assert!(!cancel.is_cancelled());
        mailbox.put(2);
        assert!(cancel.is_cancelled());
        assert!(!mailbox.take().1.is_cancelled());
    }

    #[test]
    fn a_panic_becomes_a_message() {
        assert_eq!(guarded(|| 1), Ok(1));
        let error = guarded(|| -> u8 { panic!("no {}", "luck") }).unwrap_err();
        assert_eq!(error, "a fault of the program: no luck");
    }
}
