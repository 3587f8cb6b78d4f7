//! The state of an index, its views, its health and the languages, as operations without parameters.

use super::plain::{PlainOperation, PlainOutcome, TypedReply};
use crate::catalog;
use crate::render::{json, text};
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
    json: |status, _| json::line(&json::status(status)),
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
    json: |reply, _| json::line(&json::source_statuses(reply)),
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
    json: |reply, _| json::line(&json::views(reply)),
    text: text::views,
};

/// Checks the index.
pub(crate) static DOCTOR: PlainOperation<(), Checkup> = PlainOperation {
    operation: &catalog::DOCTOR,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.doctor(),
    of_sources: None,
    warnings: |_| &[],
    outcome: |checkup| if checkup.is_clean() { PlainOutcome::Found } else { PlainOutcome::Failed },
    json: |checkup, _| json::line(&json::checkup(checkup)),
    text: text::checkup,
};

/// Lists the languages.
pub static LANGUAGES: PlainOperation<(), Vec<LanguageRow>> = PlainOperation {
    operation: &catalog::LANGUAGES,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| Ok(engine.languages()),
    of_sources: None,
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    json: |rows, _| json::line(&json::languages(rows)),
    text: |rows, style| text::languages(rows, style),
};
