//! The parameters of the exact search: ripgrep's options under ripgrep's names, and Spyhop's own.

use super::param::{Param, Positional, Takes, param};
use super::params::{KIND, MAX_RESULTS, PATH_GLOB};

/// The pattern that each line is compared with.
pub const PATTERN: Param = Param {
    positional: Positional::Optional,
    ..param("pattern", Takes::Text, "A regular expression, matched line by line; with fixed, a text")
};
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
pub(crate) const INVERT: Param =
    Param { short: Some('v'), ..param("invert_match", Takes::Nothing, "The lines that do not match") };
/// Matches that span several lines.
pub(crate) const MULTI_LINE: Param = Param {
    aliases: &["multi_line"],
    short: Some('U'),
    ..param("multiline", Takes::Nothing, "A match may have several lines")
};
/// A dot that matches line ends.
pub(crate) const DOT_ALL: Param =
    param("multiline_dotall", Takes::Nothing, "With multiline, a dot matches the end of a line as well");
/// The maximum number of lines of a file.
pub(crate) const MAX_COUNT: Param = Param {
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
pub(crate) const ONLY_MATCHING: Param =
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
pub(crate) const GREP_GLOB: Param = Param {
    short: Some('g'),
    ..param("glob", Takes::Repeated, "Only paths that match, as ripgrep has it; with ! in front none of them")
};
/// The glob filter on paths, where `glob` is another parameter.
pub(crate) const GREP_PATH_GLOB: Param = Param { aliases: &[], ..PATH_GLOB };
/// Output in the format of ripgrep's `--json`.
pub const RG_JSON: Param =
    param("rg_json", Takes::Nothing, "Answer as ripgrep's --json does: a line an event");
/// Patterns from a file.
pub const PATTERN_FILE: Param = Param {
    short: Some('f'),
    ..param("file", Takes::Repeated, "Patterns from this file or <(command), one a line; - is standard input")
};
/// File types.
pub const TYPE: Param = Param {
    short: Some('t'),
    ..param("type", Takes::Repeated, "Only files of this type, such as rust or py; --type-list shows all")
};
/// File types that exclude.
pub const TYPE_NOT: Param =
    Param { short: Some('T'), ..param("type_not", Takes::Repeated, "No files of this type") };
/// Further file types.
pub(crate) const TYPE_ADD: Param =
    param("type_add", Takes::Repeated, "A further glob of a type, as 'web:*.html'; with -t or -T");
/// The list of file types.
pub const TYPE_LIST: Param = param("type_list", Takes::Nothing, "List the file types with their globs");
/// The files that would be searched.
pub const LIST_FILES: Param = param("files", Takes::Nothing, "List the files that would be searched");
/// Globs that ignore case.
pub(crate) const IGLOB: Param = param("iglob", Takes::Repeated, "As --glob, whatever the case of letters");
/// The depth of folders.
pub const MAX_DEPTH: Param = Param {
    aliases: &["maxdepth"],
    short: Some('d'),
    ..param("max_depth", Takes::Number(0, u64::MAX), "Most folders below each path; 1 is its own files")
};
/// A text in place of each match.
pub const REPLACE: Param = Param {
    short: Some('r'),
    ..param("replace", Takes::Text, "Print this in place of each match; $1 and $name stand for groups")
};
/// The order of files.
pub const SORT: Param = param(
    "sort",
    Takes::Choice(orders),
    "The order of files: path (the default, as none), or modified, accessed, created",
);
/// The order of files, reversed.
pub const SORT_REVERSED: Param = param("sortr", Takes::Choice(orders), "As --sort, in reverse");
/// Fewer rules about which files are searched.
pub const UNRESTRICTED: Param = Param {
    short: Some('u'),
    ..param(
        "unrestricted",
        Takes::Nothing,
        "Search more files: -u ignored ones, -uu hidden ones too, -uuu binary ones too",
    )
};
/// One line for each match, for editors.
pub const VIMGREP: Param =
    param("vimgrep", Takes::Nothing, "A line for each match, with path, line and column, for editors");
/// Lines that do not match, too.
pub const PASSTHRU: Param = Param {
    aliases: &["passthrough"],
    ..param("passthru", Takes::Nothing, "Print all lines, and mark the matches")
};
/// Lines without their leading blanks.
pub(crate) const TRIM: Param = param("trim", Takes::Nothing, "Leave out blanks at the beginning of lines");
/// A NUL byte after each path.
pub const NULL: Param =
    Param { short: Some('0'), ..param("null", Takes::Nothing, "A NUL byte after each path") };
/// The longest line that is printed.
pub(crate) const MAX_COLUMNS: Param = Param {
    short: Some('M'),
    ..param("max_columns", Takes::Number(0, u64::MAX), "Do not print longer lines, in bytes; 0 for no limit")
};
/// The beginning of lines that are too long.
pub(crate) const MAX_COLUMNS_PREVIEW: Param =
    param("max_columns_preview", Takes::Nothing, "Print the beginning of lines above --max-columns");
/// Binary files as text.
pub const TEXT: Param =
    Param { short: Some('a'), ..param("text", Takes::Nothing, "Search binary files as if they were text") };
/// Binary files.
pub const BINARY: Param = param("binary", Takes::Nothing, "Search binary files, and say which match");
/// Byte offsets.
pub(crate) const BYTE_OFFSET: Param = Param {
    short: Some('b'),
    ..param("byte_offset", Takes::Nothing, "Lines with the byte where they begin")
};
/// Line ends of Windows.
pub const CRLF: Param = param("crlf", Takes::Nothing, "$ matches before CR LF as well");
/// Lines that end with a NUL byte.
pub(crate) const NULL_DATA: Param = param("null_data", Takes::Nothing, "Lines end with a NUL byte");
/// Counts and times.
pub(crate) const STATS: Param = param("stats", Takes::Nothing, "Counts and times after the output");
/// No messages about files.
pub const NO_MESSAGES: Param =
    param("no_messages", Takes::Nothing, "No messages about files that cannot be read");
/// Output line by line.
pub(crate) const LINE_BUFFERED: Param =
    param("line_buffered", Takes::Nothing, "Write each piece of output at once, as is done in any case");
/// The line between groups.
pub const CONTEXT_SEPARATOR: Param =
    param("context_separator", Takes::Text, "The line between groups of context lines [default: --]");
/// No line between groups.
pub const NO_CONTEXT_SEPARATOR: Param =
    param("no_context_separator", Takes::Nothing, "No line between groups of context lines");
/// The separator in paths.
pub(crate) const PATH_SEPARATOR: Param =
    param("path_separator", Takes::Text, "The separator in paths, one byte [default: /]");
/// The separator behind the fields of a line that matches.
pub(crate) const FIELD_MATCH_SEPARATOR: Param =
    param("field_match_separator", Takes::Text, "Between path, number and line of a match [default: :]");
/// The separator behind the fields of a context line.
pub(crate) const FIELD_CONTEXT_SEPARATOR: Param = param(
    "field_context_separator",
    Takes::Text,
    "Between path, number and line of a context line [default: -]",
);
/// The part of Unicode in patterns.
pub(crate) const NO_UNICODE: Param =
    param("no_unicode", Takes::Nothing, "\\w, \\d, \\s, \\b and . mean ASCII and bytes");
/// Counts of files without matches.
pub(crate) const INCLUDE_ZERO: Param =
    param("include_zero", Takes::Nothing, "With --count, also files without a match");
/// NUL bytes as in memory maps, which no search uses.
pub const MMAP: Param =
    param("mmap", Takes::Nothing, "Look for NUL bytes as ripgrep does in mapped files; no file is mapped");
/// No memory maps.
pub const NO_MMAP: Param = param("no_mmap", Takes::Nothing, "The opposite of --mmap (the default)");
/// Compressed files.
pub const SEARCH_ZIP: Param = Param {
    short: Some('z'),
    ..param("search_zip", Takes::Nothing, "Search in compressed files; runs gzip, xz and others from PATH")
};
/// No compressed files.
pub const NO_SEARCH_ZIP: Param =
    param("no_search_zip", Takes::Nothing, "The opposite of --search-zip (the default)");
/// Links on paths.
pub(crate) const HYPERLINK_FORMAT: Param = param(
    "hyperlink_format",
    Takes::Text,
    "Links on paths where there are colours: a format of ripgrep, or a name such as file or vscode",
);
/// Colours of the parts of a line.
pub const COLORS: Param =
    param("colors", Takes::Repeated, "Colours as ripgrep has them, such as 'match:fg:blue' or 'path:none'");
/// The order by path.
pub const SORT_FILES: Param = param("sort_files", Takes::Nothing, "As --sort path");
/// No column numbers.
pub const NO_COLUMN: Param =
    param("no_column", Takes::Nothing, "Lines without the column of their first match");
/// Globs that ignore case.
pub(crate) const GLOB_CASE_INSENSITIVE: Param =
    param("glob_case_insensitive", Takes::Nothing, "Each --glob is an --iglob");
/// The size limit of searched files.
pub(crate) const MAX_SEARCHED_SIZE: Param =
    param("max_filesize", Takes::Bytes, "Do not search larger files (bytes, or with K, M, G)");
/// The end of the search of a file.
pub(crate) const STOP_ON_NONMATCH: Param = param(
    "stop_on_nonmatch",
    Takes::Nothing,
    "End a file at the first line that does not match after one that does",
);
/// The encoding of files.
pub(crate) const ENCODING: Param = Param {
    short: Some('E'),
    ..param(
        "encoding",
        Takes::Text,
        "The encoding of all files, such as utf-16le or latin1; none for bytes, auto by mark",
    )
};
/// The size of a compiled pattern.
pub(crate) const REGEX_SIZE_LIMIT: Param =
    param("regex_size_limit", Takes::Bytes, "Most memory of a compiled pattern");
/// The size of a pattern's automaton.
pub(crate) const DFA_SIZE_LIMIT: Param =
    param("dfa_size_limit", Takes::Bytes, "Most memory of a pattern's cache");
/// Output for people.
pub(crate) const PRETTY: Param = Param {
    short: Some('p'),
    ..param("pretty", Takes::Nothing, "Colours, headings and line numbers, also into a pipe")
};
/// Order by relevance.
pub const RANK: Param = param("rank", Takes::Nothing, "Files by relevance");
/// A filter by kind of item.
pub(crate) const GREP_KIND: Param =
    Param { takes: Takes::List, help: "Only in items of these kinds", ..KIND };
/// Search of every file without the index.
pub(crate) const BRUTE: Param =
    param("brute", Takes::Nothing, "Read every file, whatever the index says; the answer is the same");
/// The query plan instead of a search.
pub const EXPLAIN_PLAN: Param =
    param("explain_plan", Takes::Nothing, "Say what a file must hold to be read, instead of searching");

/// Further ignore files.
pub(crate) const IGNORE_FILE: Param = param(
    "ignore_file",
    Takes::Repeated,
    "A further ignore file, with patterns relative to the current folder; the last one counts most",
);
/// No such ignore files.
pub const NO_IGNORE_VCS: Param = param(
    "no_ignore_vcs",
    Takes::Nothing,
    "Do not obey ignore files: .gitignore, git's excludes and the user's own",
);
/// The opposite of `no_ignore_vcs`.
pub const IGNORE_VCS: Param = param("ignore_vcs", Takes::Nothing, "The opposite of --no-ignore-vcs");
/// No such ignore files.
pub const NO_IGNORE_DOT: Param =
    param("no_ignore_dot", Takes::Nothing, "Do not obey ignore files: .ignore and .rgignore");
/// The opposite of `no_ignore_dot`.
pub const IGNORE_DOT: Param = param("ignore_dot", Takes::Nothing, "The opposite of --no-ignore-dot");
/// No such ignore files.
pub const NO_IGNORE_EXCLUDE: Param =
    param("no_ignore_exclude", Takes::Nothing, "Do not obey ignore files: a repository's info/exclude");
/// The opposite of `no_ignore_exclude`.
pub const IGNORE_EXCLUDE: Param =
    param("ignore_exclude", Takes::Nothing, "The opposite of --no-ignore-exclude");
/// No such ignore files.
pub const NO_IGNORE_FILES: Param =
    param("no_ignore_files", Takes::Nothing, "Do not obey ignore files: those of --ignore-file");
/// The opposite of `no_ignore_files`.
pub const IGNORE_FILES: Param = param("ignore_files", Takes::Nothing, "The opposite of --no-ignore-files");
/// No such ignore files.
pub const NO_IGNORE_PARENT: Param =
    param("no_ignore_parent", Takes::Nothing, "Do not obey ignore files: those of the folders above");
/// The opposite of `no_ignore_parent`.
pub const IGNORE_PARENT: Param = param("ignore_parent", Takes::Nothing, "The opposite of --no-ignore-parent");
/// No such ignore files.
pub const NO_IGNORE_GLOBAL: Param =
    param("no_ignore_global", Takes::Nothing, "Do not obey ignore files: the user's own of git");
/// The opposite of `no_ignore_global`.
pub const IGNORE_GLOBAL: Param = param("ignore_global", Takes::Nothing, "The opposite of --no-ignore-global");
/// Git's ignore files in a repository only.
pub const REQUIRE_GIT: Param =
    param("require_git", Takes::Nothing, "Obey git's ignore files in a repository only (the default)");
/// Git's ignore files everywhere.
pub const NO_REQUIRE_GIT: Param =
    param("no_require_git", Takes::Nothing, "Obey git's ignore files outside of a repository, too");
/// Ignore files that ignore case.
pub const IGNORE_FILE_CASE_INSENSITIVE: Param = param(
    "ignore_file_case_insensitive",
    Takes::Nothing,
    "Match patterns of ignore files whatever the case of letters",
);
/// Ignore files that distinguish case.
pub const NO_IGNORE_FILE_CASE_INSENSITIVE: Param = param(
    "no_ignore_file_case_insensitive",
    Takes::Nothing,
    "The opposite of --ignore-file-case-insensitive",
);
/// Symbolic links.
pub const FOLLOW: Param = Param {
    short: Some('L'),
    ..param("follow", Takes::Nothing, "Follow symbolic links, also those that lead out of the tree")
};
/// No other file systems.
pub const ONE_FILE_SYSTEM: Param = param(
    "one_file_system",
    Takes::Nothing,
    "Do not search folders on another file system than the searched one",
);
/// Other file systems, too.
pub const NO_ONE_FILE_SYSTEM: Param =
    param("no_one_file_system", Takes::Nothing, "The opposite of --one-file-system (the default)");
/// No symbolic links.
pub const NO_FOLLOW: Param =
    param("no_follow", Takes::Nothing, "Do not follow symbolic links (the default); a link that is named is");

fn orders() -> Vec<&'static str> {
    vec!["none", "path", "modified", "accessed", "created"]
}
