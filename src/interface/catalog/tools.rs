//! The tools for agents: names, descriptions, and when each is listed.
//!
//! This module owns the list of tools as data. A tool's parameters are the rows of its operation that appear in
//! tools, so they mean the same as everywhere else. Other systems' names are in [`aliases`](super::aliases). Nothing here is computed from an
//! index or a tree: the tool list of a profile has the same bytes in every run.

use super::aliases::{ALIASES, Alias};
use super::entries::{COMMANDS, ROUTES};
use super::faces::Faces;
use super::file_graph::FILE_GRAPH;
use super::files::{FIND_FILES, NAME_PATTERN};
use super::graph::{IMPACT, REFS, TARGET, TRACE};
use super::grep::GREP;
use super::grep_params::PATTERN;
use super::library::{
    ADD_SOURCE, COLLECT_SOURCES, LIBRARY_STATUS, LIST_SOURCES, OTHER_NAME, REMOVE_SOURCE, RENAME_SOURCE,
    SOURCE, SOURCE_NAME, TAKE_IN, UNPROTECT_SOURCE, UPDATE_SOURCES, VERIFY_SOURCES,
};
use super::map::MAP;
use super::memory::{
    ADD_NOTE, LIST_NOTES, NOTE_ID, NOTE_QUERY, NOTE_TEXT, RETIRE_NOTE, SEARCH_NOTES, VERIFY_NOTE,
};
use super::operation::OperationRow;
use super::pack::{PACK, TASK};
use super::param::Param;
use super::params::QUERY_LIST;
use super::params::{MAX_TOKENS, QUERY, TOOL_QUERY, TREE};
use super::read::READ;
use super::row::Listed;
use super::search::{FILE, SEARCH, WHY_NOT};
use super::skipped::SKIPPED;
use super::sources::TOOL_IN;
use super::symbols::SYMBOLS;
use super::upkeep::{FILES, STATUS, TOUCH, VIEWS};
use spyhop_engine::api::{EntryKind, GraphQuestion};

/// Every tool. A server dispatches by an exhaustive `match`, so a tool without a function does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the rows in `TOOLS` say what each tool does")]
pub enum ToolId {
    Search,
    SearchBatch,
    Grep,
    Files,
    Symbols,
    Map,
    Read,
    Skipped,
    WhyNot,
    Touch,
    Status,
    Graph(GraphQuestion),
    Entries(EntryKind),
    FileGraph,
    Views,
    SearchNotes,
    ListNotes,
    RecordNote,
    VerifyNote,
    RetireNote,
    Library,
    LibraryStatus,
    VerifySources,
    AddSource,
    UpdateSources,
    RenameSource,
    RemoveSource,
    UnprotectSource,
    TakeIn,
    CollectSources,
    Pack,
    ToolSearch,
}

/// The flag of `spyhop mcp` that allows notes.
pub const ALLOW_MEMORY: &str = "--allow-memory";

/// The flag of `spyhop mcp` that allows changes of the library.
pub const ALLOW_LIBRARY: &str = "--allow-library";

/// A tool that an agent can call.
#[derive(Debug)]
pub struct Tool {
    /// The tool's number, for dispatch.
    pub id: ToolId,
    /// The name.
    pub name: &'static str,
    /// The operation that the tool runs; `None` for the search among tools itself.
    pub operation: Option<&'static OperationRow>,
    /// The parameters that a call has to give.
    pub required: &'static [&'static Param],
    /// Rows of the operation that the tool does not take, because another tool of the operation does.
    pub without: &'static [&'static Param],
    /// The parameters of the call itself, beside the rows of the operation and `in`.
    pub of_call: &'static [&'static Param],
    /// Whether a call changes nothing that a later answer depends on.
    pub read_only: bool,
}

impl Tool {
    /// A tool that reads, needs no parameter, and whose answers may be long.
    const fn new(name: &'static str, id: ToolId, operation: Option<&'static OperationRow>) -> Tool {
        let (required, without, of_call) = (&[], &[], OF_ANSWER);
        Tool { id, name, operation, required, without, of_call, read_only: true }
    }

    /// The purpose of the tool and when to choose the tool, for a model without other context.
    pub fn description(&self) -> &'static str {
        let rows = || include_str!("tools.txt").lines().filter_map(|row| row.split_once(": "));
        rows().find(|(name, _)| *name == self.name).map_or("", |(_, text)| text)
    }

    /// The parameters, in the order of the operation's rows.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> {
        let rows = self.operation.map_or(&[][..], |operation| operation.params);
        let taken = |row: &&Listed| {
            row.faces != Faces::CommandLine && self.without.iter().all(|param| param.name != row.param.name)
        };
        let asks_sources = self.operation.is_some_and(|operation| operation.asks_sources);
        let in_sources = asks_sources.then_some(&TOOL_IN);
        rows.iter().filter(taken).map(|row| row.param).chain(self.of_call.iter().copied()).chain(in_sources)
    }

    /// The flag of `spyhop mcp` without which the tool does not exist.
    pub fn grant(&self) -> Option<&'static str> {
        match self.id {
            ToolId::RecordNote | ToolId::ListNotes | ToolId::VerifyNote | ToolId::RetireNote => {
                Some(ALLOW_MEMORY)
            }
            ToolId::AddSource
            | ToolId::UpdateSources
            | ToolId::RenameSource
            | ToolId::RemoveSource
            | ToolId::UnprotectSource
            | ToolId::TakeIn
            | ToolId::CollectSources => Some(ALLOW_LIBRARY),
            _ => None,
        }
    }

    /// Whether a call may reach other machines.
    pub fn is_open_world(&self) -> bool {
        matches!(self.id, ToolId::AddSource | ToolId::UpdateSources)
    }

    /// Whether a call removes what cannot be made again without its origin.
    pub fn is_destructive(&self) -> bool {
        self.id == ToolId::RemoveSource
    }

    /// Whether a call has to give the parameter.
    pub fn requires(&self, param: &Param) -> bool {
        self.required.iter().any(|required| required.name == param.name)
    }
}

