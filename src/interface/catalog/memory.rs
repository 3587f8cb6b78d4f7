//! The rows of revision memory: `spyhop memory add` and the other commands of the family.

use super::choice;
use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, params};
use super::params;
use super::row::{FilledField, Row, both, command_line, listed, row};
use super::shared::{self, FilledRequest};
use spyhop_engine::api::{
    AddNoteRequest, ExportNotesRequest, ImportNotesRequest, ListNotesRequest, NoteKind, RetireNoteRequest,
    SearchNotesRequest, ShowNoteRequest, VerifyNoteRequest,
};

params! {
    pub(crate) NOTE_TEXT = "text": Takes::Texts, positional: Positional::Required,
        "What a later reader should know; the first line is the title; up to 8000 bytes";
    pub(crate) ONLY_KIND = "kind": Takes::Choice(choice::names::<NoteKind>), "Only notes of this kind";
    pub(crate) NOTE_DIFF = "diff": Takes::Text,
        "The unified diff that the note is about; what it touches is linked";
    pub(crate) NOTE_TEST = "test": Takes::Text, "The test that verifies the note";
    pub(crate) NOTE_ID = "id": Takes::Text, positional: Positional::Required,
        "The id of the note, or its first digits, 4 or more";
}
/// The number of listed notes.
pub(crate) const LISTED_NOTES: Param = Param {
    default: Some("50"),
    ..Param {
        takes: Takes::Number(1, 2_000),
        help: "Notes, 1 to 2000; the newest come first",
        ..params::MAX_RESULTS
    }
};
params! {
    pub(crate) NOTE_QUERY = "query": Takes::Texts, positional: Positional::Required,
        "The task, or the text of an error";
}
/// The number of found notes.
pub(crate) const FOUND_NOTES: Param =
    Param { default: Some("5"), ..Param { help: "Notes, 1 to 50", ..params::MAX_RESULTS } };
params! {
    pub(crate) NOTES_IN = "file": Takes::Path, positional: Positional::Required,
        "The file or <(command) to read; - for standard input";
}

/// The rows of `memory add`.
pub const ADD_NOTE_ROWS: &[Row<FilledRequest<AddNoteRequest>>] = &[
    both(&NOTE_TEXT, |call, param, given| {
        call.request.text = given.text_or_input(param, given.texts(param)?.join(" "))?;
        Ok(())
    }),
    row!(both "kind" => request.kind: Takes::Choice(choice::names::<NoteKind>), default: Some("explanation"),
        "failure: what went wrong; revision: what was changed and why; explanation: how something works"),
    row!(both "signals" => request.signals: Takes::Repeated, aliases: &["signal"],
        "A text by which the matter is recognized, such as that of an error"),
    row!(both "links" => request.links: Takes::Repeated, aliases: &["link"],
        "The code that the note is about: src/a.rs, src/a.rs#Pool.take, src/a.rs:12 or Pool.take"),
    row!(both "commit" => request.commit: Takes::Text,
        "The git revision that the note is about; what it changed is linked"),
    both(&NOTE_DIFF, |call, param, given| {
        let diff = given.text(param)?;
        call.request.diff = diff.map(|diff| given.text_or_input(param, diff)).transpose()?;
        Ok(())
    }),
    row!(both "applies_paths" => request.applies.paths: Takes::Repeated,
        "The note applies only to this folder, file or glob"),
    row!(both "applies_languages" => request.applies.languages: Takes::List,
        "The note applies only to this language; separate several by commas"),
    row!(both "conditions" => request.applies.conditions: Takes::Repeated, aliases: &["when"],
        "A condition, in words, under which the note applies"),
    both(&NOTE_TEST, |call, param, given| call.request.test.fill(param, given)),
    row!(both "author" => request.author: Takes::Text, "Who says so"),
    row!(command_line "time" => request.time: Takes::Text,
        "The time of the note, such as 2026-01-31; else now"),
];

/// Records a note.
pub(crate) const ADD_NOTE: OperationRow = OperationRow::new(
    "memory add",
    "Record a note about the code: a failure, a revision or an explanation",
    listed!(ADD_NOTE_ROWS),
)
.prints_paths()
.asks_sources();

/// The rows of `memory list`.
pub const LIST_NOTES_ROWS: &[Row<FilledRequest<ListNotesRequest>>] = &[
    both(&ONLY_KIND, |call, param, given| call.request.kind.fill(param, given)),
    row!(both "stale" => request.only_stale: Takes::Nothing, "Only notes about code that has changed since"),
    row!(both "retired" => request.include_retired: Takes::Nothing, "Retired notes too"),
    both(&LISTED_NOTES, |call, param, given| call.request.max_results.fill(param, given)),
    shared::view(),
];

