//! The parameters: name, type, default and help of each.
//!
//! A parameter says how a caller spells a value and what the value means. [Rows](super::Row) say into which field of
//! which request the value goes. Parameters of one operation are in the file of
//! its rows; this file has those that several operations share.

use super::choice;
use super::param::{Param, Positional, Takes, param};
use spyhop_base::model::SymbolKind;
use spyhop_engine::api::StalePolicy;

/// Several queries in one.
pub const QUERIES: Param =
    param("queries", Takes::Text, "Several queries separated by |, answered as one: merged, best score kept");
/// Several queries as a list.
pub(crate) const QUERY_LIST: Param = Param {
    takes: Takes::Repeated,
    help: "Several queries, answered as one: merged, best score kept",
    ..QUERIES
};
/// A change to start from.
pub(crate) const PACK_DIFF: Param = param("diff", Takes::Text, "Start from a change");
/// The search query.
pub const QUERY: Param = Param {
    positional: Positional::Required,
    ..param("query", Takes::Texts, "What the code does, a name, or a piece of code")
};
/// The number of hits on a page.
pub const MAX_RESULTS: Param = Param {
    aliases: &["limit"],
    short: Some('n'),
    default: Some("10"),
    ..param("max_results", Takes::Number(1, 50), "Hits a page, 1 to 50")
};
/// The folder or file to search.
pub const PATH: Param = param("path", Takes::Path, "A folder or file; absolute: also the tree");
/// A filter by path: globs to include.
pub const PATH_GLOB: Param = Param {
    aliases: &["glob"],
    ..param("path_glob", Takes::Repeated, "As src/**/*.rs; without / the file name")
};
/// A filter by path: globs to exclude.
pub(crate) const EXCLUDE: Param =
    param("exclude", Takes::Repeated, "No paths with this text; separate several by |");
/// A filter by language.
pub const LANG: Param =
    Param { aliases: &["language"], ..param("lang", Takes::List, "Language; separate several by commas") };
/// A filter by kind of symbol or chunk.
pub const KIND: Param = Param {
    aliases: &["chunk_type"],
    ..param("kind", Takes::Choices(choice::names::<SymbolKind>), "Only this kind; separate several by commas")
};
/// The lowest score of a hit.
pub(crate) const MIN_SCORE: Param = Param {
    default: Some("0"),
    ..param("min_score", Takes::Fraction, "Least score, 0 to 1; literal hits stay")
};
/// The cursor of the next page.
pub const CURSOR: Param = param("cursor", Takes::Text, "Last page's 'next'");
/// The root of the tree.
pub const ROOT: Param = param(
    "root",
    Takes::Path,
    "The tree, exactly this folder; else the nearest git repository above, else the current folder",
);
/// Another folder for the index.
pub const INDEX_DIR: Param =
    param("index_dir", Takes::Path, "Where indexes lie; else SPYHOP_INDEX_DIR, else the user's cache folder");
/// Another folder for the index, by the name that other systems taught agents.
pub const DB: Param = param(
    "db",
    Takes::Path,
    "Where indexes lie, a relative folder below the tree; as other systems name the option",
);
/// `DB` as a parameter of a tool, which has no current folder.
pub const TOOL_DB: Param = Param { aliases: &["index_dir"], ..DB };
/// The current folder in place of the whole tree.
pub const HERE: Param = param("here", Takes::Nothing, "Only the current folder");
/// The policy for files that changed after the last update.
pub(crate) const STALE_POLICY: Param = Param {
    default: Some("refresh"),
    ..param(
        "stale_policy",
        Takes::Choice(choice::names::<StalePolicy>),
        "Changes since indexing: refresh indexes them, wait does too and waits for another process, warn counts \
         them, error fails, ignore does not look",
    )
};
/// A revision other than the worktree.
pub const VIEW: Param = param("view", Takes::Text, "Branch, tag or commit");
/// Short for the stale policy `ignore`.
pub(crate) const NO_REFRESH: Param =
    param("no_refresh", Takes::Nothing, "Answer from the index as it is, the same as --stale-policy ignore");
/// Fails on a missing index instead of building it.
pub(crate) const REQUIRE_INDEX: Param =
    param("require_index", Takes::Nothing, "Fail when there is no index, instead of making it first");
/// Waits for the complete index.
pub(crate) const WAIT_FOR_INDEX: Param = param(
    "wait",
    Takes::Nothing,
    "Answer from the complete index only, the same as --stale-policy wait; else the text of a large tree answers first",
);
/// The number of threads.
pub const THREADS: Param = param(
    "threads",
    Takes::Number(1, 1024),
    "Threads for indexing; else one a core. Never changes an answer",
);
/// The memory limit of an update.
pub(crate) const MAX_MEMORY: Param = param(
    "max_memory",
    Takes::Bytes,
    "Memory that indexing keeps to, at least 64M (bytes, or with K, M, G); else 200M and 700 bytes a file, and up to 256M more for large trees. Never changes an answer",
);
/// Hidden files.
pub const HIDDEN: Param =
    param("hidden", Takes::Nothing, "Index files and folders whose name begins with a dot");
/// Ignored files.
pub(crate) const NO_IGNORE: Param = param(
    "no_ignore",
    Takes::Nothing,
    "Index what ignore files leave out: .gitignore, .ignore, .spyhopignore, git's excludes",
);
/// Files that the built-in rules skip, such as build products.
pub(crate) const NO_BUILT_IN: Param = param(
    "no_built_in",
    Takes::Nothing,
    "Index what built-in rules leave out: build products, lock files, generated and minified code",
);
/// Files of secrets.
pub const SECRETS: Param = param(
    "secrets",
    Takes::Nothing,
    "Index files that hold secrets by their names, such as .env or *.pem; values are masked all the same",
);
/// Output without masks over secrets.
pub const SHOW_SECRETS: Param = param(
    "show_secrets",
    Takes::Nothing,
    "Show passwords, keys and tokens as they are, instead of masking them",
);
/// The size limit of files whose text is indexed.
pub(crate) const MAX_FILE_SIZE: Param = Param {
    default: Some("1M"),
    ..param(
        "max_file_size",
        Takes::Bytes,
        "Files above this size are found by path only (bytes, or with K, M, G)",
    )
};
/// The folder of a user's grammars.
pub const GRAMMARS: Param = param(
    "grammars",
    Takes::Path,
    "A folder of grammars, each in place of the built-in one of its name or new; else .spyhop/grammars of the tree",
);
/// The ranking profile.
pub const PROFILE: Param = param(
    "profile",
    Takes::Path,
    "Rank by the weights in this file instead of the built-in ones; eval/README.md tells how to fit one",
);
/// A path whose skip rule is explained.
pub const EXPLAIN_SKIPS: Param = param(
    "explain_skips",
    Takes::Path,
    "Say which line of which ignore file, which rule or measure leaves this path out, or that nothing does",
);

/// The root to search; over MCP, one of the roots given at start.
pub const TREE: Param = param("root", Takes::Path, "Else the first");

/// The size limit of a reply.
pub const MAX_TOKENS: Param =
    Param { default: Some("4000"), ..param("max_tokens", Takes::Number(100, 100_000), "Most tokens") };

/// The task of the agent.
pub const TOOL_QUERY: Param = param("query", Takes::Text, "What you want to do; without it all tools");
