//! The plain operations: the code, the index and the notes of trees.

use super::plain::{PlainOperation, PlainOutcome, ReplyFacts};
use crate::catalog::{self, FilledRequest, OperationRow, Row};
use crate::render::{Style, text, with_advice};
use spyhop_engine::Operation;
use spyhop_engine::api::{
    AddNoteRequest, Checkup, CheckupRequest, EntriesRequest, EntryKind, Languages, LanguagesRequest,
    ListNotesRequest, MapRequest, NamedStatus, NoteKind, NotesReply, PackRequest, RetireNoteRequest,
    SearchNotesRequest, SemanticAction, SemanticReply, SemanticRequest, ShowNoteRequest, State, StatusReply,
    StatusRequest, VerifyNoteRequest, ViewsReply, ViewsRequest,
};

/// The command of the family of notes.
pub const MEMORY: &str = "memory";

/// The help of the command.
pub const MEMORY_HELP: &str = "Keep notes about the code, and find those that help with a question";

/// The command of the family of vectors.
pub const SEMANTIC: &str = "semantic";

/// The help of the command.
pub const SEMANTIC_HELP: &str =
    "Let vectors of a model order the first files of a search; off unless enabled";

/// An operation without parameters.
const fn bare<Q: Operation>(
    operation: &'static OperationRow,
    request: fn() -> Q,
    text: fn(&Q::Reply, &Style) -> String,
) -> PlainOperation<Q> {
    PlainOperation { operation, request, rows: &[], text }
}

/// An operation whose reply is notes.
const fn notes<Q: Operation<Reply = NotesReply>>(
    operation: &'static OperationRow,
    request: fn() -> Q,
    rows: &'static [Row<FilledRequest<Q>>],
) -> PlainOperation<Q> {
    PlainOperation { operation, request, rows, text: text::notes }
}

/// Lists routes.
pub(crate) static ROUTES: PlainOperation<EntriesRequest> = PlainOperation {
    operation: &catalog::ROUTES,
    request: || EntriesRequest::new(EntryKind::Route, ""),
    rows: catalog::ENTRIES_ROWS,
    text: text::entries,
};

/// Lists commands.
pub(crate) static COMMANDS: PlainOperation<EntriesRequest> = PlainOperation {
    operation: &catalog::COMMANDS,
    request: || EntriesRequest::new(EntryKind::Command, ""),
    ..ROUTES
};

/// Outlines a tree.
pub(crate) static MAP: PlainOperation<MapRequest> = PlainOperation {
    operation: &catalog::MAP,
    request: MapRequest::default,
    rows: catalog::MAP_ROWS,
    text: text::map,
};

/// Collects the code that a task needs.
pub static PACK: PlainOperation<PackRequest> = PlainOperation {
    operation: &catalog::PACK,
    request: || PackRequest::new(""),
    rows: catalog::PACK_ROWS,
    text: text::pack,
};

/// Records a note.
pub(crate) static ADD_NOTE: PlainOperation<AddNoteRequest> =
    notes(&catalog::ADD_NOTE, || AddNoteRequest::new(NoteKind::default(), ""), catalog::ADD_NOTE_ROWS);

/// Lists notes.
pub(crate) static LIST_NOTES: PlainOperation<ListNotesRequest> =
    notes(&catalog::LIST_NOTES, ListNotesRequest::default, catalog::LIST_NOTES_ROWS);

/// Shows a note.
pub(crate) static SHOW_NOTE: PlainOperation<ShowNoteRequest> = PlainOperation {
    text: text::whole_notes,
    ..notes(&catalog::SHOW_NOTE, ShowNoteRequest::default, catalog::SHOW_NOTE_ROWS)
};

/// Says how sure a note is.
pub(crate) static VERIFY_NOTE: PlainOperation<VerifyNoteRequest> =
    notes(&catalog::VERIFY_NOTE, VerifyNoteRequest::default, catalog::VERIFY_NOTE_ROWS);

/// Retires a note.
pub(crate) static RETIRE_NOTE: PlainOperation<RetireNoteRequest> =
    notes(&catalog::RETIRE_NOTE, RetireNoteRequest::default, catalog::RETIRE_NOTE_ROWS);

