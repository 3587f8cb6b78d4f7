//! The choice of the snapshot that answers: the newest commit's view of the present checkout, updated first if the
//! policy says so. This module also handles a missing view, an update by another process, and damage.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::api::*;
use super::core::Engine;
use super::lock::lock;
use super::open_commit::OpenedCommit;
use super::{cancel, fault};
use crate::error::{Error, ErrorKind};
use spyhop_base::parallel;
use spyhop_base::store::Lock;
use spyhop_index::inverted;
use spyhop_index::meta::{Meta, View, ViewHead, ViewInfo, ViewKey};
use spyhop_index::update::OnProgress;
use spyhop_index::workspace::{self, Committed, WorkspaceError};
use spyhop_search::{SearchError, SearchSnapshot};

/// How often to look for a commit of another process while no view can answer.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long an answer about a branch waits while another thread or process updates the index. After this time, the last
/// indexed commit of the branch answers.
const BEFORE_ANOTHER_COMMIT: Duration = Duration::from_secs(10);

/// How long [`StalePolicy::Wait`] waits for another process. In practice, the process ends earlier and releases its
/// lock.
const ENDLESS: Duration = Duration::from_secs(24 * 3600);

/// The newest commit, and whether it has a view of the present checkout.
pub enum Current {
    /// A complete view of the checkout.
    Whole(Arc<SearchSnapshot>),
    /// The staged view of an unfinished first update of the checkout.
    Part(Arc<SearchSnapshot>),
    /// The commit has views of other branches of this worktree, but none of the checkout.
    Other(Arc<Committed>),
    /// There is no view of this worktree.
    Nothing,
}

/// A commit and one of its views, by its key.
pub(crate) struct Recorded {
    committed: Arc<Committed>,
    key: ViewKey,
}

/// A borrowed commit and one of its views.
#[derive(Clone, Copy)]
pub(crate) struct Viewed<'c> {
    pub committed: &'c Committed,
    pub key: &'c ViewKey,
    pub view: &'c View,
}

impl Recorded {
    pub(crate) fn viewed(&self) -> Viewed<'_> {
        let Recorded { committed, key } = self;
        let view = committed.meta.view(key).ok().flatten();
        Viewed { committed, key, view: view.expect("it was read when this was made") }
    }
}

impl<'c> Viewed<'c> {
    /// The commit and view of a snapshot.
    pub(crate) fn from_snapshot(snapshot: &'c SearchSnapshot) -> Viewed<'c> {
        Viewed { committed: snapshot.committed(), key: snapshot.key(), view: snapshot.view() }
    }

    pub fn meta(self) -> &'c Meta {
        &self.committed.meta
    }

    /// The information that is recorded with the view.
    pub fn info(self) -> &'c ViewInfo {
        self.meta().view_info(self.key).expect("there is a view")
    }

    /// The progress of the first update, if the view is staged.
    pub fn building(self) -> Option<Building> {
        let ViewInfo { of, text_only, .. } = *self.info();
        let [of, text_only] = [of, text_only].map(|files| files as usize);
        self.key.staged.then(|| Building { files: self.view.len(), total_files: of, text_only })
    }
}

/// The freshness of an answer.
#[derive(Default)]
pub(crate) struct Freshness {
    /// When the tree was compared with the index for this answer.
    pub checked_at: Option<SystemTime>,
    /// The number of changed files, if they were counted.
    pub stale_files: usize,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Current {
    /// The snapshot that can answer, complete or staged.
    pub fn snapshot(self) -> Option<Arc<SearchSnapshot>> {
        match self {
            Current::Whole(snapshot) | Current::Part(snapshot) => Some(snapshot),
            Current::Other(_) | Current::Nothing => None,
        }
    }
}

impl Engine {
    /// Answers from the commit that the options select. If the answer finds damage and the checksums confirm it, the
    /// index is moved aside and rebuilt, if the options allow it, and `answer` runs again. A helper thread runs for the
    /// duration of the answer.
    pub(super) fn with_snapshot<T>(
        &self,
        progress: OnProgress<'_>,
        answer: impl Fn(&SearchSnapshot, Freshness) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parallel::with_helper_thread(|| self.with_snapshot_or_repair(progress, answer))
    }

