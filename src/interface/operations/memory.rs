//! Revision memory, as a family of operations below one command.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog::{self, FilledRequest, OperationRow, Row};
use crate::render::text;
use spyhop_engine::Operation;
use spyhop_engine::api::{
    AddNoteRequest, ListNotesRequest, NoteKind, NotesReply, RetireNoteRequest, SearchNotesRequest,
    ShowNoteRequest, VerifyNoteRequest,
};

/// The command of the family.
pub const MEMORY: &str = "memory";

/// The help of the command.
pub const MEMORY_HELP: &str = "Keep notes about the code, and find those that help with a question";

/// An operation whose reply is notes.
const fn notes<Q: Operation<Reply = NotesReply>>(
    operation: &'static OperationRow,
    request: fn() -> Q,
    rows: &'static [Row<FilledRequest<Q>>],
) -> PlainOperation<Q> {
    PlainOperation {
        operation,
        request,
        rows,
        finish: |_| (),
        warnings: |reply| &reply.warnings,
        outcome: |reply| PlainOutcome::of_rows(&reply.notes),
        text: text::notes,
    }
}

/// Records a note.
pub(crate) static ADD: PlainOperation<AddNoteRequest> =
    notes(&catalog::ADD_NOTE, || AddNoteRequest::new(NoteKind::default(), ""), catalog::ADD_NOTE_ROWS);

/// Lists notes.
pub static LIST: PlainOperation<ListNotesRequest> =
    notes(&catalog::LIST_NOTES, ListNotesRequest::default, catalog::LIST_NOTES_ROWS);

/// Shows a note.
pub(crate) static SHOW: PlainOperation<ShowNoteRequest> = PlainOperation {
    text: text::whole_notes,
    ..notes(&catalog::SHOW_NOTE, ShowNoteRequest::default, catalog::SHOW_NOTE_ROWS)
};

/// Says how sure a note is.
pub(crate) static VERIFY: PlainOperation<VerifyNoteRequest> =
    notes(&catalog::VERIFY_NOTE, VerifyNoteRequest::default, catalog::VERIFY_NOTE_ROWS);

/// Retires a note.
pub(crate) static RETIRE: PlainOperation<RetireNoteRequest> =
    notes(&catalog::RETIRE_NOTE, RetireNoteRequest::default, catalog::RETIRE_NOTE_ROWS);

/// Searches the notes.
pub static SEARCH: PlainOperation<SearchNotesRequest> =
    notes(&catalog::SEARCH_NOTES, || SearchNotesRequest::new(""), catalog::SEARCH_NOTES_ROWS);
