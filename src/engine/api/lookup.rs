//! The plain data of requests without ranking: lines by pattern, files and definitions by name, and the outline of a
//! tree.

use super::cursor::{LineCursor, page_cursor};
use super::snapshot::Snapshot;
use crate::filter::FilterSpec;
pub use crate::grep::{Binary, Bounds, Case, FileOrder, FileTime, OutputFormat, PrintOptions};
use crate::model::{SymbolKind, qualified_name};
use crate::path::RelPath;
use crate::snippet::ContextLine;
use crate::text::{Lines, Span};
pub use crate::walk::IgnoreSources;

/// The most rows of a page: lines of a [`GrepReply`], files of a [`FilesReply`], definitions of a [`SymbolsReply`].
pub const MAX_ROWS: usize = 1_000;

/// The value of `max_results` of a [`FilesRequest`] or [`SymbolsRequest`] that returns every row on one page.
pub const ALL_ROWS: usize = usize::MAX;

/// The most lines of context before or after a matching line.
pub const MAX_GREP_CONTEXT: u32 = 100;

/// The most rows of a map.
pub const MAX_MAP_ITEMS: usize = 5_000;

/// An exact search of all lines. The options have the same meaning as in ripgrep.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// A regular expression in the syntax of Rust's `regex`, or a text if `fixed` is set. It is matched line by line,
    /// unless `multi_line` is set. Not empty; together with `or_patterns` at most 10,000 characters.
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
    /// All matches are counted and shown as without `rank`. An index is needed and is built as for a search. Default
    /// false: by path.
    pub rank: bool,
    /// The most lines of a page, 1 to 1,000. Default 50.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
    /// The lines of context before and after each line, 0 to 100. Default 0.
    pub expand: u32,
    /// The lines of context before each line, instead of `expand`.
    pub before: Option<u32>,
    /// The lines of context after each line, instead of `expand`.
    pub after: Option<u32>,
    /// The most bytes of the compiled pattern; `None` for the default of the crate `regex`.
    pub regex_size_limit: Option<usize>,
    /// The most bytes of the cache of a matcher; `None` for the default of the crate `regex`.
    pub dfa_size_limit: Option<usize>,
    /// The encoding of all files, as a label of the WHATWG, or `none` to search the bytes as they are. `None` for UTF-8,
    /// or UTF-16 if the file has a byte order mark.
    pub encoding: Option<String>,
    /// Whether the search of a file stops at the first line that does not match after a line that matches. Default false.
    pub stop_on_nonmatch: bool,
    /// Whether character classes match only ASCII and `.` matches any single byte. Default false.
    pub no_unicode: bool,
    /// Whether lines end with CR and LF, so that `$` matches before both. Default false.
    pub crlf: bool,
    /// Whether lines end with a NUL byte. Default false.
    pub null_data: bool,
    /// Which files are searched, apart from the filter.
    pub files: GrepFiles,
    /// What a NUL byte in a file does. Default: the search of the file ends there.
    pub binary: Binary,
    /// Whether to read every file instead of only the files that may match by the index. The answer is the same, but
    /// takes longer. Default false.
    pub brute: bool,
    /// Whether the lines of a [`GrepReply`] name the definition around them. Default false.
    pub enclosing: bool,
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
        }
    }
}

/// Which files an exact search reads, apart from the filter. The default is ripgrep's, except that no link is followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepFiles {
    /// The ignore files that apply.
    pub ignore: IgnoreSources,
    /// Which symbolic links are followed.
    pub symlinks: SymlinkPolicy,
    /// Whether git's own folder is searched, if hidden files are searched.
    pub git_folder: bool,
    /// Whether compressed files are searched in their decompressed form, by the programs for their formats.
    pub search_zip: bool,
    /// Whether binary files are detected as `rg --mmap` detects them. No file is mapped.
    pub as_mapped: bool,
}

/// Which symbolic links an exact search follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug)]
pub struct GrepReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The lines of this page, sorted by path and line, or by the rank of the file and line.
    pub lines: Vec<GrepLine>,
    /// The number of matching lines over all pages; a lower bound if the answer is `incomplete`.
    pub total_lines: usize,
    /// The number of files with a matching line; a lower bound if the answer is `incomplete`.
    pub total_files: usize,
    /// Why some file was not read to its end; `None` if every file that may match was.
    pub incomplete: Option<String>,
    /// The cursor of the next page. It names a line of a file, so no line is repeated if the tree changes between two
    /// pages.
    pub next: Option<String>,
    /// Where the answer comes from. The lines are those of the present files. The list of files also comes from the
    /// tree, unless the policy ignores changes. The generation is 0 without an index.
    pub snapshot: Snapshot,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// If files are ordered by relevance, the position of each file of the page in that order; else empty.
    pub file_ranks: Vec<usize>,
}

