//! The rows of the lists of routes and commands.

use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, params};
use super::params;
use super::row::{FilledField, Row, both, listed, row};
use super::shared::{self, FilledRequest};
use super::table::table;
use spyhop_engine::api::EntriesRequest;

params! {
    pub REACHES = "reaches": Takes::Text,
        "Only rows whose handler is this symbol, or reaches it through up to 5 calls";
}
/// The number of rows.
pub(crate) const ENTRY_RESULTS: Param = Param {
    default: Some("200"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Rows, 1 to 1000", ..params::MAX_RESULTS }
};

/// The rows of `routes` and `commands`.
pub const ENTRIES_ROWS: &[Row<FilledRequest<EntriesRequest>>] = table![Row<FilledRequest<EntriesRequest>>:
    [
        row!(both "filter" => request.pattern: Takes::Texts, aliases: &["pattern"], positional: Positional::Optional,
            "Only rows with these words in method, path or name, or handler"),
        both(&REACHES, |call, param, given| call.request.reaches.fill(param, given)),
        both(&ENTRY_RESULTS, |call, param, given| call.request.max_results.fill(param, given)),
    ],
    shared::filters(),
    [
        shared::kind(&params::KIND),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::require_index()],
];

/// Lists routes.
pub(crate) const ROUTES: OperationRow = OperationRow::new(
    "routes",
    "List the routes of web frameworks: method, path and handler",
    listed!(ENTRIES_ROWS),
)
.about_code();
/// Lists commands.
pub(crate) const COMMANDS: OperationRow = OperationRow::new(
    "commands",
    "List the commands of a tree: binaries, scripts, targets and subcommands, with what they run",
    listed!(ENTRIES_ROWS),
)
.about_code();