    fn with_snapshot_or_repair<T>(
        &self,
        progress: OnProgress<'_>,
        answer: impl Fn(&SearchSnapshot, Freshness) -> Result<T, Error>,
    ) -> Result<T, Error> {
        cancel::check()?;
        let (snapshot, freshness) = self.ready(progress)?;
        cancel::begin_answer()?;
        let error = match inverted::guarded(|| answer(&snapshot, freshness)) {
            Err(error) if error.kind() == ErrorKind::Damaged => error,
            other => {
                snapshot.note_checks();
                return other;
            }
        };
        // A bug of this program must not destroy a sound index.
        if self.workspace.damage().is_none() {
            return Err(fault::in_sound_index(&error));
        }
        if !self.repairs() {
            return Err(error);
        }
        let (damaged, reason) = (snapshot.committed(), error.to_string());
        let wait = self.policy.wait;
        let report = self.update_anew(|updater| updater.repair(damaged, &reason, wait, progress))?;
        let freshness = Freshness { checked_at: Some(SystemTime::now()), ..repair_warning(&report) };
        match self.current()?.snapshot() {
            Some(snapshot) => answer(&snapshot, freshness),
            None => Err(error),
        }
    }

    /// Whether the options allow a search to build an index.
    fn repairs(&self) -> bool {
        let refreshes = matches!(self.policy.stale_policy, StalePolicy::Refresh | StalePolicy::Wait);
        refreshes && self.policy.on_missing != OnMissing::Fail
    }

    /// The snapshot that answers, updated first if the policy says so.
    pub(super) fn ready(&self, progress: OnProgress<'_>) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
        let (snapshot, mut freshness) = self.chosen_by_policy(progress)?;
        freshness.warnings.extend(self.unused_repository());
        self.mark_used(snapshot.key());
        Ok((snapshot, freshness))
    }

    /// The warning about a repository that cannot be used.
    pub(super) fn unused_repository(&self) -> Option<String> {
        self.no_repo.as_ref().map(|why| format!("the git repository is not used: {why}"))
    }

    fn chosen_by_policy(&self, progress: OnProgress<'_>) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
        if let Some(answer) = self.answer_without_tree() {
            return answer;
        }
        let policy = self.policy.stale_policy;
        if policy != StalePolicy::Ignore
            && let Some(vouched) = self.snapshot_from_watcher()
        {
            return Ok(vouched);
        }
        let builds = self.policy.on_missing != OnMissing::Fail;
        let refreshes = matches!(policy, StalePolicy::Refresh | StalePolicy::Wait);
        match self.current() {
            Ok(Current::Whole(snapshot)) => match policy {
                StalePolicy::Refresh | StalePolicy::Wait => self.refreshed(snapshot, progress),
                StalePolicy::Ignore => Ok((snapshot, Freshness::default())),
                StalePolicy::Warn | StalePolicy::Error => self.with_stale_count(snapshot),
            },
            Ok(Current::Part(snapshot)) if !(builds && refreshes) => match policy {
                StalePolicy::Error => Err(Error::new(ErrorKind::Stale, "the index is still being built")),
                _ => Ok(partial_answer(snapshot)),
            },
            Ok(Current::Part(snapshot)) => self.build_view(Some(snapshot.committed()), progress),
            Ok(Current::Other(committed)) if refreshes => self.build_view(Some(&committed), progress),
            Ok(Current::Other(committed)) => Err(self.no_view(&committed)),
            Ok(Current::Nothing) if builds => self.build_view(None, progress),
            Ok(Current::Nothing) => Err(self.no_index()),
            Err(error) if error.kind() == ErrorKind::Damaged && builds => self.build_view(None, progress),
            Err(error) => Err(error),
        }
    }

    /// Whether the index was imported without its tree.
    pub(super) fn lacks_tree(&self) -> bool {
        let committed = self.committed_with(self.workspace.stamp().as_deref());
        committed.is_ok_and(|committed| committed.meta.sources().is_some())
    }

    /// The answering snapshot of an index that was imported without its tree. Nothing is compared with a tree.
    fn answer_without_tree(&self) -> Option<Result<(Arc<SearchSnapshot>, Freshness), Error>> {
        if !self.lacks_tree() {
            return None;
        }
        Some(self.current().and_then(|current| match current {
            Current::Whole(snapshot) => {
                let text =
                    "the index came without its tree; this answer is from the sources that came with it";
                Ok((snapshot, Freshness { warnings: vec![text.into()], ..Freshness::default() }))
            }
            _ => Err(Error::no_sources("another branch or other settings")),
        }))
    }

