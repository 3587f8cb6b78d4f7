//! The rows of the exact search.

use std::path::PathBuf;

use super::faces::Faces;
use super::grep_params as grep;
use super::operation::OperationRow;
use super::param::{Param, Takes};
use super::params;
use super::row::{FilledField, Row, assign, both, command_line, listed, row};
use super::shared::{self, FilledRequest, HasFilter, HasOptions, homes};
use super::values::ValueError;
use spyhop_engine::api::{
    Binary, Bounds, Case, FileOrder, FileTime, GrepRequest, IgnoreSources, Options, OutputFormat,
    PrintOptions, SymlinkPolicy,
};
use spyhop_search::filter::FilterSpec;

/// An exact search, and how a command line prints the answer.
#[derive(Clone, Debug)]
pub struct GrepCall {
    /// The search.
    pub grep: FilledRequest<GrepRequest>,
    /// The patterns of `--regexp`.
    pub patterns: Vec<String>,
    /// The files with patterns.
    pub pattern_files: Vec<String>,
    /// The ignore files that apply in spite of `--no-ignore`, if some are named.
    pub obeyed: Option<IgnoreSources>,
    /// How the answer is printed.
    pub print: GrepPrint,
    /// What else ripgrep's printers are told.
    pub options: PrintOptions,
    /// Whether the plan is shown instead of an answer.
    pub explain_plan: bool,
}

/// How an exact search is printed. `None` is the default, which depends on the terminal and the paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrepPrint {
    /// What is printed of a file; `None` for the lines.
    pub format: Option<OutputFormat>,
    /// Whether the path stands above its lines.
    pub heading: Option<bool>,
    /// Whether lines have numbers.
    pub line_numbers: Option<bool>,
    /// Whether lines have paths.
    pub paths: Option<bool>,
    /// Whether lines have columns.
    pub columns: bool,
    /// Whether only the matches are printed.
    pub only_matching: bool,
    /// Whether files are listed, or file types, in place of a search.
    pub list: Option<GrepList>,
    /// Whether colours, headings and line numbers are on wherever the output goes.
    pub pretty: bool,
    /// Whether messages about files that cannot be read are left out.
    pub no_messages: bool,
}

/// A list that an exact search gives in place of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrepList {
    /// The files that would be searched.
    Files,
    /// The file types.
    Types,
}

impl GrepCall {
    /// A search with these options, without a pattern.
    pub fn new(options: Options) -> GrepCall {
        GrepCall {
            grep: FilledRequest::new(GrepRequest::new(""), options),
            patterns: Vec::new(),
            pattern_files: Vec::new(),
            obeyed: None,
            options: PrintOptions::default(),
            print: GrepPrint::default(),
            explain_plan: false,
        }
    }

    fn obeyed(&mut self) -> &mut IgnoreSources {
        self.obeyed.get_or_insert_with(|| {
            let (dot, vcs, exclude, global, parents) = Default::default();
            IgnoreSources { dot, vcs, exclude, global, parents, ..IgnoreSources::default() }
        })
    }

    fn request(&mut self) -> &mut GrepRequest {
        &mut self.grep.request
    }
}

homes! {
    HasFilter::filter -> FilterSpec { GrepCall => grep.request.filter; }
    HasOptions::options -> Options { GrepCall => grep.options; }
}

/// A row whose flag, when on, calls `on`.
macro_rules! when_on {
    ($faces:ident, $param:expr, $on:expr) => {
        Row {
            param: $param,
            faces: Faces::$faces,
            set: |call: &mut GrepCall, param: &Param, given| {
                if given.flag(param)? == Some(true) {
                    let on: fn(&mut GrepCall) = $on;
                    on(call);
                }
                Ok(())
            },
        }
    };
}