impl GrepReply {
    /// Keeps the first `n` lines. The next page then begins with the first line that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n >= self.lines.len() {
            return;
        }
        self.lines.truncate(n);
        self.next = self.lines.last().map(|last| {
            let files = self.lines.chunk_by(|a, b| a.path == b.path).count();
            let rank = files.checked_sub(1).and_then(|place| self.file_ranks.get(place)).copied();
            LineCursor { path: last.path.clone(), line: last.line, rank }.to_string()
        });
    }
}

/// The outcome of an exact search that was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedGrep {
    /// Whether any file matched; if the output is files without a match, whether there was such a file.
    pub matched: bool,
    /// Why some file was not read to its end; `None` if every file was.
    pub incomplete: Option<String>,
    /// Whether a filter or an ignore file left out every file of the tree. Only known if no file matched.
    pub searched_nothing: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepLine {
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// The byte of the line at which the first match begins, from 1.
    pub column: u32,
    /// The line without its line break. Of a line with more than 500 bytes, the part around the first match.
    pub text: String,
    /// The matches, as spans of `text`, sorted, not overlapping.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The name with its container: `Container.name`.
    pub name: String,
    /// The lines of the definition.
    pub lines: Lines,
}

/// A search for files by name.
#[derive(Clone, Debug)]
pub struct FilesRequest {
    /// Letters of the path in order, with gaps (`srchmod` for `search/mod.rs`), case-insensitive. Of several words, each
    /// must match, in any order. A pattern that contains `*`, `?` or `[` is a glob as in [`FilterSpec::path_globs`]. An
    /// empty pattern lists every file by path. At most 1,000 characters.
    pub pattern: String,
    /// Whether files in whose paths the letters are scattered are found although there are better matches.
    /// Default false.
    pub all: bool,
    /// The filter of files; kinds are refused.
    pub filter: FilterSpec,
    /// The most files of a page, 1 to 1,000, or [`ALL_ROWS`]. Default 20.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
}

impl FilesRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> FilesRequest {
        let (filter, max_results) = (FilterSpec::default(), 20);
        FilesRequest { pattern: pattern.into(), all: false, filter, max_results, cursor: None }
    }
}

/// A search for definitions by name.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("pool.py"), "class Pool:\n    def take_permit(self):\n        return 1\n")?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// let reply = engine.symbols(&spyhop::SymbolsRequest::new("tkperm"))?;
/// assert_eq!(reply.symbols[0].name, "take_permit");
/// assert_eq!(reply.symbols[0].container.as_deref(), Some("Pool"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SymbolsRequest {
    /// Letters of the name in order, with gaps, case-insensitive; blanks are ignored. A pattern with `.`, `::`, `#`,
    /// `->` or `/` has letters of the container before the last of these separators and letters of the name after it:
    /// `Pool.take`. An empty pattern lists every definition by path and line. At most 1,000 characters.
    pub pattern: String,
    /// The filter of files and kinds. Without kinds, sections of documents and implementation blocks are excluded.
    pub filter: FilterSpec,
    /// The most definitions of a page, 1 to 1,000, or [`ALL_ROWS`]. Default 20.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
}

impl SymbolsRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> SymbolsRequest {
        let (filter, pattern) = (FilterSpec::default(), pattern.into());
        SymbolsRequest { pattern, filter, max_results: 20, cursor: None }
    }
}

/// The definitions whose name matches.
#[derive(Clone, Debug)]
pub struct SymbolsReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The definitions of this page, best first; for an empty pattern sorted by path and line.
    pub symbols: Vec<SymbolRow>,
    /// The number of definitions over all pages.
    pub total: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of definitions on the pages before.
    pub offset: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller, such as that no name matches and similar names are shown.
    pub warnings: Vec<String>,
}

