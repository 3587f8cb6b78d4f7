//! The rows of the questions to the code graph: parameters that all of them take, and those of single questions.

use super::choice;
use super::faces::Faces;
use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, params};
use super::params;
use super::row::{FilledField, Listed, Row, both, listed, row, saturated_u32, tools};
use super::shared::{self, FilledRequest};
use super::table::table;
use super::values::ValueError;
use spyhop_engine::api::{GraphChanges, GraphQuestion, GraphRequest, Relation};

params! {
    pub TARGET = "target": Takes::Text, aliases: &["symbol", "name"], positional: Positional::Required,
        "Symbol: name, Type.method, path#name, path:line; imports, importers and impact: also a file";
    pub(crate) GRAPH_DEPTH = "depth": Takes::Number(1, 8), aliases: &["max_depth"],
        "Steps, 1 to 8; else tests-of and impact 3, paths 8, others 1";
}
/// The number of rows.
pub const GRAPH_RESULTS: Param = Param {
    default: Some("50"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Rows, 1 to 1000", ..params::MAX_RESULTS }
};
params! {
    pub(crate) RELATION = "relation": Takes::Choice(choice::names::<Relation>),
        "Only uses of this relation to the symbol";
    pub(crate) ONLY = "only": Takes::Choice(|| ONLY_QUESTIONS.map(GraphQuestion::name).to_vec()),
        "Only this part of the answer";
}
/// The parts of an answer to `trace` that can be asked for by themselves.
const ONLY_QUESTIONS: [GraphQuestion; 3] =
    [GraphQuestion::Definitions, GraphQuestion::Callers, GraphQuestion::Callees];

params! {
    pub(crate) TO = "to": Takes::Text, "Show the shortest paths of calls from the target to this symbol";
}
/// The symbol or file whose impact is asked.
pub(crate) const IMPACT_TARGET: Param = Param { positional: Positional::Optional, ..TARGET };
params! {
    pub DIFF = "diff": Takes::Text,
        "Instead of a target: a change since a revision (HEAD: uncommitted), A..B, or a diff";
}

type GraphParam = Row<FilledRequest<GraphRequest>>;

const fn target(param: &'static Param) -> GraphParam {
    both(param, |call, param, given| call.request.target.fill(param, given))
}

/// The rows of every question, behind the target and the question's own rows. The list of tools has a budget, so some of
/// these are for command lines only.
const COMMON_ROWS: &[GraphParam] = table![GraphParam:
    [
        both(&GRAPH_DEPTH, |call, param, given| {
            call.request.depth = saturated_u32(given.number(param)?).or(call.request.depth);
            Ok(())
        }),
        both(&GRAPH_RESULTS, |call, param, given| call.request.max_results.fill(param, given)),
        row!(both "min_confidence" => request.min_confidence: Takes::Fraction, default: Some("0.3"),
            "Least confidence, 0 to 1"),
        shared::path(),
        shared::here(),
        shared::path_glob(&params::PATH_GLOB).only_on(Faces::CommandLine),
        shared::exclude().only_on(Faces::CommandLine),
        shared::lang(),
        shared::kind(&params::KIND).only_on(Faces::CommandLine),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::require_index()],
];

const fn all_mentions() -> GraphParam {
    row!(both "mentions" => request.all_mentions: Takes::Nothing, "Also every mention of the name")
}

/// The rows of a question without parameters of its own.
const PLAIN_ROWS: &[GraphParam] = table![GraphParam: [target(&TARGET)], *COMMON_ROWS];
const CALLERS_ROWS: &[GraphParam] = table![GraphParam: [target(&TARGET), all_mentions()], *COMMON_ROWS];
const REFS_ROWS: &[GraphParam] = table![GraphParam:
    [
        target(&TARGET),
        all_mentions(),
        both(&RELATION, |call, param, given| {
            if let Some(name) = given.text(param)? {
                call.request.relation = Some(choice::parse(param.name, &name)?);
            }
            Ok(())
        }),
    ],
    *COMMON_ROWS,
];
const TRACE_ROWS: &[GraphParam] = table![GraphParam:
    [
        target(&TARGET),
        all_mentions().only_on(Faces::CommandLine),
        both(&TO, |call, param, given| call.request.to.fill(param, given)),
        tools(&ONLY, |call, param, given| {
            let Some(name) = given.text(param)? else { return Ok(()) };
            if let Some(to) = &call.request.to {
                return Err(given.excluded((param, &name), (&TO, to)));
            }
            let found = ONLY_QUESTIONS.into_iter().find(|question| question.name() == name);
            call.request.question = found.ok_or_else(|| {
                let all = ONLY_QUESTIONS.map(GraphQuestion::name).join(", ");
                ValueError::new(format!("{} is '{name}'; choose {all}", param.name))
            })?;
            Ok(())
        }),
    ],
    *COMMON_ROWS,
];
const IMPACT_ROWS: &[GraphParam] = table![GraphParam:
    [
        target(&IMPACT_TARGET),
        all_mentions().only_on(Faces::CommandLine),
        both(&DIFF, |call, param, given| {
            call.request.changes = given.text(param)?.map(GraphChanges::of);
            Ok(())
        }),
    ],
    *COMMON_ROWS,
];

/// The rows of a question to the code graph.
pub const fn graph_rows(question: GraphQuestion) -> &'static [GraphParam] {
    match question {
        GraphQuestion::References => REFS_ROWS,
        GraphQuestion::Callers => CALLERS_ROWS,
        GraphQuestion::Trace => TRACE_ROWS,
        GraphQuestion::Impact => IMPACT_ROWS,
        _ => PLAIN_ROWS,
    }
}