/// The rows of an exact search.
pub const GREP_ROWS: &[Row<GrepCall>] = &[
    both(&grep::PATTERN, |call, param, given| call.request().pattern.fill(param, given)),
    shared::path(),
    command_line(&grep::REGEXP, |call, param, given| call.patterns.fill(param, given)),
    command_line(&grep::PATTERN_FILE, |call, param, given| call.pattern_files.fill(param, given)),
    both(&grep::FIXED, |call, param, given| call.request().fixed.fill(param, given)),
    when_on!(Both, &grep::IGNORE_CASE, |call| call.request().case = Case::Ignored),
    when_on!(CommandLine, &grep::CASE_SENSITIVE, |call| call.request().case = Case::Sensitive),
    when_on!(CommandLine, &grep::SMART_CASE, |call| call.request().case = Case::Smart),
    when_on!(Both, &grep::WORD, |call| call.request().bounds = Bounds::Word),
    when_on!(CommandLine, &grep::LINE_REGEXP, |call| call.request().bounds = Bounds::Line),
    row!(command_line "invert_match" => grep.request.invert: Takes::Nothing, short: Some('v'),
        "The lines that do not match"),
    row!(command_line "multiline" => grep.request.multi_line: Takes::Nothing, aliases: &["multi_line"], short: Some('U'),
        "A match may have several lines"),
    row!(command_line "multiline_dotall" => grep.request.dot_all: Takes::Nothing,
        "With multiline, a dot matches the end of a line as well"),
    row!(command_line "max_count" => grep.request.max_count: Takes::Number(0, u64::MAX), short: Some('m'),
        "No more lines of a file than this"),
    command_line(&grep::AFTER, |call, param, given| call.request().after.fill(param, given)),
    command_line(&grep::BEFORE, |call, param, given| call.request().before.fill(param, given)),
    when_on!(CommandLine, &grep::COUNT, |call| call.print.format = Some(OutputFormat::Count)),
    when_on!(CommandLine, &grep::COUNT_MATCHES, |call| call.print.format = Some(OutputFormat::CountMatches)),
    when_on!(CommandLine, &grep::FILES_WITH, |call| call.print.format = Some(OutputFormat::Files)),
    when_on!(CommandLine, &grep::FILES_WITHOUT, |call| call.print.format = Some(OutputFormat::FilesWithout)),
    row!(command_line "only_matching" => print.only_matching: Takes::Nothing, short: Some('o'),
        "Only what matches, each on a line"),
    when_on!(CommandLine, &grep::VIMGREP, |call| {
        (call.options.per_match, call.print.columns) = (true, true);
        (call.print.line_numbers, call.print.heading, call.print.paths) =
            (Some(true), Some(false), Some(true));
    }),
    when_on!(CommandLine, &grep::LINE_NUMBER, |call| call.print.line_numbers = Some(true)),
    when_on!(CommandLine, &grep::NO_LINE_NUMBER, |call| call.print.line_numbers = Some(false)),
    command_line(&grep::COLUMN, |call, param, given| call.print.columns.fill(param, given)),
    when_on!(CommandLine, &grep::HEADING, |call| call.print.heading = Some(true)),
    when_on!(CommandLine, &grep::NO_HEADING, |call| call.print.heading = Some(false)),
    when_on!(CommandLine, &grep::WITH_FILENAME, |call| call.print.paths = Some(true)),
    when_on!(CommandLine, &grep::NO_FILENAME, |call| call.print.paths = Some(false)),
    when_on!(CommandLine, &grep::PRETTY, |call| call.print.pretty = true),
    command_line(&grep::REPLACE, |call, param, given| {
        call.options.replacement = given.text(param)?.map(String::into_bytes);
        Ok(())
    }),
    row!(command_line "trim" => options.trim: Takes::Nothing, "Leave out blanks at the beginning of lines"),
    row!(command_line "null" => options.null: Takes::Nothing, short: Some('0'), "A NUL byte after each path"),
    command_line(&grep::MAX_COLUMNS, |call, param, given| {
        call.options.max_columns = given.number(param)?.filter(|&bytes| bytes > 0);
        Ok(())
    }),
    row!(command_line "max_columns_preview" => options.max_columns_preview: Takes::Nothing,
        "Print the beginning of lines above --max-columns"),
    row!(command_line "byte_offset" => options.byte_offset: Takes::Nothing, short: Some('b'),
        "Lines with the byte where they begin"),
    command_line(&grep::PASSTHRU, |call, param, given| call.options.passthru.fill(param, given)),
    row!(command_line "stats" => options.stats: Takes::Nothing, "Counts and times after the output"),
    command_line(&grep::CONTEXT_SEPARATOR, |call, param, given| {
        if let Some(line) = given.text(param)? {
            call.options.context_separator = Some(unescaped(line));
        }
        Ok(())
    }),
    command_line(&grep::PATH_SEPARATOR, |call, param, given| {
        call.options.path_separator = match given.text(param)?.as_deref().map(str::as_bytes) {
            None | Some([]) => None,
            Some([byte]) => Some(*byte),
            Some(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                return Err(ValueError::new(format!("path_separator is '{text}'; give one byte")));
            }
        };
        Ok(())
    }),
    command_line(&grep::FIELD_MATCH_SEPARATOR, |call, param, given| {
        assign(&mut call.options.field_match_separator, given.text(param)?.map(unescaped));
        Ok(())
    }),
    command_line(&grep::FIELD_CONTEXT_SEPARATOR, |call, param, given| {
        assign(&mut call.options.field_context_separator, given.text(param)?.map(unescaped));
        Ok(())
    }),
    row!(command_line "include_zero" => options.include_zero: Takes::Nothing,
        "With --count, also files without a match"),
    row!(command_line "no_unicode" => grep.request.no_unicode: Takes::Nothing,
        "\\w, \\d, \\s, \\b and . mean ASCII and bytes"),
    when_on!(CommandLine, &grep::MMAP, |call| call.request().files.as_mapped = true),
    when_on!(CommandLine, &grep::NO_MMAP, |_| ()),
    when_on!(CommandLine, &grep::SEARCH_ZIP, |call| call.request().files.search_zip = true),
    when_on!(CommandLine, &grep::NO_SEARCH_ZIP, |_| ()),
    row!(command_line "hyperlink_format" => options.hyperlink_format: Takes::Text,
        "Links on paths where there are colours: a format of ripgrep, or a name such as file or vscode"),
    when_on!(CommandLine, &grep::SORT_FILES, |call| call.options.order = FileOrder::Path),
    when_on!(CommandLine, &grep::NO_COLUMN, |call| call.print.columns = false),
    row!(command_line "colors" => options.colors: Takes::Repeated,
        "Colours as ripgrep has them, such as 'match:fg:blue' or 'path:none'"),
    row!(command_line "max_filesize" => grep.request.filter.max_file_bytes: Takes::Bytes,
        "Do not search larger files (bytes, or with K, M, G)"),
    row!(command_line "stop_on_nonmatch" => grep.request.stop_on_nonmatch: Takes::Nothing,
        "End a file at the first line that does not match after one that does"),
    command_line(&grep::ENCODING, |call, param, given| {
        call.request().encoding = given.text(param)?.filter(|name| name != "auto");
        Ok(())
    }),
    row!(command_line "regex_size_limit" => grep.request.regex_size_limit: Takes::Bytes,
        "Most memory of a compiled pattern"),
    row!(command_line "dfa_size_limit" => grep.request.dfa_size_limit: Takes::Bytes,
        "Most memory of a pattern's cache"),
    when_on!(CommandLine, &grep::NO_CONTEXT_SEPARATOR, |call| call.options.context_separator = None),
    command_line(&grep::SORT, |call, param, given| {
        if let Some(name) = given.text(param)? {
            call.options.order = file_order(&name, false);
        }
        Ok(())
    }),
    command_line(&grep::SORT_REVERSED, |call, param, given| {
        if let Some(name) = given.text(param)? {
            call.options.order = file_order(&name, true);
        }
        Ok(())
    }),
    when_on!(CommandLine, &grep::LIST_FILES, |call| call.print.list = Some(GrepList::Files)),
    when_on!(CommandLine, &grep::TYPE_LIST, |call| call.print.list = Some(GrepList::Types)),
    command_line(&grep::NO_MESSAGES, |call, param, given| call.print.no_messages.fill(param, given)),
    // Output is written at once in any case, but ripgrep's configuration files may have the option.
    command_line(&grep::LINE_BUFFERED, |_, _, _| Ok(())),
    row!(command_line "crlf" => grep.request.crlf: Takes::Nothing, "$ matches before CR LF as well"),
    row!(command_line "null_data" => grep.request.null_data: Takes::Nothing, "Lines end with a NUL byte"),
    when_on!(CommandLine, &grep::BINARY, |call| call.request().binary = Binary::Name),
    when_on!(CommandLine, &grep::TEXT, |call| call.request().binary = Binary::Text),
    command_line(&grep::UNRESTRICTED, |call, param, given| {
        let times = given.count(param)?;
        let options = call.options();
        options.no_ignore |= times >= 1;
        options.hidden |= times >= 2;
        if times >= 3 && call.request().binary == Binary::Quit {
            call.request().binary = Binary::Name;
        }
        Ok(())
    }),
    command_line(&grep::TYPE, |call, param, given| call.filter().types.fill(param, given)),
    command_line(&grep::TYPE_NOT, |call, param, given| call.filter().types_not.fill(param, given)),
    row!(command_line "type_add" => grep.request.filter.type_add: Takes::Repeated,
        "A further glob of a type, as 'web:*.html'; with -t or -T"),
    row!(command_line "glob" => grep.request.filter.ripgrep_globs: Takes::Repeated, short: Some('g'),
        "Only paths that match, as ripgrep has it; with ! in front none of them"),
    row!(command_line "iglob" => grep.request.filter.ripgrep_iglobs: Takes::Repeated,
        "As --glob, whatever the case of letters"),
    when_on!(CommandLine, &grep::GLOB_CASE_INSENSITIVE, |call| {
        let globs = std::mem::take(&mut call.filter().ripgrep_globs);
        call.filter().ripgrep_iglobs.splice(0..0, globs);
    }),
    row!(command_line "max_depth" => grep.request.filter.max_depth: Takes::Number(0, u64::MAX), aliases: &["maxdepth"], short: Some('d'),
        "Most folders below each path; 1 is its own files"),
    command_line(&grep::IGNORE_FILE, |call, param, given| {
        call.request().files.ignore.files = given.texts(param)?.into_iter().map(PathBuf::from).collect();
        Ok(())
    }),
    when_on!(CommandLine, &grep::NO_IGNORE_FILES, |call| call.request().files.ignore.files.clear()),
    when_on!(CommandLine, &grep::IGNORE_FILES, |_| ()),
    when_on!(CommandLine, &grep::NO_IGNORE_VCS, |call| call.request().files.ignore.vcs = false),
    when_on!(CommandLine, &grep::IGNORE_VCS, |call| call.obeyed().vcs = true),
    when_on!(CommandLine, &grep::NO_IGNORE_DOT, |call| call.request().files.ignore.dot = false),
    when_on!(CommandLine, &grep::IGNORE_DOT, |call| call.obeyed().dot = true),
    when_on!(CommandLine, &grep::NO_IGNORE_EXCLUDE, |call| call.request().files.ignore.exclude = false),
    when_on!(CommandLine, &grep::IGNORE_EXCLUDE, |call| call.obeyed().exclude = true),
    when_on!(CommandLine, &grep::NO_IGNORE_PARENT, |call| call.request().files.ignore.parents = false),
    when_on!(CommandLine, &grep::IGNORE_PARENT, |call| call.obeyed().parents = true),
    when_on!(CommandLine, &grep::NO_IGNORE_GLOBAL, |call| call.request().files.ignore.global = false),
    when_on!(CommandLine, &grep::IGNORE_GLOBAL, |call| call.obeyed().global = true),
    when_on!(CommandLine, &grep::REQUIRE_GIT, |_| ()),
    when_on!(CommandLine, &grep::NO_REQUIRE_GIT, |call| call.request().files.ignore.require_git = false),
    when_on!(CommandLine, &grep::IGNORE_FILE_CASE_INSENSITIVE, |call| {
        call.request().files.ignore.ignore_case = true;
    }),
    when_on!(CommandLine, &grep::NO_IGNORE_FILE_CASE_INSENSITIVE, |_| ()),
    when_on!(CommandLine, &grep::FOLLOW, |call| call.request().files.symlinks = SymlinkPolicy::FollowAll),
    when_on!(CommandLine, &grep::NO_FOLLOW, |_| ()),
    when_on!(CommandLine, &grep::ONE_FILE_SYSTEM, |call| call.request().files.one_file_system = true),
    when_on!(CommandLine, &grep::NO_ONE_FILE_SYSTEM, |_| ()),
    when_on!(CommandLine, &grep::RG_JSON, |call| call.print.format = Some(OutputFormat::Events)),
    shared::path_glob(&grep::GREP_PATH_GLOB).only_on(Faces::CommandLine),
    shared::path_glob(&params::PATH_GLOB).only_on(Faces::Tools),
    shared::exclude(),
    shared::lang(),
    shared::kind(&grep::GREP_KIND),
    row!(both "rank" => grep.request.rank: Takes::Nothing, "Files by relevance"),
    both(&grep::GREP_RESULTS, |call, param, given| call.request().max_results.fill(param, given)),
    both(&grep::GREP_EXPAND, |call, param, given| call.request().expand.fill(param, given)),
    both(&params::CURSOR, |call, param, given| call.request().cursor.fill(param, given)),
    row!(command_line "brute" => grep.request.brute: Takes::Nothing,
        "Read every file, whatever the index says; the answer is the same"),
    command_line(&grep::EXPLAIN_PLAN, |call, param, given| call.explain_plan.fill(param, given)),
    shared::show_secrets(),
    shared::view(),
    shared::stale_policy(),
    shared::no_refresh(),
];