/// Tools that are listed from the start.
pub const ACTIVE: &[&str] = &["codebase_search", "file_search", "grep_files", "index_status", "tool_search"];

/// The parameters of calls whose answers may be long.
const OF_ANSWER: &[&Param] = &[&MAX_TOKENS, &TREE];

/// A row for each tool: its name, number and operation, and the fields that differ from [`Tool::new`].
macro_rules! tools {
    ($($name:literal = $id:expr, $operation:expr $(, $field:ident: $value:expr)*;)+) => {{
        use ToolId::*;
        &[$(Tool { $($field: $value,)* ..Tool::new($name, $id, $operation) }),+]
    }};
}

/// Every tool, sorted by name.
pub const TOOLS: &[Tool] = tools! {
    "add_source" = AddSource, Some(&ADD_SOURCE), required: &[&SOURCE], of_call: &[], read_only: false;
    "codebase_search" = Search, Some(&SEARCH), required: &[&QUERY], without: &[&QUERY_LIST];
    "file_imports" = FileGraph, Some(&FILE_GRAPH);
    "file_search" = Files, Some(&FIND_FILES), required: &[&NAME_PATTERN];
    "find_references" = Graph(GraphQuestion::References), Some(&REFS), required: &[&TARGET];
    "get_context_pack" = Pack, Some(&PACK), required: &[&TASK], of_call: &[&TREE];
    "grep_files" = Grep, Some(&GREP), required: &[&PATTERN];
    "impact" = Graph(GraphQuestion::Impact), Some(&IMPACT);
    "index_status" = Status, Some(&STATUS), of_call: &[&TREE];
    "library" = Library, Some(&LIST_SOURCES), of_call: &[];
    "library_gc" = CollectSources, Some(&COLLECT_SOURCES), of_call: &[], read_only: false;
    "library_intake" = TakeIn, Some(&TAKE_IN), of_call: &[], read_only: false;
    "library_status" = LibraryStatus, Some(&LIBRARY_STATUS), of_call: &[];
    "list_commands" = Entries(EntryKind::Command), Some(&COMMANDS);
    "list_revisions" = ListNotes, Some(&LIST_NOTES);
    "list_routes" = Entries(EntryKind::Route), Some(&ROUTES);
    "list_views" = Views, Some(&VIEWS), of_call: &[&TREE];
    "project_map" = Map, Some(&MAP);
    "read_file" = Read, Some(&READ);
    "record_revision" = RecordNote, Some(&ADD_NOTE), required: &[&NOTE_TEXT], of_call: &[&TREE], read_only: false;
    "remove_source" = RemoveSource, Some(&REMOVE_SOURCE), required: &[&SOURCE_NAME], of_call: &[], read_only: false;
    "rename_source" = RenameSource, Some(&RENAME_SOURCE), required: &[&SOURCE_NAME, &OTHER_NAME], of_call: &[], read_only: false;
    "retire_revision" = RetireNote, Some(&RETIRE_NOTE), required: &[&NOTE_ID], of_call: &[&TREE], read_only: false;
    "search_batch" = SearchBatch, Some(&SEARCH), required: &[&QUERY_LIST], without: &[&QUERY];
    "search_revision_memory" = SearchNotes, Some(&SEARCH_NOTES), required: &[&NOTE_QUERY];
    "skipped_files" = Skipped, Some(&SKIPPED);
    "symbol_search" = Symbols, Some(&SYMBOLS);
    "tool_search" = ToolSearch, None, of_call: &[&TOOL_QUERY];
    "touch" = Touch, Some(&TOUCH), required: &[&FILES], of_call: &[&TREE], read_only: false;
    "trace_symbol" = Graph(GraphQuestion::Trace), Some(&TRACE), required: &[&TARGET];
    "unprotect_source" = UnprotectSource, Some(&UNPROTECT_SOURCE), required: &[&SOURCE_NAME], of_call: &[], read_only: false;
    "update_source" = UpdateSources, Some(&UPDATE_SOURCES), of_call: &[], read_only: false;
    "verify_revision" = VerifyNote, Some(&VERIFY_NOTE), required: &[&NOTE_ID], of_call: &[&TREE], read_only: false;
    "verify_source" = VerifySources, Some(&VERIFY_SOURCES), of_call: &[];
    "why_not" = WhyNot, Some(&WHY_NOT), required: &[&FILE, &QUERY];
};

/// The tool with that canonical name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The target of a call by name.
#[derive(Clone, Copy, Debug)]
pub enum CallTarget {
    /// A tool, called by its own name or by an alias that still works.
    Tool(&'static Tool, Option<&'static Alias>),
    /// An alias that no longer works.
    Removed(&'static Alias),
    /// An unknown name.
    Unknown,
}

/// The target of a call to `name`.
pub fn called(name: &str) -> CallTarget {
    called_in(&ALIASES, name)
}

fn called_in(aliases: &'static [Alias], name: &str) -> CallTarget {
    if let Some(tool) = tool(name) {
        return CallTarget::Tool(tool, None);
    }
    match aliases.iter().find(|alias| alias.name == name) {
        Some(alias) if alias.state == super::aliases::AliasState::Removed => CallTarget::Removed(alias),
        Some(alias) => {
            tool(alias.canonical).map_or(CallTarget::Unknown, |tool| CallTarget::Tool(tool, Some(alias)))
        }
        None => CallTarget::Unknown,
    }
}

#[cfg(test)]
mod tests;
