//! A tree that is watched: its index kept current, and processes that ask told whether it is.
//!
//! The module keeps two promises. To a process that asks: the answer names a commit and a view, and at some moment after
//! the request the tree was as this view has it. Three things must hold for that: everything that was told of before the question has been
//! worked on; the files outside of the tree that decide about it are as they were ([`StatFingerprint`]); and the newest commit
//! is the one that the tree was compared with, for another process may have committed what it saw earlier. Where one
//! does not hold, all of the tree is walked. To everybody else: an index that is rarely behind, for little work.
//!
//! What no event tells of stays unseen here until something else happens in the same file: writes through a memory map
//! before the file is closed, writes through a hard link in a folder that is not watched, and what is mounted over a
//! folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::api::*;
use super::current::{Current, Freshness};
use super::{Engine, Error, ErrorKind};
use crate::git::{self, Repo};
use crate::meta::ViewKey;
use crate::model::SkipReason;
use crate::path::RelPath;
use crate::search::Corpus;
use crate::store::{Holder, LockError};
use crate::update::{self, Committed, Since, Updater};
use crate::walk::{self, Region};
use crate::watch::{
    Changed, FreshnessClient, FreshnessServer, FsWatcher, Inbox, Next, OF_GIT, Pace, StatFingerprint,
    Timeouts, WatchPaths, Work,
};

/// How long an answer waits for a watcher, before it looks for itself. One that is at work does what the answer would
/// have to do otherwise; how long that may take at most is arbitrary.
const TIMEOUTS: Timeouts = Timeouts { idle: Duration::from_millis(500), most: Duration::from_secs(10) };

/// The timeouts of callers that wait in any case. The death of a watcher is noticed sooner.
const ENDLESS: Timeouts =
    Timeouts { idle: Duration::from_secs(24 * 3600), most: Duration::from_secs(24 * 3600) };

/// An answer that another commit has overtaken is asked for again, so often.
const TRIES: usize = 3;

/// After an update the next one waits for so many times as long as that one took, unless somebody asks.
const REST: u32 = 2;

/// Where nothing tells of changes the tree is walked so often, or after so many times as long as that took.
const POLL: Duration = Duration::from_secs(2);
const POLL_REST: u32 = 20;

/// After a failure the next update waits, longer each time.
const FIRST_RETRY: Duration = Duration::from_millis(250);
const LAST_RETRY: Duration = Duration::from_secs(30);

/// How another process that changes the index is waited for.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// Ends a watch.
#[derive(Clone, Default)]
pub struct Stop {
    inbox: Arc<Inbox>,
}

impl Stop {
    /// Ends it soon, or before it begins.
    pub fn stop(&self) {
        self.inbox.stop();
    }
}

/// What is known of the tree.
struct Known {
    outside: StatFingerprint,
    /// The stamp of the commit that the tree was compared with.
    stamp: Vec<u8>,
    key: ViewKey,
    /// What lies within folders that are left out and decides that they are; folders of repositories within the tree.
    also: Vec<PathBuf>,
}

/// A watch.
struct Watch<'e> {
    engine: &'e Engine,
    inbox: &'e Arc<Inbox>,
    tell: &'e (dyn Fn(Watched) + Sync),
    server: FreshnessServer,
    fs_watcher: Option<FsWatcher>,
    /// Why there are no eyes, until that has been said.
    blind: Option<String>,
    known: Option<Known>,
    /// How long the last walk of all of the tree took.
    took: Duration,
}

