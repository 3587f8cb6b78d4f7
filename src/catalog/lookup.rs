//! The rows of the look-ups: files, definitions, the outline of a tree, and what was left out.

use std::path::PathBuf;

use super::operation::Operation;
use super::row::{Listed, Row, assign, both, command_line, listed, saturated, saturated_u32, tools};
use super::shared::{self, Call, HasFilter};
use super::values::ValueError;
use super::{choice, params};
use crate::engine::api::{FilesRequest, MapRequest, ReadRequest, SymbolsRequest};
use crate::filter::FilterSpec;
use crate::model::SkipReason;

impl HasFilter for FilesRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

impl HasFilter for SymbolsRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

impl HasFilter for MapRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

/// The rows of `files`.
pub const FILES_ROWS: &[Row<Call<FilesRequest>>] = &[
    both(&params::NAME_PATTERN, |call, param, given| {
        if let Some(pattern) = given.text(param)? {
            given.check_pattern(param, &pattern)?;
            call.request.pattern = pattern;
        }
        Ok(())
    }),
    both(&params::ALL_MATCHES, |call, param, given| shared::flag(&mut call.request.all, param, given)),
    both(&params::FILES_RESULTS, |call, param, given| {
        assign(&mut call.request.max_results, saturated(given.number(param)?));
        Ok(())
    }),
    shared::path(),
    shared::here(),
    shared::path_glob(&params::PATH_GLOB),
    shared::exclude(),
    shared::lang(),
    both(&params::CURSOR, |call, param, given| {
        call.request.cursor = given.text(param)?;
        Ok(())
    }),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::wait_for_index(),
    shared::require_index(),
];

const FILES_PARAMS: [Listed; FILES_ROWS.len()] = listed(FILES_ROWS);

/// Finds files by name.
pub const FIND_FILES: Operation = Operation {
    name: "files",
    aliases: &[],
    help: "Find files by name or path",
    params: &FILES_PARAMS,
    examples: &[
        ("files authstore", "files whose path has these letters in order"),
        ("files '*.proto' --path api", "files by a glob, in one folder"),
        ("files -0", "every file, for xargs -0"),
    ],
};

/// The rows of `symbols`.
pub const SYMBOLS_ROWS: &[Row<Call<SymbolsRequest>>] = &[
    both(&params::SYMBOL_PATTERN, |call, param, given| {
        assign(&mut call.request.pattern, given.text(param)?);
        Ok(())
    }),
    both(&params::SYMBOLS_RESULTS, |call, param, given| {
        assign(&mut call.request.max_results, saturated(given.number(param)?));
        Ok(())
    }),
    shared::path(),
    shared::here(),
    shared::path_glob(&params::PATH_GLOB),
    shared::exclude(),
    shared::lang(),
    shared::kind(&params::KIND),
    both(&params::CURSOR, |call, param, given| {
        call.request.cursor = given.text(param)?;
        Ok(())
    }),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::wait_for_index(),
    shared::require_index(),
];

const SYMBOLS_PARAMS: [Listed; SYMBOLS_ROWS.len()] = listed(SYMBOLS_ROWS);

/// Finds definitions by name.
pub const SYMBOLS: Operation = Operation {
    name: "symbols",
    aliases: &[],
    help: "Find definitions by name",
    params: &SYMBOLS_PARAMS,
    examples: &[
        ("symbols Pool.take --kind method", "a method by its name and type"),
        ("symbols --vimgrep parse --lang go", "definitions for an editor"),
    ],
};

/// The rows of `map`.
pub const MAP_ROWS: &[Row<Call<MapRequest>>] = &[
    shared::path(),
    shared::here(),
    both(&params::DEPTH, |call, param, given| {
        assign(&mut call.request.depth, saturated_u32(given.number(param)?));
        Ok(())
    }),
    both(&params::MAX_ITEMS, |call, param, given| {
        assign(&mut call.request.max_items, saturated(given.number(param)?));
        Ok(())
    }),
    shared::path_glob(&params::PATH_GLOB),
    shared::exclude(),
    shared::lang(),
    shared::kind(&params::KIND),
    shared::show_secrets(),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::wait_for_index(),
    shared::require_index(),
];

const MAP_PARAMS: [Listed; MAP_ROWS.len()] = listed(MAP_ROWS);

/// Shows the outline of a tree.
pub const MAP: Operation = Operation {
    name: "map",
    aliases: &[],
    help: "Outline a tree, a folder or a file: what is where, and the main symbols",
    params: &MAP_PARAMS,
    examples: &[
        ("map", "the folders of the tree, with their main symbols"),
        ("map src --depth 3 -n 100", "one folder, deeper and shorter"),
    ],
};

/// The rows of `read`.
pub const READ_ROWS: &[Row<Call<ReadRequest>>] = &[
    both(&params::READ_PATH, |call, param, given| {
        call.request.path = given.paths(param)?.pop();
        Ok(())
    }),
    both(&params::LINES, |call, param, given| {
        let lines = given.text(param)?.map(|text| text.parse()).transpose();
        call.request.lines = lines.map_err(ValueError::new)?;
        Ok(())
    }),
    both(&params::SYMBOL, |call, param, given| {
        call.request.symbol = given.text(param)?;
        Ok(())
    }),
    shared::show_secrets(),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::require_index(),
];

const READ_PARAMS: [Listed; READ_ROWS.len()] = listed(READ_ROWS);

/// Reads lines of a file, or a definition.
pub const READ: Operation = Operation {
    name: "read",
    aliases: &[],
    help: "Print lines of a file, or a definition by its name, with line numbers",
    params: &READ_PARAMS,
    examples: &[
        ("read src/auth.rs --lines 10-40", "lines of a file, numbered"),
        ("read --symbol Pool.take", "a definition by its name"),
    ],
};

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
pub const SKIPPED_ROWS: &[Row<Call<SkippedRequest>>] = &[
    both(&params::REASON, |call, param, given| {
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
pub const SKIPPED: Operation = Operation {
    name: "skipped",
    aliases: &[],
    help: "List what was seen and left out, with the reason",
    params: &SKIPPED_PARAMS,
    examples: &[
        ("skipped --reason too-large", "files that are too large"),
        ("skipped --explain-skips target/debug", "which rule leaves a path out"),
    ],
};
