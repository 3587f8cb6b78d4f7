//! The parameters of the list of skipped files.

use super::operation::OperationRow;
use super::param::{Takes, params};
use super::row::{FilledField, Row, both, command_line, listed, tools};
use super::shared::{self, FilledRequest};
use super::{choice, params};
use spyhop_base::model::SkipReason;
use spyhop_engine::api::SkippedRequest;

params! {
    pub REASON = "reason": Takes::Choice(choice::names::<SkipReason>),
        "Only what was left out for this reason";
}

/// The rows of `skipped`.
pub const SKIPPED_ROWS: &[Row<FilledRequest<SkippedRequest>>] = &[
    both(&REASON, |call, param, given| call.request.reason.fill(param, given)),
    // The command line explains the path in place of a list.
    command_line(&params::EXPLAIN_SKIPS, |_, _, _| Ok(())),
    tools(&params::CURSOR, |call, param, given| call.request.after.fill(param, given)),
    shared::show_secrets(),
    shared::view(),
];

/// Lists skipped files.
pub const SKIPPED: OperationRow =
    OperationRow::new("skipped", "List what was seen and left out, with the reason", listed!(SKIPPED_ROWS))
        .about_code();