    /// Builds the missing view. If another process is building the view, the answer comes from its staged view, unless
    /// the options say to wait.
    fn build_view(
        &self,
        committed: Option<&Committed>,
        progress: OnProgress<'_>,
    ) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
        let patience = self.patience();
        loop {
            while patience.is_zero() && Lock::holder(&self.workspace.lock_path()).is_some() {
                cancel::check()?;
                match self.current() {
                    Ok(Current::Whole(snapshot)) => {
                        let text = "another process is indexing; this answer is from its last commit";
                        return Ok((
                            snapshot,
                            Freshness { warnings: vec![text.into()], ..Freshness::default() },
                        ));
                    }
                    Ok(Current::Part(snapshot)) => return Ok(partial_answer(snapshot)),
                    // The other process is rebuilding a damaged index, or has not committed yet.
                    _ => std::thread::sleep(LOOK_AGAIN),
                }
            }
            let report = match self.build_from(committed, patience, progress) {
                Err(error) if error.kind() == ErrorKind::Locked && patience.is_zero() => continue,
                other => other?,
            };
            match self.current()? {
                Current::Whole(snapshot) => {
                    let checked_at = Some(SystemTime::now());
                    return Ok((snapshot, Freshness { checked_at, ..repair_warning(&report) }));
                }
                Current::Part(snapshot) if self.builds_text() => return Ok(partial_answer(snapshot)),
                // Another branch was checked out meanwhile.
                _ => {}
            }
        }
    }

