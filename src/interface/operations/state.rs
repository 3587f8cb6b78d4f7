//! The state of an index, its views, its health and the languages, as operations without parameters.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::render::{text, with_advice};
use spyhop_engine::api::{
    Checkup, CheckupRequest, LanguagesRequest, NamedStatus, State, StatusReply, StatusRequest, ViewsRequest,
};

/// Reports the state of the index. The outcome tells a script whether there is an index, and whether it is damaged.
pub(crate) static STATUS: PlainOperation<StatusRequest> = PlainOperation {
    operation: &catalog::STATUS,
    request: StatusRequest::default,
    rows: &[],
    finish: |_| (),
    warnings: |_| &[],
    outcome: |reply| match reply {
        StatusReply::Tree(status) => match status.state {
            State::Missing => PlainOutcome::Nothing,
            State::Damaged => PlainOutcome::Failed,
            State::Indexing | State::Ready | State::Stale => PlainOutcome::Found,
        },
        StatusReply::Sources(reply) => {
            let is_sound =
                |own: &NamedStatus| own.status.as_ref().is_ok_and(|status| status.state != State::Damaged);
            if reply.sources.iter().all(is_sound) { PlainOutcome::Found } else { PlainOutcome::Failed }
        }
    },
    text: |reply, style| match reply {
        StatusReply::Tree(status) => text::status(status, style),
        StatusReply::Sources(statuses) => text::source_statuses(statuses, style),
    },
};

/// Lists the views of the index.
pub(crate) static VIEWS: PlainOperation<ViewsRequest> = PlainOperation {
    operation: &catalog::VIEWS,
    request: ViewsRequest::default,
    rows: &[],
    finish: |_| (),
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    text: text::views,
};

/// The checks, each with the command that helps in its detail.
fn with_remedies(checkup: &mut Checkup) {
    for check in &mut checkup.checks {
        check.detail = with_advice(&check.detail, check.remedy.take().as_ref());
    }
}

/// Checks the index.
pub(crate) static DOCTOR: PlainOperation<CheckupRequest> = PlainOperation {
    operation: &catalog::DOCTOR,
    request: CheckupRequest::default,
    rows: &[],
    finish: with_remedies,
    warnings: |_| &[],
    outcome: |checkup| if checkup.is_clean() { PlainOutcome::Found } else { PlainOutcome::Failed },
    text: text::checkup,
};

/// Lists the languages.
pub static LANGUAGES: PlainOperation<LanguagesRequest> = PlainOperation {
    operation: &catalog::LANGUAGES,
    request: LanguagesRequest::default,
    rows: &[],
    finish: |_| (),
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    text: |reply, style| text::languages(&reply.languages, style),
};
