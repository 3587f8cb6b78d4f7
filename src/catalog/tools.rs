//! The tools for agents: names, descriptions, and when each is listed.
//!
//! This module owns the list of tools as data. A tool's parameters are rows of its operation, so they mean the same as
//! everywhere else. The state of a name is in the constant sets below and not in each tool, so that a change of the
//! list is one small diff. Other systems' names are in [`aliases`](super::aliases). Nothing here is computed from an
//! index or a tree: the tool list of a profile has the same bytes in every run.

use super::aliases::{ALIASES, Alias};
use super::graph::{
    DIFF, GRAPH_DEPTH, GRAPH_RESULTS, IMPACT, MIN_CONFIDENCE, REFS, RELATION, TARGET, TO, TRACE,
};
use super::grep::GREP;
use super::grep_params::{FIXED, GREP_EXPAND, GREP_KIND, GREP_RESULTS, IGNORE_CASE, PATTERN, RANK, WORD};
use super::lookup::{FIND_FILES, MAP, READ, SKIPPED, SYMBOLS};
use super::operation::Operation;
use super::pack::{BUDGET, PACK, PACK_DETAIL, PACK_DIFF, SEED_FILE, SEED_SYMBOL, TASK};
use super::param::Param;
use super::params::{
    CURSOR, DEDUPE, DEPTH, EXCLUDE, EXPAND, FILE, FILES, FILES_RESULTS, KIND, LANG, LINES, MAX_ITEMS,
    MAX_RESULTS, MAX_TOKENS, MIN_SCORE, MODE, NAME_PATTERN, PATH, PATH_GLOB, PER_FILE, QUERY, QUERY_LIST,
    READ_PATH, REASON, SYMBOL, SYMBOL_PATTERN, SYMBOLS_RESULTS, TOOL_QUERY, TREE, VIEW,
};
use super::search::{SEARCH, WHY_NOT};
use super::upkeep::{STATUS, TOUCH};
use crate::engine::api::GraphQuestion;

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
    Pack,
    ToolSearch,
}

/// A tool that an agent can call.
#[derive(Debug)]
pub struct Tool {
    /// The tool's number, for dispatch.
    pub id: ToolId,
    /// The name.
    pub name: &'static str,
    /// The operation that the tool runs; `None` for the search among tools itself.
    pub operation: Option<&'static Operation>,
    /// The purpose of the tool and when to choose the tool, for a model without other context.
    pub description: &'static str,
    /// The parameters.
    pub params: &'static [&'static Param],
    /// How many of the first parameters are required.
    pub required: usize,
    /// Whether a call changes nothing that a later answer depends on.
    pub read_only: bool,
}

impl Tool {
    /// The required parameters.
    pub fn required(&self) -> &'static [&'static Param] {
        &self.params[..self.required]
    }
}

/// Tools that are listed from the start.
pub const ACTIVE: &[&str] = &["codebase_search", "file_search", "grep_files", "index_status", "tool_search"];

/// Tools that are not listed, but found by `tool_search`, and callable.
pub const DEFERRED: &[&str] = &[
    "find_references",
    "get_context_pack",
    "impact",
    "project_map",
    "read_file",
    "search_batch",
    "skipped_files",
    "symbol_search",
    "touch",
    "trace_symbol",
    "why_not",
];

/// Aliases that are neither listed nor found, but callable without a notice.
pub const HIDDEN: &[&str] = &[
    "analyze_impact",
    "blast_radius",
    "call_graph",
    "call_hierarchy",
    "cat",
    "context_pack",
    "find_all_references",
    "find_callees",
    "find_callers",
    "find_definition",
    "find_implementations",
    "find_referencing_symbols",
    "find_usages",
    "get_call_graph",
    "get_callees",
    "get_callers",
    "get_context",
    "get_definition",
    "get_references",
    "glob",
    "go_to_definition",
    "go_to_implementation",
    "goto_definition",
    "grep",
    "impact_analysis",
    "list_code_usages",
    "open_file",
    "pack_context",
    "read",
    "search_code",
    "view",
    "view_file",
    "who_calls",
];

