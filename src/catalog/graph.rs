//! The rows of the questions to the code graph: all of them take the same parameters.

use super::operation::{Operation, OperationId};
use super::param::{Param, Positional, Takes, param};
use super::params;
use super::row::{Listed, Row, assign, both, listed, saturated, saturated_u32};
use super::shared::{self, Call, HasFilter};
use crate::engine::api::{GraphQuestion, GraphRequest};
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

const fn operation(question: GraphQuestion, name: &'static str, help: &'static str) -> Operation {
    Operation { id: OperationId::Graph(question), name, aliases: &[], help, params: &GRAPH_PARAMS }
}

/// Finds definitions.
pub const DEF: Operation =
    operation(GraphQuestion::Definitions, "def", "Show where a symbol is defined, or the name at a place");
/// Finds uses.
pub const REFS: Operation = operation(GraphQuestion::References, "refs", "List the uses of a symbol");
/// Finds callers.
pub const CALLERS: Operation = operation(GraphQuestion::Callers, "callers", "List the calls of a function");
/// Finds callees.
pub const CALLEES: Operation =
    operation(GraphQuestion::Callees, "callees", "List the functions that a function calls");
/// Finds implementations.
pub const IMPLS: Operation = operation(
    GraphQuestion::Implementations,
    "impls",
    "List the types that extend or implement a type, or the methods that implement a method",
);
/// Finds tests.
pub const TESTS_OF: Operation =
    operation(GraphQuestion::Tests, "tests-of", "List the tests that reach a function by calls");
/// Finds imports.
pub const IMPORTS: Operation =
    operation(GraphQuestion::Imports, "imports", "List the modules that a file imports");
/// Finds importers.
pub const IMPORTERS: Operation =
    operation(GraphQuestion::Importers, "importers", "List the files that import a file");
/// Finds callers and callees.
pub const TRACE: Operation =
    operation(GraphQuestion::Trace, "trace", "Show the callers and the callees of a function");
/// Finds what depends on a symbol.
pub const IMPACT: Operation = operation(
    GraphQuestion::Impact,
    "impact",
    "List what depends on a symbol or on the symbols of a file, through calls",
);