impl SymbolsReply {
    /// Keeps the first `n` definitions. The next page then begins with the first one that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.symbols.len() {
            self.symbols.truncate(n);
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A definition found by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// The file.
    pub path: RelPath,
    /// The lines of the item.
    pub lines: Lines,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The name as written, without its container.
    pub name: String,
    /// The name of the container.
    pub container: Option<String>,
    /// The name of the file's language.
    pub language: &'static str,
    /// The letters of the name that matched, as spans of bytes, sorted, not overlapping.
    pub highlights: Vec<Span>,
}

impl SymbolRow {
    /// The name with its container: `Container.name`.
    pub fn qualified(&self) -> String {
        qualified_name(self.container.as_deref(), &self.name)
    }
}

/// The files whose name matches.
#[derive(Clone, Debug)]
pub struct FilesReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The files of this page, best first; for a glob or an empty pattern sorted by path.
    pub files: Vec<FileRow>,
    /// The number of files over all pages.
    pub total: usize,
    /// The number of files that were left out, because the letters of the pattern are scattered in their paths.
    pub left_out: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of files on the pages before.
    pub offset: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller, such as that another process is indexing.
    pub warnings: Vec<String>,
}

impl FilesReply {
    /// Keeps the first `n` files. The next page then begins with the first one that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.files.len() {
            self.files.truncate(n);
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A file found by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The file.
    pub path: RelPath,
    /// The name of the file's language.
    pub language: &'static str,
    /// The number of lines; `None` for a path-only file.
    pub lines: Option<u32>,
    /// The size in bytes.
    pub bytes: u64,
    /// The part of the path that matched.
    pub matched: FileMatch,
    /// The letters that matched, as spans of the path, sorted, not overlapping.
    pub highlights: Vec<Span>,
}

/// The part of a file's path that a pattern matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMatch {
    /// The file name.
    Name,
    /// The path, folders included.
    Path,
    /// The pattern is a glob.
    Glob,
    /// The pattern is empty.
    Any,
}

impl FileMatch {
    /// The name in replies.
    pub fn name(self) -> &'static str {
        match self {
            FileMatch::Name => "name",
            FileMatch::Path => "path",
            FileMatch::Glob => "glob",
            FileMatch::Any => "any",
        }
    }
}

/// A request for the outline of a tree, of a folder or of a file.
#[derive(Clone, Debug)]
pub struct MapRequest {
    /// The filter of files. Its `path` is the folder or file of the outline; its kinds are those of the symbols.
    pub filter: FilterSpec,
    /// The most rows, counting folders, files and symbols, 1 to 5,000. Default 200.
    pub max_items: usize,
    /// The depth of folders with a row. Deeper folders count for the folder above. Default 2.
    pub depth: u32,
}

impl Default for MapRequest {
    fn default() -> MapRequest {
        MapRequest { filter: FilterSpec::default(), max_items: 200, depth: 2 }
    }
}

/// The outline of a tree, of a folder or of a file.
#[derive(Clone, Debug)]
pub struct MapReply {
    /// The folder or file of the outline; empty for the whole tree.
    pub path: RelPath,
    /// The number of files.
    pub files: usize,
    /// The number of lines of these files.
    pub lines: u64,
    /// The number of symbols that these files define.
    pub symbols: usize,
    /// The number of files for each language, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// The rows of folders and files; a folder comes before its content.
    pub entries: Vec<MapEntry>,
    /// Whether every folder and file down to `depth` has a row and, if the outline is of one file, every symbol. The
    /// symbols of a folder are always a selection.
    pub all_rows_listed: bool,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller, such as that another process is indexing.
    pub warnings: Vec<String>,
}

/// A folder or a file of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// The path of the folder or file.
    pub path: RelPath,
    /// Whether the entry is a folder.
    pub is_dir: bool,
    /// The number of folders of the map above the entry.
    pub depth: u32,
    /// The number of files in the folder and below; 1 for a file.
    pub files: usize,
    /// The number of lines of these files.
    pub lines: u64,
    /// The number of files for each language, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// The main symbols of the files, including files in folders without an entry.
    pub symbols: Vec<MapSymbol>,
    /// The number of symbols from which these were selected.
    pub total_symbols: usize,
}

/// A symbol of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSymbol {
    /// The name with its container, as `Type.method`.
    pub name: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The file that defines the symbol.
    pub path: RelPath,
    /// The lines of the item.
    pub lines: Lines,
    /// The number of symbols of the file that enclose the symbol.
    pub depth: u32,
}
