//! The outline of a tree, a folder or a file, as an operation.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::api::MapRequest;

/// Outlines a tree.
pub static MAP: PlainOperation<MapRequest> = PlainOperation {
    operation: &catalog::MAP,
    request: MapRequest::default,
    rows: catalog::MAP_ROWS,
    finish: |_| (),
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.entries),
    text: text::map,
};
