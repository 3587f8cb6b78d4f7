//! The parameters: name, type, default and help of each.
//!
//! A parameter says how a caller spells a value and what the value means. [Rows](super::Row) say into which field of
//! which request the value goes. The parameters of the exact search are in [`grep`](super::grep), those that only tools
//! have in [`tools`](super::tools).

use super::choice;
use super::param::{Param, Positional, Takes, param};
use crate::engine::api::{Mode, StalePolicy};
use crate::model::{SkipReason, SymbolKind};

/// The search query.
pub const QUERY: Param = Param {
    positional: Positional::Required,
    ..param("query", Takes::Texts, "What the code does, a name, or a piece of code")
};
/// Several queries in one.
pub const QUERIES: Param =
    param("queries", Takes::Text, "Several queries separated by |, answered as one: merged, best score kept");
/// The number of hits on a page.
pub const MAX_RESULTS: Param = Param {
    aliases: &["limit"],
    short: Some('n'),
    default: Some("10"),
    ..param("max_results", Takes::Number(1, 50), "Hits a page, 1 to 50")
};
/// The folder or file to search.
pub const PATH: Param =
    param("path", Takes::Path, "Only this folder or file; an absolute one chooses the tree");
/// A filter by path: globs to include.
pub const PATH_GLOB: Param = Param {
    aliases: &["glob"],
    ..param("path_glob", Takes::Repeated, "Only paths like 'src/**/*.rs'; without / the file name")
};
/// A filter by path: globs to exclude.
pub const EXCLUDE: Param =
    param("exclude", Takes::Repeated, "Leave out paths with this text, in any case; separate several by |");
/// A filter by language.
pub const LANG: Param = Param {
    aliases: &["language"],
    ..param("lang", Takes::List, "Only this language, such as rust; separate several by commas")
};
/// A filter by kind of symbol or chunk.
pub const KIND: Param = Param {
    aliases: &["chunk_type"],
    ..param(
        "kind",
        Takes::Choices(choice::names::<SymbolKind>),
        "Only this kind of symbol or chunk; separate several by commas",
    )
};
/// Lines of context around a hit.
pub const EXPAND: Param = Param {
    default: Some("0"),
    ..param("expand", Takes::Number(0, u32::MAX as u64), "Lines of context before and after")
};
/// The lowest score of a hit.
pub const MIN_SCORE: Param = Param {
    default: Some("0"),
    ..param("min_score", Takes::Fraction, "Leave out hits below this score, 0 to 1; literal hits stay")
};
/// The most hits of one file before further files.
pub const PER_FILE: Param = Param {
    default: Some("10"),
    ..param("per_file", Takes::Number(1, u32::MAX as u64), "Hits of one file; further ones come after")
};
/// Every file that contains the query literally.
pub const EXHAUSTIVE: Param = param(
    "exhaustive",
    Takes::Nothing,
    "Every file that holds the query as written is a hit, however long it takes; pages hold up to 1000",
);
/// The amount of detail of a hit.
pub const MODE: Param = Param {
    default: Some("default"),
    ..param(
        "mode",
        Takes::Choice(choice::names::<Mode>),
        "compact: one line a hit; default: a snippet; debug: chunk and every signal",
    )
};
/// The cursor of the next page.
pub const CURSOR: Param = param("cursor", Takes::Text, "The last page's 'next'");
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
pub const STALE_POLICY: Param = Param {
    default: Some("refresh"),
    ..param(
        "stale_policy",
        Takes::Choice(choice::names::<StalePolicy>),
        "Changes since indexing: refresh indexes them, wait does too and waits for another process, warn counts \
         them, error fails, ignore does not look",
    )
};
/// A revision other than the worktree.
pub const VIEW: Param = param("view", Takes::Text, "Of this branch, tag or commit");
/// Short for the stale policy `ignore`.
pub const NO_REFRESH: Param =
    param("no_refresh", Takes::Nothing, "Answer from the index as it is, the same as --stale-policy ignore");
/// Fails on a missing index instead of building it.
pub const REQUIRE_INDEX: Param =
    param("require_index", Takes::Nothing, "Fail when there is no index, instead of making it first");
