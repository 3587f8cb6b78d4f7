//! The parameters of reading a file or a definition.

use super::operation::OperationRow;
use super::param::{Positional, Takes, params};
use super::row::{FilledField, Row, both, listed};
use super::shared::{self, FilledRequest};
use super::table::table;
use super::values::ValueError;
use spyhop_engine::api::ReadRequest;

params! {
    pub READ_PATH = "path": Takes::Path, positional: Positional::Optional, "The file, path:12-40 or a name";
    pub LINES = "lines": Takes::Text, "Only these lines: 10-40, 10- or 10";
    pub SYMBOL = "symbol": Takes::Text, "Only this definition, such as Class.method; needs no path";
}

/// The rows of `read`.
pub const READ_ROWS: &[Row<FilledRequest<ReadRequest>>] = table![Row<FilledRequest<ReadRequest>>:
    [
        both(&READ_PATH, |call, param, given| {
            call.request.path = given.paths(param)?.pop();
            Ok(())
        }),
        both(&LINES, |call, param, given| {
            let lines = given.text(param)?.map(|text| text.parse()).transpose();
            call.request.lines = lines.map_err(ValueError::new)?;
            Ok(())
        }),
        both(&SYMBOL, |call, param, given| call.request.symbol.fill(param, given)),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::require_index()],
];

/// Reads lines of a file, or a definition.
pub const READ: OperationRow = OperationRow::new(
    "read",
    "Print lines of a file, or a definition by its name, with line numbers",
    listed!(READ_ROWS),
)
.about_code();
