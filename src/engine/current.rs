//! What answers: the newest commit's view of what is checked out, how fresh it is, and what is done where there is
//! none, another process is at it, or it turns out to be damaged.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::api::*;
use super::{Engine, Error, ErrorKind, cancel, lock};
use crate::index;
use crate::meta::{Meta, View, ViewInfo, ViewKey};
use crate::parallel;
use crate::search::{Corpus, SearchError};
use crate::store::Lock;
use crate::update::{self, Committed, OnProgress, WorkspaceError};

/// How often a commit of another process is looked for where there is nothing to answer from.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long an answer about a branch waits for an update of the index, its own server's too, before it is given from
/// where that branch stood.
const BEFORE_ANOTHER_COMMIT: Duration = Duration::from_secs(10);

/// A policy that waits for another process waits this long; that ends, or its lock is freed with it.
const ENDLESS: Duration = Duration::from_secs(24 * 3600);

/// The commit that is open, and the view that was asked for.
#[derive(Clone)]
pub struct Opened {
    key: ViewKey,
    corpus: Arc<Corpus>,
}

/// What there is to answer from.
pub enum Current {
    /// A view of what is checked out.
    Whole(Arc<Corpus>),
    /// What the first update of that view has got so far.
    Part(Arc<Corpus>),
    /// Views of other branches of this worktree only.
    Other(Arc<Committed>),
    /// No view of this worktree.
    Nothing,
}

/// A commit and one of its views, by its key.
pub struct Recorded {
    committed: Arc<Committed>,
    key: ViewKey,
}

/// A borrowed commit and one of its views.
#[derive(Clone, Copy)]
pub struct Viewed<'c> {
    pub committed: &'c Committed,
    pub key: &'c ViewKey,
    pub view: &'c View,
}

impl Recorded {
    pub fn viewed(&self) -> Viewed<'_> {
        let Recorded { committed, key } = self;
        let view = committed.meta.view(key).ok().flatten();
        Viewed { committed, key, view: view.expect("it was read when this was made") }
    }
}

impl<'c> Viewed<'c> {
    /// What a corpus was made of.
    pub fn of(corpus: &'c Corpus) -> Viewed<'c> {
        Viewed { committed: corpus.committed(), key: corpus.key(), view: corpus.view() }
    }

    pub fn meta(self) -> &'c Meta {
        &self.committed.meta
    }

    /// What is known of the view.
    pub fn info(self) -> &'c ViewInfo {
        self.meta().view_info(self.key).expect("there is a view")
    }

    /// How far the first update is that an answer comes from; `None` when it has ended.
    pub fn building(self) -> Option<Building> {
        let ViewInfo { of, text_only, .. } = *self.info();
        let [of, text_only] = [of, text_only].map(|files| files as usize);
        self.key.staged.then(|| Building { files: self.view.len(), of, text_only })
    }
}

/// What is known about freshness when an answer is given.
#[derive(Default)]
pub struct Freshness {
    /// When the tree was compared with the index for this answer.
    pub checked_at: Option<SystemTime>,
    /// Files that had changed, where they were counted.
    pub stale_files: usize,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

impl Current {
    /// What can answer, whole or not.
    pub fn corpus(self) -> Option<Arc<Corpus>> {
        match self {
            Current::Whole(corpus) | Current::Part(corpus) => Some(corpus),
            Current::Other(_) | Current::Nothing => None,
        }
    }
}

impl Engine {
    /// Answers from the commit that the options ask for. Where the index turns out to be damaged, and its checksums say
    /// so too, it is put aside and made anew, if the options allow for that, and asked again. One thread helps from
    /// beginning to end.
    pub(super) fn answered<T>(
        &self,
        progress: OnProgress<'_>,
        answer: impl Fn(&Corpus, Freshness) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parallel::with_helper_thread(|| self.answered_or_repaired(progress, answer))
    }

