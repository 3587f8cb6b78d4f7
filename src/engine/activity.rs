//! What callers did with files, which later searches take into account.

use super::advice;
use super::api::*;
use super::core::Engine;
use super::session::Session;
use crate::error::Error;
use spyhop_base::path::RelPath;

impl Engine {
    /// Records a touch: that a file was read or written. The file then ranks higher in searches of this tree with
    /// [`ActivitySource::AnyCaller`], the default; [`Engine::record_activity`] records for one session. The weight halves
    /// with every eight further touches and with every two days, and expires after two weeks. The file itself is not
    /// changed.
    ///
    /// # Errors
    /// `BadRequest` if there is no such file below the root; `NoIndex` if there is no index, because the record is
    /// stored in its folder.
    pub fn record_touch(&self, path: &str) -> Result<(), Error> {
        self.tree().only_of_worktrees("touch")?;
        let path = RelPath::new(path)?;
        if !self.tree().has_file(&path) {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        if self.index().workspace().stamp().is_none() {
            return Err(advice::no_index(self));
        }
        Ok(self.touches().record(path, self.now())?)
    }

    /// Records what one caller did with files, as one turn of the caller's session. Nothing is written to disk. With
    /// [`ActivitySource::Session`], the files rank higher in later searches of the session. The weight of a file halves
    /// with every eight further turns.
    ///
    /// # Errors
    /// `BadRequest` if a path is not a file below the root; then none is recorded.
    pub fn record_activity(
        &self,
        session: &Session,
        files: &[RelPath],
        activity: FileActivity,
    ) -> Result<(), Error> {
        if let Some(path) = files.iter().find(|path| !self.tree().has_file(path)) {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        session.record_activity(self.root(), files, activity);
        Ok(())
    }
}