const fn graph_params(question: GraphQuestion) -> &'static [Listed] {
    match question {
        GraphQuestion::References => listed!(REFS_ROWS),
        GraphQuestion::Callers => listed!(CALLERS_ROWS),
        GraphQuestion::Trace => listed!(TRACE_ROWS),
        GraphQuestion::Impact => listed!(IMPACT_ROWS),
        _ => listed!(PLAIN_ROWS),
    }
}

const fn operation(question: GraphQuestion, name: &'static str, help: &'static str) -> OperationRow {
    OperationRow::new(name, help, graph_params(question)).builds_index().prints_paths().asks_sources()
}

/// Finds definitions.
pub const DEF: OperationRow =
    operation(GraphQuestion::Definitions, "def", "Show where a symbol is defined, or the name at a place");
/// Finds uses.
pub(crate) const REFS: OperationRow =
    operation(GraphQuestion::References, "refs", "List the uses of a symbol");
/// Finds callers.
pub(crate) const CALLERS: OperationRow =
    operation(GraphQuestion::Callers, "callers", "List the calls of a function");
/// Finds callees.
pub(crate) const CALLEES: OperationRow =
    operation(GraphQuestion::Callees, "callees", "List the functions that a function calls");
/// Finds implementations.
pub(crate) const IMPLS: OperationRow = operation(
    GraphQuestion::Implementations,
    "impls",
    "List the types that extend or implement a type, or the methods that implement a method",
);
/// Finds tests.
pub(crate) const TESTS_OF: OperationRow =
    operation(GraphQuestion::Tests, "tests-of", "List the tests that reach a function by calls");
/// Finds imports.
pub(crate) const IMPORTS: OperationRow =
    operation(GraphQuestion::Imports, "imports", "List the modules that a file imports");
/// Finds importers.
pub(crate) const IMPORTERS: OperationRow =
    operation(GraphQuestion::Importers, "importers", "List the files that import a file");
/// Finds callers and callees.
pub const TRACE: OperationRow = operation(
    GraphQuestion::Trace,
    "trace",
    "Show the callers and the callees of a function, or paths of calls",
);
/// Finds what depends on a symbol.
pub(crate) const IMPACT: OperationRow = operation(
    GraphQuestion::Impact,
    "impact",
    "List what depends on a symbol, a file or a change, and which tests to run",
);

/// The part of a target before the line or the symbol: the file, if the target names one.
pub fn file_of_target(target: &str) -> &str {
    let numbers = target.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':').len();
    &target[..target.find('#').unwrap_or(numbers)]
}
