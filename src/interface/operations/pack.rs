//! Context packs, as an operation.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::Call;
use spyhop_engine::api::{PackReply, PackRequest};

/// Collects the code that a task needs.
pub static PACK: PlainOperation<PackRequest, PackReply> = PlainOperation {
    operation: &catalog::PACK,
    builds_index: true,
    prints_paths: true,
    has_bare_path: false,
    request: || PackRequest::new(""),
    rows: catalog::PACK_ROWS,
    run: |engine, request, progress| engine.call(request, &Call::default().with_progress(progress)),
    of_sources: None,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.files),
    text: text::pack,
};
