//! The choice of the snapshot that answers: the newest commit's view of the present checkout, updated first if the
//! policy says so. This module also handles a missing view, an update by another process, and damage.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::api::*;
use super::core::Engine;
use super::open_index::{Current, Viewed};
use super::{advice, cancel, fault, updating, vouched};
use crate::error::{Error, ErrorKind};
use spyhop_base::parallel;
use spyhop_base::store::Lock;
use spyhop_index::inverted;
use spyhop_index::meta::{ViewHead, ViewKey};
use spyhop_index::update::OnProgress;
use spyhop_index::workspace::Committed;
use spyhop_search::SearchSnapshot;
use tracing::debug_span;

/// How often to look for a commit of another process while no view can answer.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long an answer about a branch waits while another thread or process updates the index. After this time, the last
/// indexed commit of the branch answers.
const BEFORE_ANOTHER_COMMIT: Duration = Duration::from_secs(10);

/// How long [`StalePolicy::Wait`] waits for another process. In practice, the process ends earlier and releases its
/// lock.
const ENDLESS: Duration = Duration::from_secs(24 * 3600);

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

/// Answers from the commit that the options select. If the answer finds damage and the checksums confirm it, the
/// index is moved aside and rebuilt, if the options allow it, and `answer` runs again. A helper thread runs for the
/// duration of the answer.
pub(super) fn with_snapshot<T>(
    engine: &Engine,
    progress: OnProgress<'_>,
    answer: impl Fn(&SearchSnapshot, Freshness) -> Result<T, Error>,
) -> Result<T, Error> {
    parallel::with_helper_thread(|| with_snapshot_or_repair(engine, progress, answer))
}

fn with_snapshot_or_repair<T>(
    engine: &Engine,
    progress: OnProgress<'_>,
    answer: impl Fn(&SearchSnapshot, Freshness) -> Result<T, Error>,
) -> Result<T, Error> {
    cancel::check()?;
    let (snapshot, freshness) = debug_span!("index.open").in_scope(|| ready(engine, progress))?;
    cancel::begin_answer()?;
    let error = match inverted::guarded(|| answer(&snapshot, freshness)) {
        Err(error) if error.kind() == ErrorKind::Damaged => error,
        other => {
            snapshot.note_checks();
            return other;
        }
    };
    // A bug of this program must not destroy a sound index.
    if engine.index().workspace().damage().is_none() {
        return Err(fault::in_sound_index(&error));
    }
    if !engine.policy().repairs() {
        return Err(error);
    }
    let (damaged, reason) = (snapshot.committed(), error.to_string());
    let wait = engine.policy().wait;
    let report = updating::update_anew(engine, |updater| updater.repair(damaged, &reason, wait, progress))?;
    let freshness = Freshness { checked_at: Some(SystemTime::now()), ..repair_warning(&report) };
    match engine.current()?.snapshot() {
        Some(snapshot) => answer(&snapshot, freshness),
        None => Err(error),
    }
}

/// The snapshot that answers, if a watcher confirms that it is current.
pub(super) fn snapshot_from_watcher(engine: &Engine) -> Option<(Arc<SearchSnapshot>, Freshness)> {
    let (snapshot, checked_at) = vouched::vouched_by(engine, || match engine.current() {
        Ok(Current::Whole(snapshot)) => Some((Viewed::from_snapshot(&snapshot).token(), snapshot)),
        _ => None,
    })?;
    Some((snapshot, Freshness { checked_at: Some(checked_at), ..Freshness::default() }))
}

/// The snapshot that answers, updated first if the policy says so.
pub(super) fn ready(
    engine: &Engine,
    progress: OnProgress<'_>,
) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
    let (snapshot, mut freshness) = chosen_by_policy(engine, progress)?;
    freshness.warnings.extend(engine.tree().unused_repository());
    engine.index().mark_used(snapshot.key());
    Ok((snapshot, freshness))
}

fn chosen_by_policy(
    engine: &Engine,
    progress: OnProgress<'_>,
) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
    if let Some(answer) = answer_without_tree(engine) {
        return answer;
    }
    let policy = engine.policy().stale_policy;
    if policy != StalePolicy::Ignore
        && let Some(vouched) = snapshot_from_watcher(engine)
    {
        return Ok(vouched);
    }
    let builds = engine.policy().on_missing != OnMissing::Fail;
    let refreshes = matches!(policy, StalePolicy::Refresh | StalePolicy::Wait);
    match engine.current() {
        Ok(Current::Whole(snapshot)) => match policy {
            StalePolicy::Refresh | StalePolicy::Wait => refreshed(engine, snapshot, progress),
            StalePolicy::Ignore => Ok((snapshot, Freshness::default())),
            StalePolicy::Warn | StalePolicy::Error => with_stale_count(engine, snapshot),
        },
        Ok(Current::Part(snapshot)) if !(builds && refreshes) => match policy {
            StalePolicy::Error => Err(Error::new(ErrorKind::Stale, "the index is still being built")),
            _ => Ok(partial_answer(snapshot)),
        },
        Ok(Current::Part(snapshot)) => build_view(engine, Some(snapshot.committed()), progress),
        Ok(Current::Other(committed)) if refreshes => build_view(engine, Some(&committed), progress),
        Ok(Current::Other(committed)) => Err(no_view(engine, &committed)),
        Ok(Current::Nothing) if builds => build_view(engine, None, progress),
        Ok(Current::Nothing) => Err(advice::no_index(engine)),
        Err(error) if error.kind() == ErrorKind::Damaged && builds => build_view(engine, None, progress),
        Err(error) => Err(error),
    }
}

