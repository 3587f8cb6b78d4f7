//! The parameters of the exact search: ripgrep's options under ripgrep's names, and Spyhop's own.

use super::param::{Param, Positional, Takes, param, params};
use super::params::{KIND, MAX_RESULTS, PATH_GLOB};

params! {
    pub PATTERN = "pattern": Takes::Text, positional: Positional::Optional,
        "A regular expression, matched line by line; with fixed, a text";
    pub FIXED = "fixed": Takes::Nothing, aliases: &["literal", "fixed_strings"], short: Some('F'),
        "The pattern is a text";
    pub IGNORE_CASE = "ignore_case": Takes::Nothing, short: Some('i'), "Upper and lower case are alike";
    pub WORD = "word": Takes::Nothing, aliases: &["word_regexp"], short: Some('w'), "Matches are whole words";
}
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
params! {
    pub BEFORE = "before": Takes::Number(0, 100), aliases: &["before_context"], short: Some('B'),
        "Lines of context before, 0 to 100";
    pub AFTER = "after": Takes::Number(0, 100), aliases: &["after_context"], short: Some('A'),
        "Lines of context after, 0 to 100";
    pub REGEXP = "regexp": Takes::Repeated, short: Some('e'),
        "A pattern; given more than once, any of them may match";
    pub CASE_SENSITIVE = "case_sensitive": Takes::Nothing, short: Some('s'), "Case counts (the default)";
    pub SMART_CASE = "smart_case": Takes::Nothing, short: Some('S'),
        "Case counts where the pattern has an upper-case letter";
    pub LINE_REGEXP = "line_regexp": Takes::Nothing, short: Some('x'),
        "Matches begin and end at the bounds of lines";
    pub COUNT = "count": Takes::Nothing, short: Some('c'), "How many lines of each file match";
    pub COUNT_MATCHES = "count_matches": Takes::Nothing, "How many matches each file has";
    pub FILES_WITH = "files_with_matches": Takes::Nothing, short: Some('l'),
        "The paths of the files that match";
    pub FILES_WITHOUT = "files_without_match": Takes::Nothing, "The paths of the files that do not match";
    pub LINE_NUMBER = "line_number": Takes::Nothing, short: Some('n'),
        "Lines with their numbers (the default on a terminal)";
    pub NO_LINE_NUMBER = "no_line_number": Takes::Nothing, short: Some('N'), "Lines without their numbers";
    pub COLUMN = "column": Takes::Nothing, "Lines with the column of their first match";
    pub HEADING = "heading": Takes::Nothing, "The path above its lines (the default on a terminal)";
    pub NO_HEADING = "no_heading": Takes::Nothing, "The path before each line";
    pub WITH_FILENAME = "with_filename": Takes::Nothing, short: Some('H'),
        "Lines with their path (the default unless one file is searched)";
    pub NO_FILENAME = "no_filename": Takes::Nothing, short: Some('I'), "Lines without their path";
}
/// The glob filter on paths, where `glob` is another parameter.
pub(crate) const GREP_PATH_GLOB: Param = Param { aliases: &[], ..PATH_GLOB };
params! {
    pub RG_JSON = "rg_json": Takes::Nothing, "Answer as ripgrep's --json does: a line an event";
    pub PATTERN_FILE = "file": Takes::Repeated, short: Some('f'),
        "Patterns from this file or <(command), one a line; - is standard input";
    pub TYPE = "type": Takes::Repeated, short: Some('t'),
        "Only files of this type, such as rust or py; --type-list shows all";
    pub TYPE_NOT = "type_not": Takes::Repeated, short: Some('T'), "No files of this type";
    pub TYPE_LIST = "type_list": Takes::Nothing, "List the file types with their globs";
    pub LIST_FILES = "files": Takes::Nothing, "List the files that would be searched";
    pub REPLACE = "replace": Takes::Text, short: Some('r'),
        "Print this in place of each match; $1 and $name stand for groups";
    pub SORT = "sort": Takes::Choice(orders),
        "The order of files: path (the default, as none), or modified, accessed, created";
    pub SORT_REVERSED = "sortr": Takes::Choice(orders), "As --sort, in reverse";
    pub UNRESTRICTED = "unrestricted": Takes::Nothing, short: Some('u'),
        "Search more files: -u ignored ones, -uu hidden ones too, -uuu binary ones too";
    pub VIMGREP = "vimgrep": Takes::Nothing, "A line for each match, with path, line and column, for editors";
    pub PASSTHRU = "passthru": Takes::Nothing, aliases: &["passthrough"],
        "Print all lines, and mark the matches";
    pub(crate) MAX_COLUMNS = "max_columns": Takes::Number(0, u64::MAX), short: Some('M'),
        "Do not print longer lines, in bytes; 0 for no limit";
    pub TEXT = "text": Takes::Nothing, short: Some('a'), "Search binary files as if they were text";
    pub BINARY = "binary": Takes::Nothing, "Search binary files, and say which match";
    pub NO_MESSAGES = "no_messages": Takes::Nothing, "No messages about files that cannot be read";
    pub(crate) LINE_BUFFERED = "line_buffered": Takes::Nothing,
        "Write each piece of output at once, as is done in any case";
    pub CONTEXT_SEPARATOR = "context_separator": Takes::Text,
        "The line between groups of context lines [default: --]";
    pub NO_CONTEXT_SEPARATOR = "no_context_separator": Takes::Nothing,
        "No line between groups of context lines";
    pub(crate) PATH_SEPARATOR = "path_separator": Takes::Text,
        "The separator in paths, one byte [default: /]";
    pub(crate) FIELD_MATCH_SEPARATOR = "field_match_separator": Takes::Text,
        "Between path, number and line of a match [default: :]";
    pub(crate) FIELD_CONTEXT_SEPARATOR = "field_context_separator": Takes::Text,
        "Between path, number and line of a context line [default: -]";
    pub MMAP = "mmap": Takes::Nothing,
        "Look for NUL bytes as ripgrep does in mapped files; no file is mapped";
    pub NO_MMAP = "no_mmap": Takes::Nothing, "The opposite of --mmap (the default)";
    pub SEARCH_ZIP = "search_zip": Takes::Nothing, short: Some('z'),
        "Search in compressed files; runs gzip, xz and others from PATH";
    pub NO_SEARCH_ZIP = "no_search_zip": Takes::Nothing, "The opposite of --search-zip (the default)";
    pub SORT_FILES = "sort_files": Takes::Nothing, "As --sort path";
    pub NO_COLUMN = "no_column": Takes::Nothing, "Lines without the column of their first match";
    pub(crate) GLOB_CASE_INSENSITIVE = "glob_case_insensitive": Takes::Nothing, "Each --glob is an --iglob";
    pub(crate) ENCODING = "encoding": Takes::Text, short: Some('E'),
        "The encoding of all files, such as utf-16le or latin1; none for bytes, auto by mark";
    pub(crate) PRETTY = "pretty": Takes::Nothing, short: Some('p'),
        "Colours, headings and line numbers, also into a pipe";
}
/// A filter by kind of item.
pub(crate) const GREP_KIND: Param =
    Param { takes: Takes::List, help: "Only in items of these kinds", ..KIND };
