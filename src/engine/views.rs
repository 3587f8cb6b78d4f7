//! The views of an index: their worktrees and branches, their last use, and the space that each view costs.

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use super::advice;
use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::operation::Operation;
use crate::error::Error;
use spyhop_base::store::{self, AtFile, FileError};
use spyhop_context::memory::{self, MemoryError};
use spyhop_index::retention::{Collection, Collector, Costs, IndexHome};
use spyhop_index::update::{OnProgress, tell_waiting};

/// The views of the index. Errors: `NoIndex` if there is no index.
impl Operation for ViewsRequest {
    const NAME: &'static str = "views";

    type Reply = ViewsReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<ViewsReply, Error> {
        let engine = corpus.only(Self::NAME, "views are those of one index")?;
        let stamp = engine.index().workspace().stamp();
        let committed = engine
            .index()
            .committed_with(stamp.as_deref())
            .map_err(|error| or_no_index(engine, error.into()))?;
        let own_key = engine.view_key();
        let costs = Costs::new(&committed.meta, engine.index().workspace())
            .map_err(spyhop_search::SearchError::from)?;
        let kept = committed.meta.views().map(|(key, info)| KeptView {
            is_current: *key == own_key,
            last_used: engine.index().workspace().last_used(key, info),
            cost: costs.of_view(key),
            commit: info.commit.clone(),
            view: ViewRow::new(key, info),
        });
        let mut views: Vec<KeptView> = kept.collect();
        views.sort_by_key(|kept| (Reverse(kept.last_used), kept.view.root.clone(), kept.view.head.clone()));
        Ok(ViewsReply {
            index_path: engine.index_dir().to_path_buf(),
            index_bytes: engine.index().bytes(),
            home_bytes: engine.index().home().map(store::bytes_below),
            home: engine.index().home().map(Path::to_path_buf),
            views,
        })
    }
}

impl Engine {
    /// Like [`Engine::collect`], and then removes views, the least recently used first, while the indexes take more
    /// than `max_bytes`. If that does not suffice, indexes of other trees in the same folder are removed, the longest
    /// unused first. The view of this engine stays, and so does an index that another process is changing or watching.
    ///
    /// # Errors
    /// As [`Engine::collect`].
    pub fn collect_within(
        &self,
        max_bytes: Option<u64>,
        dry_run: bool,
        progress: OnProgress<'_>,
    ) -> Result<Collected, Error> {
        let home = self.index().home().map(|dir| IndexHome { dir: dir.to_path_buf(), move_notes });
        let asked = Collection { dry_run, max_bytes, home };
        let collector = Collector {
            workspace: self.index().workspace(),
            repo: self.tree().repo(),
            view_key: self.view_key(),
        };
        let collected = collector.collect(&asked, self.policy().wait, &mut tell_waiting(progress));
        collected.map_err(|error| or_no_index(self, error.into()))
    }
}

fn or_no_index(engine: &Engine, error: Error) -> Error {
    match error.kind() {
        super::ErrorKind::NoIndex => advice::no_index(engine),
        _ => error,
    }
}

/// Moves the notes of a tree whose index is removed.
fn move_notes(from: &Path, to: &Path) -> Result<(), FileError> {
    memory::move_notes(from, to).or_else(|error| match error {
        MemoryError::File(error) => Err(error),
        other => Err(io::Error::other(other)).at("move the notes of", from),
    })
}
