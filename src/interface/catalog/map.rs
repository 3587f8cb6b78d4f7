//! The parameters of the outline of a tree.

use super::operation::OperationRow;
use super::param::{Param, Takes, param, params};
use super::params;
use super::row::{FilledField, Row, both, listed};
use super::shared::{self, FilledRequest};
use super::table::table;
use spyhop_engine::api::MapRequest;

/// The size limit of a map.
pub const MAX_ITEMS: Param = Param {
    aliases: &["limit"],
    short: Some('n'),
    default: Some("200"),
    ..param("max_items", Takes::Number(1, 5_000), "Folders, files and symbols together, 1 to 5000")
};
params! {
    pub DEPTH = "depth": Takes::Number(0, u32::MAX as u64), default: Some("2"),
        "Folders deep; what lies deeper is summed up above";
}

/// The rows of `map`.
pub const MAP_ROWS: &[Row<FilledRequest<MapRequest>>] = table![Row<FilledRequest<MapRequest>>:
    [
        shared::path(),
        shared::here(),
        both(&DEPTH, |call, param, given| call.request.depth.fill(param, given)),
        both(&MAX_ITEMS, |call, param, given| call.request.max_items.fill(param, given)),
        shared::path_glob(&params::PATH_GLOB),
        shared::exclude(),
        shared::lang(),
        shared::kind(&params::KIND),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::wait_for_index(), shared::require_index()],
];

/// Shows the outline of a tree.
pub const MAP: OperationRow = OperationRow::new(
    "map",
    "Outline a tree, a folder or a file: what is where, and the main symbols",
    listed!(MAP_ROWS),
)
.about_code()
.with_bare_path();
