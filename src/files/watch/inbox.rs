//! The queue of reported changes and requests that are not processed yet.
//!
//! The inbox debounces: a change is processed after a short time without a further change, or after a longer time in any
//! case; a request is processed at once. The waiting thread sleeps until an event or a deadline.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use spyhop_base::path::RelPath;

/// How long a change waits for a further change. An editor saves a file in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// The longest time that a change waits, however many changes follow.
const MAX_DELAY: Duration = Duration::from_millis(500);

/// The longest time that a change waits while git is changing the tree. The states in between are not useful.
const GIT_MAX_DELAY: Duration = Duration::from_secs(5);

/// The interval between checks whether git is finished.
const GIT_INTERVAL: Duration = Duration::from_millis(25);

/// If more paths changed, the whole tree is walked.
const MAX_PATHS: usize = 4096;

/// Where a tree may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Changed {
    /// No change is known.
    #[default]
    Nothing,
    /// At these paths or below them.
    Some(FxHashSet<RelPath>),
    /// Anywhere in the tree.
    All,
}

impl Changed {
    pub fn add(&mut self, path: RelPath) {
        match self {
            Changed::Nothing => *self = Changed::Some(FxHashSet::from_iter([path])),
            Changed::Some(paths) if paths.len() < MAX_PATHS => _ = paths.insert(path),
            Changed::Some(_) => *self = Changed::All,
            Changed::All => {}
        }
    }

    /// Adds all paths of `other`.
    pub fn join(&mut self, other: Changed) {
        match other {
            Changed::Nothing => {}
            Changed::Some(paths) => paths.into_iter().for_each(|path| self.add(path)),
            Changed::All => *self = Changed::All,
        }
    }
}

/// The changes and requests to process.
#[derive(Debug, Default)]
pub struct Work {
    /// Where the tree may have changed.
    pub changed: Changed,
    /// The requests to answer after these changes are processed.
    pub asks: Vec<PathBuf>,
}

/// The next task of the caller of [`Inbox::next`].
#[derive(Debug)]
pub enum Next {
    /// Process these changes and requests.
    Work(Work),
    /// End the watch.
    Stopped,
    /// Stop relying on events: they no longer report all changes, for this reason.
    Blind(String),
}

/// When changes are processed.
#[derive(Clone, Copy)]
pub struct Pace<'p> {
    /// The earliest time, unless a request arrives.
    pub not_before: Instant,
    /// The latest time, even without a known change.
    pub look_at: Option<Instant>,
    /// Whether git is changing the tree.
    pub git_works: &'p dyn Fn() -> bool,
}

#[derive(Default)]
struct InboxState {
    changed: Changed,
    asks: Vec<PathBuf>,
    /// When the first and the last of the waiting changes were reported.
    reported: Option<(Instant, Instant)>,
    stopped: bool,
    blind: Option<String>,
    watched: FxHashSet<PathBuf>,
}

