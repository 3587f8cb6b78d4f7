//! Engines whose files a host provides: how they are opened and changed, and how their index is updated.

use std::sync::Arc;

use super::api::*;
use super::core::Engine;
use super::current::Viewed;
use super::fault;
use super::hosted::{ChangedSince, HostedFiles, TreeMoment};
use super::lock::lock;
use super::watch::token;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_files::confined::{LinkReach, RootFolder};
use spyhop_files::read::{self, TreeSource};
use spyhop_files::source::{Change, SourceTree};
use spyhop_index::update::{Since, UpdateError, Updater};
use spyhop_index::workspace::Committed;

impl Engine {
    /// Opens the tree that `tree` provides, such as a [`MemoryTree`](spyhop_files::source::MemoryTree), without indexing anything. The
    /// index is in a private temporary folder, which is removed with the last handle of the engine, unless
    /// [`Options::index_dir`] names a folder that keeps the index.
    ///
    /// Searches, exact searches and questions about files, symbols and the code graph work as for a folder. Revisions,
    /// [`Engine::watch`] and [`Engine::explain_skips`] are about folders and are refused.
    ///
    /// # Errors
    /// `BadRequest` for an invalid grammar folder, an option out of range, or [`Options::view`]; `Io` if the temporary
    /// folder cannot be created; the errors of [`Engine::open`] about the folder of the index.
    pub fn in_memory(tree: impl SourceTree + 'static, options: Options) -> Result<Engine, Error> {
        if options.view.is_some() {
            let text = "view is about a git repository, which a tree in memory lacks; use RevisionTree";
            return Err(Error::bad(text));
        }
        Engine::open_hosted(Arc::new(tree), options)
    }

    /// Changes files of an engine of [`Engine::in_memory`]. The next answer indexes the changed files, without listing
    /// the tree if the source tells its changes ([`SourceTree::version`]). The changes are a layer over the source, which
    /// itself is not changed. All changes take effect together.
    ///
    /// A call takes microseconds, so that an editor may report every key. [`Engine::refresh`] indexes the changes at
    /// once.
    ///
    /// # Errors
    /// `BadRequest` if a path is absolute, leaves the root or is empty, or if the engine is of a folder; then nothing is
    /// changed.
    pub fn apply(&self, changes: impl IntoIterator<Item = Change>) -> Result<(), Error> {
        let Some(hosted) = &self.hosted else {
            let text = "apply changes the files of an engine of Engine::in_memory, and this engine is of a folder; \
                        open the folder by Engine::in_memory(FolderTree::open(root)?, options)";
            return Err(Error::bad(text));
        };
        let checked = changes.into_iter().map(|change| {
            let path = RelPath::new(change.path())?;
            if path.as_str().is_empty() {
                return Err(Error::bad("a change names the root; name a file or a folder below"));
            }
            Ok((path, change.kind().clone()))
        });
        hosted.apply(checked.collect::<Result<Vec<_>, Error>>()?);
        Ok(())
    }

    /// The tree that a host provides, as it is now.
    pub(super) fn hosted_tree_now(&self) -> Option<TreeSource> {
        self.hosted.as_ref().map(|hosted| TreeSource::Tree(hosted.now().tree.clone()))
    }

    /// The tree that a host provides, as it was when `viewed` was indexed, if that is known, or as it is now.
    pub(super) fn hosted_tree_of(&self, viewed: Viewed<'_>) -> Option<TreeSource> {
        let hosted = self.hosted.as_ref()?;
        Some(TreeSource::Tree(hosted.tree_of(&token(viewed.committed, viewed.key))))
    }

    /// The result of `look`, if its commit and view have the tree as it is now.
    pub(super) fn vouched_by_host<T>(
        &self,
        hosted: &HostedFiles,
        look: impl Fn() -> Option<(String, T)>,
    ) -> Option<T> {
        let now = hosted.now();
        let (token, found) = look()?;
        hosted.is_indexed(&token, &now).then_some(found)
    }

    /// Calls `update` with an updater of the whole tree, whatever the index has, and records for a hosted tree what the
    /// index has afterwards.
    pub(super) fn update_anew(
        &self,
        update: impl Fn(&Updater<'_>) -> Result<RefreshReport, UpdateError>,
    ) -> Result<RefreshReport, Error> {
        let Some(hosted) = &self.hosted else { return self.with_updater(update) };
        let _one = lock(&hosted.updating);
        fault::guarded("the update of the index", || {
            self.update_since(hosted, hosted.now(), None, |updater| update(updater))
        })
    }

    /// Calls `update` with an updater of the hosted tree, unless the index has the tree as it is now, and records what
    /// the index has afterwards.
    pub(super) fn update_hosted(
        &self,
        hosted: &HostedFiles,
        update: impl Fn(&Updater<'_>, Option<&Committed>) -> Result<RefreshReport, UpdateError>,
    ) -> Result<RefreshReport, Error> {
        let _one = lock(&hosted.updating);
        fault::guarded("the update of the index", || {
            let moment = hosted.now();
            if let Some(recorded) = self.recorded() {
                let viewed = recorded.viewed();
                // Another thread may have updated meanwhile.
                if hosted.is_indexed(&token(viewed.committed, viewed.key), &moment) {
                    return Ok(RefreshReport::of(viewed.meta().commit().generation));
                }
            }
            let changed = hosted.changed_since(&moment);
            let committed = self.committed_with(self.workspace.stamp().as_deref()).ok();
            self.update_since(hosted, moment, changed.as_ref(), |updater| {
                update(updater, committed.as_deref())
            })
        })
    }

    /// Calls `update` with an updater of the hosted tree at `moment`, which differs from the index where `changed` says,
    /// or anywhere. The caller holds the lock [`HostedFiles::updating`].
    fn update_since(
        &self,
        hosted: &HostedFiles,
        moment: Arc<TreeMoment>,
        changed: Option<&ChangedSince>,
        update: impl FnOnce(&Updater<'_>) -> Result<RefreshReport, UpdateError>,
    ) -> Result<RefreshReport, Error> {
        let since = changed.map(|ChangedSince { stamp, key, region }| Since { stamp, key, region });
        let source_tree = TreeSource::Tree(moment.tree.clone());
        let report = update(&Updater { since, source_tree, ..self.updater(None)? })?;
        // Another process may have committed since, if the index is in a folder that others use.
        if let Some(recorded) = self.recorded() {
            let viewed = recorded.viewed();
            if viewed.meta().commit().generation == report.generation && !viewed.key.staged {
                let token = token(viewed.committed, viewed.key);
                hosted.set_indexed(viewed.committed.reader.stamp(), viewed.key, token, moment);
            }
        }
        Ok(report)
    }

    /// Whether the tree has a regular file at `path` now.
    pub(super) fn has_file(&self, path: &RelPath) -> bool {
        match self.hosted_tree_now() {
            Some(TreeSource::Tree(tree)) => read::entry_of(&*tree, path).is_ok(),
            _ => RootFolder::following(self.root(), LinkReach::Inside).has_file(path),
        }
    }

    /// Whether the files are those of a folder, as they are now.
    pub(super) fn is_of_folder(&self) -> bool {
        self.view().is_none() && self.hosted.is_none()
    }

    /// Refuses an operation that is about a folder.
    pub(super) fn only_of_folders(&self, what: &str) -> Result<(), Error> {
        match self.hosted {
            None => Ok(()),
            Some(_) => Err(Error::bad(format!(
                "{what} is about a folder, and this engine's files come from its host"
            ))),
        }
    }
}
