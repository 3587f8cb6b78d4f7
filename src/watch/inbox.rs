//! What has been told and not yet been worked on.
//!
//! The inbox debounces: a change is processed after a short time without a further change, or after a longer time in any
//! case; a request is processed at once. Nobody wakes up while nothing happens.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::path::RelPath;

/// A change waits until nothing has followed it for so long: an editor saves in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// The longest time that a change waits, however many changes follow.
const LONGEST: Duration = Duration::from_millis(500);

/// While git is at work on the tree, changes wait: what it leaves for a moment is nobody's state.
const GIT_LONGEST: Duration = Duration::from_secs(5);

/// How often it is looked whether git has done.
const GIT_PAUSE: Duration = Duration::from_millis(25);

/// From so many paths on, all of the tree is looked at.
const MANY: usize = 4096;

/// Where a tree may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Changed {
    /// Nowhere that is known.
    #[default]
    Nothing,
    /// At these paths and below.
    Some(FxHashSet<RelPath>),
    /// Anywhere.
    All,
}

impl Changed {
    /// Adds a path.
    pub fn add(&mut self, path: RelPath) {
        match self {
            Changed::Nothing => *self = Changed::Some(FxHashSet::from_iter([path])),
            Changed::Some(paths) if paths.len() < MANY => _ = paths.insert(path),
            Changed::Some(_) => *self = Changed::All,
            Changed::All => {}
        }
    }

    /// Adds all of another.
    pub fn join(&mut self, other: Changed) {
        match other {
            Changed::Nothing => {}
            Changed::Some(paths) => paths.into_iter().for_each(|path| self.add(path)),
            Changed::All => *self = Changed::All,
        }
    }
}

/// What is to be done.
#[derive(Debug, Default)]
pub struct Work {
    /// Where the tree may have changed.
    pub changed: Changed,
    /// Questions that were asked after that; each wants an answer.
    pub asks: Vec<PathBuf>,
}

/// What comes next.
#[derive(Debug)]
pub enum Next {
    /// This is to be done.
    Work(Work),
    /// The watch is to end.
    Stopped,
    /// Changes are told of no longer, for this reason.
    Blind(String),
}

/// When changes are worked on.
#[derive(Clone, Copy)]
pub struct Pace<'p> {
    /// Not before, unless somebody asks.
    pub not_before: Instant,
    /// At last, whether or not something is known to have changed.
    pub look_at: Option<Instant>,
    /// Whether git is at work.
    pub git_works: &'p dyn Fn() -> bool,
}

#[derive(Default)]
struct State {
    changed: Changed,
    asks: Vec<PathBuf>,
    /// When the first and the last of what waits were told.
    told: Option<(Instant, Instant)>,
    stopped: bool,
    blind: Option<String>,
    /// The folders that are watched.
    watched: FxHashSet<PathBuf>,
}

/// What has been told.
#[derive(Default)]
pub struct Inbox {
    state: Mutex<State>,
    told: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let now = Instant::now();
        let first = state.told.map_or(now, |(first, _)| first);
        // Who waits has set the clock by the first one and looks again by itself.
        let is_first = state.told.is_none();
        state.told = Some((first, now));
        drop(state);
        if is_first {
            self.told.notify_all();
        }
    }

    /// A path has changed.
    pub fn add(&self, path: RelPath) {
        self.tell(|state| state.changed.add(path));
    }

    /// Anything may have changed.
    pub fn add_all(&self) {
        self.tell(|state| state.changed = Changed::All);
    }

    /// Something that is seen by its stats may have changed.
    pub fn stir(&self) {
        self.tell(|_| ());
    }

    /// What could not be worked on.
    pub fn put_back(&self, changed: Changed) {
        self.tell(|state| state.changed.join(changed));
    }

    /// Somebody asks.
    pub fn ask(&self, ask: PathBuf) {
        self.lock().asks.push(ask);
        self.told.notify_all();
    }

    /// Changes are told of no longer.
    pub fn go_blind(&self, why: String) {
        self.lock().blind.get_or_insert(why);
        self.told.notify_all();
    }

    /// Whether that has been said.
    pub fn is_blind(&self) -> bool {
        self.lock().blind.is_some()
    }

    /// Ends the watch.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.told.notify_all();
    }

    /// Whether it is to end.
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Whether a folder has yet to be watched; from now on it counts as watched.
    pub fn begin_watching(&self, folder: &Path) -> bool {
        self.lock().watched.insert(folder.to_path_buf())
    }

    /// Stops watching a folder and everything below the folder.
    pub fn end_watching(&self, folder: &Path) {
        let mut state = self.lock();
        if state.watched.remove(folder) {
            state.watched.retain(|path| !path.starts_with(folder));
        }
    }

    /// How many folders are watched.
    pub fn n_watched(&self) -> usize {
        self.lock().watched.len()
    }

    /// Forgets all that was told and is no longer true of a watch that begins again.
    pub fn clear(&self) {
        let mut state = self.lock();
        *state = State { stopped: state.stopped, ..State::default() };
    }

    /// Waits for what comes next.
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
            let due =
                state.told.map(|(first, last)| (last + QUIET).min(first + LONGEST).max(pace.not_before));
            let due = [due, pace.look_at].into_iter().flatten().min();
            let is_due = due.is_some_and(|due| due <= now);
            let until = if is_due && state.asks.is_empty() {
                let first = state.told.map_or(pace.look_at.unwrap_or(now), |(first, _)| first);
                (now < first + GIT_LONGEST && (pace.git_works)()).then(|| now + GIT_PAUSE)
            } else {
                due
            };
            if !state.asks.is_empty() || (is_due && until.is_none()) {
                state.told = None;
                let changed = std::mem::take(&mut state.changed);
                return Next::Work(Work { changed, asks: std::mem::take(&mut state.asks) });
            }
            state = match until {
                None => self.told.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let timeout = until.saturating_duration_since(now);
                    self.told.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn what_never_ends_is_worked_on_all_the_same() {
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
        (0..=MANY).for_each(|number| changed.add(path(&number.to_string())));
        assert_eq!(changed, Changed::All);
        let mut few = some(&["a"]);
        few.join(some(&["b"]));
        assert_eq!(few, some(&["a", "b"]));
        few.join(changed);
        assert_eq!(few, Changed::All);
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