/// Aliases that are neither listed nor found, but callable; the result's metadata names the replacement.
pub const DEPRECATED: &[&str] = &["code.search", "code.search_batch", "code.status", "semantic_search"];

/// Removed aliases. A call of one fails with an error that names the replacement.
pub const REMOVED: &[&str] = &[];

/// The tools that the profile `minimal` offers beside the listed ones: at most eight tools in all, none that writes.
const MINIMAL_DEFERRED: &[&str] = &["project_map", "search_batch", "why_not"];

/// The parameters of the call itself, which every tool may have beside the rows of its operation.
pub const OF_CALL: &[&Param] = &[&TREE, &MAX_TOKENS];

/// Every tool, sorted by name.
pub const TOOLS: &[Tool] = &[
    Tool {
        id: ToolId::Search,
        name: "codebase_search",
        operation: Some(&SEARCH),
        description: "Find code by what it does, by name or as written: ranked places with path, lines, score, \
                      reasons and code. Start here when you do not know where something is.",
        params: &[
            &QUERY,
            &PATH,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &KIND,
            &MAX_RESULTS,
            &PER_FILE,
            &MIN_SCORE,
            &MODE,
            &EXPAND,
            &DEDUPE,
            &CURSOR,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Files,
        name: "file_search",
        operation: Some(&FIND_FILES),
        description: "Find files by name or path: letters in their order, or a glob such as **/*.rs.",
        params: &[
            &NAME_PATTERN,
            &PATH,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &FILES_RESULTS,
            &CURSOR,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Graph(GraphQuestion::References),
        name: "find_references",
        operation: Some(&REFS),
        description: "Find the uses of a symbol, each resolved to the definition that it means: callers, type uses, \
                      imports, implementations. By name, or by path and line.",
        params: &[
            &TARGET,
            &RELATION,
            &GRAPH_DEPTH,
            &GRAPH_RESULTS,
            &MIN_CONFIDENCE,
            &PATH,
            &LANG,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Pack,
        name: "get_context_pack",
        operation: Some(&PACK),
        description: "Collect code that a task needs: whole functions and types within a budget, with callers and \
                      tests.",
        params: &[
            &TASK,
            &BUDGET,
            &PACK_DETAIL,
            &SEED_FILE,
            &SEED_SYMBOL,
            &PACK_DIFF,
            &PATH,
            &DEDUPE,
            &CURSOR,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Grep,
        name: "grep_files",
        operation: Some(&GREP),
        description: "Find every line that matches a regular expression or a text, in the files as they are now, \
                      counted. Use it when you know what is written; else codebase_search.",
        params: &[
            &PATTERN,
            &PATH,
            &FIXED,
            &IGNORE_CASE,
            &WORD,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &GREP_KIND,
            &RANK,
            &GREP_RESULTS,
            &GREP_EXPAND,
            &CURSOR,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Graph(GraphQuestion::Impact),
        name: "impact",
        operation: Some(&IMPACT),
        description: "What breaks if a symbol, a file or a diff changes: what depends on it, directly and through \
                      calls, and which tests to run.",
        params: &[
            &TARGET,
            &DIFF,
            &GRAPH_DEPTH,
            &GRAPH_RESULTS,
            &MIN_CONFIDENCE,
            &PATH,
            &LANG,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::Status,
        name: "index_status",
        operation: Some(&STATUS),
        description: "Whether the index is ready, indexing, stale or missing: files, languages, what was left out \
                      by reason, files changed since, and the roots served.",
        params: &[&TREE],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::Map,
        name: "project_map",
        operation: Some(&MAP),
        description: "Outline the tree, a folder or a file: what is where, languages, main symbols. For a first \
                      overview of code you do not know.",
        params: &[&PATH, &DEPTH, &MAX_ITEMS, &PATH_GLOB, &EXCLUDE, &LANG, &KIND, &VIEW, &MAX_TOKENS, &TREE],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::Read,
        name: "read_file",
        operation: Some(&READ),
        description: "Read a file with line numbers: all of it, some lines, or one definition by its name.",
        params: &[&READ_PATH, &LINES, &SYMBOL, &VIEW, &MAX_TOKENS, &TREE],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::SearchBatch,
        name: "search_batch",
        operation: Some(&SEARCH),
        description: "Ask several codebase_search queries at once and get one merged, ranked answer. Use it for \
                      different wordings or parts of one question.",
        params: &[
            &QUERY_LIST,
            &PATH,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &KIND,
            &MAX_RESULTS,
            &PER_FILE,
            &MIN_SCORE,
            &MODE,
            &EXPAND,
            &DEDUPE,
            &CURSOR,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::Skipped,
        name: "skipped_files",
        operation: Some(&SKIPPED),
        description: "List the files that were seen and left out of the index, each with its reason: ignored, \
                      binary, too large, generated and so on.",
        params: &[&REASON, &CURSOR, &VIEW, &MAX_TOKENS, &TREE],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::Symbols,
        name: "symbol_search",
        operation: Some(&SYMBOLS),
        description: "Find definitions by name: letters in their order (Pool.take finds Pool.take_permit), by kind and \
                      path; with no pattern, all that a file or folder defines.",
        params: &[
            &SYMBOL_PATTERN,
            &PATH,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &KIND,
            &SYMBOLS_RESULTS,
            &CURSOR,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::ToolSearch,
        name: "tool_search",
        operation: None,
        description: "Find tools that are not listed: several queries at once, why a file is not among the \
                      answers, an outline of the tree. Gives schemas; call them by name.",
        params: &[&TOOL_QUERY],
        required: 0,
        read_only: true,
    },
    Tool {
        id: ToolId::Touch,
        name: "touch",
        operation: Some(&TOUCH),
        description: "Say which files are being read or edited; for a while they weigh more in this session's searches.",
        params: &[&FILES, &TREE],
        required: 1,
        read_only: false,
    },
    Tool {
        id: ToolId::Graph(GraphQuestion::Trace),
        name: "trace_symbol",
        operation: Some(&TRACE),
        description: "Show where a symbol is defined, who calls it and what it calls, with the lines: a call graph \
                      around one function; or the paths of calls to another.",
        params: &[
            &TARGET,
            &TO,
            &GRAPH_DEPTH,
            &GRAPH_RESULTS,
            &MIN_CONFIDENCE,
            &PATH,
            &LANG,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 1,
        read_only: true,
    },
    Tool {
        id: ToolId::WhyNot,
        name: "why_not",
        operation: Some(&WHY_NOT),
        description: "Explain why a file is not among the answers to a query, or where it ranks and what it lacks.",
        params: &[
            &FILE,
            &QUERY,
            &PATH,
            &PATH_GLOB,
            &EXCLUDE,
            &LANG,
            &KIND,
            &MIN_SCORE,
            &VIEW,
            &MAX_TOKENS,
            &TREE,
        ],
        required: 2,
        read_only: true,
    },
];

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
    called_in(ALIASES, name)
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

/// Which tools a server lists, and which it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolProfile {
    /// Every tool is listed.
    Full,
    /// Active tools are listed, and every tool is callable.
    Default,
    /// Lists the same tools as `Default`. Only tools that write nothing are callable, eight at most.
    Minimal,
    /// For programs with tools of their own: only `tool_search` is listed, and every tool is callable.
    Host,
}

impl ToolProfile {
    /// Every profile.
    pub const ALL: [ToolProfile; 4] =
        [ToolProfile::Full, ToolProfile::Default, ToolProfile::Minimal, ToolProfile::Host];

    /// The name of the profile.
    pub fn name(self) -> &'static str {
        match self {
            ToolProfile::Full => "full",
            ToolProfile::Default => "default",
            ToolProfile::Minimal => "minimal",
            ToolProfile::Host => "host",
        }
    }

    /// The profile with that name.
    pub fn by_name(name: &str) -> Option<ToolProfile> {
        ToolProfile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The most tokens that the tool list may take, at four bytes a token.
    pub fn head_budget(self) -> usize {
        match self {
            ToolProfile::Full => 5_200,
            ToolProfile::Default | ToolProfile::Minimal => 1_600,
            ToolProfile::Host => 200,
        }
    }

    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Full => true,
            ToolProfile::Default | ToolProfile::Minimal => ACTIVE.contains(&tool.name),
            ToolProfile::Host => tool.operation.is_none(),
        }
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Minimal => {
                tool.read_only && (self.lists(tool) || MINIMAL_DEFERRED.contains(&tool.name))
            }
            ToolProfile::Full | ToolProfile::Default | ToolProfile::Host => true,
        }
    }

    /// The listed tools, sorted by name.
    pub fn listed(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self.lists(tool))
    }
}

/// The names of profiles.
pub fn profiles() -> Vec<&'static str> {
    ToolProfile::ALL.iter().map(|profile| profile.name()).collect()
}

/// The tools of a profile that match a query and are not listed from the start, best first; all of them for a query
/// without words.
///
/// A query word that matches the name counts most, one in the description less, and a match of only a common prefix
/// (`search` and `searches`) least. So few tools need nothing more elaborate.
pub fn find(profile: ToolProfile, query: &str) -> Vec<&'static Tool> {
    let wanted = words(query);
    let mut found: Vec<(usize, &Tool)> = TOOLS
        .iter()
        .filter(|tool| profile.offers(tool) && !profile.lists(tool) && tool.operation.is_some())
        .map(|tool| (worth(tool, &wanted), tool))
        .filter(|(worth, _)| *worth > 0 || wanted.is_empty())
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.name.cmp(b.1.name)));
    found.into_iter().map(|(_, tool)| tool).collect()
}

