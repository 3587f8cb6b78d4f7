//! The rows of the exact search: ripgrep's options under ripgrep's names, and Spyhop's own.

use super::{
    CURSOR, EXCLUDE, KIND, LANG, MAX_RESULTS, NO_REFRESH, Operation, PATH, PATH_GLOB, Param, SHOW_SECRETS,
    STALE_POLICY, Takes, VIEW, param,
};

/// The pattern that each line is compared with.
pub const PATTERN: Param =
    param("pattern", Takes::Text, "A regular expression, matched line by line; with fixed, a text");
/// Fixed text in place of a regular expression.
pub const FIXED: Param = Param {
    aliases: &["literal", "fixed_strings"],
    short: Some('F'),
    ..param("fixed", Takes::Nothing, "The pattern is a text")
};
/// Case-insensitive matching.
pub const IGNORE_CASE: Param =
    Param { short: Some('i'), ..param("ignore_case", Takes::Nothing, "Upper and lower case are alike") };
/// Matches of whole words.
pub const WORD: Param = Param {
    aliases: &["word_regexp"],
    short: Some('w'),
    ..param("word", Takes::Nothing, "Matches are whole words")
};
/// The number of lines on a page of a grep.
pub const GREP_RESULTS: Param = Param {
    short: None,
    default: Some("50"),
    ..Param { takes: Takes::Number(1, 1_000), help: "Lines a page, 1 to 1000", ..MAX_RESULTS }
};
/// Lines of context before and after a match.
pub const GREP_EXPAND: Param = Param {
    aliases: &["context"],
    short: Some('C'),
    default: Some("0"),
    ..param("expand", Takes::Number(0, 100), "Lines of context before and after, 0 to 100")
};
/// Lines of context before a match.
pub const BEFORE: Param = Param {
    aliases: &["before_context"],
    short: Some('B'),
    ..param("before", Takes::Number(0, 100), "Lines of context before, 0 to 100")
};
/// Lines of context after a match.
pub const AFTER: Param = Param {
    aliases: &["after_context"],
    short: Some('A'),
    ..param("after", Takes::Number(0, 100), "Lines of context after, 0 to 100")
};
/// Further patterns.
pub const REGEXP: Param = Param {
    short: Some('e'),
    ..param("regexp", Takes::Repeated, "A pattern; given more than once, any of them may match")
};
/// Case-sensitive matching, which turns the other case options off.
pub const CASE_SENSITIVE: Param =
    Param { short: Some('s'), ..param("case_sensitive", Takes::Nothing, "Case counts (the default)") };
/// Smart case.
pub const SMART_CASE: Param = Param {
    short: Some('S'),
    ..param("smart_case", Takes::Nothing, "Case counts where the pattern has an upper-case letter")
};
/// Matches of whole lines.
pub const LINE_REGEXP: Param = Param {
    short: Some('x'),
    ..param("line_regexp", Takes::Nothing, "Matches begin and end at the bounds of lines")
};
/// Inverted matching: the lines that do not match.
pub const INVERT: Param =
    Param { short: Some('v'), ..param("invert_match", Takes::Nothing, "The lines that do not match") };
/// Matches that span several lines.
pub const MULTI_LINE: Param = Param {
    aliases: &["multi_line"],
    short: Some('U'),
    ..param("multiline", Takes::Nothing, "A match may have several lines")
};
/// A dot that matches line ends.
pub const DOT_ALL: Param =
    param("multiline_dotall", Takes::Nothing, "With multiline, a dot matches the end of a line as well");
/// The maximum number of lines of a file.
pub const MAX_COUNT: Param = Param {
    short: Some('m'),
    ..param("max_count", Takes::Number(0, u64::MAX), "No more lines of a file than this")
};
/// Counts of lines.
pub const COUNT: Param =
    Param { short: Some('c'), ..param("count", Takes::Nothing, "How many lines of each file match") };
/// Counts of matches.
pub const COUNT_MATCHES: Param = param("count_matches", Takes::Nothing, "How many matches each file has");
/// Names of files that match.
pub const FILES_WITH: Param = Param {
    short: Some('l'),
    ..param("files_with_matches", Takes::Nothing, "The paths of the files that match")
};
/// Names of files that do not match.
pub const FILES_WITHOUT: Param =
    param("files_without_match", Takes::Nothing, "The paths of the files that do not match");
