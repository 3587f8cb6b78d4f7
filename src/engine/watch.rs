//! The watch of a tree, which keeps the index current and tells other processes whether the index is current.
//!
//! An answer to another process names a commit and a view, and guarantees that the tree matched this view at some
//! moment after the request. The guarantee has three conditions: all events from before the request are processed; the
//! files outside the tree that affect it are unchanged ([`StatFingerprint`]); and the newest commit is the one that was
//! compared with the tree, because another process may have committed an earlier state. If a condition fails, the whole
//! tree is walked. Other callers get an index that is rarely stale, for little work.
//!
//! Some changes cause no event and stay unnoticed until another event in the same file: writes through a memory map
//! before the file is closed, writes through a hard link in a folder that is not watched, and file systems that are
//! mounted over a folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::api::*;
use super::core::Engine;
use super::open_index::token_of_stamp;
use super::{updating, vouched};
use crate::error::{Error, ErrorKind};
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_base::store::LockError;
use spyhop_files::git::{self, Repo};
use spyhop_files::walk::{self, Region};
use spyhop_files::watch::{
    Changed, FreshnessServer, FsWatcher, Inbox, Next, OF_GIT, Pace, StatFingerprint, WatchPaths, Work,
};
use spyhop_index::meta::ViewKey;
use spyhop_index::update::{Since, Updater};
use spyhop_index::workspace::Committed;

/// How often an update is repeated because of another commit meanwhile.
const TRIES: usize = 3;

/// The pause after an update, as a multiple of its duration. A request ends the pause.
const REST: u32 = 2;

/// The least time between two walks without file system events: a duration, and a multiple of the duration of a walk.
const POLL: Duration = Duration::from_secs(2);
const POLL_REST: u32 = 20;

/// The pause after a failed update, which doubles from the first to the last value.
const FIRST_RETRY: Duration = Duration::from_millis(250);
const LAST_RETRY: Duration = Duration::from_secs(30);

/// How long an update waits for another process that is changing the index.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// Ends a watch.
#[derive(Clone, Default)]
pub struct Stop {
    inbox: Arc<Inbox>,
}

impl Stop {
    /// Ends the watch soon, or before it begins.
    pub fn stop(&self) {
        self.inbox.stop();
    }
}

/// The state of the tree after the last update.
struct KnownTree {
    outside: StatFingerprint,
    /// The stamp of the commit that the tree was compared with.
    stamp: Vec<u8>,
    key: ViewKey,
    /// The paths inside excluded folders that decide whether the folders are excluded, and the exclude files of
    /// repositories within the tree.
    also: Vec<PathBuf>,
}

/// A watch.
struct Watch<'e> {
    engine: &'e Engine,
    inbox: &'e Arc<Inbox>,
    tell: &'e (dyn Fn(WatchEvent) + Sync),
    server: FreshnessServer,
    fs_watcher: Option<FsWatcher>,
    /// Why there are no file system events, until the caller is told.
    blind: Option<String>,
    known: Option<KnownTree>,
    /// The duration of the last walk of the whole tree.
    took: Duration,
}

impl Engine {
    /// Keeps the index current until `stop` is used. Tells other engines for the same tree, in this and other
    /// processes, whether the index is current, so that they need not walk the tree. `tell` receives the events of the
    /// watch. A thread of `notify` runs for the duration of the call. A watch may end without `stop`, see [`WatchEnd`].
    ///
    /// # Errors
    /// `Locked` if another watch of this tree is running; the errors of [`Engine::refresh`] if the index cannot be
    /// built. Later failures are passed to `tell`, and the update is repeated.
    pub fn watch(&self, stop: &Stop, tell: &(dyn Fn(WatchEvent) + Sync)) -> Result<WatchEnd, Error> {
        self.tree().only_of_worktrees("watch")?;
        self.tree().only_of_folders("watch")?;
        // After this, the folder of the index belongs to this tree.
        self.refresh(&|_| ())?;
        let server = FreshnessServer::take(vouched::client(self)).map_err(watch_error)?;
        stop.inbox.clear();
        let mut watch = Watch {
            engine: self,
            inbox: &stop.inbox,
            tell,
            server,
            fs_watcher: None,
            blind: None,
            known: None,
            took: Duration::ZERO,
        };
        watch.open();
        watch.run()
    }
}