/// A separator, in which `\\t`, `\\n`, `\\0`, `\\\\` and `\\xHH` stand for bytes, as in ripgrep.
fn unescaped(text: String) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let (byte, left) = match (first, after) {
            (b'\\', [b't', left @ ..]) => (b'\t', left),
            (b'\\', [b'n', left @ ..]) => (b'\n', left),
            (b'\\', [b'r', left @ ..]) => (b'\r', left),
            (b'\\', [b'0', left @ ..]) => (0, left),
            (b'\\', [b'\\', left @ ..]) => (b'\\', left),
            (b'\\', [b'x', a, b, left @ ..]) if hex(&[*a, *b]).is_some() => {
                (hex(&[*a, *b]).unwrap_or_default(), left)
            }
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    bytes
}

/// The order that a name of `--sort` or `--sortr` stands for.
fn file_order(name: &str, reversed: bool) -> FileOrder {
    match name {
        "modified" => FileOrder::Time { of: FileTime::Modified, reversed },
        "accessed" => FileOrder::Time { of: FileTime::Accessed, reversed },
        "created" => FileOrder::Time { of: FileTime::Created, reversed },
        _ if reversed => FileOrder::PathReversed,
        _ => FileOrder::Path,
    }
}

/// Exact search: every line that matches.
pub const GREP: OperationRow = OperationRow::new(
    "grep",
    "Find every line that matches a pattern, in the files as they are now",
    listed!(GREP_ROWS),
)
.prints_paths()
.asks_sources();