impl Engine {
    /// Keeps the index current until `stop` is used, and answers other engines on the same tree, in this process and in
    /// others, so that they need not compare it. `tell` is called with what happens. One thread of `notify` listens
    /// meanwhile and ends with this. A watch may end by itself, see [`WatchEnd`].
    ///
    /// # Errors
    /// `Locked` when somebody watches this tree already; what [`Engine::refresh`] gives when the index cannot be made.
    /// Later failures are told, and tried again.
    pub fn watch(&self, stop: &Stop, tell: &(dyn Fn(Watched) + Sync)) -> Result<WatchEnd, Error> {
        self.only_of_worktrees("watch")?;
        // The folder of the index is this tree's own from here on.
        self.refresh(&|_| ())?;
        let server = FreshnessServer::take(self.client()).map_err(taken)?;
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

    /// Who watches this tree, if somebody does and said who.
    pub(super) fn watcher(&self) -> Option<Holder> {
        self.client().watcher().flatten()
    }

    /// Where the watcher of this tree under these settings is asked.
    fn client(&self) -> FreshnessClient {
        let key = update::view_key(&self.workspace, &Default::default(), &self.settings);
        let text = format!("{key:?} {}", self.workspace.fingerprint());
        FreshnessClient::new(self.workspace.dir(), &blake3::hash(text.as_bytes()).to_hex()[..16])
    }

    /// What answers where a watcher says that it is current: nothing needs to be compared then.
    pub(super) fn vouched(&self) -> Option<(Arc<Corpus>, Freshness)> {
        let (corpus, checked_at) = self.vouched_by(|| match self.current() {
            Ok(Current::Whole(corpus)) => {
                let token = token(corpus.committed(), corpus.key());
                Some((token, corpus))
            }
            _ => None,
        })?;
        Some((corpus, Freshness { checked_at: Some(checked_at), ..Freshness::default() }))
    }

    /// The result of `look`, if the watcher confirms the token of the result, and the time of the request.
    pub(super) fn vouched_by<T>(&self, look: impl Fn() -> Option<(String, T)>) -> Option<(T, SystemTime)> {
        // A watcher knows the worktree; a commit needs none.
        if self.view().is_some() {
            return None;
        }
        let timeouts = if self.options.stale_policy == StalePolicy::Wait { ENDLESS } else { TIMEOUTS };
        let client = self.client();
        for _ in 0..TRIES {
            let asked_at = SystemTime::now();
            let answer = client.ask(timeouts)?;
            if let Some((token, found)) = look()
                && token == answer
            {
                return Some((found, asked_at));
            }
        }
        None
    }
}

/// What names a commit and a view in an answer.
pub(super) fn token(committed: &Committed, key: &ViewKey) -> String {
    token_of(committed.reader.stamp(), key)
}

fn token_of(stamp: &[u8], key: &ViewKey) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(stamp).update(format!("{key:?}").as_bytes());
    hasher.finalize().to_hex()[..32].to_string()
}