fn worth(tool: &Tool, wanted: &[String]) -> usize {
    let (name, description) = (words(tool.name), words(tool.description));
    let alike = |a: &str, b: &str| a.len() >= 4 && b.len() >= 4 && (a.starts_with(b) || b.starts_with(a));
    let of = |word: &String| {
        if name.contains(word) {
            4
        } else if description.contains(word) {
            2
        } else {
            usize::from(name.iter().chain(&description).any(|own| alike(own, word)))
        }
    };
    wanted.iter().map(of).sum()
}

/// Stop words, which say nothing about a tool.
const EMPTY_WORDS: &[&str] =
    &["a", "an", "and", "at", "by", "for", "in", "is", "it", "of", "or", "the", "to"];

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::aliases::AliasState;
    use super::super::faces::Faces;
    use super::super::row::Listed;
    use super::*;

    #[test]
    fn the_sets_name_every_tool_and_alias_once() {
        let sets = [
            (ACTIVE, None),
            (DEFERRED, None),
            (HIDDEN, Some(AliasState::Hidden)),
            (DEPRECATED, Some(AliasState::Deprecated)),
            (REMOVED, Some(AliasState::Removed)),
        ];
        let mut seen = HashSet::new();
        for (names, state) in sets {
            assert!(names.is_sorted(), "{names:?}");
            for name in names {
                assert!(seen.insert(*name), "{name} is in two sets");
                let alias = ALIASES.iter().find(|alias| alias.name == *name);
                assert_eq!(alias.map(|alias| alias.state), state, "{name}");
                assert_eq!(tool(name).is_some(), state.is_none(), "{name}");
            }
        }
        let names = TOOLS.iter().map(|tool| tool.name).chain(ALIASES.iter().map(|alias| alias.name));
        assert_eq!(names.collect::<HashSet<_>>(), seen);
        assert!(TOOLS.is_sorted_by_key(|tool| tool.name) && ALIASES.is_sorted_by_key(|alias| alias.name));
    }

    fn rows(tool: &Tool) -> &'static [Listed] {
        tool.operation.map(|operation| operation.params).unwrap_or_default()
    }

    fn is_same(one: &Param, other: &Param) -> bool {
        (one.name, one.help) == (other.name, other.help)
    }

    #[test]
    fn parameters_are_rows_of_the_operation() {
        for tool in TOOLS {
            for param in tool.params {
                let is_row =
                    rows(tool).iter().any(|row| is_same(row.param, param) && row.faces != Faces::CommandLine);
                let is_of_call = OF_CALL.iter().chain(&[&TOOL_QUERY]).any(|own| is_same(own, param));
                assert!(is_row || is_of_call, "{} of {}", param.name, tool.name);
            }
            let same =
                |other: &&Tool| other.operation.map(|row| row.name) == tool.operation.map(|row| row.name);
            let params: Vec<&Param> =
                TOOLS.iter().filter(same).flat_map(|tool| tool.params).copied().collect();
            for row in rows(tool).iter().filter(|row| row.faces != Faces::CommandLine) {
                let is_taken = params.iter().any(|param| is_same(param, row.param));
                assert!(is_taken, "no tool of {} takes {}", tool.name, row.param.name);
            }
        }
    }

    #[test]
    fn no_two_tools_do_the_same() {
        let mut seen = HashSet::new();
        for tool in TOOLS {
            let asks = tool.required().first().map(|param| param.name);
            assert!(seen.insert((tool.operation.map(|row| row.name), asks)), "{}", tool.name);
        }
    }

    #[test]
    fn profiles_gate() {
        let listed = |profile: ToolProfile| profile.listed().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(listed(ToolProfile::Default), ACTIVE);
        assert_eq!(listed(ToolProfile::Minimal), ACTIVE);
        assert_eq!(listed(ToolProfile::Host), ["tool_search"]);
        assert_eq!(listed(ToolProfile::Full).len(), TOOLS.len());
        let minimal: Vec<&Tool> = TOOLS.iter().filter(|tool| ToolProfile::Minimal.offers(tool)).collect();
        assert!(minimal.len() <= 8 && minimal.iter().all(|tool| tool.read_only), "{minimal:?}");
        for profile in ToolProfile::ALL {
            assert!(profile.listed().all(|tool| profile.offers(tool)));
            assert_eq!(ToolProfile::by_name(profile.name()), Some(profile));
        }
    }

    #[test]
    fn tools_are_found_by_their_words_and_aliases_never() {
        let found =
            |query: &str| find(ToolProfile::Default, query).iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(found("several queries at once")[0], "search_batch");
        assert_eq!(found("why is a file missing from the answers")[0], "why_not");
        assert_eq!(found("outline of the project")[0], "project_map");
        assert_eq!(found("which files were left out")[0], "skipped_files");
        assert_eq!(found("uses and implementations of a type")[0], "find_references");
        assert_eq!(found("who calls a function")[0], "trace_symbol");
        assert_eq!(found("what breaks if I change this")[0], "impact");
        assert_eq!(found("call graph")[0], "trace_symbol");
        assert_eq!(found("zebra"), Vec::<&str>::new());
        assert_eq!(found(""), DEFERRED);
        assert_eq!(find(ToolProfile::Host, "").len(), TOOLS.len() - 1);
        for alias in ALIASES {
            for name in found(alias.name).into_iter().chain(found(&format!("{} tool", alias.why))) {
                assert!(tool(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn a_removed_name_is_told_from_one_that_never_was() {
        const TABLE: &[Alias] = &[
            Alias { state: AliasState::Removed, name: "old", ..ALIASES[0] },
            Alias { state: AliasState::Hidden, name: "older", ..ALIASES[0] },
        ];
        assert!(matches!(called_in(TABLE, "old"), CallTarget::Removed(alias) if alias.name == "old"));
        assert!(matches!(called_in(TABLE, "older"), CallTarget::Tool(_, Some(_))));
        assert!(matches!(called_in(TABLE, "oldest"), CallTarget::Unknown));
        assert!(matches!(called_in(TABLE, "touch"), CallTarget::Tool(_, None)));
    }
}
