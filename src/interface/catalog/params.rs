//! The parameters: name, type, default and help of each.
//!
//! A parameter says how a caller spells a value and what the value means. [Rows](super::Row) say into which field of
//! which request the value goes. Parameters of one operation are in the file of
//! its rows; this file has those that several operations share.

use super::choice;
use super::param::{Param, Positional, Takes, param, params};
use spyhop_base::model::SymbolKind;
use spyhop_engine::api::StalePolicy;

params! {
    pub QUERIES = "queries": Takes::Text,
        "Several queries separated by |, answered as one: merged, best score kept";
}
/// Several queries as a list.
pub(crate) const QUERY_LIST: Param = Param {
    takes: Takes::Repeated,
    help: "Several queries, answered as one: merged, best score kept",
    ..QUERIES
};
params! {
    pub(crate) PACK_DIFF = "diff": Takes::Text, "Start from a change";
    pub QUERY = "query": Takes::Texts, positional: Positional::Required,
        "What the code does, a name, or a piece of code";
}
/// The number of hits on a page.
pub const MAX_RESULTS: Param = Param {
    aliases: &["limit"],
    short: Some('n'),
    default: Some("10"),
    ..param("max_results", Takes::Number(1, 50), "Hits a page, 1 to 50")
};
params! {
    pub PATH = "path": Takes::Path, "A folder or file; absolute: also the tree";
    pub PATH_GLOB = "path_glob": Takes::Repeated, aliases: &["glob"],
        "As src/**/*.rs; without / the file name";
    pub(crate) EXCLUDE = "exclude": Takes::Repeated, "No paths with this text; separate several by |";
    pub LANG = "lang": Takes::List, aliases: &["language"], "Language; separate several by commas";
    pub KIND = "kind": Takes::Choices(choice::names::<SymbolKind>), aliases: &["chunk_type"],
        "Only this kind; separate several by commas";
    pub(crate) MIN_SCORE = "min_score": Takes::Fraction,
        "Least score, 0 to 1, else that of .spyhop/search.toml, or 0; literal hits stay";
    pub CURSOR = "cursor": Takes::Text, "Last page's 'next'";
    pub ROOT = "root": Takes::Path,
        "The tree, exactly this folder; else the nearest git repository above, else the current folder";
    pub INDEX_DIR = "index_dir": Takes::Path,
        "The folder of the tree's index; else one below SPYHOP_INDEX_DIR, else below the user's cache folder";
    pub DB = "db": Takes::Path,
        "The folder of the tree's index, a relative one below the tree; as other systems name the option";
}
/// `DB` as a parameter of a tool, which has no current folder.
pub const TOOL_DB: Param = Param { aliases: &["index_dir"], ..DB };
params! {
    pub HERE = "here": Takes::Nothing, "Only the current folder";
}
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
params! {
    pub VIEW = "view": Takes::Text, "Branch, tag or commit";
    pub(crate) NO_REFRESH = "no_refresh": Takes::Nothing,
        "Answer from the index as it is, the same as --stale-policy ignore";
    pub(crate) REQUIRE_INDEX = "require_index": Takes::Nothing,
        "Fail when there is no index, instead of making it first";
    pub(crate) WAIT_FOR_INDEX = "wait": Takes::Nothing,
        "Answer from the complete index only, the same as --stale-policy wait; else the text of a large tree \
         answers first";
    pub THREADS = "threads": Takes::Number(1, 1024),
        "Threads for indexing; else one a core. Never changes an answer";
    pub(crate) MAX_MEMORY = "max_memory": Takes::Bytes,
        "Memory that indexing keeps to, at least 64M (bytes, or with K, M, G); else 200M and 700 bytes a \
         file, and up to 256M more for large trees. Never changes an answer";
    pub HIDDEN = "hidden": Takes::Nothing, "Index files and folders whose name begins with a dot";
    pub(crate) NO_IGNORE = "no_ignore": Takes::Nothing,
        "Index what ignore files leave out: .gitignore, .ignore, .spyhopignore, git's excludes";
    pub(crate) NO_BUILT_IN = "no_built_in": Takes::Nothing,
        "Index what built-in rules leave out: build products, lock files, generated and minified code";
    pub SECRETS = "secrets": Takes::Nothing,
        "Index files that hold secrets by their names, such as .env or *.pem; values are masked all the same";
    pub SHOW_SECRETS = "show_secrets": Takes::Nothing,
        "Show passwords, keys and tokens as they are, instead of masking them";
    pub(crate) MAX_FILE_SIZE = "max_file_size": Takes::Bytes, default: Some("1M"),
        "Files above this size are found by path only (bytes, or with K, M, G)";
    pub GRAMMARS = "grammars": Takes::Path,
        "A folder of grammars, each in place of the built-in one of its name or new; else .spyhop/grammars \
         of the tree";
    pub PROFILE = "profile": Takes::Path,
        "Rank by the weights in this file instead of the built-in ones; eval/README.md tells how to fit one";
    pub EXPLAIN_SKIPS = "explain_skips": Takes::Path,
        "Say which line of which ignore file, which rule or measure leaves this path out, or that nothing \
         does";
    pub TREE = "root": Takes::Path, "Else the first";
    pub MAX_TOKENS = "max_tokens": Takes::Number(100, 100_000), default: Some("4000"), "Most tokens";
    pub TOOL_QUERY = "query": Takes::Text, "What you want to do; without it all tools";
}
