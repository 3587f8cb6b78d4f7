//! The tools for agents: names, descriptions, and when each is listed.
//!
//! This module owns the list of tools as data. A tool's parameters are rows of its operation, so they mean the same as
//! everywhere else. The state of a name is in the constant sets below and not in each tool, so that a change of the
//! list is one small diff. Other systems' names are in [`aliases`](super::aliases). Nothing here is computed from an
//! index or a tree: the tool list of a profile has the same bytes in every run.

use super::aliases::{ALIASES, Alias};
use super::grep::{FIXED, GREP, GREP_EXPAND, GREP_KIND, GREP_RESULTS, IGNORE_CASE, PATTERN, RANK, WORD};
use super::{
    CURSOR, DEPTH, EXCLUDE, EXPAND, FILE, FILES, FILES_RESULTS, FIND_FILES, KIND, LANG, MAP, MAX_ITEMS,
    MAX_RESULTS, MIN_SCORE, MODE, NAME_PATTERN, Operation, PATH, PATH_GLOB, PER_FILE, Param, QUERIES, QUERY,
    REASON, SEARCH, SKIPPED, STATUS, SYMBOL_PATTERN, SYMBOLS, SYMBOLS_RESULTS, TOUCH, Takes, VIEW, WHY_NOT,
    param,
};

/// A tool that an agent can call.
#[derive(Debug)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// The operation that the tool runs; `None` for the search among tools itself.
    pub operation: Option<&'static Operation>,
    /// What the tool does and when to choose it, for a reader without other context.
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
pub const DEFERRED: &[&str] =
    &["project_map", "search_batch", "skipped_files", "symbol_search", "touch", "why_not"];

/// Aliases that are neither listed nor found, but callable without a notice.
pub const HIDDEN: &[&str] = &["glob", "grep", "search_code"];

/// Aliases that are neither listed nor found, but callable; the result's metadata names the replacement.
pub const DEPRECATED: &[&str] = &["code.search", "code.search_batch", "code.status", "semantic_search"];

/// Aliases that are no longer callable: the error names the replacement.
pub const REMOVED: &[&str] = &[];

/// The tools that the profile `minimal` offers beside the listed ones: at most eight tools in all, none that writes.
const MINIMAL_DEFERRED: &[&str] = &["project_map", "search_batch", "why_not"];

/// The root to search; over MCP, one of the roots given at start.
pub const TREE: Param = param("root", Takes::Path, "One of the server's roots; else the first");

/// The size limit of a reply.
pub const MAX_TOKENS: Param = Param {
    default: Some("4000"),
    ..param(
        "max_tokens",
        Takes::Number(100, 100_000),
        "Most tokens of text (bytes / 4); more on the next page",
    )
};

/// Refers to code that was sent before instead of sending it again.
pub const DEDUPE: Param = param("dedupe", Takes::Nothing, "Only refer to code sent before");

/// Several queries as a list.
pub const QUERY_LIST: Param = Param {
    takes: Takes::Repeated,
    help: "Several queries, answered as one: merged, best score kept",
    ..QUERIES
};

/// What the agent wants to do.
pub const TOOL_QUERY: Param =
    param("query", Takes::Text, "What you want to do, in a few words; without it every tool is shown");

/// The parameters that only tools have. Every other parameter is a row of the tool's operation.
pub const TOOLS_ONLY: &[&Param] = &[&TREE, &MAX_TOKENS, &QUERY_LIST, &TOOL_QUERY, &CURSOR, &DEDUPE];

