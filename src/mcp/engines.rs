//! The engines of one tree: that of the worktree, and those of the revisions that were asked about last.
//!
//! It owns which engine a call is for. An engine is opened for one view, so each revision has one of its own; a few are
//! kept, because who compares asks about the same ones again. A name such as `HEAD~1` may stand for another commit by
//! then, so it is looked up each time.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use spyhop::engine::api::{Options, Progress};
use spyhop::engine::{Engine, Error};
use spyhop::render::agent::Answer;

use super::arguments::Call;
use super::calls;

/// How many revisions stay open. Each maps what it has read of the index.
const KEPT: usize = 2;

/// See the module.
pub struct Engines {
    options: Options,
    worktree: Arc<Engine>,
    /// The last used one last.
    views: Mutex<Vec<Arc<Engine>>>,
}

impl Engines {
    /// Opens the worktree at `root`.
    pub fn open(root: &Path, options: Options) -> Result<Engines, Error> {
        let worktree = Arc::new(Engine::open(root, options.clone())?);
        Ok(Engines { options, worktree, views: Mutex::default() })
    }

    /// That of the worktree.
    pub fn worktree(&self) -> &Arc<Engine> {
        &self.worktree
    }

    /// How they are opened.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Answers a call.
    pub fn answer(&self, call: &Call, progress: &(dyn Fn(Progress) + Sync)) -> Result<Answer, Error> {
        calls::answer(&*self.of(call.view.as_deref())?, call, progress)
    }

    fn of(&self, view: Option<&str>) -> Result<Arc<Engine>, Error> {
        let Some(view) = view else { return Ok(Arc::clone(&self.worktree)) };
        let is_it = |engine: &Arc<Engine>| engine.view() == Some(view.trim());
        let kept = self.views().iter().find(|engine| is_it(engine)).cloned();
        // What it stands for is looked up without keeping others from their engines.
        let engine = match kept.filter(|engine| engine.view_holds()) {
            Some(engine) => engine,
            None => {
                let options = Options { view: Some(view.to_string()), ..self.options.clone() };
                Arc::new(Engine::open(self.worktree.root(), options)?)
            }
        };
        let mut views = self.views();
        views.retain(|engine| !is_it(engine));
        views.push(Arc::clone(&engine));
        let too_many = views.len().saturating_sub(KEPT);
        views.drain(..too_many);
        Ok(engine)
    }

    fn views(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Engine>>> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
