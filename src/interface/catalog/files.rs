//! The parameters of finding files by name.

use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, params};
use super::params;
use super::row::{FilledField, Row, both, listed, row};
use super::shared::{self, FilledRequest};
use super::table::table;
use spyhop_engine::api::FilesRequest;

params! {
    pub NAME_PATTERN = "pattern": Takes::Texts, positional: Positional::Optional,
        "Letters of the path in order, some left out; every word must match; or a glob; empty for all files";
}
/// The number of files on a page.
pub const FILES_RESULTS: Param = Param {
    default: Some("20"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Files a page, 1 to 1000", ..params::MAX_RESULTS }
};

/// The rows of `files`.
pub const FILES_ROWS: &[Row<FilledRequest<FilesRequest>>] = table![Row<FilledRequest<FilesRequest>>:
    [
        both(&NAME_PATTERN, |call, param, given| {
            if let Some(pattern) = given.text(param)? {
                call.request.pattern = given.pattern(param, pattern)?;
            }
            Ok(())
        }),
        row!(command_line "scattered" => request.include_scattered: Takes::Nothing,
            "Also files in whose paths the letters are scattered, behind better matches"),
    ],
    shared::filters(),
    [
        both(&FILES_RESULTS, |call, param, given| call.request.max_results.fill(param, given)),
        both(&params::CURSOR, |call, param, given| call.request.cursor.fill(param, given)),
    ],
    shared::snapshot(),
    [shared::wait_for_index(), shared::require_index()],
];

/// Finds files by name.
pub const FIND_FILES: OperationRow =
    OperationRow::new("files", "Find files by name or path", listed!(FILES_ROWS)).about_code();
