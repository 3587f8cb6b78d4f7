//! The plain operations: the code, the index and the notes of trees.

use super::plain::{PlainOperation, PlainOutcome, ReplyFacts};
use crate::catalog::{
    self, ADD_NOTE_ROWS, BUILD_SEMANTIC_ROWS, ENABLE_SEMANTIC_ROWS, ENTRIES_ROWS, LIST_NOTES_ROWS, MAP_ROWS,
    PACK_ROWS, RETIRE_NOTE_ROWS, SEARCH_NOTES_ROWS, SHOW_NOTE_ROWS, VERIFY_NOTE_ROWS,
};
use crate::render::{text, with_advice};
use spyhop_engine::api::{
    AddNoteRequest, Checkup, CheckupRequest, EntriesRequest, EntryKind, Languages, LanguagesRequest,
    ListNotesRequest, MapRequest, NamedStatus, NoteKind, PackRequest, RetireNoteRequest, SearchNotesRequest,
    SemanticAction, SemanticReply, SemanticRequest, ShowNoteRequest, State, StatusReply, StatusRequest,
    VerifyNoteRequest, ViewsReply, ViewsRequest,
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

/// A row for each operation: its request, its parameters, the request without any of them, and the text of its reply. The row of
/// the catalog has the same name.
macro_rules! plain_operations {
    ($($name:ident: $request:ty = $rows:expr, $blank:expr, $text:expr;)+) => {
        $(#[doc = concat!("The operation [`", stringify!($name), "`](catalog::", stringify!($name), ").")]
        pub static $name: PlainOperation<$request> =
            PlainOperation { operation: &catalog::$name, rows: $rows, request: $blank, text: $text };)+
    };
}

plain_operations! {
    ROUTES: EntriesRequest = ENTRIES_ROWS, || EntriesRequest::new(EntryKind::Route, ""), text::entries;
    COMMANDS: EntriesRequest = ENTRIES_ROWS, || EntriesRequest::new(EntryKind::Command, ""), text::entries;
    MAP: MapRequest = MAP_ROWS, MapRequest::default, text::map;
    PACK: PackRequest = PACK_ROWS, || PackRequest::new(""), text::pack;
    ADD_NOTE: AddNoteRequest = ADD_NOTE_ROWS, || AddNoteRequest::new(NoteKind::default(), ""), text::notes;
    LIST_NOTES: ListNotesRequest = LIST_NOTES_ROWS, ListNotesRequest::default, text::notes;
    SHOW_NOTE: ShowNoteRequest = SHOW_NOTE_ROWS, ShowNoteRequest::default, text::whole_notes;
    VERIFY_NOTE: VerifyNoteRequest = VERIFY_NOTE_ROWS, VerifyNoteRequest::default, text::notes;
    RETIRE_NOTE: RetireNoteRequest = RETIRE_NOTE_ROWS, RetireNoteRequest::default, text::notes;
    SEARCH_NOTES: SearchNotesRequest = SEARCH_NOTES_ROWS, || SearchNotesRequest::new(""), text::notes;
    STATUS: StatusRequest = &[], StatusRequest::default, |reply, style| match reply {
        StatusReply::Tree(status) => text::status(status, style),
        StatusReply::Sources(statuses) => text::source_statuses(statuses, style),
    };
    VIEWS: ViewsRequest = &[], ViewsRequest::default, text::views;
    DOCTOR: CheckupRequest = &[], CheckupRequest::default, text::checkup;
    LANGUAGES: LanguagesRequest =
        &[], LanguagesRequest::default, |reply, style| text::languages(&reply.languages, style);
    SEMANTIC_STATUS: SemanticRequest = &[], SemanticRequest::default, text::semantic;
    ENABLE_SEMANTIC: SemanticRequest =
        ENABLE_SEMANTIC_ROWS, || SemanticRequest::new(SemanticAction::Enable), text::semantic;
    DISABLE_SEMANTIC: SemanticRequest =
        &[], || SemanticRequest::new(SemanticAction::Disable), text::semantic;
    ESTIMATE_SEMANTIC: SemanticRequest =
        &[], || SemanticRequest::new(SemanticAction::Estimate), text::semantic;
    BUILD_SEMANTIC: SemanticRequest =
        BUILD_SEMANTIC_ROWS, || SemanticRequest::new(SemanticAction::Build), text::semantic;
    PURGE_SEMANTIC: SemanticRequest = &[], || SemanticRequest::new(SemanticAction::Purge), text::semantic;
}

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