/// Lists notes.
pub(crate) const LIST_NOTES: OperationRow = OperationRow::new(
    "memory list",
    "List the notes, the newest first, each with whether its code has changed since",
    listed!(LIST_NOTES_ROWS),
)
.prints_paths()
.asks_sources();

/// The rows of `memory show`.
pub(crate) const SHOW_NOTE_ROWS: &[Row<FilledRequest<ShowNoteRequest>>] =
    &[command_line(&NOTE_ID, |call, param, given| call.request.id.fill(param, given)), shared::view()];

/// Shows a note.
pub(crate) const SHOW_NOTE: OperationRow =
    OperationRow::new("memory show", "Show a note", listed!(SHOW_NOTE_ROWS)).prints_paths().asks_sources();

/// The rows of `memory verify`.
pub const VERIFY_NOTE_ROWS: &[Row<FilledRequest<VerifyNoteRequest>>] = &[
    both(&NOTE_ID, |call, param, given| call.request.id.fill(param, given)),
    both(&NOTE_TEST, |call, param, given| call.request.test.fill(param, given)),
    row!(both "commit" => request.commit: Takes::Text, "The git revision that verifies the note"),
    row!(both "contradicted" => request.contradicted: Takes::Text, "What shows that the note is wrong"),
    row!(both "unverified" => request.unverified: Takes::Nothing, "The note counts as unverified again"),
    row!(both "relink" => request.relink: Takes::Nothing,
        "The note holds for the code as it is now, and is no longer stale"),
];

/// Says how sure a note is.
pub(crate) const VERIFY_NOTE: OperationRow = OperationRow::new(
    "memory verify",
    "Say how sure a note is: verified by a test or a commit, contradicted, unverified",
    listed!(VERIFY_NOTE_ROWS),
)
.prints_paths()
.asks_sources();

/// The rows of `memory retire`.
pub const RETIRE_NOTE_ROWS: &[Row<FilledRequest<RetireNoteRequest>>] = &[
    both(&NOTE_ID, |call, param, given| call.request.id.fill(param, given)),
    row!(both "reason" => request.reason: Takes::Text, "Why the note is no longer of use"),
    row!(both "undo" => request.undo: Takes::Nothing, "Show a retired note again"),
];

/// Retires a note.
pub(crate) const RETIRE_NOTE: OperationRow = OperationRow::new(
    "memory retire",
    "Keep a note, but show it in no search any more",
    listed!(RETIRE_NOTE_ROWS),
)
.prints_paths()
.asks_sources();

/// The rows of `memory search`.
pub const SEARCH_NOTES_ROWS: &[Row<FilledRequest<SearchNotesRequest>>] = &[
    both(&NOTE_QUERY, |call, param, given| {
        call.request.query = given.texts(param)?.join(" ");
        Ok(())
    }),
    row!(both "files" => request.files: Takes::Paths, aliases: &["file"], "Files that it is about"),
    row!(both "symbols" => request.symbols: Takes::Repeated, aliases: &["symbol"],
        "Symbols that it is about, such as Pool.take"),
    command_line(&ONLY_KIND, |call, param, given| call.request.kind.fill(param, given)),
    shared::path(),
    command_line(&params::LANG, |call, param, given| call.request.filter.lang.fill(param, given)),
    row!(command_line "min_score" => request.min_score: Takes::Fraction, default: Some("0.5"),
        "Leave out notes below this score, 0 to 1"),
    both(&FOUND_NOTES, |call, param, given| call.request.max_results.fill(param, given)),
    shared::view(),
];

/// Searches the notes.
pub(crate) const SEARCH_NOTES: OperationRow = OperationRow::new(
    "memory search",
    "Find the notes that help with a question; only notes with enough evidence are shown",
    listed!(SEARCH_NOTES_ROWS),
)
.prints_paths()
.asks_sources();

/// The rows of `memory export`.
pub const EXPORT_NOTES_ROWS: &[Row<FilledRequest<ExportNotesRequest>>] =
    &[row!(command_line "file" => request.file: Takes::Path, positional: Positional::Optional,
    "The file to write; else standard output")];

/// Exports notes.
pub(crate) const EXPORT_NOTES: OperationRow =
    OperationRow::new("memory export", "Write all notes as JSON lines", listed!(EXPORT_NOTES_ROWS))
        .prints_paths();

/// The rows of `memory import`.
pub const IMPORT_NOTES_ROWS: &[Row<FilledRequest<ImportNotesRequest>>] =
    &[command_line(&NOTES_IN, |call, param, given| {
        call.request.file = given.text_of_path(param)?.unwrap_or_default();
        Ok(())
    })];

/// Imports notes.
pub(crate) const IMPORT_NOTES: OperationRow = OperationRow::new(
    "memory import",
    "Record the notes of JSON lines; a second import changes nothing",
    listed!(IMPORT_NOTES_ROWS),
)
.prints_paths();