/// The parameters of operations that tools do not have. A tool for one query has no second way to send several; the
/// stale policy is fixed when the server starts; `why_not` tells why a file is left out; `grep_files` finds every place
/// that contains a text; and secrets are never shown to a model.
pub const NOT_FOR_TOOLS: &[&str] = &[
    "query",
    "queries",
    "stale_policy",
    "no_refresh",
    "require_index",
    "explain_skips",
    "exhaustive",
    "regexp",
    "case_sensitive",
    "smart_case",
    "line_regexp",
    "invert_match",
    "multiline",
    "multiline_dotall",
    "max_count",
    "after",
    "before",
    "count",
    "count_matches",
    "files_with_matches",
    "files_without_match",
    "only_matching",
    "line_number",
    "no_line_number",
    "column",
    "heading",
    "no_heading",
    "with_filename",
    "no_filename",
    "rg_json",
    "glob",
    "brute",
    "explain_plan",
    "show_secrets",
];

/// Every tool, sorted by name.
pub const TOOLS: &[Tool] = &[
    Tool {
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
        name: "index_status",
        operation: Some(&STATUS),
        description: "Whether the index is ready, indexing, stale or missing: files, languages, what was left out \
                      by reason, files changed since, and the roots served.",
        params: &[&TREE],
        required: 0,
        read_only: true,
    },
    Tool {
        name: "project_map",
        operation: Some(&MAP),
        description: "Outline the tree, a folder or a file: what is where, languages, main symbols. For a first \
                      overview of code you do not know.",
        params: &[&PATH, &DEPTH, &MAX_ITEMS, &PATH_GLOB, &EXCLUDE, &LANG, &KIND, &VIEW, &MAX_TOKENS, &TREE],
        required: 0,
        read_only: true,
    },
    Tool {
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
        name: "skipped_files",
        operation: Some(&SKIPPED),
        description: "List the files that were seen and left out of the index, each with its reason: ignored, \
                      binary, too large, generated and so on.",
        params: &[&REASON, &CURSOR, &VIEW, &MAX_TOKENS, &TREE],
        required: 0,
        read_only: true,
    },
    Tool {
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
        name: "tool_search",
        operation: None,
        description: "Find tools that are not listed: several queries at once, why a file is not among the \
                      answers, an outline of the tree. Gives schemas; call them by name.",
        params: &[&TOOL_QUERY],
        required: 0,
        read_only: true,
    },
    Tool {
        name: "touch",
        operation: Some(&TOUCH),
        description: "Say which files are being read or edited; for a while they weigh more in this session's searches.",
        params: &[&FILES, &TREE],
        required: 1,
        read_only: false,
    },
    Tool {
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
        Some(alias) if alias.state == super::aliases::State::Removed => CallTarget::Removed(alias),
        Some(alias) => {
            tool(alias.canonical).map_or(CallTarget::Unknown, |tool| CallTarget::Tool(tool, Some(alias)))
        }
        None => CallTarget::Unknown,
    }
}

/// Which tools a server lists, and which it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Every tool is listed.
    Full,
    /// Active tools are listed, and every tool is callable.
    Default,
    /// Lists the same tools as `Default`. Only tools that write nothing are callable, eight at most.
    Minimal,
    /// For programs with tools of their own: only `tool_search` is listed, and every tool is callable.
    Host,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 4] = [Profile::Full, Profile::Default, Profile::Minimal, Profile::Host];

    /// The name of the profile.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Full => "full",
            Profile::Default => "default",
            Profile::Minimal => "minimal",
            Profile::Host => "host",
        }
    }

    /// The profile with that name.
    pub fn by_name(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The most tokens that the tool list may take, at four bytes a token.
    pub fn head_budget(self) -> usize {
        match self {
            Profile::Full => 3_800,
            Profile::Default | Profile::Minimal => 1_600,
            Profile::Host => 200,
        }
    }

    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        match self {
            Profile::Full => true,
            Profile::Default | Profile::Minimal => ACTIVE.contains(&tool.name),
            Profile::Host => tool.operation.is_none(),
        }
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        match self {
            Profile::Minimal => tool.read_only && (self.lists(tool) || MINIMAL_DEFERRED.contains(&tool.name)),
            Profile::Full | Profile::Default | Profile::Host => true,
        }
    }

    /// The listed tools, sorted by name.
    pub fn listed(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self.lists(tool))
    }
}