params! {
    pub EXPLAIN_PLAN = "explain_plan": Takes::Nothing,
        "Say what a file must hold to be read, instead of searching";
    pub(crate) IGNORE_FILE = "ignore_file": Takes::Repeated,
        "A further ignore file, with patterns relative to the current folder; the last one counts most";
    pub NO_IGNORE_VCS = "no_ignore_vcs": Takes::Nothing,
        "Do not obey ignore files: .gitignore, git's excludes and the user's own";
    pub IGNORE_VCS = "ignore_vcs": Takes::Nothing, "The opposite of --no-ignore-vcs";
    pub NO_IGNORE_DOT = "no_ignore_dot": Takes::Nothing, "Do not obey ignore files: .ignore and .rgignore";
    pub IGNORE_DOT = "ignore_dot": Takes::Nothing, "The opposite of --no-ignore-dot";
    pub NO_IGNORE_EXCLUDE = "no_ignore_exclude": Takes::Nothing,
        "Do not obey ignore files: a repository's info/exclude";
    pub IGNORE_EXCLUDE = "ignore_exclude": Takes::Nothing, "The opposite of --no-ignore-exclude";
    pub NO_IGNORE_FILES = "no_ignore_files": Takes::Nothing,
        "Do not obey ignore files: those of --ignore-file";
    pub IGNORE_FILES = "ignore_files": Takes::Nothing, "The opposite of --no-ignore-files";
    pub NO_IGNORE_PARENT = "no_ignore_parent": Takes::Nothing,
        "Do not obey ignore files: those of the folders above";
    pub IGNORE_PARENT = "ignore_parent": Takes::Nothing, "The opposite of --no-ignore-parent";
    pub NO_IGNORE_GLOBAL = "no_ignore_global": Takes::Nothing,
        "Do not obey ignore files: the user's own of git";
    pub IGNORE_GLOBAL = "ignore_global": Takes::Nothing, "The opposite of --no-ignore-global";
    pub REQUIRE_GIT = "require_git": Takes::Nothing,
        "Obey git's ignore files in a repository only (the default)";
    pub NO_REQUIRE_GIT = "no_require_git": Takes::Nothing,
        "Obey git's ignore files outside of a repository, too";
    pub IGNORE_FILE_CASE_INSENSITIVE = "ignore_file_case_insensitive": Takes::Nothing,
        "Match patterns of ignore files whatever the case of letters";
    pub NO_IGNORE_FILE_CASE_INSENSITIVE = "no_ignore_file_case_insensitive": Takes::Nothing,
        "The opposite of --ignore-file-case-insensitive";
    pub FOLLOW = "follow": Takes::Nothing, short: Some('L'),
        "Follow symbolic links, also those that lead out of the tree";
    pub ONE_FILE_SYSTEM = "one_file_system": Takes::Nothing,
        "Do not search folders on another file system than the searched one";
    pub NO_ONE_FILE_SYSTEM = "no_one_file_system": Takes::Nothing,
        "The opposite of --one-file-system (the default)";
    pub NO_FOLLOW = "no_follow": Takes::Nothing,
        "Do not follow symbolic links (the default); a link that is named is";
}

fn orders() -> Vec<&'static str> {
    vec!["none", "path", "modified", "accessed", "created"]
}
