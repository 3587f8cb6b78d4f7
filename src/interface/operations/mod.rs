//! The list of operations, and what runs each of them.
//!
//! An operation is either plain, with a typed row that any front end can run ([`PlainOperation`]), or a front end runs
//! the operation by its number ([`OperationId`]) with an exhaustive `match`. In both cases, an operation without a
//! function does not compile.

pub mod library;
mod plain;
mod rows;

pub use library::{AddAnswer, LIBRARY, LIBRARY_HELP, PreparedLibraryRun, RunLibrary};

pub use plain::{PlainOperation, PlainOutcome, PlainReply, PreparedCall, ReplyFacts, RunPlain};
pub use rows::{MEMORY, MEMORY_HELP, PACK, SEMANTIC, SEMANTIC_HELP};

use crate::catalog::{
    CALLEES, CALLERS, DEF, EXPORT, EXPORT_NOTES, FILE_GRAPH, FIND_FILES, GC, GREP, IMPACT, IMPLS, IMPORT,
    IMPORT_NOTES, IMPORTERS, IMPORTS, INDEX, OperationRow, READ, REFS, SEARCH, SKIPPED, SYMBOLS, TESTS_OF,
    TOUCH, TRACE, WATCH, WHY_NOT,
};
use spyhop_engine::api::GraphQuestion;