    fn answered_or_repaired<T>(
        &self,
        progress: OnProgress<'_>,
        answer: impl Fn(&Corpus, Freshness) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (corpus, freshness) = self.ready(progress)?;
        let error = match index::guarded(|| answer(&corpus, freshness)) {
            Err(error) if error.kind() == ErrorKind::Damaged => error,
            other => return other,
        };
        // A fault of ours must not cost anybody an index.
        if self.workspace.damage().is_none() {
            let text = format!("{error}; the index passes every check, so this is a fault of the program");
            return Err(Error::new(ErrorKind::Internal, text));
        }
        if !self.repairs() {
            return Err(error);
        }
        let (seen, reason) = (corpus.committed(), error.to_string());
        let wait = self.options.wait;
        let report = self.with_updater(|updater| updater.repair(seen, &reason, wait, progress))?;
        let freshness = Freshness { checked_at: Some(SystemTime::now()), ..repaired(&report) };
        match self.current()?.corpus() {
            Some(corpus) => answer(&corpus, freshness),
            None => Err(error),
        }
    }

    /// Whether an index may be made without being asked for.
    fn repairs(&self) -> bool {
        let refreshes = matches!(self.options.stale_policy, StalePolicy::Refresh | StalePolicy::Wait);
        refreshes && self.options.on_missing == OnMissing::Build
    }

    /// The commit that answers, brought up to date as the options say.
    pub(super) fn ready(&self, progress: OnProgress<'_>) -> Result<(Arc<Corpus>, Freshness), Error> {
        let (corpus, mut freshness) = self.chosen_by_policy(progress)?;
        freshness.warnings.extend(self.unused_repository());
        self.mark_used(corpus.key());
        Ok((corpus, freshness))
    }

    /// What an answer says where there seems to be a repository that is not used.
    pub(super) fn unused_repository(&self) -> Option<String> {
        self.no_repo.as_ref().map(|why| format!("the git repository is not used: {why}"))
    }

    fn chosen_by_policy(&self, progress: OnProgress<'_>) -> Result<(Arc<Corpus>, Freshness), Error> {
        if let Some(kept) = self.kept() {
            return kept;
        }
        let policy = self.options.stale_policy;
        if policy != StalePolicy::Ignore
            && let Some(vouched) = self.vouched()
        {
            return Ok(vouched);
        }
        let builds = self.options.on_missing == OnMissing::Build;
        let refreshes = matches!(policy, StalePolicy::Refresh | StalePolicy::Wait);
        match self.current() {
            Ok(Current::Whole(corpus)) => match policy {
                StalePolicy::Refresh | StalePolicy::Wait => self.refreshed(corpus, progress),
                StalePolicy::Ignore => Ok((corpus, Freshness::default())),
                StalePolicy::Warn | StalePolicy::Error => self.compared(corpus),
            },
            Ok(Current::Part(corpus)) if !(builds && refreshes) => match policy {
                StalePolicy::Error => Err(Error::new(ErrorKind::Stale, "the index is still being built")),
                _ => Ok(part(corpus)),
            },
            Ok(Current::Part(corpus)) => self.first(Some(corpus.committed()), progress),
            Ok(Current::Other(committed)) if refreshes => self.first(Some(&committed), progress),
            Ok(Current::Other(committed)) => Err(self.no_view(&committed)),
            Ok(Current::Nothing) if builds => self.first(None, progress),
            Ok(Current::Nothing) => Err(self.no_index()),
            Err(error) if error.kind() == ErrorKind::Damaged && builds => self.first(None, progress),
            Err(error) => Err(error),
        }
    }

    /// Whether the newest commit came without its tree.
    pub(super) fn lacks_tree(&self) -> bool {
        let committed = self.committed_with(self.workspace.stamp().as_deref());
        committed.is_ok_and(|committed| committed.meta.sources().is_some())
    }

    /// What answers where the index came without its tree: nothing is compared then.
    fn kept(&self) -> Option<Result<(Arc<Corpus>, Freshness), Error>> {
        if !self.lacks_tree() {
            return None;
        }
        Some(self.current().and_then(|current| match current {
            Current::Whole(corpus) => {
                let text =
                    "the index came without its tree; this answer is from the sources that came with it";
                Ok((corpus, Freshness { warnings: vec![text.into()], ..Freshness::default() }))
            }
            _ => Err(Error::no_sources("another branch or other settings")),
        }))
    }