impl Watch<'_> {
    /// Begins to watch, or to poll if watching is not possible.
    fn open(&mut self) {
        let engine = self.engine;
        let asks = vouched::client(engine).asks().to_path_buf();
        let index_in_tree = updating::updater(engine, None).ok().and_then(|updater| updater.index_in_tree());
        let index_in_tree = Region::new(index_in_tree.into_iter().map(|index| index.path).collect());
        let git_dir = engine.tree().repo().map(Repo::git_dir);
        let source_tree = WatchPaths { root: engine.root().to_path_buf(), index_in_tree, git_dir, asks };
        let fs_watcher = match self.server.open() {
            Ok(()) => FsWatcher::open(Arc::clone(self.inbox), source_tree),
            Err(error) => Err(error.to_string()),
        };
        self.inbox.add_all();
        match fs_watcher {
            Ok(fs_watcher) => {
                if !fs_watcher.are_in_order() {
                    self.server.close();
                }
                self.fs_watcher = Some(fs_watcher);
            }
            Err(why) => self.go_blind(why),
        }
    }

    fn go_blind(&mut self, why: String) {
        self.server.close();
        (self.fs_watcher, self.known) = (None, None);
        self.inbox.clear();
        self.inbox.add_all();
        self.blind = Some(why);
    }

    fn run(mut self) -> Result<WatchEnd, Error> {
        let mut not_before = Instant::now();
        let mut retry = FIRST_RETRY;
        let mut has_begun = false;
        loop {
            let every = POLL.max(self.took * POLL_REST);
            let look_at = (self.fs_watcher.is_none() && has_begun).then(|| Instant::now() + every);
            let git_lock = self.engine.tree().repo().map(|repo| repo.git_dir().join("index.lock"));
            let git_works = || git_lock.as_ref().is_some_and(|lock| lock.exists());
            let Work { changed, asks } =
                match self.inbox.next(Pace { not_before, look_at, git_works: &git_works }) {
                    Next::Work(work) => work,
                    Next::Stopped => return Ok(WatchEnd::Stopped),
                    Next::Blind(why) => {
                        self.go_blind(why);
                        continue;
                    }
                };
            let begun = Instant::now();
            self.server.set_at_work(true);
            let caught = self.caught_up(&changed);
            self.server.set_at_work(false);
            match caught {
                Ok(Caught::Elsewhere) => {
                    self.server.answer(asks, None);
                    return Ok(WatchEnd::Elsewhere);
                }
                Ok(Caught::Up(report)) => {
                    let token = self.known.as_ref().map(|known| token_of_stamp(&known.stamp, &known.key));
                    self.server.answer(asks, token.as_deref());
                    retry = FIRST_RETRY;
                    not_before = Instant::now() + begun.elapsed() * REST;
                    if !std::mem::replace(&mut has_begun, true)
                        && self.fs_watcher.is_some()
                        && !self.inbox.is_blind()
                    {
                        (self.tell)(WatchEvent::Begun { folders: self.inbox.n_watched() });
                    }
                    if let Some(why) = self.blind.take() {
                        (self.tell)(WatchEvent::Polling { why, every: POLL.max(self.took * POLL_REST) });
                    }
                    if let Some(report) = report {
                        (self.tell)(WatchEvent::Updated { report, took: begun.elapsed() });
                    }
                }
                Err(error) => {
                    self.server.answer(asks, None);
                    if matches!(
                        error.kind(),
                        ErrorKind::NoRoot | ErrorKind::ForeignIndex | ErrorKind::NewerFormat
                    ) {
                        return Err(error);
                    }
                    self.known = None;
                    self.inbox.put_back(Changed::All);
                    not_before = Instant::now() + retry;
                    retry = (retry * 2).min(LAST_RETRY);
                    (self.tell)(WatchEvent::Failed(error));
                }
            }
        }
    }

    /// Updates the index with the changes.
    fn caught_up(&mut self, changed: &Changed) -> Result<Caught, Error> {
        let engine = self.engine;
        let mut reported = RefreshReport::default();
        let mut changed = changed.clone();
        for _ in 0..TRIES {
            let also = self.known.as_ref().map(|known| known.also.clone()).unwrap_or_default();
            if let (Some(fs_watcher), None) = (&self.fs_watcher, engine.tree().repo()) {
                fs_watcher.watch_git();
            }
            let outside = self.outside(&also);
            let stamp = engine.index().workspace().stamp();
            let known = self.known.as_ref();
            let known =
                known.filter(|known| known.outside == outside && Some(&known.stamp) == stamp.as_ref());
            if known.is_some() && changed == Changed::Nothing {
                return Ok(Caught::Up(is_worth_telling(&reported).then_some(reported)));
            }
            if known.is_none() && self.is_elsewhere() {
                return Ok(Caught::Elsewhere);
            }
            let region = match (&changed, known) {
                (Changed::Some(paths), Some(known)) => Some((
                    Region::new(paths.iter().cloned().collect()),
                    known.stamp.clone(),
                    known.key.clone(),
                )),
                _ => None,
            };
            let begun = Instant::now();
            let report = self.refresh(region.as_ref(), stamp.as_deref())?;
            if region.is_none() {
                self.took = begun.elapsed();
            }
            add_report(&mut reported, &report);
            changed = Changed::Nothing;
            self.known = self.compared(&report, outside, &also, region.is_none());
        }
        // Other processes change the tree or the index all the time, so no state is certain.
        self.known = None;
        self.inbox.add_all();
        Ok(Caught::Up(is_worth_telling(&reported).then_some(reported)))
    }

    fn refresh(
        &self,
        region: Option<&(Region, Vec<u8>, ViewKey)>,
        stamp: Option<&[u8]>,
    ) -> Result<RefreshReport, Error> {
        let engine = self.engine;
        let committed = engine.index().committed_with(stamp).ok();
        let on_list = |folder: &RelPath| {
            if let Some(fs_watcher) = &self.fs_watcher {
                fs_watcher.watch(folder);
            }
        };
        let since = region.map(|(region, stamp, key)| Since { stamp, key, region });
        updating::with_updater(engine, |updater| {
            let updater = Updater {
                since,
                on_list: Some(&on_list),
                head: updater.head.clone(),
                source_tree: updater.source_tree.clone(),
                cancel: updater.cancel.clone(),
                ..*updater
            };
            updater.refresh(committed.as_deref(), LOCK_PATIENCE, &|_| ())
        })
    }

    /// The state of the tree after an update; `None` if there is a newer commit.
    fn compared(
        &self,
        report: &RefreshReport,
        outside: StatFingerprint,
        also: &[PathBuf],
        was_whole: bool,
    ) -> Option<KnownTree> {
        let engine = self.engine;
        self.fs_watcher.as_ref()?;
        let stamp = engine.index().workspace().stamp()?;
        let committed = engine.index().committed_with(Some(&stamp)).ok()?;
        if committed.meta.commit().generation != report.generation {
            return None;
        }
        let key = engine.view_key();
        let mut known = KnownTree { outside, stamp, key, also: also.to_vec() };
        if was_whole {
            known.also = self.also(&committed, &known.key)?;
            // A path that was not checked before the walk may have changed during the walk, so the tree is walked once
            // more.
            if known.also != also {
                known.outside = StatFingerprint::of([]);
            }
        }
        Some(known)
    }

    /// The paths inside excluded folders that decide whether the folders are excluded, and the exclude files of
    /// repositories within the tree.
    fn also(&self, committed: &Committed, key: &ViewKey) -> Option<Vec<PathBuf>> {
        let view = committed.meta.view(key).ok()??;
        let root = self.engine.root();
        let rows = view.skipped().iter().map(|entry| &entry.skipped);
        let folders = rows.filter(|row| row.is_dir && row.reason == SkipReason::BuiltIn);
        let inside = folders
            .flat_map(|row| walk::decides_inside(&row.path).map(|name| row.path.below(root).join(name)));
        let excludes = self.fs_watcher.as_ref().map(FsWatcher::excludes).unwrap_or_default();
        Some(inside.chain(excludes).collect())
    }

    /// The fingerprint of the files outside the tree that affect it, and of `also`.
    fn outside(&self, also: &[PathBuf]) -> StatFingerprint {
        let root = self.engine.root();
        let git_dir = self.engine.tree().repo().map_or_else(|| root.join(".git"), Repo::git_dir);
        let of_git = OF_GIT.map(|name| git_dir.join(name));
        let paths = walk::outside(root).into_iter().chain([root.to_path_buf()]).chain(of_git);
        StatFingerprint::of(paths.chain(also.iter().cloned()))
    }

    /// Whether the tree now belongs to another repository or to none, so that another index answers for it.
    fn is_elsewhere(&self) -> bool {
        let folders = |repo: &Repo| (repo.top().to_path_buf(), repo.git_dir(), repo.common_dir());
        let now = git::discover_within(self.engine.root(), self.engine.tree().git_reach()).ok().flatten();
        now.as_ref().map(folders) != self.engine.tree().repo().map(folders)
    }
}

fn watch_error(error: LockError) -> Error {
    match error {
        LockError::Held { holder } => {
            let who =
                holder.map_or("another process".to_string(), |holder| format!("process {}", holder.pid));
            Error::new(ErrorKind::Locked, format!("{who} watches this tree already"))
        }
        LockError::File(error) => error.into(),
    }
}

/// The result of an update with changes.
enum Caught {
    /// The index is current. The report, if the index changed.
    Up(Option<RefreshReport>),
    /// The tree belongs to another repository, or to none.
    Elsewhere,
}

fn is_worth_telling(report: &RefreshReport) -> bool {
    report.added + report.changed + report.deleted > 0 || report.put_aside.is_some()
}

/// Adds the report of an update to that of earlier updates.
fn add_report(all: &mut RefreshReport, report: &RefreshReport) {
    all.generation = report.generation;
    all.added += report.added;
    all.changed += report.changed;
    all.deleted += report.deleted;
    all.renamed += report.renamed;
    all.parsed += report.parsed;
    all.bytes += report.bytes;
    all.put_aside = report.put_aside.clone().or(all.put_aside.take());
}
