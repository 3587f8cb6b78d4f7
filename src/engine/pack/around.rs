//! What the lines around the files of a pack cost: goals, the lines below the files, and notes.

use super::run::PackRun;
use crate::api::cursor::page_cursor;
use crate::api::{LeftOutReason, NoteRow};
use spyhop_base::clean;
use spyhop_context::goals::Goal;
use spyhop_context::pack::{goal_line, next_line, summary_line, tokens_of_bytes};

/// The largest number of places that a reason is counted with.
const MAX_COUNT: usize = 999;

/// The bytes of the line of a note without what the note says of itself: `revision note`, kind, state, and the warning
/// that the text is untrusted.
const NOTE_BYTES: usize = 180;

/// The room that is kept for notes, in tokens, and the share of the budget that the room has at most, as its reciprocal.
const NOTES_ROOM: usize = 200;
const NOTES_SHARE: usize = 8;

impl PackRun<'_, '_> {
    /// The most tokens of the lines above and below the files.
    pub(super) fn tokens_around(&self, goals: &[Goal], page: usize) -> usize {
        let budget = self.request.budget;
        let goal =
            |(number, goal): (usize, &Goal)| goal_line(number, &goal.text, goals.len(), budget).len() + 1;
        let above = match goals.len() {
            0 | 1 => 0,
            _ => (1..).zip(goals).map(goal).sum::<usize>() + 1,
        };
        let left_out = LeftOutReason::ALL.map(|reason| (reason.name(), MAX_COUNT));
        let record = &self.record;
        let mode = record.pack_mode.name();
        let summary = summary_line((budget, budget), mode, &record.mode_reason, &left_out);
        let next = next_line(&page_cursor(self.snapshot.meta().commit().generation, page + 1));
        tokens_of_bytes(above + summary.len() + next.len() + 2)
    }

    /// The tokens that are kept for notes, if the tree has any.
    pub(super) fn room_of_notes(&self, page: usize) -> usize {
        match page > 0 || !self.engine.notes().are_there() {
            true => 0,
            false => NOTES_ROOM.min(self.request.budget / NOTES_SHARE),
        }
    }
}

/// The most tokens of a note in the text of a pack.
pub(crate) fn tokens_of_note(row: &NoteRow) -> usize {
    let note = &row.note;
    let reference = note.verification.reference().map_or(0, |text| clean::line_bytes(text));
    tokens_of_bytes(NOTE_BYTES + note.id.len() + reference + clean::short_name(note.title()).len())
}