/// Only the matching parts of lines.
pub const ONLY_MATCHING: Param =
    Param { short: Some('o'), ..param("only_matching", Takes::Nothing, "Only what matches, each on a line") };
/// Line numbers.
pub const LINE_NUMBER: Param = Param {
    short: Some('n'),
    ..param("line_number", Takes::Nothing, "Lines with their numbers (the default on a terminal)")
};
/// No line numbers.
pub const NO_LINE_NUMBER: Param =
    Param { short: Some('N'), ..param("no_line_number", Takes::Nothing, "Lines without their numbers") };
/// Column numbers.
pub const COLUMN: Param = param("column", Takes::Nothing, "Lines with the column of their first match");
/// Paths above their lines.
pub const HEADING: Param =
    param("heading", Takes::Nothing, "The path above its lines (the default on a terminal)");
/// Paths before each line.
pub const NO_HEADING: Param = param("no_heading", Takes::Nothing, "The path before each line");
/// Paths with lines.
pub const WITH_FILENAME: Param = Param {
    short: Some('H'),
    ..param(
        "with_filename",
        Takes::Nothing,
        "Lines with their path (the default unless one file is searched)",
    )
};
/// Lines without paths.
pub const NO_FILENAME: Param =
    Param { short: Some('I'), ..param("no_filename", Takes::Nothing, "Lines without their path") };
/// Globs in ripgrep's syntax.
pub const GREP_GLOB: Param = Param {
    short: Some('g'),
    ..param("glob", Takes::Repeated, "Only paths that match, as ripgrep has it; with ! in front none of them")
};
/// The glob filter on paths, where `glob` is another parameter.
pub const GREP_PATH_GLOB: Param = Param { aliases: &[], ..PATH_GLOB };
/// Output in the format of ripgrep's `--json`.
pub const RG_JSON: Param =
    param("rg_json", Takes::Nothing, "Answer as ripgrep's --json does: a line an event");
/// Order by relevance.
pub const RANK: Param = param("rank", Takes::Nothing, "Files by relevance");
/// A filter by kind of item.
pub const GREP_KIND: Param = Param { takes: Takes::List, help: "Only in items of these kinds", ..KIND };
/// Search of every file without the index.
pub const BRUTE: Param =
    param("brute", Takes::Nothing, "Read every file, whatever the index says; the answer is the same");
/// The query plan instead of a search.
pub const EXPLAIN_PLAN: Param =
    param("explain_plan", Takes::Nothing, "Say what a file must hold to be read, instead of searching");

/// Exact search: every line that matches.
pub const GREP: Operation = Operation {
    name: "grep",
    aliases: &[],
    help: "Find every line that matches a pattern, in the files as they are now",
    params: &[
        &PATTERN,
        &PATH,
        &REGEXP,
        &FIXED,
        &IGNORE_CASE,
        &CASE_SENSITIVE,
        &SMART_CASE,
        &WORD,
        &LINE_REGEXP,
        &INVERT,
        &MULTI_LINE,
        &DOT_ALL,
        &MAX_COUNT,
        &AFTER,
        &BEFORE,
        &GREP_EXPAND,
        &COUNT,
        &COUNT_MATCHES,
        &FILES_WITH,
        &FILES_WITHOUT,
        &ONLY_MATCHING,
        &LINE_NUMBER,
        &NO_LINE_NUMBER,
        &COLUMN,
        &HEADING,
        &NO_HEADING,
        &WITH_FILENAME,
        &NO_FILENAME,
        &RG_JSON,
        &GREP_GLOB,
        &GREP_PATH_GLOB,
        &EXCLUDE,
        &LANG,
        &GREP_KIND,
        &RANK,
        &GREP_RESULTS,
        &CURSOR,
        &BRUTE,
        &EXPLAIN_PLAN,
        &SHOW_SECRETS,
        &VIEW,
        &STALE_POLICY,
        &NO_REFRESH,
    ],
};
