//! The request and the reply of an exact search.

use super::cursor::LineCursor;
use super::incomplete::{Incomplete, completeness};
use super::snapshot::Snapshot;
use super::sources::{SourceName, SourceSnapshot, answering};
use spyhop_attributes::{open, reply, request};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
pub use spyhop_files::walk::IgnoreSources;
pub use spyhop_grep::{Binary, Bounds, Case, FileOrder, FileTime, OutputFormat, PrintOptions};
use spyhop_search::filter::FilterSpec;
use spyhop_search::snippet::ContextLine;

/// The maximum number of lines of context before or after a matching line.
pub(crate) const MAX_GREP_CONTEXT: u32 = 100;

/// An exact search of all lines. The options have the same meaning as in ripgrep.
#[request(Clone, Debug; default = "crate::api::blank::grep", deny_unknown_fields)]
pub struct GrepRequest {
    /// A regular expression in the syntax of Rust's `regex`, or a text if `fixed` is set. It is matched line by line,
    /// unless `multi_line` is set. Must not be empty; together with `or_patterns` at most 10,000 characters.
    pub pattern: String,
    /// More patterns. A line matches if any pattern does.
    pub or_patterns: Vec<String>,
    /// Whether the patterns are texts and not regular expressions. Default false.
    pub fixed: bool,
    /// How letter case is treated. Default: case-sensitive.
    pub case: Case,
    /// Where matches must begin and end. Default: anywhere.
    pub bounds: Bounds,
    /// Whether a match may span several lines. Default false.
    pub multi_line: bool,
    /// Whether `.` also matches the end of a line if `multi_line` is set. Default false.
    pub dot_all: bool,
    /// Whether to find the lines that do not match. Default false.
    pub invert: bool,
    /// The most matching lines of one file; `None` for all.
    pub max_count: Option<u64>,
    /// The filter of files. With kinds, only lines inside items of these kinds match, from the first to the last line
    /// of the item, without its doc comment, attributes or decorators. The kinds `doc`, `block` and `text` also select the
    /// parts of a file that contain no definition. The index has the items of an unchanged file; a changed file is parsed. A
    /// file that cannot be decoded or is too large to be ranked has no items.
    pub filter: FilterSpec,
    /// Whether the files are ordered as a search for the words of the pattern would rank them, with unranked files
    /// last, by path. If `fixed` is set, the words are those of the text; otherwise those that must occur in a match.
    /// Only the order changes: the matches are the same. An index is needed and is built as for a search. Default
    /// false: by path.
    pub rank: bool,
    /// The maximum number of lines of a page, 1 to 1,000. Default 50.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
    /// The lines of context before and after each line, 0 to 100. Default 0.
    pub expand: u32,
    /// The lines of context before each line, instead of `expand`.
    pub before: Option<u32>,
    /// The lines of context after each line, instead of `expand`.
    pub after: Option<u32>,
    /// The maximum number of bytes of the compiled pattern; `None` for the default of the crate `regex`.
    pub regex_size_limit: Option<usize>,
    /// The maximum number of bytes of the cache of a matcher; `None` for the default of the crate `regex`.
    pub dfa_size_limit: Option<usize>,
    /// The encoding of all files, as a label of the WHATWG, or `none` to search the bytes as they are. `None` for UTF-8,
    /// or UTF-16 if the file has a byte order mark.
    pub encoding: Option<String>,
    /// Whether the search of a file ends after its first block of consecutive matching lines. Default false.
    pub stop_on_nonmatch: bool,
    /// Whether character classes match only ASCII and `.` matches any single byte. Default false.
    pub no_unicode: bool,
    /// Whether lines end with CR and LF, so that `$` matches before both. Default false.
    pub crlf: bool,
    /// Whether lines end with a NUL byte. Default false.
    pub null_data: bool,
    /// Which files are searched, apart from the filter.
    pub files: GrepFiles,
    /// How a file with a NUL byte is searched. Default: the search of the file ends at the byte.
    pub binary: Binary,
    /// Whether to read every file instead of only the files that may match by the index. The answer is the same, but
    /// takes longer. Default false.
    pub brute: bool,
    /// Whether the lines of a [`GrepReply`] name the definition around them. Default false.
    pub enclosing: bool,
    /// Whether `total_lines` and `total_files` count all matching lines. Otherwise they count what the search read for the
    /// page: no file before the cursor, and no file after the page once a further line is found. Default true.
    pub counts: bool,
}

impl GrepRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> GrepRequest {
        GrepRequest {
            pattern: pattern.into(),
            or_patterns: Vec::new(),
            fixed: false,
            case: Case::default(),
            bounds: Bounds::default(),
            multi_line: false,
            dot_all: false,
            invert: false,
            max_count: None,
            filter: FilterSpec::default(),
            rank: false,
            max_results: 50,
            cursor: None,
            expand: 0,
            before: None,
            after: None,
            regex_size_limit: None,
            dfa_size_limit: None,
            encoding: None,
            stop_on_nonmatch: false,
            no_unicode: false,
            crlf: false,
            null_data: false,
            files: GrepFiles::default(),
            binary: Binary::default(),
            brute: false,
            enclosing: false,
            counts: true,
        }
    }
}

