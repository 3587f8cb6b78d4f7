//! The lists of routes and commands, as operations.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::api::{EntriesRequest, EntryKind};

/// Lists routes.
pub(crate) static ROUTES: PlainOperation<EntriesRequest> = PlainOperation {
    operation: &catalog::ROUTES,
    request: || EntriesRequest::new(EntryKind::Route, ""),
    rows: catalog::ENTRIES_ROWS,
    finish: |_| (),
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.rows),
    text: text::entries,
};

/// Lists commands.
pub(crate) static COMMANDS: PlainOperation<EntriesRequest> = PlainOperation {
    operation: &catalog::COMMANDS,
    request: || EntriesRequest::new(EntryKind::Command, ""),
    ..ROUTES
};
