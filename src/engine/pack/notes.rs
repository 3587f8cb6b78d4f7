//! The notes of the tree that a pack shows.

use super::run::PackRun;
use crate::engine::api::{NoteRow, PackFile};

impl PackRun<'_, '_> {
    /// The notes that help with the task, by its words and by the files and symbols of the pack. Notes that cannot be read
    /// give a warning and no error.
    pub(super) fn related_notes(&self, files: &[PackFile]) -> (Vec<NoteRow>, Vec<String>) {
        let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        let units = files.iter().flat_map(|file| &file.units);
        let symbols: Vec<String> = units.filter_map(|unit| unit.symbol.clone()).collect();
        match self.engine.related_notes(&self.request.task, &paths, &symbols) {
            Ok(found) => (found.notes, found.warnings),
            Err(error) => (Vec::new(), vec![format!("the notes cannot be read: {error}")]),
        }
    }
}