/// The answering snapshot of an index that was imported without its tree. Nothing is compared with a tree.
fn answer_without_tree(engine: &Engine) -> Option<Result<(Arc<SearchSnapshot>, Freshness), Error>> {
    if !engine.index().lacks_tree() {
        return None;
    }
    Some(engine.current().and_then(|current| match current {
        Current::Whole(snapshot) => {
            let text = "the index came without its tree; this answer is from the sources that came with it";
            Ok((snapshot, Freshness { warnings: vec![text.into()], ..Freshness::default() }))
        }
        _ => Err(Error::no_sources("another branch or other settings")),
    }))
}

/// Builds the missing view. If another process is building the view, the answer comes from its staged view, unless
/// the options say to wait.
fn build_view(
    engine: &Engine,
    committed: Option<&Committed>,
    progress: OnProgress<'_>,
) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
    let patience = patience(engine.policy());
    loop {
        while patience.is_zero() && Lock::holder(&engine.index().workspace().lock_path()).is_some() {
            cancel::check()?;
            match engine.current() {
                Ok(Current::Whole(snapshot)) => {
                    let text = "another process is indexing; this answer is from its last commit";
                    return Ok((snapshot, Freshness { warnings: vec![text.into()], ..Freshness::default() }));
                }
                Ok(Current::Part(snapshot)) => return Ok(partial_answer(snapshot)),
                // The other process is rebuilding a damaged index, or has not committed yet.
                _ => std::thread::sleep(LOOK_AGAIN),
            }
        }
        let report = match build_from(engine, committed, patience, progress) {
            Err(error) if error.kind() == ErrorKind::Locked && patience.is_zero() => continue,
            other => other?,
        };
        match engine.current()? {
            Current::Whole(snapshot) => {
                let checked_at = Some(SystemTime::now());
                return Ok((snapshot, Freshness { checked_at, ..repair_warning(&report) }));
            }
            Current::Part(snapshot) if engine.policy().builds_text() => return Ok(partial_answer(snapshot)),
            // Another branch was checked out meanwhile.
            _ => {}
        }
    }
}

fn refreshed(
    engine: &Engine,
    snapshot: Arc<SearchSnapshot>,
    progress: OnProgress<'_>,
) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
    use ErrorKind::{DiskFull, Io, Locked, NoThread, Permission, ReadOnly};
    let checked_at = Some(SystemTime::now());
    // A slightly stale view of a worktree is acceptable. An old commit of a branch is a different tree.
    let patience = patience(engine.policy());
    let patience = engine.view().map_or(patience, |_| patience.max(BEFORE_ANOTHER_COMMIT));
    match updating::refresh_from(engine, Some(snapshot.committed()), patience, progress) {
        Ok(report) => match engine.current()? {
            Current::Whole(snapshot) => Ok((snapshot, Freshness { checked_at, ..repair_warning(&report) })),
            // Another branch was checked out meanwhile.
            _ => build_view(engine, None, progress),
        },
        // The last commit still answers, and the reply warns that it may be stale.
        Err(error) if matches!(error.kind(), Locked | DiskFull | ReadOnly | Permission | NoThread | Io) => {
            let warnings = vec![format!("{error}; this answer is from the last commit")];
            Ok((snapshot, Freshness { warnings, ..Freshness::default() }))
        }
        Err(error) => Err(error),
    }
}

fn with_stale_count(
    engine: &Engine,
    snapshot: Arc<SearchSnapshot>,
) -> Result<(Arc<SearchSnapshot>, Freshness), Error> {
    let stale_files = stale_files(engine, &snapshot)?;
    if engine.policy().stale_policy == StalePolicy::Error && stale_files > 0 {
        let files = if stale_files == 1 { "file has" } else { "files have" };
        let text = format!("{stale_files} {files} changed since the tree was indexed");
        return Err(Error::new(ErrorKind::Stale, text));
    }
    Ok((snapshot, Freshness { checked_at: Some(SystemTime::now()), stale_files, warnings: Vec::new() }))
}

/// How many files were added, changed or deleted since the commit of `snapshot`.
pub(super) fn stale_files(engine: &Engine, snapshot: &SearchSnapshot) -> Result<usize, Error> {
    let committed = snapshot.committed();
    updating::with_updater(engine, |updater| {
        let plan = updater.plan(Some(committed))?;
        Ok(updater.stale(&plan, &committed.meta)?)
    })
}

/// How long an answer waits for another process that is indexing.
fn patience(policy: CallPolicy) -> Duration {
    match policy.stale_policy {
        StalePolicy::Wait => ENDLESS,
        _ => Duration::ZERO,
    }
}

fn build_from(
    engine: &Engine,
    committed: Option<&Committed>,
    patience: Duration,
    progress: OnProgress<'_>,
) -> Result<RefreshReport, Error> {
    if engine.policy().builds_text() && engine.tree().hosted().is_none() {
        return updating::with_updater(engine, |updater| updater.refresh_text(committed, patience, progress));
    }
    updating::refresh_from(engine, committed, patience, progress)
}

/// The error for a checkout that is not indexed, if the options do not allow an update.
fn no_view(engine: &Engine, committed: &Committed) -> Error {
    let key = engine.view_key();
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
    Error::new(ErrorKind::Stale, text).with(advice::build_index(engine))
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