    fn refreshed(
        &self,
        snapshot: Arc<SearchSnapshot>,
        progress: OnProgress<'_>,
    ) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
        use ErrorKind::{DiskFull, Io, Locked, NoThread, Permission, ReadOnly};
        let checked_at = Some(SystemTime::now());
        // A slightly stale view of a worktree is acceptable. An old commit of a branch is a different tree.
        let patience = self.view().map_or(self.patience(), |_| self.patience().max(BEFORE_ANOTHER_COMMIT));
        match self.refresh_from(Some(snapshot.committed()), patience, progress) {
            Ok(report) => match self.current()? {
                Current::Whole(snapshot) => {
                    Ok((snapshot, Freshness { checked_at, ..repair_warning(&report) }))
                }
                // Another branch was checked out meanwhile.
                _ => self.build_view(None, progress),
            },
            // The last commit still answers, and the reply warns that it may be stale.
            Err(error)
                if matches!(error.kind(), Locked | DiskFull | ReadOnly | Permission | NoThread | Io) =>
            {
                let warnings = vec![format!("{error}; this answer is from the last commit")];
                Ok((snapshot, Freshness { warnings, ..Freshness::default() }))
            }
            Err(error) => Err(error),
        }
    }

    fn with_stale_count(
        &self,
        snapshot: Arc<SearchSnapshot>,
    ) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
        let stale_files = self.stale_files(&snapshot)?;
        if self.policy.stale_policy == StalePolicy::Error && stale_files > 0 {
            let files = if stale_files == 1 { "file has" } else { "files have" };
            let text = format!("{stale_files} {files} changed since the tree was indexed");
            return Err(Error::new(ErrorKind::Stale, text));
        }
        Ok((snapshot, Freshness { checked_at: Some(SystemTime::now()), stale_files, warnings: Vec::new() }))
    }

    /// How many files were added, changed or deleted since the commit of `snapshot`.
    pub(super) fn stale_files(&self, snapshot: &SearchSnapshot) -> Result<usize, Error> {
        let committed = snapshot.committed();
        self.with_updater(|updater| {
            let plan = updater.plan(Some(committed))?;
            Ok(updater.stale(&plan, &committed.meta)?)
        })
    }

    /// Whether an answer may come from the text alone while nobody has completed the index.
    fn builds_text(&self) -> bool {
        self.policy.on_missing == OnMissing::BuildText
    }

    fn build_from(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, Error> {
        if self.builds_text() && self.hosted.is_none() {
            return self.with_updater(|updater| updater.refresh_text(committed, patience, progress));
        }
        self.refresh_from(committed, patience, progress)
    }

    pub(super) fn refresh_from(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, Error> {
        if let Some(hosted) = &self.hosted {
            return self
                .update_hosted(hosted, |updater, committed| updater.refresh(committed, patience, progress));
        }
        self.with_updater(|updater| updater.refresh(committed, patience, progress))
    }

    fn patience(&self) -> Duration {
        match self.policy.stale_policy {
            StalePolicy::Wait => ENDLESS,
            _ => Duration::ZERO,
        }
    }

    /// Opens the newest commit, if necessary, and returns its view of the present checkout.
    pub(super) fn current(&self) -> Result<Current, Error> {
        let key = workspace::view_key(&self.workspace, &self.head(), &self.settings);
        let stamp = self.workspace.stamp();
        let mut cached = lock(&self.open);
        let is_open = |open: &&OpenedCommit| {
            Some(open.snapshot.committed().reader.stamp()) == stamp.as_deref() && open.key == key
        };
        if let Some(open) = cached.as_ref().filter(is_open) {
            return Ok(whole_or_part(open.snapshot.clone()));
        }
        let committed = match self.committed_with(stamp.as_deref()) {
            Ok(committed) => committed,
            Err(WorkspaceError::Missing { .. }) => return Ok(Current::Nothing),
            Err(error) => return Err(error.into()),
        };
        for wanted in [key.clone(), key.stage()] {
            let snapshot = || SearchSnapshot::new(Arc::clone(&committed), &wanted).map_err(Error::from);
            let snapshot = inverted::guarded(snapshot)?;
            if let Some(snapshot) = snapshot.map(Arc::new) {
                *cached = Some(OpenedCommit { key, snapshot: Arc::clone(&snapshot) });
                return Ok(whole_or_part(snapshot));
            }
        }
        let is_other = committed.meta.views().any(|(other, _)| other.root == key.root && !other.staged);
        Ok(if is_other { Current::Other(committed) } else { Current::Nothing })
    }

    /// The newest commit and its view of the present checkout, complete or staged, without a snapshot for ranking;
    /// `None` if no such view can be read.
    pub(super) fn recorded(&self) -> Option<Recorded> {
        let key = workspace::view_key(&self.workspace, &self.head(), &self.settings);
        let committed = self.committed_with(self.workspace.stamp().as_deref()).ok()?;
        for key in [key.clone(), key.stage()] {
            let is_there = || Ok::<_, SearchError>(committed.meta.view(&key)?.is_some());
            if inverted::guarded(is_there).ok()? {
                return Some(Recorded { committed, key });
            }
        }
        None
    }

    /// Opens the newest commit, unless the commit with this stamp is open.
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

    /// The error for a checkout that is not indexed, if the options do not allow an update.
    fn no_view(&self, committed: &Committed) -> Error {
        let key = workspace::view_key(&self.workspace, &self.head(), &self.settings);
        let views = committed.meta.views().filter(|(other, _)| other.root == key.root && !other.staged);
        let views: Vec<&ViewKey> = views.map(|(other, _)| other).collect();
        let is_held = views.iter().any(|other| other.head == key.head);
        let mut heads: Vec<String> = views.iter().map(|other| other.head.shown()).collect();
        heads.dedup();
        let text = if is_held {
            "the index holds this tree under other settings".to_string()
        } else {
            let head = if key.head == ViewHead::None { "no branch".to_string() } else { key.head.shown() };
            format!("the index holds {}, not {head}", heads.join(", "))
        };
        Error::new(ErrorKind::Stale, text).with(self.build_index())
    }
}

fn whole_or_part(snapshot: Arc<SearchSnapshot>) -> Current {
    if snapshot.key().staged { Current::Part(snapshot) } else { Current::Whole(snapshot) }
}

/// The staged view of a first update, with a warning.
fn partial_answer(snapshot: Arc<SearchSnapshot>) -> (Arc<SearchSnapshot>, Freshness) {
    let (files, of) = (snapshot.n_files(), snapshot.info().of);
    let text = match snapshot.info().text_only as usize {
        0 => format!("the index is being built: this answer is from {files} of {of} files"),
        text_only => format!(
            "the index is being built: this answer is from {files} of {of} files, {text_only} of them by their text so far"
        ),
    };
    (snapshot, Freshness { warnings: vec![text], ..Freshness::default() })
}

/// The warning about a damaged index that was rebuilt.
fn repair_warning(report: &RefreshReport) -> Freshness {
    let text = report.put_aside.as_ref().map(|aside| {
        format!("the index was damaged and has been made anew; what it was is in {}", aside.display())
    });
    Freshness { warnings: text.into_iter().collect(), ..Freshness::default() }
}