/// Waits for the complete index.
pub const WAIT_FOR_INDEX: Param = param(
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
pub const MAX_MEMORY: Param = param(
    "max_memory",
    Takes::Bytes,
    "Memory that indexing keeps to, at least 64M (bytes, or with K, M, G); else 200M and 700 bytes a file, and up to 256M more for large trees. Never changes an answer",
);
/// Hidden files.
pub const HIDDEN: Param =
    param("hidden", Takes::Nothing, "Index files and folders whose name begins with a dot");
/// Ignored files.
pub const NO_IGNORE: Param = param(
    "no_ignore",
    Takes::Nothing,
    "Index what ignore files leave out: .gitignore, .ignore, .spyhopignore, git's excludes",
);
/// Files that the built-in rules skip, such as build products.
pub const NO_BUILT_IN: Param = param(
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
pub const MAX_FILE_SIZE: Param = Param {
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
    "A folder of grammar manifests that replace built-in ones of the same name",
);
/// The ranking profile.
pub const PROFILE: Param = param(
    "profile",
    Takes::Path,
    "Rank by the weights in this file instead of the built-in ones; eval/README.md tells how to fit one",
);
/// A full rebuild.
pub const REBUILD: Param =
    param("rebuild", Takes::Nothing, "Forget what is indexed and index everything again");
/// A path whose skip rule is explained.
pub const EXPLAIN_SKIPS: Param = param(
    "explain_skips",
    Takes::Path,
    "Say which line of which ignore file, which rule or measure leaves this path out, or that nothing does",
);
/// A filter by skip reason.
pub const REASON: Param =
    param("reason", Takes::Choice(choice::names::<SkipReason>), "Only what was left out for this reason");
/// The file that a search was expected to find.
pub const FILE: Param = Param {
    positional: Positional::Required,
    ..param("file", Takes::Path, "The file that was expected to answer")
};
/// Files that are being worked on.
pub const FILES: Param = Param {
    positional: Positional::Required,
    ..param("files", Takes::Paths, "Files that are being worked on")
};
/// The pattern for file names.
pub const NAME_PATTERN: Param = Param {
    positional: Positional::Optional,
    ..param(
        "pattern",
        Takes::Texts,
        "Letters of the name or path in order, some left out; every word must match; a glob if it holds * ? or [; \
         empty for all files",
    )
};
/// Whether scattered matches are listed.
pub const ALL_MATCHES: Param = param(
    "all",
    Takes::Nothing,
    "Also files in whose paths the letters are scattered, behind better matches",
);
/// The number of files on a page.
pub const FILES_RESULTS: Param = Param {
    default: Some("20"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Files a page, 1 to 1000", ..MAX_RESULTS }
};
/// The pattern for names of definitions.
pub const SYMBOL_PATTERN: Param = Param {
    positional: Positional::Optional,
    ..param(
        "pattern",
        Takes::Texts,
        "Letters of the name in order, some left out, its container before it if you like: Pool.take; every word must \
         match; a glob if it holds * ? or [; empty for all definitions",
    )
};
/// The number of definitions on a page.
pub const SYMBOLS_RESULTS: Param = Param {
    default: Some("20"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Definitions a page, 1 to 1000", ..MAX_RESULTS }
};
/// The size limit of a map.
pub const MAX_ITEMS: Param = Param {
    aliases: &["limit"],
    short: Some('n'),
    default: Some("200"),
    ..param("max_items", Takes::Number(1, 5_000), "Folders, files and symbols together, 1 to 5000")
};
/// The depth limit of a map.
pub const DEPTH: Param = Param {
    default: Some("2"),
    ..param("depth", Takes::Number(0, u32::MAX as u64), "Folders deep; what lies deeper is summed up above")
};

/// The file to read.
pub const READ_PATH: Param = Param {
    positional: Positional::Optional,
    ..param("path", Takes::Path, "The file, a place (path:12, path:12-40), or the name of a definition")
};
/// The lines to read.
pub const LINES: Param = param("lines", Takes::Text, "Only these lines: 10-40, 10- or 10");
/// The definition to read.
pub const SYMBOL: Param =
    param("symbol", Takes::Text, "Only this definition, such as Class.method; needs no path");

/// Fails instead of waiting for another process.
pub const NO_WAIT: Param = param(
    "no_wait",
    Takes::Nothing,
    "Fail at once when another process is changing the index, instead of waiting for it",
);

/// Parses a large tree at once, instead of indexing its text first.
pub const WAIT: Param = param(
    "wait",
    Takes::Nothing,
    "Parse a large tree at once, instead of making all of its text searchable first: the index is complete \
           sooner, and nothing answers before it has got somewhere",
);

/// Reports what would be done, without doing it.
pub const DRY_RUN: Param = param("dry_run", Takes::Nothing, "Only say what would go");

/// The size limit of all indexes together.
pub const MAX_BYTES: Param = param(
    "max_bytes",
    Takes::Bytes,
    "Also drop the least recently used views, then other trees' indexes, until all take no more than this (bytes, or \
     with K, M, G)",
);
/// The archive file of an exported index.
pub const ARCHIVE: Param = Param {
    positional: Positional::Required,
    ..param("archive", Takes::Path, "The file that the index travels in")
};
/// Exports the views of all branches.
pub const ALL_VIEWS: Param = param(
    "all_views",
    Takes::Nothing,
    "Export every branch of this tree that is indexed, not only the current one",
);
/// Exports the sources of the ranked files too.
pub const WITH_SNIPPETS: Param = param(
    "with_snippets",
    Takes::Nothing,
    "Export the sources of the ranked files as well, to be searched where the tree is not",
);
/// Imports an index whose tree is elsewhere.
pub const WITHOUT_SOURCES: Param = param(
    "without_sources",
    Takes::Nothing,
    "The tree is not here: answer from the file alone, which was exported with snippets",
);
/// Replaces an existing index.
pub const FORCE: Param = param("force", Takes::Nothing, "Replace the index that this tree has");

/// The root to search; over MCP, one of the roots given at start.
pub const TREE: Param = param("root", Takes::Path, "A root of the server; else the first");

/// The size limit of a reply.
pub const MAX_TOKENS: Param = Param {
    default: Some("4000"),
    ..param("max_tokens", Takes::Number(100, 100_000), "Most tokens of text (bytes / 4)")
};

/// Refers to code that was sent before instead of sending it again.
pub const DEDUPE: Param = param("dedupe", Takes::Nothing, "Only refer to code sent before");

/// Several queries as a list.
pub const QUERY_LIST: Param = Param {
    takes: Takes::Repeated,
    help: "Several queries, answered as one: merged, best score kept",
    ..QUERIES
};

/// The task of the agent.
pub const TOOL_QUERY: Param =
    param("query", Takes::Text, "What you want to do, in a few words; without it every tool is shown");
