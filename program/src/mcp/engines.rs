//! The engines of one tree: the engine of the worktree, and those of the most recently used revisions.
//!
//! This module owns the choice of the engine for a call. An engine is opened for one view, so each revision has an
//! engine of its own. A few stay open, because a client that compares revisions uses the same ones again. A name such
//! as `HEAD~1` may stand for another commit by then, so the name is resolved each time. A caller may name another index
//! of the tree; that index must exist, so that no caller can make the server write into a folder that is not an index
//! of its tree. Engines that were not used for a while release their caches: a server runs for days, and most of its
//! roots are used for minutes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use spyhop_engine::api::{OnMissing, Options, Progress};
use spyhop_engine::{Cancel, Engine, Error};
use spyhop_interface::render::agent::{self, Answer};
use tokio::sync::Notify;

use super::calls::{self, PendingReply, ToolCall};

/// How many revisions stay open. Each keeps what it has read of the index mapped into memory.
const KEPT: usize = 2;

/// The engines of one tree; see the module.
pub struct Engines {
    options: Options,
    worktree: Arc<Engine>,
    /// Engines of revisions, least recently used first.
    views: Mutex<Vec<Arc<Engine>>>,
    /// When the engines were last used; `None` once their caches are released.
    used: Mutex<Option<Instant>>,
    /// Notified at the first use after a release.
    wake: Arc<Notify>,
}

impl Engines {
    /// Opens the worktree at `root`.
    pub fn open(root: &Path, options: Options, wake: Arc<Notify>) -> Result<Engines, Error> {
        let worktree = Arc::new(Engine::open(root, options.clone())?);
        Ok(Engines { options, worktree, views: Mutex::default(), used: Mutex::default(), wake })
    }

    /// Notes a use of the engines.
    pub fn mark_used(&self) {
        if lock(&self.used).replace(Instant::now()).is_none() {
            self.wake.notify_one();
        }
    }

    /// The engine of the worktree.
    pub fn worktree(&self) -> &Arc<Engine> {
        &self.worktree
    }

    /// Answers a call, which `cancel` ends early. The engine of a view and of an index.
    pub fn answer(
        &self,
        call: &ToolCall,
        cancel: &Cancel,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<PendingReply, Answer> {
        let engine = self.of(call.view.as_deref(), call.index_dir.as_deref())?;
        let answer = Engine::cancellable(cancel, || calls::answer(&engine, call, progress));
        self.mark_used();
        answer.map_err(|error| calls::failed(&error))
    }

    /// The engine of a view and of an index.
    pub fn of(&self, view: Option<&str>, index_dir: Option<&Path>) -> Result<Arc<Engine>, Answer> {
        if view.is_none() && index_dir.is_none() {
            return Ok(Arc::clone(&self.worktree));
        }
        let dir = index_dir.and_then(|dir| dir.canonicalize().ok());
        let dir = dir.as_deref().or(index_dir).unwrap_or(self.worktree.index_dir());
        let is_it = |engine: &Arc<Engine>| engine.view() == view.map(str::trim) && engine.index_dir() == dir;
        let kept = lock(&self.views).iter().find(|engine| is_it(engine)).cloned();
        // The view's name is resolved outside the lock, so that other calls can get their engines meanwhile.
        let engine = match kept.filter(|engine| engine.view_holds()) {
            Some(engine) => engine,
            None => {
                let options = Options { view: view.map(str::to_string), ..self.options.clone() };
                Arc::new(open(&self.worktree, options, index_dir)?)
            }
        };
        let mut views = lock(&self.views);
        views.retain(|engine| !is_it(engine));
        views.push(Arc::clone(&engine));
        let too_many = views.len().saturating_sub(KEPT);
        views.drain(..too_many);
        Ok(engine)
    }
}

/// What releases caches after a while without use.
pub trait Rests: Send + Sync {
    /// Releases what can be opened again, unless it was used within the last `idle`; then returns the time left.
    fn rest(&self, idle: Duration) -> Option<Duration>;
}

impl Rests for Engines {
    fn rest(&self, idle: Duration) -> Option<Duration> {
        let mut used = lock(&self.used);
        let left = idle.saturating_sub((*used)?.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        *used = None;
        drop(used);
        let views = std::mem::take(&mut *lock(&self.views));
        drop(views);
        self.worktree.release_caches();
        None
    }
}

/// Opens the tree of `worktree`, with the index at `index_dir` if given, else with that of `options`.
fn open(worktree: &Engine, options: Options, index_dir: Option<&Path>) -> Result<Engine, Answer> {
    let root = worktree.root();
    let failed = |error| calls::failed(&error);
    let Some(dir) = index_dir else { return Engine::open(root, options).map_err(failed) };
    let (index_dir, on_missing) = (Some(dir.to_path_buf()), OnMissing::Fail);
    match Engine::open(root, Options { index_dir, on_missing, ..options.clone() }) {
        Ok(engine) if engine.has_index() => Ok(engine),
        // Whatever else is at the path, readable or not, the error is the same.
        _ => {
            // An unknown view is a different error.
            Engine::open(root, options).map_err(failed)?;
            let mut recipe = worktree.recipe();
            (recipe.index_path, recipe.index_dir) = (dir.to_path_buf(), Some(dir.to_path_buf()));
            let (dir, root) = (dir.display(), root.display());
            let why = format!("db '{dir}' holds no index of '{root}'; leave it out to ask the server's own");
            Err(agent::no_index(&recipe, &why))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Releases the caches of trees and of the library that were not used for `idle`, then calls `rested`; never returns. Sleeps while no tree
/// holds caches.
pub async fn rest_when_idle(all: Vec<Arc<dyn Rests>>, wake: Arc<Notify>, idle: Duration, rested: fn()) {
    loop {
        wake.notified().await;
        let mut left = Some(idle);
        while let Some(pause) = left {
            tokio::time::sleep(pause).await;
            left = all.iter().filter_map(|own| own.rest(idle)).min();
            rested();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    fn what_is_not_used_rests_once_and_is_woken_by_its_next_use() {
        static RESTED: AtomicUsize = AtomicUsize::new(0);
        let folder = tempfile::tempdir().unwrap();
        let options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
        let wake = Arc::new(Notify::new());
        let engines = Arc::new(Engines::open(folder.path(), options, Arc::clone(&wake)).unwrap());
        let hour = Duration::from_secs(3600);
        assert_eq!(engines.rest(Duration::ZERO), None);
        engines.mark_used();
        assert!(engines.rest(hour).is_some_and(|left| left <= hour));
        assert!(lock(&engines.used).is_some());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let rested = || _ = RESTED.fetch_add(1, Relaxed);
            let all: Vec<Arc<dyn Rests>> = vec![engines.clone()];
            tokio::spawn(rest_when_idle(all, wake, Duration::from_millis(1), rested));
            for _ in 0..2 {
                while lock(&engines.used).is_some() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                engines.mark_used();
            }
        });
        assert!(RESTED.load(Relaxed) > 0);
    }
}
