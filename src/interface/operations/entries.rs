//! The lists of routes and commands, as operations.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::Call;
use spyhop_engine::api::{EntriesReply, EntriesRequest, EntryKind};

/// Lists routes.
pub(crate) static ROUTES: PlainOperation<EntriesRequest, EntriesReply> = PlainOperation {
    operation: &catalog::ROUTES,
    builds_index: true,
    prints_paths: true,
    has_bare_path: false,
    request: || EntriesRequest::new(EntryKind::Route, ""),
    rows: catalog::ENTRIES_ROWS,
    run: |engine, request, progress| engine.call(request, &Call::default().with_progress(progress)),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.rows),
    text: text::entries,
};

/// Lists commands.
pub(crate) static COMMANDS: PlainOperation<EntriesRequest, EntriesReply> = PlainOperation {
    operation: &catalog::COMMANDS,
    request: || EntriesRequest::new(EntryKind::Command, ""),
    ..ROUTES
};
