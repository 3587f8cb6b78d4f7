//! The parameters of finding definitions by name.

use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, params};
use super::params;
use super::row::{FilledField, Row, both, listed};
use super::shared::{self, FilledRequest};
use super::table::table;
use spyhop_engine::api::SymbolsRequest;

params! {
    pub(crate) SYMBOL_PATTERN = "pattern": Takes::Texts, positional: Positional::Optional,
        "Letters of the name in order, container before it: Pool.take; every word must match; or a glob; \
         empty for all";
}
/// The number of definitions on a page.
pub const SYMBOLS_RESULTS: Param = Param {
    default: Some("20"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Definitions a page, 1 to 1000", ..params::MAX_RESULTS }
};

/// The rows of `symbols`.
pub const SYMBOLS_ROWS: &[Row<FilledRequest<SymbolsRequest>>] = table![Row<FilledRequest<SymbolsRequest>>:
    [
        both(&SYMBOL_PATTERN, |call, param, given| call.request.pattern.fill(param, given)),
    ],
    shared::filters(),
    [
        shared::kind(&params::KIND),
        both(&SYMBOLS_RESULTS, |call, param, given| call.request.max_results.fill(param, given)),
        both(&params::CURSOR, |call, param, given| call.request.cursor.fill(param, given)),
    ],
    shared::snapshot(),
    [shared::wait_for_index(), shared::require_index()],
];

/// Finds definitions by name.
pub const SYMBOLS: OperationRow =
    OperationRow::new("symbols", "Find definitions by name", listed!(SYMBOLS_ROWS)).about_code();