/// An operation in the list, with what runs it.
#[derive(Clone, Copy)]
pub enum ListedOperation {
    /// An operation for which a front end has a function of its own.
    Own(OperationId, &'static OperationRow),
    /// An operation that its typed row runs.
    Plain(&'static dyn RunPlain),
    /// An operation of a library of sources, which its typed row runs.
    Library(&'static dyn RunLibrary),
}

impl ListedOperation {
    /// The name, the help and the parameters.
    pub fn row(&self) -> &'static OperationRow {
        match self {
            ListedOperation::Own(_, row) => row,
            ListedOperation::Plain(plain) => plain.operation(),
            ListedOperation::Library(operation) => operation.operation(),
        }
    }

    /// The number, if a front end has a function of its own for the operation.
    pub fn id(&self) -> Option<OperationId> {
        match self {
            ListedOperation::Own(id, _) => Some(*id),
            ListedOperation::Plain(_) | ListedOperation::Library(_) => None,
        }
    }
}

/// The operations for which a front end has functions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the rows of the same names say what each operation does")]
pub enum OperationId {
    Search,
    Grep,
    Files,
    Symbols,
    Graph(GraphQuestion),
    FileGraph,
    Read,
    Index,
    Watch,
    Gc,
    Export,
    Import,
    Skipped,
    WhyNot,
    Touch,
    ExportNotes,
    ImportNotes,
}

const fn own(id: OperationId, row: &'static OperationRow) -> ListedOperation {
    ListedOperation::Own(id, row)
}

const fn graph(question: GraphQuestion, row: &'static OperationRow) -> ListedOperation {
    own(OperationId::Graph(question), row)
}

const fn plain(row: &'static dyn RunPlain) -> ListedOperation {
    ListedOperation::Plain(row)
}

const fn of_library(row: &'static dyn RunLibrary) -> ListedOperation {
    ListedOperation::Library(row)
}

/// Every operation, the main one first.
pub static OPERATIONS: &[ListedOperation] = &[
    own(OperationId::Search, &SEARCH),
    own(OperationId::Grep, &GREP),
    own(OperationId::Files, &FIND_FILES),
    own(OperationId::Symbols, &SYMBOLS),
    graph(GraphQuestion::Definitions, &DEF),
    graph(GraphQuestion::References, &REFS),
    graph(GraphQuestion::Callers, &CALLERS),
    graph(GraphQuestion::Callees, &CALLEES),
    graph(GraphQuestion::Implementations, &IMPLS),
    graph(GraphQuestion::Tests, &TESTS_OF),
    graph(GraphQuestion::Imports, &IMPORTS),
    graph(GraphQuestion::Importers, &IMPORTERS),
    graph(GraphQuestion::Trace, &TRACE),
    graph(GraphQuestion::Impact, &IMPACT),
    own(OperationId::FileGraph, &FILE_GRAPH),
    plain(&rows::ROUTES),
    plain(&rows::COMMANDS),
    plain(&rows::MAP),
    plain(&rows::PACK),
    own(OperationId::Read, &READ),
    own(OperationId::Index, &INDEX),
    own(OperationId::Watch, &WATCH),
    plain(&rows::STATUS),
    plain(&rows::VIEWS),
    own(OperationId::Gc, &GC),
    plain(&rows::DOCTOR),
    own(OperationId::Export, &EXPORT),
    own(OperationId::Import, &IMPORT),
    own(OperationId::Skipped, &SKIPPED),
    own(OperationId::WhyNot, &WHY_NOT),
    own(OperationId::Touch, &TOUCH),
    plain(&rows::LANGUAGES),
    of_library(&library::ADD_SOURCE),
];

/// The operations of the family [`LIBRARY`]; the name of each begins with that of the family.
pub static LIBRARY_OPERATIONS: &[ListedOperation] = &[
    of_library(&library::LIST_SOURCES),
    of_library(&library::LIBRARY_STATUS),
    of_library(&library::SHOW_SOURCE),
    of_library(&library::SOURCE_PATH),
    of_library(&library::UPDATE_SOURCES),
    of_library(&library::VERIFY_SOURCES),
    of_library(&library::RENAME_SOURCE),
    of_library(&library::REMOVE_SOURCE),
    of_library(&library::UNPROTECT_SOURCE),
    of_library(&library::COLLECT_SOURCES),
    of_library(&library::TAKE_IN),
    of_library(&library::WATCH_INBOX),
];

/// The operations of the family [`MEMORY`]; the name of each begins with that of the family.
pub static MEMORY_OPERATIONS: &[ListedOperation] = &[
    plain(&rows::ADD_NOTE),
    plain(&rows::LIST_NOTES),
    plain(&rows::SHOW_NOTE),
    plain(&rows::VERIFY_NOTE),
    plain(&rows::RETIRE_NOTE),
    plain(&rows::SEARCH_NOTES),
    own(OperationId::ExportNotes, &EXPORT_NOTES),
    own(OperationId::ImportNotes, &IMPORT_NOTES),
];

/// The operations of the family [`SEMANTIC`]; the name of each begins with that of the family.
pub static SEMANTIC_OPERATIONS: &[ListedOperation] = &[
    plain(&rows::SEMANTIC_STATUS),
    plain(&rows::ENABLE_SEMANTIC),
    plain(&rows::DISABLE_SEMANTIC),
    plain(&rows::ESTIMATE_SEMANTIC),
    plain(&rows::BUILD_SEMANTIC),
    plain(&rows::PURGE_SEMANTIC),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::catalog::{Faces, LIBRARY as LIBRARY_FOLDER, PLACE};

    fn all() -> impl Iterator<Item = &'static ListedOperation> {
        OPERATIONS.iter().chain(MEMORY_OPERATIONS).chain(SEMANTIC_OPERATIONS).chain(LIBRARY_OPERATIONS)
    }

    #[test]
    fn no_name_is_used_twice_in_an_operation() {
        for operation in all().map(ListedOperation::row) {
            let mut seen = HashSet::new();
            for param in operation
                .params
                .iter()
                .filter(|row| row.faces != Faces::Tools)
                .map(|row| row.param)
                .chain(PLACE.iter().map(|row| row.param))
                .chain([&LIBRARY_FOLDER])
            {
                for name in std::iter::once(&param.name).chain(param.aliases) {
                    assert!(seen.insert(*name), "{name} in {}", operation.name);
                }
            }
        }
    }

    #[test]
    fn no_operation_is_listed_twice() {
        let mut names = HashSet::new();
        let mut ids = Vec::new();
        for operation in all() {
            assert!(names.insert(operation.row().name), "{}", operation.row().name);
            if let Some(id) = operation.id() {
                assert!(!ids.contains(&id), "{id:?}");
                ids.push(id);
            }
        }
    }
}