    /// Makes the view that there is not. Where another process is at it, the answer comes from what that has got so
    /// far, unless the options say to wait for all of it.
    fn first(
        &self,
        committed: Option<&Committed>,
        progress: OnProgress<'_>,
    ) -> Result<(Arc<Corpus>, Freshness), Error> {
        let patience = self.patience();
        loop {
            while patience.is_zero() && Lock::holder(&self.workspace.lock_path()).is_some() {
                cancel::check()?;
                match self.current() {
                    Ok(Current::Whole(corpus)) => {
                        let text = "another process is indexing; this answer is from its last commit";
                        return Ok((
                            corpus,
                            Freshness { warnings: vec![text.into()], ..Freshness::default() },
                        ));
                    }
                    Ok(Current::Part(corpus)) => return Ok(part(corpus)),
                    // A damaged one is being made anew.
                    _ => std::thread::sleep(LOOK_AGAIN),
                }
            }
            let report = match self.refresh_from(committed, patience, progress) {
                Err(error) if error.kind() == ErrorKind::Locked && patience.is_zero() => continue,
                other => other?,
            };
            // Else another branch was checked out since.
            if let Current::Whole(corpus) = self.current()? {
                let freshness = Freshness { checked_at: Some(SystemTime::now()), ..repaired(&report) };
                return Ok((corpus, freshness));
            }
        }
    }

    fn refreshed(
        &self,
        corpus: Arc<Corpus>,
        progress: OnProgress<'_>,
    ) -> Result<(Arc<Corpus>, Freshness), Error> {
        use ErrorKind::{DiskFull, Io, Locked, NoThread, Permission, ReadOnly};
        let checked_at = Some(SystemTime::now());
        // A worktree that is a moment behind is the same tree still; where a branch stood is another one.
        let patience = self.view().map_or(self.patience(), |_| self.patience().max(BEFORE_ANOTHER_COMMIT));
        match self.refresh_from(Some(corpus.committed()), patience, progress) {
            Ok(report) => match self.current()? {
                Current::Whole(corpus) => Ok((corpus, Freshness { checked_at, ..repaired(&report) })),
                // Another branch was checked out since.
                _ => self.first(None, progress),
            },
            // What is committed still answers; the reply says that it may be behind.
            Err(error)
                if matches!(error.kind(), Locked | DiskFull | ReadOnly | Permission | NoThread | Io) =>
            {
                let warnings = vec![format!("{error}; this answer is from the last commit")];
                Ok((corpus, Freshness { warnings, ..Freshness::default() }))
            }
            Err(error) => Err(error),
        }
    }

    fn compared(&self, corpus: Arc<Corpus>) -> Result<(Arc<Corpus>, Freshness), Error> {
        let stale_files = self.stale_files(&corpus)?;
        if self.options.stale_policy == StalePolicy::Error && stale_files > 0 {
            let files = if stale_files == 1 { "file has" } else { "files have" };
            let text = format!("{stale_files} {files} changed since the tree was indexed");
            return Err(Error::new(ErrorKind::Stale, text));
        }
        Ok((corpus, Freshness { checked_at: Some(SystemTime::now()), stale_files, warnings: Vec::new() }))
    }

    /// How many files were added, changed or deleted since the commit that is open.
    pub(super) fn stale_files(&self, corpus: &Corpus) -> Result<usize, Error> {
        let committed = corpus.committed();
        self.with_updater(|updater| {
            let plan = updater.plan(Some(committed))?;
            Ok(updater.stale(&plan, &committed.meta)?)
        })
    }

