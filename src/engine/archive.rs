//! Export and import of archives of an index, see [`spyhop_index::archive`].

use std::path::Path;

use super::advice;
use super::api::*;
use super::core::Engine;
use super::updating;
use crate::error::Error;
use spyhop_index::archive::ArchiveError;
use spyhop_index::update::OnProgress;

impl Engine {
    /// Writes the newest commit's view of the present checkout into an archive that can be imported elsewhere. The call
    /// does not change the index and does not wait for other processes. A failed export leaves no archive.
    ///
    /// # Errors
    /// `NoIndex` if the present checkout is not indexed; `DiskFull`, `ReadOnly`, `Permission` or `Io` if the archive
    /// cannot be written.
    pub fn export(&self, archive: &Path, export: &Export) -> Result<Exported, Error> {
        self.tree().only_of_worktrees("exporting")?;
        updating::updater(self, None)?.export(archive, export).map_err(|error| match error {
            error @ ArchiveError::NoView => Error::from(error).with(advice::build_index(self)),
            other => other.into(),
        })
    }

    /// Replaces the index of this tree by an archive and compares the tree with it: all files are hashed, and only
    /// files with other content than in the archive are parsed. The call waits for another process like
    /// [`Engine::refresh`].
    ///
    /// # Errors
    /// `BadArchive` if the archive is damaged; `ForeignArchive` if it has another format, comes from other parsers or
    /// is of another tree; `IndexExists` if there is an index and [`Import::force`] is not set; otherwise as for
    /// [`Engine::refresh`]. After an error, the previous index still answers.
    pub fn import(
        &self,
        archive: &Path,
        import: &Import,
        progress: OnProgress<'_>,
    ) -> Result<Imported, Error> {
        self.tree().only_of_worktrees("importing")?;
        let tracked = self.tree().tracked();
        let updater = updating::updater(self, tracked.as_ref())?;
        Ok(updater.import(archive, import, self.policy().wait, progress)?)
    }
}
