//! The catalog: one row for each operation, with its names, help and parameters.
//!
//! Every front end reads its argument list, help and schema from these rows, so a parameter has the same name, default
//! and description everywhere. Options of a single front end (colours, output formats) belong to that front end and not
//! here. A row describes what a caller can ask for, not how the operation runs. The engine checks values, because a
//! second check would sooner or later disagree with the first. The ranges here are for display.

pub mod aliases;
pub mod grep;
pub mod schema;
pub mod tools;

use crate::model::{SkipReason, SymbolKind};
use grep::GREP;

/// An operation that a user can call.
#[derive(Debug)]
pub struct Operation {
    /// The name: a verb, or the kind of result.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// What the operation does, in a line.
    pub help: &'static str,
    /// The parameters, the most important first.
    pub params: &'static [&'static Param],
}

/// A parameter of an operation.
#[derive(Debug)]
pub struct Param {
    /// The name, with `_` between words; a command line writes `-`.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// A one-letter name, for command lines.
    pub short: Option<char>,
    /// The type of the value.
    pub takes: Takes,
    /// The default value; `None` where there is none.
    pub default: Option<&'static str>,
    /// What the parameter does, in a line.
    pub help: &'static str,
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// No value: a flag that is on when given.
    Nothing,
    /// A text.
    Text,
    /// Texts, at least one.
    Texts,
    /// A text that may be given more than once.
    Repeated,
    /// Words, separated by commas or given more than once.
    List,
    /// One of a fixed set of words.
    Choice(fn() -> Vec<&'static str>),
    /// Any of a fixed set of words, separated by commas or given more than once.
    Choices(fn() -> Vec<&'static str>),
    /// A whole number in this inclusive range.
    Number(u64, u64),
    /// A number from 0 to 1.
    Fraction,
    /// A number of bytes, optionally with a suffix K, M or G for powers of 1024.
    Bytes,
    /// A file or folder.
    Path,
    /// Files or folders, at least one.
    Paths,
}

const fn param(name: &'static str, takes: Takes, help: &'static str) -> Param {
    Param { name, aliases: &[], short: None, takes, default: None, help }
}

/// The search query.
pub const QUERY: Param = param("query", Takes::Texts, "What the code does, a name, or a piece of code");
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
    param("path", Takes::Path, "Only this folder or file; an absolute path chooses the tree too");
/// A filter by path: globs to include.
pub const PATH_GLOB: Param = Param {
    aliases: &["glob"],
    ..param(
        "path_glob",
        Takes::Repeated,
        "Only paths that match, such as 'src/**/*.rs'; without / the file name",
    )
};
/// A filter by path: globs to exclude.
pub const EXCLUDE: Param = param(
    "exclude",
    Takes::Repeated,
    "Leave out paths that contain this, whatever its case; separate several by |",
);
/// A filter by language.
pub const LANG: Param = Param {
    aliases: &["language"],
    ..param("lang", Takes::List, "Only this language, such as rust; separate several by commas")
};
/// A filter by kind of symbol or chunk.
pub const KIND: Param = Param {
    aliases: &["chunk_type"],
    ..param("kind", Takes::Choices(kinds), "Only this kind of symbol or chunk; separate several by commas")
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
        Takes::Choice(modes),
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
pub const INDEX_DIR: Param = Param {
    aliases: &["db"],
    ..param(
        "index_dir",
        Takes::Path,
        "Where indexes lie, relative to the tree; else SPYHOP_INDEX_DIR, else the user's cache folder",
    )
};
/// The policy for files that changed after the last update.
pub const STALE_POLICY: Param = Param {
    default: Some("refresh"),
    ..param(
        "stale_policy",
        Takes::Choice(stale_policies),
        "Changes since indexing: refresh indexes them, wait does too and waits for another process, warn counts \
         them, error fails, ignore does not look",
    )
};
/// A revision other than the worktree.
pub const VIEW: Param = param("view", Takes::Text, "This branch, tag or commit, not the worktree");
/// Short for the stale policy `ignore`.
pub const NO_REFRESH: Param =
    param("no_refresh", Takes::Nothing, "Answer from the index as it is, the same as --stale-policy ignore");
/// Fails on a missing index instead of building it.
pub const REQUIRE_INDEX: Param =
    param("require_index", Takes::Nothing, "Fail when there is no index, instead of making it first");
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
    param("reason", Takes::Choice(skip_reasons), "Only what was left out for this reason");
/// The file that a search was expected to find.
pub const FILE: Param = param("file", Takes::Path, "The file that was expected to answer");
/// Files that are being worked on.
pub const FILES: Param = param("files", Takes::Paths, "Files that are being worked on");
/// The pattern for file names.
pub const NAME_PATTERN: Param = param(
    "pattern",
    Takes::Text,
    "Letters of the name or path in their order, some left out; a glob if it holds * ? or [; empty for every file",
);
/// The number of files on a page.
pub const FILES_RESULTS: Param = Param {
    default: Some("20"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Files a page, 1 to 1000", ..MAX_RESULTS }
};
/// The pattern for names of definitions.
pub const SYMBOL_PATTERN: Param = param(
    "pattern",
    Takes::Text,
    "Letters of the name in their order, some left out, its container before it if you like: Pool.take; empty for \
     every definition",
);
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

/// Fails instead of waiting for another process.
pub const NO_WAIT: Param = Param {
    name: "no_wait",
    aliases: &[],
    short: None,
    takes: Takes::Nothing,
    default: None,
    help: "Fail at once when another process is changing the index, instead of waiting for it",
};

/// Parses a large tree at once, instead of indexing its text first.
pub const WAIT: Param = Param {
    name: "wait",
    aliases: &[],
    short: None,
    takes: Takes::Nothing,
    default: None,
    help: "Parse a large tree at once, instead of making all of its text searchable first: the index is complete \
           sooner, and nothing answers before it has got somewhere",
};

/// Reports what would be done, without doing it.
pub const DRY_RUN: Param = Param {
    name: "dry_run",
    aliases: &[],
    short: None,
    takes: Takes::Nothing,
    default: None,
    help: "Only say what would go",
};

/// The size limit of all indexes together.
pub const MAX_BYTES: Param = param(
    "max_bytes",
    Takes::Bytes,
    "Also drop the least recently used views, then other trees' indexes, until all take no more than this (bytes, or \
     with K, M, G)",
);
/// The archive file of an exported index.
pub const ARCHIVE: Param = param("archive", Takes::Path, "The file that the index travels in");
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

/// The parameters that choose a tree and how it is indexed; every operation takes these.
pub const PLACE: &[&Param] = &[
    &ROOT,
    &INDEX_DIR,
    &THREADS,
    &MAX_MEMORY,
    &HIDDEN,
    &NO_IGNORE,
    &NO_BUILT_IN,
    &SECRETS,
    &MAX_FILE_SIZE,
    &GRAMMARS,
];
/// Every operation, the main one first.
pub const OPERATIONS: &[Operation] = &[
    SEARCH, GREP, FIND_FILES, SYMBOLS, MAP, INDEX, WATCH, STATUS, VIEWS, GC, DOCTOR, EXPORT, IMPORT, SKIPPED,
    WHY_NOT, TOUCH, LANGUAGES,
];

/// Ranked search.
pub const SEARCH: Operation = Operation {
    name: "search",
    aliases: &[],
    help: "Find code by what it does, by name or as written",
    params: &[
        &QUERY,
        &QUERIES,
        &MAX_RESULTS,
        &PATH,
        &PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &KIND,
        &EXPAND,
        &MIN_SCORE,
        &PER_FILE,
        &EXHAUSTIVE,
        &MODE,
        &CURSOR,
        &SHOW_SECRETS,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
        &REQUIRE_INDEX,
    ],
};

/// Builds or refreshes the index.
pub const INDEX: Operation = Operation {
    name: "index",
    aliases: &[],
    help: "Index a tree, or what changed in it since",
    params: &[&REBUILD, &WAIT, &NO_WAIT, &EXPLAIN_SKIPS],
};

/// Keeps the index current.
pub const WATCH: Operation = Operation {
    name: "watch",
    aliases: &[],
    help: "Keep the index current while files change, so that nobody has to compare the tree",
    params: &[],
};

/// Frees space.
pub const GC: Operation = Operation {
    name: "gc",
    aliases: &[],
    help: "Drop what the index holds of branches and worktrees that are gone, and merge segments",
    params: &[&MAX_BYTES, &DRY_RUN, &NO_WAIT],
};

/// Lists the views of an index.
pub const VIEWS: Operation = Operation {
    name: "views",
    aliases: &[],
    help: "List the branches, commits and worktrees that the index holds, with what each costs",
    params: &[],
};

/// Checks the index thoroughly.
pub const DOCTOR: Operation = Operation {
    name: "doctor",
    aliases: &[],
    help: "Check every byte of the index against its checksum, and say what is wrong",
    params: &[],
};

/// Exports an index to an archive.
pub const EXPORT: Operation = Operation {
    name: "export",
    aliases: &[],
    help: "Write the index into a file, to be imported elsewhere",
    params: &[&ARCHIVE, &ALL_VIEWS, &WITH_SNIPPETS],
};

/// Imports an index from an archive.
pub const IMPORT: Operation = Operation {
    name: "import",
    aliases: &[],
    help: "Make an exported file this tree's index, and index what differs",
    params: &[&ARCHIVE, &FORCE, &WITHOUT_SOURCES, &NO_WAIT],
};

/// Reports the state of the index.
pub const STATUS: Operation = Operation {
    name: "status",
    aliases: &[],
    help: "Show the state of the index and what is in it",
    params: &[],
};

/// Finds definitions by name.
pub const SYMBOLS: Operation = Operation {
    name: "symbols",
    aliases: &[],
    help: "Find definitions by name",
    params: &[
        &SYMBOL_PATTERN,
        &SYMBOLS_RESULTS,
        &PATH,
        &PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &KIND,
        &CURSOR,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
        &REQUIRE_INDEX,
    ],
};

/// Finds files by name. The constant is not called `FILES` because [`FILES`] is a parameter.
pub const FIND_FILES: Operation = Operation {
    name: "files",
    aliases: &[],
    help: "Find files by name or path",
    params: &[
        &NAME_PATTERN,
        &FILES_RESULTS,
        &PATH,
        &PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &CURSOR,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
        &REQUIRE_INDEX,
    ],
};

/// Shows the outline of a tree.
pub const MAP: Operation = Operation {
    name: "map",
    aliases: &[],
    help: "Outline a tree, a folder or a file: what is where, and the main symbols",
    params: &[
        &PATH,
        &DEPTH,
        &MAX_ITEMS,
        &PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &KIND,
        &SHOW_SECRETS,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
        &REQUIRE_INDEX,
    ],
};

/// Lists skipped files.
pub const SKIPPED: Operation = Operation {
    name: "skipped",
    aliases: &[],
    help: "List what was seen and left out, with the reason",
    params: &[&REASON, &EXPLAIN_SKIPS, &SHOW_SECRETS, &VIEW],
};

/// Explains why a file does not rank.
pub const WHY_NOT: Operation = Operation {
    name: "why-not",
    aliases: &[],
    help: "Say why a file does not answer a query, or where it ranks",
    params: &[
        &FILE,
        &QUERY,
        &PATH,
        &PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &KIND,
        &MIN_SCORE,
        &SHOW_SECRETS,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
    ],
};

/// Records files that are being worked on.
pub const TOUCH: Operation = Operation {
    name: "touch",
    aliases: &[],
    help: "Say which files are being worked on; for a while they weigh more",
    params: &[&FILES],
};

/// Lists the languages.
pub const LANGUAGES: Operation = Operation {
    name: "languages",
    aliases: &["langs"],
    help: "List the languages, their extensions and how many files are indexed",
    params: &[],
};

/// The names of modes.
pub fn modes() -> Vec<&'static str> {
    vec!["compact", "default", "debug"]
}

/// The names of stale policies.
pub fn stale_policies() -> Vec<&'static str> {
    vec!["refresh", "warn", "ignore", "error", "wait"]
}

fn kinds() -> Vec<&'static str> {
    SymbolKind::ALL.iter().map(|kind| kind.name()).collect()
}

fn skip_reasons() -> Vec<&'static str> {
    SkipReason::ALL.iter().map(|reason| reason.name()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::engine::api::{FilesRequest, GrepRequest, MapRequest, Options, SearchRequest, SymbolsRequest};

    #[test]
    fn no_name_is_used_twice_in_an_operation() {
        for operation in OPERATIONS {
            let mut seen = HashSet::new();
            for param in operation.params.iter().chain(PLACE) {
                for name in std::iter::once(&param.name).chain(param.aliases) {
                    assert!(seen.insert(*name), "{name} in {}", operation.name);
                }
            }
        }
    }

    #[test]
    fn defaults_that_are_shown_are_the_defaults() {
        let request = SearchRequest::new("q");
        assert_eq!(MAX_RESULTS.default, Some(request.max_results.to_string().as_str()));
        assert_eq!(EXPAND.default, Some(request.expand.to_string().as_str()));
        assert_eq!(MIN_SCORE.default, Some(request.min_score.to_string().as_str()));
        assert_eq!(PER_FILE.default, Some(request.per_file.to_string().as_str()));
        assert_eq!((MAX_FILE_SIZE.default, Options::default().max_file_bytes), (Some("1M"), 1 << 20));
        let memory = format!("{}M", crate::update::DEFAULT_MEMORY >> 20);
        assert!(
            MAX_MEMORY.help.contains(&format!("else {memory} and"))
                && Options::default().max_memory.is_none()
        );
        let grep = GrepRequest::new("p");
        assert_eq!(super::grep::GREP_RESULTS.default, Some(grep.max_results.to_string().as_str()));
        assert_eq!(super::grep::GREP_EXPAND.default, Some(grep.expand.to_string().as_str()));
        assert_eq!(SYMBOLS_RESULTS.default, Some(SymbolsRequest::new("p").max_results.to_string().as_str()));
        assert_eq!(FILES_RESULTS.default, Some(FilesRequest::new("p").max_results.to_string().as_str()));
        let map = MapRequest::default();
        assert_eq!(MAX_ITEMS.default, Some(map.max_items.to_string().as_str()));
        assert_eq!(DEPTH.default, Some(map.depth.to_string().as_str()));
    }
}
