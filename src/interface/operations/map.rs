//! The outline of a tree, a folder or a file, as an operation.

use super::plain::{PlainOperation, PlainOutcome, TypedReply};
use crate::catalog;
use crate::render::text;
use spyhop_engine::Call;
use spyhop_engine::api::{MapReply, MapRequest};

/// Outlines a tree.
pub static MAP: PlainOperation<MapRequest, MapReply> = PlainOperation {
    operation: &catalog::MAP,
    builds_index: true,
    prints_paths: true,
    has_bare_path: true,
    request: MapRequest::default,
    rows: catalog::MAP_ROWS,
    run: |engine, request, progress| engine.call(request, &Call::default().with_progress(progress)),
    of_sources: Some(|set, request| Ok(Box::new(TypedReply { row: &MAP, reply: set.ask(request)? }))),
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.entries),
    text: text::map,
};