/// The names of profiles.
pub fn profiles() -> Vec<&'static str> {
    Profile::ALL.iter().map(|profile| profile.name()).collect()
}

/// The tools of a profile that match a query, best first; every tool for a query without words.
///
/// A query word that matches the name counts most, one in the description less, and a match of only a common prefix
/// (`search` and `searches`) least. So few tools need nothing more elaborate.
pub fn find(profile: Profile, query: &str) -> Vec<&'static Tool> {
    let wanted = words(query);
    let mut found: Vec<(usize, &Tool)> = TOOLS
        .iter()
        .filter(|tool| profile.offers(tool) && tool.operation.is_some())
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

    use super::super::aliases::State;
    use super::*;

    #[test]
    fn the_sets_name_every_tool_and_alias_once() {
        let sets = [
            (ACTIVE, None),
            (DEFERRED, None),
            (HIDDEN, Some(State::Hidden)),
            (DEPRECATED, Some(State::Deprecated)),
            (REMOVED, Some(State::Removed)),
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

    #[test]
    fn parameters_are_rows_of_the_operation() {
        for tool in TOOLS {
            let rows = tool.operation.map(|operation| operation.params).unwrap_or_default();
            let names = |params: &[&Param]| params.iter().map(|param| param.name).collect::<HashSet<_>>();
            for param in tool.params {
                let is_row = rows.iter().any(|row| std::ptr::eq(*row, *param) || row.help == param.help);
                let own = TOOLS_ONLY.iter().any(|own| own.name == param.name && own.help == param.help);
                assert!(is_row || own, "{} of {}", param.name, tool.name);
            }
            for left_out in names(rows).difference(&names(tool.params)) {
                assert!(NOT_FOR_TOOLS.contains(left_out), "{left_out} of {}", tool.name);
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
        let listed = |profile: Profile| profile.listed().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(listed(Profile::Default), ACTIVE);
        assert_eq!(listed(Profile::Minimal), ACTIVE);
        assert_eq!(listed(Profile::Host), ["tool_search"]);
        assert_eq!(listed(Profile::Full).len(), TOOLS.len());
        let minimal: Vec<&Tool> = TOOLS.iter().filter(|tool| Profile::Minimal.offers(tool)).collect();
        assert!(minimal.len() <= 8 && minimal.iter().all(|tool| tool.read_only), "{minimal:?}");
        for profile in Profile::ALL {
            assert!(profile.listed().all(|tool| profile.offers(tool)));
            assert_eq!(Profile::by_name(profile.name()), Some(profile));
        }
    }

    #[test]
    fn tools_are_found_by_their_words_and_aliases_never() {
        let found =
            |query: &str| find(Profile::Default, query).iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(found("several queries at once")[0], "search_batch");
        assert_eq!(found("why is a file missing from the answers")[0], "why_not");
        assert_eq!(found("outline of the project")[0], "project_map");
        assert_eq!(found("which files were left out")[0], "skipped_files");
        assert_eq!(found("zebra"), Vec::<&str>::new());
        assert_eq!(found("").len(), TOOLS.len() - 1);
        for alias in ALIASES {
            for name in found(alias.name).into_iter().chain(found(&format!("{} tool", alias.why))) {
                assert!(tool(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn a_removed_name_is_told_from_one_that_never_was() {
        const TABLE: &[Alias] = &[
            Alias { state: State::Removed, name: "old", ..ALIASES[0] },
            Alias { state: State::Hidden, name: "older", ..ALIASES[0] },
        ];
        assert!(matches!(called_in(TABLE, "old"), CallTarget::Removed(alias) if alias.name == "old"));
        assert!(matches!(called_in(TABLE, "older"), CallTarget::Tool(_, Some(_))));
        assert!(matches!(called_in(TABLE, "oldest"), CallTarget::Unknown));
        assert!(matches!(called_in(TABLE, "touch"), CallTarget::Tool(_, None)));
    }
}
