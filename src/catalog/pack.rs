//! The rows of context packs.

use super::operation::Operation;
use super::param::{Param, Positional, Takes, param};
use super::params;
use super::row::{Listed, Row, assign, both, listed, saturated};
use super::shared::{self, Call, HasFilter};
use super::table::table;
use crate::engine::api::PackRequest;
use crate::filter::FilterSpec;

impl HasFilter for PackRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

/// The task.
pub const TASK: Param =
    Param { positional: Positional::Required, ..param("task", Takes::Texts, "What is to be done, in words") };
/// The number of tokens.
pub const BUDGET: Param = Param {
    default: Some("8000"),
    ..param("budget", Takes::Number(200, 200_000), "Tokens of the pack, 200 to 200000; a token is 4 bytes")
};
/// The number of files.
pub const MAX_FILES: Param =
    Param { default: Some("20"), ..param("max_files", Takes::Number(1, 50), "Files of the pack, 1 to 50") };

/// The rows of `pack`.
pub const PACK_ROWS: &[Row<Call<PackRequest>>] = table![Row<Call<PackRequest>>:
    [
        both(&TASK, |call, param, given| {
            call.request.task = given.texts(param)?.join(" ");
            Ok(())
        }),
        both(&BUDGET, |call, param, given| {
            assign(&mut call.request.budget, saturated(given.number(param)?));
            Ok(())
        }),
        both(&MAX_FILES, |call, param, given| {
            assign(&mut call.request.max_files, saturated(given.number(param)?));
            Ok(())
        }),
    ],
    shared::filters(),
    [
        shared::kind(&params::KIND),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::require_index()],
];

const PACK_PARAMS: [Listed; PACK_ROWS.len()] = listed(PACK_ROWS);

/// Collects the code that a task needs.
pub const PACK: Operation = Operation {
    name: "pack",
    aliases: &[],
    help: "Collect the code that a task needs, as whole functions and types within a budget of tokens",
    params: &PACK_PARAMS,
    examples: &[
        ("pack add a retry limit to uploads and show it in the status page", "a task with two goals"),
        ("pack fix the parser of dates --budget 4000", "fewer tokens"),
    ],
};
