//! The parameters of the list of skipped files.

use std::path::PathBuf;

use super::operation::OperationRow;
use super::param::{Param, Takes, param};
use super::row::{Listed, Row, both, command_line, listed, tools};
use super::shared::{self, FilledRequest};
use super::values::ValueError;
use super::{choice, params};
use spyhop_base::model::SkipReason;

/// A filter by skip reason.
pub const REASON: Param =
    param("reason", Takes::Choice(choice::names::<SkipReason>), "Only what was left out for this reason");

/// A question about what was left out.
#[derive(Clone, Debug, Default)]
pub struct SkippedRequest {
    /// Only files that were left out for this reason.
    pub reason: Option<SkipReason>,
    /// The path whose rule is explained, in place of a list.
    pub explain: Option<PathBuf>,
    /// The last path of the page before.
    pub after: Option<String>,
}

/// The rows of `skipped`.
pub const SKIPPED_ROWS: &[Row<FilledRequest<SkippedRequest>>] = &[
    both(&REASON, |call, param, given| {
        let reason = given.text(param)?.map(|name| choice::parse(param.name, &name));
        call.request.reason = reason.transpose()?;
        Ok::<(), ValueError>(())
    }),
    command_line(&params::EXPLAIN_SKIPS, |call, param, given| {
        call.request.explain = given.text_of_path(param)?;
        Ok(())
    }),
    tools(&params::CURSOR, |call, param, given| {
        call.request.after = given.text(param)?;
        Ok(())
    }),
    shared::show_secrets(),
    shared::view(),
];

const SKIPPED_PARAMS: [Listed; SKIPPED_ROWS.len()] = listed(SKIPPED_ROWS);

/// Lists skipped files.
pub const SKIPPED: OperationRow = OperationRow {
    name: "skipped",
    aliases: &[],
    help: "List what was seen and left out, with the reason",
    params: &SKIPPED_PARAMS,
    examples: &[
        ("skipped --reason too-large", "files that are too large"),
        ("skipped --explain-skips target/debug", "which rule leaves a path out"),
    ],
};
