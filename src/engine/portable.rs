//! Indexes that travel, see [`crate::update`]: export and import as the facade offers them.

use std::path::Path;

use super::api::*;
use super::{Engine, Error, ErrorKind};
use crate::update::{OnProgress, PortableError};

impl Engine {
    /// Writes the newest commit's view of what is checked out into an archive that can be imported elsewhere. It
    /// changes nothing and waits for nobody. The archive is there as a whole or not at all.
    ///
    /// # Errors
    /// `NoIndex` when there is none of what is checked out; `DiskFull`, `ReadOnly`, `Permission` or `Io` when the
    /// archive cannot be written.
    pub fn export(&self, archive: &Path, export: &Export) -> Result<Exported, Error> {
        self.only_of_worktrees("exporting")?;
        self.updater(None)?.export(archive, export).map_err(|error| match error {
            PortableError::NoView => {
                let text = format!("what is checked out has not been indexed; run: {}", self.index_command());
                Error::new(ErrorKind::NoIndex, text)
            }
            other => other.into(),
        })
    }

    /// Makes an archive the index of this tree and compares the tree with it: files are hashed, and parsed only where
    /// their content is not the archive's. It waits for another process as [`Engine::refresh`] does.
    ///
    /// # Errors
    /// `BadArchive` when it is damaged; `ForeignArchive` when it was made by a program of another format or with other
    /// parsers, or of another tree; `IndexExists` when there is an index and [`Import::force`] is not set; as
    /// [`Engine::refresh`]. Then what answered before still answers.
    pub fn import(
        &self,
        archive: &Path,
        import: &Import,
        progress: OnProgress<'_>,
    ) -> Result<Imported, Error> {
        self.only_of_worktrees("importing")?;
        let tracked = self.tracked();
        let updater = self.updater(tracked.as_ref())?;
        Ok(updater.import(archive, import, self.options.wait, progress)?)
    }
}
