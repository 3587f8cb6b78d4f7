//! Engines whose files a host provides: how they are opened and changed.

use std::sync::Arc;

use super::api::*;
use super::core::Engine;
use super::opening;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_files::source::{Change, SourceTree};

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
        opening::hosted(Arc::new(tree), options)
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
        let Some(hosted) = self.tree().hosted() else {
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
}
