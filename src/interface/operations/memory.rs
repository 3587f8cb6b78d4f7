//! Revision memory, as a family of operations below one command.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::Engine;
use spyhop_engine::api::{
    AddNoteRequest, ListNotesRequest, NoteKind, NotesReply, RetireNoteRequest, SearchNotesRequest,
    VerifyNoteRequest,
};

/// The command of the family.
pub const MEMORY: &str = "memory";

/// The help of the command.
pub const MEMORY_HELP: &str = "Keep notes about the code, and find those that help with a question";

/// Records a note.
pub(crate) static ADD: PlainOperation<AddNoteRequest, NotesReply> = PlainOperation {
    operation: &catalog::ADD_NOTE,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: || AddNoteRequest::new(NoteKind::default(), ""),
    rows: catalog::ADD_NOTE_ROWS,
    run: |engine, request, _| engine.ask(request),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::notes,
};

/// Lists notes.
pub static LIST: PlainOperation<ListNotesRequest, NotesReply> = PlainOperation {
    operation: &catalog::LIST_NOTES,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: ListNotesRequest::default,
    rows: catalog::LIST_NOTES_ROWS,
    run: |engine, request, _| engine.ask(request),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::notes,
};

/// Shows a note.
pub(crate) static SHOW: PlainOperation<String, NotesReply> = PlainOperation {
    operation: &catalog::SHOW_NOTE,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: String::new,
    rows: catalog::SHOW_NOTE_ROWS,
    run: |engine, id, _| engine.note(id),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::whole_notes,
};

/// Says how sure a note is.
pub(crate) static VERIFY: PlainOperation<VerifyNoteRequest, NotesReply> = PlainOperation {
    operation: &catalog::VERIFY_NOTE,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: VerifyNoteRequest::default,
    rows: catalog::VERIFY_NOTE_ROWS,
    run: |engine, request, _| engine.ask(request),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::notes,
};

/// Retires a note.
pub(crate) static RETIRE: PlainOperation<RetireNoteRequest, NotesReply> = PlainOperation {
    operation: &catalog::RETIRE_NOTE,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: RetireNoteRequest::default,
    rows: catalog::RETIRE_NOTE_ROWS,
    run: |engine, request, _| engine.ask(request),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::notes,
};

/// Searches the notes.
pub static SEARCH: PlainOperation<SearchNotesRequest, NotesReply> = PlainOperation {
    operation: &catalog::SEARCH_NOTES,
    builds_index: false,
    prints_paths: true,
    has_bare_path: false,
    request: || SearchNotesRequest::new(""),
    rows: catalog::SEARCH_NOTES_ROWS,
    run: |engine: &Engine, request, _| engine.ask(request),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.notes),
    text: text::notes,
};