impl Watch<'_> {
    /// Begins to look, or to poll where that cannot be.
    fn open(&mut self) {
        let engine = self.engine;
        let asks = engine.client().asks().to_path_buf();
        let own_index = engine.updater(None).ok().and_then(|updater| updater.own_index());
        let own_index = Region::new(own_index.into_iter().map(|own| own.path).collect());
        let git_dir = engine.repo.as_ref().map(Repo::git_dir);
        let ground = WatchPaths { root: engine.root().to_path_buf(), own_index, git_dir, asks };
        let fs_watcher = match self.server.open() {
            Ok(()) => FsWatcher::open(Arc::clone(self.inbox), ground),
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
            let git_lock = self.engine.repo.as_ref().map(|repo| repo.git_dir().join("index.lock"));
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
                    let token = self.known.as_ref().map(|known| token_of(&known.stamp, &known.key));
                    self.server.answer(asks, token.as_deref());
                    retry = FIRST_RETRY;
                    not_before = Instant::now() + begun.elapsed() * REST;
                    if !std::mem::replace(&mut has_begun, true)
                        && self.fs_watcher.is_some()
                        && !self.inbox.is_blind()
                    {
                        (self.tell)(Watched::Begun { folders: self.inbox.n_watched() });
                    }
                    if let Some(why) = self.blind.take() {
                        (self.tell)(Watched::Polling { why, every: POLL.max(self.took * POLL_REST) });
                    }
                    if let Some(report) = report {
                        (self.tell)(Watched::Updated { report, took: begun.elapsed() });
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
                    (self.tell)(Watched::Failed(error));
                }
            }
        }
    }

    /// Brings the index up to date with what may have changed.
    fn caught_up(&mut self, changed: &Changed) -> Result<Caught, Error> {
        let engine = self.engine;
        let mut moved = RefreshReport::default();
        let mut changed = changed.clone();
        for _ in 0..TRIES {
            let also = self.known.as_ref().map(|known| known.also.clone()).unwrap_or_default();
            if let (Some(fs_watcher), None) = (&self.fs_watcher, &engine.repo) {
                fs_watcher.watch_git();
            }
            let outside = self.outside(&also);
            let stamp = engine.workspace.stamp();
            let known = self.known.as_ref();
            let known =
                known.filter(|known| known.outside == outside && Some(&known.stamp) == stamp.as_ref());
            if known.is_some() && changed == Changed::Nothing {
                return Ok(Caught::Up(is_worth_telling(&moved).then_some(moved)));
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
            add(&mut moved, &report);
            changed = Changed::Nothing;
            self.known = self.compared(&report, outside, &also, region.is_none());
        }
        // Something is at it all the time; what is known is not enough to answer.
        self.known = None;
        self.inbox.add_all();
        Ok(Caught::Up(is_worth_telling(&moved).then_some(moved)))
    }

    fn refresh(
        &self,
        region: Option<&(Region, Vec<u8>, ViewKey)>,
        stamp: Option<&[u8]>,
    ) -> Result<RefreshReport, Error> {
        let engine = self.engine;
        let committed = engine.committed_with(stamp).ok();
        let on_list = |folder: &RelPath| {
            if let Some(fs_watcher) = &self.fs_watcher {
                fs_watcher.watch(folder);
            }
        };
        let since = region.map(|(region, stamp, key)| Since { stamp, key, region });
        engine.with_updater(|updater| {
            let updater = Updater {
                since,
                on_list: Some(&on_list),
                head: updater.head.clone(),
                ground: updater.ground.clone(),
                cancel: updater.cancel.clone(),
                ..*updater
            };
            updater.refresh(committed.as_deref(), LOCK_PATIENCE, &|_| ())
        })
    }

    /// What is known after an update; `None` where another commit has come since.
    fn compared(
        &self,
        report: &RefreshReport,
        outside: StatFingerprint,
        also: &[PathBuf],
        was_whole: bool,
    ) -> Option<Known> {
        let engine = self.engine;
        self.fs_watcher.as_ref()?;
        let stamp = engine.workspace.stamp()?;
        let committed = engine.committed_with(Some(&stamp)).ok()?;
        if committed.meta.commit().generation != report.generation {
            return None;
        }
        let key = update::view_key(&engine.workspace, &engine.head(), &engine.settings);
        let mut known = Known { outside, stamp, key, also: also.to_vec() };
        if was_whole {
            known.also = self.also(&committed, &known.key)?;
            // What was not looked at before the walk may have changed during it: the first time it is walked again.
            if known.also != also {
                known.outside = StatFingerprint::of([]);
            }
        }
        Some(known)
    }

    /// What decides within folders that are left out.
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

    /// The files that decide about the tree from outside, as they are.
    fn outside(&self, also: &[PathBuf]) -> StatFingerprint {
        let root = self.engine.root();
        let git_dir = self.engine.repo.as_ref().map_or_else(|| root.join(".git"), Repo::git_dir);
        let of_git = OF_GIT.map(|name| git_dir.join(name));
        let paths = walk::outside(root).into_iter().chain([root.to_path_buf()]).chain(of_git);
        StatFingerprint::of(paths.chain(also.iter().cloned()))
    }

    /// Whether the tree belongs to another repository by now, or to none any more: another index answers then.
    fn is_elsewhere(&self) -> bool {
        let folders = |repo: &Repo| (repo.top().to_path_buf(), repo.git_dir(), repo.common_dir());
        let now = git::discover_within(self.engine.root(), &self.engine.options.git_reach).ok().flatten();
        now.as_ref().map(folders) != self.engine.repo.as_ref().map(folders)
    }
}

fn taken(error: LockError) -> Error {
    match error {
        LockError::Held { holder } => {
            let who =
                holder.map_or("another process".to_string(), |holder| format!("process {}", holder.pid));
            Error::new(ErrorKind::Locked, format!("{who} watches this tree already"))
        }
        LockError::File(error) => error.into(),
    }
}

/// What became of changes.
enum Caught {
    /// They are in the index; what that came to, where it came to anything.
    Up(Option<RefreshReport>),
    /// The tree is another repository's.
    Elsewhere,
}

fn is_worth_telling(report: &RefreshReport) -> bool {
    report.added + report.changed + report.deleted > 0 || report.put_aside.is_some()
}

/// Adds what an update did to what others did before it.
fn add(all: &mut RefreshReport, report: &RefreshReport) {
    all.generation = report.generation;
    all.added += report.added;
    all.changed += report.changed;
    all.deleted += report.deleted;
    all.renamed += report.renamed;
    all.parsed += report.parsed;
    all.bytes += report.bytes;
    all.put_aside = report.put_aside.clone().or(all.put_aside.take());
}
