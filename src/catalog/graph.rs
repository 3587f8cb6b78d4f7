//! The rows of the questions to the code graph: all of them take the same parameters.

use super::operation::{Example, Operation};
use super::param::{Param, Positional, Takes, param};
use super::params;
use super::row::{Listed, Row, assign, both, listed, saturated, saturated_u32};
use super::shared::{self, Call, HasFilter};
use crate::engine::api::GraphRequest;
use crate::filter::FilterSpec;

impl HasFilter for GraphRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

/// The symbol or file that is asked about.
pub const TARGET: Param = Param {
    aliases: &["symbol", "name"],
    positional: Positional::Required,
    ..param(
        "target",
        Takes::Text,
        "A symbol: name, Type.method, path#name, path:line or path:line:column; for imports, importers and impact also \
         a file",
    )
};
/// The number of steps.
pub const GRAPH_DEPTH: Param = Param {
    aliases: &["max_depth"],
    ..param(
        "depth",
        Takes::Number(1, 8),
        "Steps to follow, 1 to 8; else 3 for tests-of and impact, 1 for the others",
    )
};
/// The number of rows.
pub const GRAPH_RESULTS: Param = Param {
    default: Some("50"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Rows, 1 to 1000", ..params::MAX_RESULTS }
};
/// The least confidence of a row.
pub const MIN_CONFIDENCE: Param = Param {
    default: Some("0.3"),
    ..param("min_confidence", Takes::Fraction, "Leave out rows below this confidence, 0 to 1")
};

/// The rows of every question to the code graph.
pub const GRAPH_ROWS: &[Row<Call<GraphRequest>>] = &[
    both(&TARGET, |call, param, given| {
        assign(&mut call.request.target, given.text(param)?);
        Ok(())
    }),
    both(&GRAPH_DEPTH, |call, param, given| {
        call.request.depth = saturated_u32(given.number(param)?).or(call.request.depth);
        Ok(())
    }),
    both(&GRAPH_RESULTS, |call, param, given| {
        assign(&mut call.request.max_results, saturated(given.number(param)?));
        Ok(())
    }),
    both(&MIN_CONFIDENCE, |call, param, given| {
        assign(&mut call.request.min_confidence, given.fraction(param)?);
        Ok(())
    }),
    shared::path(),
    shared::here(),
    shared::path_glob(&params::PATH_GLOB),
    shared::exclude(),
    shared::lang(),
    shared::kind(&params::KIND),
    shared::show_secrets(),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
    shared::require_index(),
];

const GRAPH_PARAMS: [Listed; GRAPH_ROWS.len()] = listed(GRAPH_ROWS);

const fn operation(name: &'static str, help: &'static str, examples: &'static [Example]) -> Operation {
    Operation { name, aliases: &[], help, params: &GRAPH_PARAMS, examples }
}

/// Finds definitions.
pub const DEF: Operation = operation(
    "def",
    "Show where a symbol is defined, or the name at a place",
    &[
        ("def Engine::search", "where a symbol is defined"),
        ("def src/main.rs:40:12", "what the name at a place means"),
    ],
);
/// Finds uses.
pub const REFS: Operation = operation(
    "refs",
    "List the uses of a symbol",
    &[
        ("refs Pool --lang rust", "calls, types, imports and mentions"),
        ("refs Pool.take --min-confidence 0.8", "only uses that are nearly certain"),
    ],
);
/// Finds callers.
pub const CALLERS: Operation = operation(
    "callers",
    "List the calls of a function",
    &[
        ("callers Engine::search", "the calls of a function"),
        ("callers take --depth 3", "the callers of the callers too"),
    ],
);
/// Finds callees.
pub const CALLEES: Operation = operation(
    "callees",
    "List the functions that a function calls",
    &[
        ("callees Engine::search", "the functions that a function calls"),
        ("callees src/pool.rs:10", "the calls of the function around a line"),
    ],
);
/// Finds implementations.
pub const IMPLS: Operation = operation(
    "impls",
    "List the types that extend or implement a type, or the methods that implement a method",
    &[
        ("impls Source", "the types that extend or implement a type"),
        ("impls Source.next", "the methods that implement a method"),
    ],
);
/// Finds tests.
pub const TESTS_OF: Operation = operation(
    "tests-of",
    "List the tests that reach a function by calls",
    &[
        ("tests-of Pool.take", "the tests that reach a function"),
        ("tests-of Pool.take --depth 1", "the tests that call a function directly"),
    ],
);
/// Finds imports.
pub const IMPORTS: Operation = operation(
    "imports",
    "List the modules that a file imports",
    &[
        ("imports src/user.rs", "the modules that a file imports"),
        ("imports src/user.rs --json", "the modules as JSON"),
    ],
);
/// Finds importers.
pub const IMPORTERS: Operation = operation(
    "importers",
    "List the files that import a file",
    &[
        ("importers src/pool.rs", "the files that import a file"),
        ("importers src/pool.rs --exclude test", "the files without tests"),
    ],
);
/// Finds callers and callees.
pub const TRACE: Operation = operation(
    "trace",
    "Show the callers and the callees of a function",
    &[
        ("trace Engine::search", "callers and callees at once"),
        ("trace take --depth 2 --json", "two levels of callers as JSON"),
    ],
);
/// Finds what depends on a symbol.
pub const IMPACT: Operation = operation(
    "impact",
    "List what depends on a symbol or on the symbols of a file, through calls",
    &[
        ("impact src/pool.rs", "what depends on the symbols of a file"),
        ("impact Pool.take --depth 2", "what depends on a function"),
    ],
);
