//! The rows of context packs.

use super::choice;
use super::faces::Faces;
use super::operation::OperationRow;
use super::param::{Positional, Takes, params};
use super::params::{self, PACK_DIFF};
use super::row::{FilledField, Row, both, command_line, listed, row, tools};
use super::search::DEDUPE;
use super::shared::{self, FilledRequest};
use spyhop_engine::api::{GraphChanges, Mode, PackMode, PackRequest};

params! {
    pub TASK = "task": Takes::Texts, positional: Positional::Required, "The task, in words";
    pub BUDGET = "budget": Takes::Number(200, 200_000), default: Some("8000"), "Tokens (bytes / 4)";
    pub MAX_FILES = "max_files": Takes::Number(1, 50), default: Some("40"), "Files of the pack, 1 to 50";
    pub SEED_FILE = "seed_file": Takes::Repeated, "Files to begin with";
}

/// The rows of `pack`.
pub const PACK_ROWS: &[Row<FilledRequest<PackRequest>>] = &[
    both(&TASK, |call, param, given| {
        call.request.task = given.texts(param)?.join(" ");
        Ok(())
    }),
    both(&BUDGET, |call, param, given| call.request.budget.fill(param, given)),
    row!(command_line "pack_mode" => request.pack_mode: Takes::Choice(choice::names::<PackMode>), default: Some("auto"),
        "How far: navigation_prune, one place; focused, one region; broad, all"),
    row!(both "mode" => request.mode: Takes::Choice(choice::names::<Mode>), default: Some("default"),
        "debug: every stage"),
    both(&SEED_FILE, |call, param, given| call.request.seed_files.fill(param, given)),
    row!(both "seed_symbol" => request.seed_symbols: Takes::Repeated, "Symbols to begin with"),
    both(&PACK_DIFF, |call, param, given| {
        call.request.changes = given.text(param)?.map(GraphChanges::of);
        Ok(())
    }),
    tools(&DEDUPE, |call, param, given| call.request.dedupe.fill(param, given)),
    both(&params::CURSOR, |call, param, given| call.request.cursor.fill(param, given)),
    command_line(&MAX_FILES, |call, param, given| call.request.max_files.fill(param, given)),
    shared::path(),
    shared::here(),
    shared::path_glob(&params::PATH_GLOB).only_on(Faces::CommandLine),
    shared::exclude().only_on(Faces::CommandLine),
    shared::lang().only_on(Faces::CommandLine),
    shared::kind(&params::KIND).only_on(Faces::CommandLine),
    shared::show_secrets(),
    shared::view().only_on(Faces::CommandLine),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::require_index(),
];

/// Collects the code that a task needs.
pub const PACK: OperationRow = OperationRow::new(
    "pack",
    "Collect the code that a task needs within a budget of tokens: functions and types, long ones in parts",
    listed!(PACK_ROWS),
)
.about_code();