/// Searches the notes.
pub(crate) static SEARCH_NOTES: PlainOperation<SearchNotesRequest> =
    notes(&catalog::SEARCH_NOTES, || SearchNotesRequest::new(""), catalog::SEARCH_NOTES_ROWS);

/// Reports the state of the index.
pub(crate) static STATUS: PlainOperation<StatusRequest> =
    bare(&catalog::STATUS, StatusRequest::default, |reply, style| match reply {
        StatusReply::Tree(status) => text::status(status, style),
        StatusReply::Sources(statuses) => text::source_statuses(statuses, style),
    });

/// Lists the views of the index.
pub(crate) static VIEWS: PlainOperation<ViewsRequest> =
    bare(&catalog::VIEWS, ViewsRequest::default, text::views);

/// Checks the index.
pub(crate) static DOCTOR: PlainOperation<CheckupRequest> =
    bare(&catalog::DOCTOR, CheckupRequest::default, text::checkup);

/// Lists the languages.
pub(crate) static LANGUAGES: PlainOperation<LanguagesRequest> =
    bare(&catalog::LANGUAGES, LanguagesRequest::default, |reply, style| {
        text::languages(&reply.languages, style)
    });

impl ReplyFacts for StatusReply {
    /// Whether there is an index, and whether it is damaged.
    fn outcome(&self) -> PlainOutcome {
        match self {
            StatusReply::Tree(status) => match status.state {
                State::Missing => PlainOutcome::Nothing,
                State::Damaged => PlainOutcome::Failed,
                State::Indexing | State::Ready | State::Stale => PlainOutcome::Found,
            },
            StatusReply::Sources(reply) => {
                let is_sound = |own: &NamedStatus| {
                    own.status.as_ref().is_ok_and(|status| status.state != State::Damaged)
                };
                if reply.sources.iter().all(is_sound) { PlainOutcome::Found } else { PlainOutcome::Failed }
            }
        }
    }
}

/// An operation on vectors.
const fn semantic(
    operation: &'static OperationRow,
    request: fn() -> SemanticRequest,
    rows: &'static [Row<FilledRequest<SemanticRequest>>],
) -> PlainOperation<SemanticRequest> {
    PlainOperation { operation, request, rows, text: text::semantic }
}

/// Reports the state of vectors.
pub(crate) static SEMANTIC_STATUS: PlainOperation<SemanticRequest> =
    semantic(&catalog::SEMANTIC_STATUS, SemanticRequest::default, &[]);

/// Opts in to vectors.
pub(crate) static ENABLE_SEMANTIC: PlainOperation<SemanticRequest> = semantic(
    &catalog::ENABLE_SEMANTIC,
    || SemanticRequest::new(SemanticAction::Enable),
    catalog::ENABLE_SEMANTIC_ROWS,
);

/// Opts out.
pub(crate) static DISABLE_SEMANTIC: PlainOperation<SemanticRequest> =
    semantic(&catalog::DISABLE_SEMANTIC, || SemanticRequest::new(SemanticAction::Disable), &[]);

/// Estimates a build.
pub(crate) static ESTIMATE_SEMANTIC: PlainOperation<SemanticRequest> =
    semantic(&catalog::ESTIMATE_SEMANTIC, || SemanticRequest::new(SemanticAction::Estimate), &[]);

/// Makes vectors.
pub(crate) static BUILD_SEMANTIC: PlainOperation<SemanticRequest> = semantic(
    &catalog::BUILD_SEMANTIC,
    || SemanticRequest::new(SemanticAction::Build),
    catalog::BUILD_SEMANTIC_ROWS,
);

/// Removes vectors.
pub(crate) static PURGE_SEMANTIC: PlainOperation<SemanticRequest> =
    semantic(&catalog::PURGE_SEMANTIC, || SemanticRequest::new(SemanticAction::Purge), &[]);

impl ReplyFacts for SemanticReply {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl ReplyFacts for ViewsReply {}

impl ReplyFacts for Languages {}

impl ReplyFacts for Checkup {
    fn outcome(&self) -> PlainOutcome {
        if self.is_clean() { PlainOutcome::Found } else { PlainOutcome::Failed }
    }

    fn finish(&mut self) {
        for check in &mut self.checks {
            check.detail = with_advice(&check.detail, check.remedy.take().as_ref());
        }
    }
}
