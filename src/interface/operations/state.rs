//! The state of an index, its views, its health and the languages, as operations without parameters.

use schemars::JsonSchema;
use serde::Serialize;

use super::plain::{PlainOperation, PlainOutcome, TypedReply};
use crate::catalog;
use crate::render::{text, with_advice};
use spyhop_engine::LanguageRow;
use spyhop_engine::api::{Checkup, NamedStatus, SourceStatuses, State, Status, ViewsReply};

/// Reports the state of the index. The outcome tells a script whether there is an index, and whether it is damaged.
pub(crate) static STATUS: PlainOperation<(), Status> = PlainOperation {
    operation: &catalog::STATUS,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.status(),
    of_sources: Some(|set, ()| Ok(Box::new(TypedReply { row: &SOURCE_STATUSES, reply: set.statuses() }))),
    warnings: |_| &[],
    outcome: |status| match status.state {
        State::Missing => PlainOutcome::Nothing,
        State::Damaged => PlainOutcome::Failed,
        State::Indexing | State::Ready | State::Stale => PlainOutcome::Found,
    },
    text: text::status,
};

/// The forms of the states of several sources.
static SOURCE_STATUSES: PlainOperation<(), SourceStatuses> = PlainOperation {
    operation: &catalog::STATUS,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |_, (), _| unreachable!("one tree has a status of its own"),
    of_sources: None,
    warnings: |_| &[],
    outcome: |reply| {
        let is_sound =
            |own: &NamedStatus| own.status.as_ref().is_ok_and(|status| status.state != State::Damaged);
        if reply.sources.iter().all(is_sound) { PlainOutcome::Found } else { PlainOutcome::Failed }
    },
    text: text::source_statuses,
};

/// Lists the views of the index.
pub(crate) static VIEWS: PlainOperation<(), ViewsReply> = PlainOperation {
    operation: &catalog::VIEWS,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.views(),
    of_sources: None,
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    text: text::views,
};

/// The checks, each with the command that helps in its detail.
fn with_remedies(mut checkup: Checkup) -> Checkup {
    for check in &mut checkup.checks {
        check.detail = with_advice(&check.detail, check.remedy.take().as_ref());
    }
    checkup
}

/// Checks the index.
pub(crate) static DOCTOR: PlainOperation<(), Checkup> = PlainOperation {
    operation: &catalog::DOCTOR,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.doctor().map(with_remedies),
    of_sources: None,
    warnings: |_| &[],
    outcome: |checkup| if checkup.is_clean() { PlainOutcome::Found } else { PlainOutcome::Failed },
    text: text::checkup,
};

/// The languages.
#[derive(Serialize, JsonSchema)]
pub struct Languages {
    /// The languages, by name.
    pub languages: Vec<LanguageRow>,
}

/// Lists the languages.
pub static LANGUAGES: PlainOperation<(), Languages> = PlainOperation {
    operation: &catalog::LANGUAGES,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| Ok(Languages { languages: engine.languages() }),
    of_sources: None,
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    text: |reply, style| text::languages(&reply.languages, style),
};