/// Which files an exact search reads, apart from the filter. The default is ripgrep's, except that no link is followed.
#[request(Clone, Debug, Default, PartialEq, Eq; default, deny_unknown_fields)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GrepFiles {
    /// The ignore files that apply.
    pub ignore: IgnoreSources,
    /// Which symbolic links are followed.
    pub symlinks: SymlinkPolicy,
    /// Whether folders on another file system than the searched folder are left out.
    pub one_file_system: bool,
    /// Whether git's own folder is searched, if hidden files are searched.
    pub git_folder: bool,
    /// Whether compressed files are searched in their decompressed form, by the programs for their formats.
    pub search_zip: bool,
    /// Whether binary files are detected as `rg --mmap` detects them. No file is mapped.
    pub as_mapped: bool,
}

/// Which symbolic links an exact search follows.
#[request(Clone, Copy, Debug, Default, PartialEq, Eq; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SymlinkPolicy {
    /// No link. The default, and the only choice for agents.
    #[default]
    Skip,
    /// Only links that are a part of a path of the request, if the target is inside the tree.
    FollowNamed,
    /// Every link, wherever it leads.
    FollowAll,
}

/// The lines that match a pattern.
#[reply(Clone, Debug)]
pub struct GrepReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The lines of this page, sorted by path and line, or by the rank of the file and line.
    #[serde(rename = "results")]
    pub lines: Vec<GrepLine>,
    /// The number of matching lines over all pages; a lower bound if the answer is `incomplete`, or if the request counts
    /// only its page.
    pub total_lines: usize,
    /// The number of files with a matching line; a lower bound if the answer is `incomplete`.
    pub total_files: usize,
    /// Why a file that may match was not read to its end; `None` if there is no such file.
    #[serde(flatten, serialize_with = "completeness")]
    #[cfg_attr(feature = "schema", schemars(with = "super::incomplete::Completeness"))]
    pub incomplete: Option<Incomplete>,
    /// The cursor of the next page. The cursor names a line of a file, so no line is repeated if the tree changes between
    /// two pages.
    pub next: Option<String>,
    /// Where the answer comes from. The lines are those of the present files. The list of files also comes from the
    /// tree, except with [`StalePolicy::Ignore`](super::StalePolicy::Ignore). The generation is 0 without an index.
    pub snapshot: Snapshot,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// If files are ordered by relevance, the position of each file of the page in that order; else empty.
    #[serde(skip)]
    pub file_ranks: Vec<usize>,
}

impl GrepReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.lines.iter_mut().map(|line| &mut line.source));
    }

    /// Keeps the first `n` lines. The next page then begins with the first line that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n >= self.lines.len() {
            return;
        }
        self.lines.truncate(n);
        self.settle_sources();
        self.next = self.lines.last().map(|last| {
            let is_one_file = |a: &GrepLine, b: &GrepLine| (&a.source, &a.path) == (&b.source, &b.path);
            let files = self.lines.chunk_by(is_one_file).count();
            let rank = files.checked_sub(1).and_then(|place| self.file_ranks.get(place)).copied();
            let cursor = LineCursor { path: last.path.clone(), line: last.line, rank };
            match &last.source {
                Some(source) => format!("{source}:{cursor}"),
                None => cursor.to_string(),
            }
        });
    }
}

/// The outcome of an exact search that was printed.
#[open(Clone, Debug, PartialEq, Eq)]
pub struct PrintedGrep {
    /// Whether any file matched; if the output is files without a match, whether there was such a file.
    pub matched: bool,
    /// Why a file was not read to its end; `None` if there is no such file.
    pub incomplete: Option<Incomplete>,
    /// Whether a filter or an ignore file left out every file of the tree. Only known if no file matched.
    pub searched_nothing: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// A line that matches.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct GrepLine {
    /// The source that has the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// The byte of the line at which the first match begins, from 1.
    pub column: u32,
    /// The line without its line break. Of a line with more than 500 bytes, the part around the first match.
    pub text: String,
    /// The matches, as byte spans of `text`, sorted and not overlapping.
    pub highlights: Vec<Span>,
    /// The innermost definition around the line, if the request asks for it.
    pub enclosing: Option<Enclosing>,
    /// Whether `text` is only a part of the line.
    pub cut: bool,
    /// The lines of context before the line. A line between two matching lines occurs only once.
    pub before: Vec<ContextLine>,
    /// The lines of context after the line, up to the next matching line.
    pub after: Vec<ContextLine>,
}

/// The definition around a line.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The name with its container: `Container.name`.
    pub name: String,
    /// The lines of the definition.
    #[serde(flatten)]
    pub lines: Lines,
}
