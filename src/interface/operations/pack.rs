//! Context packs, as an operation.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::text;
use spyhop_engine::api::PackRequest;

/// Collects the code that a task needs.
pub static PACK: PlainOperation<PackRequest> = PlainOperation {
    operation: &catalog::PACK,
    request: || PackRequest::new(""),
    rows: catalog::PACK_ROWS,
    finish: |_| (),
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.files),
    text: text::pack,
};