    pub(super) fn refresh_from(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, Error> {
        self.with_updater(|updater| updater.refresh(committed, patience, progress))
    }

    fn patience(&self) -> Duration {
        match self.options.stale_policy {
            StalePolicy::Wait => ENDLESS,
            _ => Duration::ZERO,
        }
    }

    /// The newest commit, opened if it is not open yet, and what it holds of what is checked out.
    pub(super) fn current(&self) -> Result<Current, Error> {
        let key = update::view_key(&self.workspace, &self.head(), &self.settings);
        let stamp = self.workspace.stamp();
        let mut cached = lock(&self.open);
        let is_open = |open: &&Opened| {
            Some(open.corpus.committed().reader.stamp()) == stamp.as_deref() && open.key == key
        };
        if let Some(open) = cached.as_ref().filter(is_open) {
            return Ok(shown(open.corpus.clone()));
        }
        let committed = match self.committed_with(stamp.as_deref()) {
            Ok(committed) => committed,
            Err(WorkspaceError::Missing { .. }) => return Ok(Current::Nothing),
            Err(error) => return Err(error.into()),
        };
        for wanted in [key.clone(), key.stage()] {
            let corpus = || Corpus::new(Arc::clone(&committed), &wanted).map_err(Error::from);
            let corpus = index::guarded(corpus)?;
            if let Some(corpus) = corpus.map(Arc::new) {
                *cached = Some(Opened { key, corpus: Arc::clone(&corpus) });
                return Ok(shown(corpus));
            }
        }
        let is_other = committed.meta.views().any(|(other, _)| other.root == key.root && !other.staged);
        Ok(if is_other { Current::Other(committed) } else { Current::Nothing })
    }

    /// The newest commit without what ranking needs, and its view of what is checked out, or of what the first update of
    /// that has got so far; `None` when there is none that can be read.
    pub(super) fn recorded(&self) -> Option<Recorded> {
        let key = update::view_key(&self.workspace, &self.head(), &self.settings);
        let committed = self.committed_with(self.workspace.stamp().as_deref()).ok()?;
        for key in [key.clone(), key.stage()] {
            let is_there = || Ok::<_, SearchError>(committed.meta.view(&key)?.is_some());
            if index::guarded(is_there).ok()? {
                return Some(Recorded { committed, key });
            }
        }
        None
    }

    /// The newest commit, whose stamp is known.
    pub(super) fn committed_with(&self, stamp: Option<&[u8]>) -> Result<Arc<Committed>, WorkspaceError> {
        let mut cached = lock(&self.committed);
        let is_newest = |committed: &&Arc<Committed>| Some(committed.reader.stamp()) == stamp;
        if let Some(committed) = cached.as_ref().filter(is_newest) {
            return Ok(committed.clone());
        }
        let committed = Arc::new(self.workspace.open()?);
        *cached = Some(committed.clone());
        Ok(committed)
    }

    /// What is checked out has not been indexed, and the options do not allow for that.
    fn no_view(&self, committed: &Committed) -> Error {
        let key = update::view_key(&self.workspace, &self.head(), &self.settings);
        let views = committed.meta.views().filter(|(other, _)| other.root == key.root && !other.staged);
        let views: Vec<&ViewKey> = views.map(|(other, _)| other).collect();
        let is_held = views.iter().any(|other| other.head == key.head);
        let mut heads: Vec<&str> = views.iter().map(|other| other.shown()).collect();
        heads.dedup();
        let command = self.index_command();
        let text = if is_held {
            format!("the index holds this tree under other settings; run: {command}")
        } else {
            let head = if key.head.is_empty() { "no branch" } else { key.shown() };
            format!("the index holds {}, not {head}; run: {command}", heads.join(", "))
        };
        Error::new(ErrorKind::Stale, text)
    }
}

fn shown(corpus: Arc<Corpus>) -> Current {
    if corpus.key().staged { Current::Part(corpus) } else { Current::Whole(corpus) }
}

/// An answer from what a first update has got so far.
fn part(corpus: Arc<Corpus>) -> (Arc<Corpus>, Freshness) {
    let (files, of) = (corpus.n_files(), corpus.info().of);
    let text = format!("the index is being built: this answer is from {files} of {of} files");
    (corpus, Freshness { warnings: vec![text], ..Freshness::default() })
}

/// What an answer says of an index that was made anew.
fn repaired(report: &RefreshReport) -> Freshness {
    let text = report.put_aside.as_ref().map(|aside| {
        format!("the index was damaged and has been made anew; what it was is in {}", aside.display())
    });
    Freshness { warnings: text.into_iter().collect(), ..Freshness::default() }
}