/// The reported changes and requests that are not processed yet.
#[derive(Default)]
pub struct Inbox {
    state: Mutex<InboxState>,
    wakeup: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, change: impl FnOnce(&mut InboxState)) {
        let mut state = self.lock();
        change(&mut state);
        let now = Instant::now();
        let first = state.reported.map_or(now, |(first, _)| first);
        // The waiting thread has set its deadline by the first change and wakes up by itself.
        let is_first = state.reported.is_none();
        state.reported = Some((first, now));
        drop(state);
        if is_first {
            self.wakeup.notify_all();
        }
    }

    pub fn add(&self, path: RelPath) {
        self.report(|state| state.changed.add(path));
    }

    /// Records that any path may have changed.
    pub fn add_all(&self) {
        self.report(|state| state.changed = Changed::All);
    }

    /// Wakes the waiting thread without a path, because a file that a fingerprint covers may have changed.
    #[cfg(feature = "watch")]
    pub(crate) fn stir(&self) {
        self.report(|_| ());
    }

    /// Returns changes that could not be processed.
    pub fn put_back(&self, changed: Changed) {
        self.report(|state| state.changed.join(changed));
    }

    /// Adds a request.
    pub fn ask(&self, ask: PathBuf) {
        self.lock().asks.push(ask);
        self.wakeup.notify_all();
    }

    /// Records that events no longer report all changes.
    pub fn go_blind(&self, why: String) {
        self.lock().blind.get_or_insert(why);
        self.wakeup.notify_all();
    }

    /// Whether [`Inbox::go_blind`] was called and the reason is not returned yet.
    pub fn is_blind(&self) -> bool {
        self.lock().blind.is_some()
    }

    /// Requests the end of the watch.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.wakeup.notify_all();
    }

    /// Whether the watch has to end.
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Marks a folder as watched. Returns false if the folder was already watched.
    #[cfg(feature = "watch")]
    pub(crate) fn begin_watching(&self, folder: &std::path::Path) -> bool {
        self.lock().watched.insert(folder.to_path_buf())
    }

    /// Marks a folder and all folders below it as not watched.
    #[cfg(feature = "watch")]
    pub(crate) fn end_watching(&self, folder: &std::path::Path) {
        let mut state = self.lock();
        if state.watched.remove(folder) {
            state.watched.retain(|path| !path.starts_with(folder));
        }
    }

    pub fn n_watched(&self) -> usize {
        self.lock().watched.len()
    }

    /// Discards all changes, requests and watched folders before a watch starts again.
    pub fn clear(&self) {
        let mut state = self.lock();
        *state = InboxState { stopped: state.stopped, ..InboxState::default() };
    }

    /// Waits for changes or requests that are due.
    pub fn next(&self, pace: Pace<'_>) -> Next {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Next::Stopped;
            }
            if let Some(why) = state.blind.take() {
                return Next::Blind(why);
            }
            let now = Instant::now();
            let due = state
                .reported
                .map(|(first, last)| (last + QUIET).min(first + MAX_DELAY).max(pace.not_before));
            let due = [due, pace.look_at].into_iter().flatten().min();
            let is_due = due.is_some_and(|due| due <= now);
            let until = if is_due && state.asks.is_empty() {
                let first = state.reported.map_or(pace.look_at.unwrap_or(now), |(first, _)| first);
                (now < first + GIT_MAX_DELAY && (pace.git_works)()).then(|| now + GIT_INTERVAL)
            } else {
                due
            };
            if !state.asks.is_empty() || (is_due && until.is_none()) {
                state.reported = None;
                let changed = std::mem::take(&mut state.changed);
                return Next::Work(Work { changed, asks: std::mem::take(&mut state.asks) });
            }
            state = match until {
                None => self.wakeup.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let timeout = until.saturating_duration_since(now);
                    self.wakeup.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn some(paths: &[&str]) -> Changed {
        Changed::Some(paths.iter().map(|text| path(text)).collect())
    }

    fn pace(git_works: &dyn Fn() -> bool) -> Pace<'_> {
        Pace { not_before: Instant::now(), look_at: None, git_works }
    }

    fn work(inbox: &Inbox, pace: Pace<'_>) -> Work {
        match inbox.next(pace) {
            Next::Work(work) => work,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn changes_are_gathered_until_nothing_follows() {
        let inbox = Inbox::default();
        inbox.add(path("a"));
        inbox.add(path("b"));
        let begun = Instant::now();
        assert_eq!(work(&inbox, pace(&|| false)).changed, some(&["a", "b"]));
        assert!(begun.elapsed() >= QUIET / 2);
    }

    #[test]
    fn a_question_is_not_kept_waiting_and_comes_after_what_was_told_before() {
        let inbox = Inbox::default();
        inbox.add(path("a"));
        inbox.ask("q".into());
        let never = Instant::now() + Duration::from_secs(3600);
        let work = work(&inbox, Pace { not_before: never, ..pace(&|| true) });
        assert_eq!((work.changed, work.asks), (some(&["a"]), vec![PathBuf::from("q")]));
    }

    #[test]
    fn endless_changes_are_delivered_nevertheless() {
        let inbox = Inbox::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !inbox.is_stopped() {
                    inbox.add(path("busy"));
                    std::thread::sleep(QUIET / 10);
                }
            });
            let work = work(&inbox, pace(&|| false));
            inbox.stop();
            assert_eq!(work.changed, some(&["busy"]));
        });
        assert!(matches!(inbox.next(pace(&|| false)), Next::Stopped));
    }

    #[test]
    fn git_is_waited_for() {
        let inbox = Inbox::default();
        inbox.add(path("a"));
        let asked = std::cell::Cell::new(0);
        let works = || asked.replace(asked.get() + 1) < 3;
        assert_eq!(work(&inbox, pace(&works)).changed, some(&["a"]));
        assert_eq!(asked.get(), 4);
    }

    #[test]
    fn more_paths_than_are_worth_it_are_all_of_the_tree() {
        let mut changed = Changed::default();
        (0..=MAX_PATHS).for_each(|number| changed.add(path(&number.to_string())));
        assert_eq!(changed, Changed::All);
        let mut changed_paths = some(&["a"]);
        changed_paths.join(some(&["b"]));
        assert_eq!(changed_paths, some(&["a", "b"]));
        changed_paths.join(changed);
        assert_eq!(changed_paths, Changed::All);
    }

    #[test]
    fn a_folder_that_goes_takes_those_below_with_it() {
        let inbox = Inbox::default();
        for folder in ["/t", "/t/a", "/t/a/b", "/t/ab"] {
            assert!(inbox.begin_watching(Path::new(folder)));
        }
        assert!(!inbox.begin_watching(Path::new("/t/a")));
        inbox.end_watching(Path::new("/t/a"));
        assert_eq!(inbox.n_watched(), 2);
        assert!(inbox.begin_watching(Path::new("/t/a/b")));
    }
}
