//! The notes of the tree that a pack shows.

use super::around::tokens_of_note;
use super::assembled::Assembled;
use super::run::PackRun;
use crate::api::NoteRow;

impl PackRun<'_, '_> {
    /// The notes that help with the task, by its words and by the files and symbols of the first page, as many as fit the
    /// budget; their tokens are added to those of the pack. Notes that cannot be read give a warning and no error.
    pub(super) fn related_notes(&self, pack: &mut Assembled, page: usize) -> (Vec<NoteRow>, Vec<String>) {
        if page > 0 {
            return (Vec::new(), Vec::new());
        }
        let paths: Vec<_> = pack.files.iter().map(|file| file.path.clone()).collect();
        let units = pack.files.iter().flat_map(|file| &file.units);
        let symbols: Vec<String> = units.filter_map(|unit| unit.symbol.clone()).collect();
        let mut found = match self.engine.related_notes(&self.request.task, &paths, &symbols) {
            Ok(found) => found,
            Err(error) => return (Vec::new(), vec![format!("the notes cannot be read: {error}")]),
        };
        found.notes.retain(|row| {
            let tokens = pack.tokens + tokens_of_note(row);
            let fits = tokens <= self.request.budget;
            pack.tokens = if fits { tokens } else { pack.tokens };
            fits
        });
        (found.notes, found.warnings)
    }
}
