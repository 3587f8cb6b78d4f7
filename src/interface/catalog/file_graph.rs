//! The rows of the questions to the graph of files.

use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, param, params};
use super::params;
use super::row::{FilledField, Row, both, command_line, listed, tools};
use super::shared::{self, FilledRequest};
use super::table::table;
use super::values::ValueError;
use spyhop_engine::api::{FileGraphQuestion, FileGraphRequest};

params! {
    pub(crate) ACTION = "action": Takes::Choice(|| vec!["export"]), positional: Positional::Optional,
        "export: every file and every import, in a format";
    pub FORMAT = "format": Takes::Choice(|| vec!["graphml", "dot", "jsonl"]), default: Some("jsonl"),
        "The format of an export";
    pub(crate) CYCLES = "cycles": Takes::Nothing, "List the files that import each other in circles";
    pub(crate) ORPHANS = "orphans": Takes::Nothing,
        "List the files that no file imports and that import no file of the tree";
    pub(crate) HUBS = "hubs": Takes::Nothing,
        "List the files that most files import, with the number of importers and imports";
}
/// The question of a tool.
pub const FILE_GRAPH_QUESTION: Param = Param {
    default: Some("hubs"),
    ..param(
        "question",
        Takes::Choice(|| QUESTIONS.map(|(flag, _)| flag.name).to_vec()),
        "cycles: files that import each other; orphans: no imports; hubs: most imported",
    )
};
/// The number of rows.
pub const FILE_GRAPH_RESULTS: Param = Param {
    default: Some("50"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Files or circles, 1 to 1000", ..params::MAX_RESULTS }
};

/// The flags, with their questions.
const QUESTIONS: [(&Param, FileGraphQuestion); 3] = [
    (&CYCLES, FileGraphQuestion::Cycles),
    (&ORPHANS, FileGraphQuestion::Orphans),
    (&HUBS, FileGraphQuestion::Hubs),
];

/// The rows of the graph of files.
pub const FILE_GRAPH_ROWS: &[Row<FilledRequest<FileGraphRequest>>] = table![Row<FilledRequest<FileGraphRequest>>:
    [
        command_line(&ACTION, |call, param, given| {
            let is_export = given.text(param)?.is_some();
            let flags = QUESTIONS.iter().filter(|(flag, _)| given.flag(flag).ok().flatten() == Some(true));
            let asked: Vec<FileGraphQuestion> = flags.map(|(_, question)| *question).collect();
            call.request.question = match (is_export, &asked[..]) {
                (true, []) => FileGraphQuestion::Export,
                (false, []) => FileGraphQuestion::default(),
                (false, [only]) => *only,
                _ => {
                    return Err(ValueError::new(
                        "choose one of export, --cycles, --orphans and --hubs".to_string(),
                    ));
                }
            };
            Ok(())
        }),
        command_line(&FORMAT, |_, _, _| Ok(())),
        command_line(&CYCLES, |_, _, _| Ok(())),
        command_line(&ORPHANS, |_, _, _| Ok(())),
        command_line(&HUBS, |_, _, _| Ok(())),
        tools(&FILE_GRAPH_QUESTION, |call, param, given| {
            let name = given.text(param)?.unwrap_or_else(|| HUBS.name.to_string());
            let found = QUESTIONS.iter().find(|(flag, _)| flag.name == name).map(|(_, question)| *question);
            call.request.question = found.ok_or_else(|| {
                let all = QUESTIONS.map(|(flag, _)| flag.name).join(", ");
                ValueError::new(format!("{} is '{name}'; choose {all}", param.name))
            })?;
            Ok(())
        }),
        both(&FILE_GRAPH_RESULTS, |call, param, given| call.request.max_results.fill(param, given)),
    ],
    shared::filters(),
    shared::snapshot(),
    [shared::require_index()],
];

/// Looks at the graph of files.
pub const FILE_GRAPH: OperationRow = OperationRow::new(
    "graph",
    "Export the graph of imports between files, or list its hubs, circles and orphans",
    listed!(FILE_GRAPH_ROWS),
)
.about_code();
