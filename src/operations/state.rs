//! The state of an index, its views, its health and the languages, as operations without parameters.

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::engine::LanguageRow;
use crate::engine::api::{Checkup, State, Status, ViewsReply};
use crate::render::{json, text};

/// Reports the state of the index. The outcome tells a script whether there is an index, and whether it is damaged.
pub static STATUS: PlainOperation<(), Status> = PlainOperation {
    operation: &catalog::STATUS,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.status(),
    warnings: |_| &[],
    outcome: |status| match status.state {
        State::Missing => PlainOutcome::Nothing,
        State::Damaged => PlainOutcome::Failed,
        State::Indexing | State::Ready | State::Stale => PlainOutcome::Found,
    },
    json: |status, _| json::line(&json::status(status)),
    text: text::status,
};

/// Lists the views of the index.
pub static VIEWS: PlainOperation<(), ViewsReply> = PlainOperation {
    operation: &catalog::VIEWS,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.views(),
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    json: |reply, _| json::line(&json::views(reply)),
    text: text::views,
};

/// Checks the index.
pub static DOCTOR: PlainOperation<(), Checkup> = PlainOperation {
    operation: &catalog::DOCTOR,
    builds_index: false,
    prints_paths: false,
    has_bare_path: false,
    request: || (),
    rows: &[],
    run: |engine, (), _| engine.doctor(),
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
    warnings: |_| &[],
    outcome: |_| PlainOutcome::Found,
    json: |rows, _| json::line(&json::languages(rows)),
    text: |rows, style| text::languages(rows, style),
};
