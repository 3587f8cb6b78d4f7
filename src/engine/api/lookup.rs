//! What is asked and answered without ranking: lines by pattern, files by name, the outline of a tree.

use super::Snapshot;
use crate::filter::FilterSpec;
pub use crate::grep::{Bounds, Case, OutputFormat, PrintOptions};
use crate::model::{SymbolKind, qualified_name};
use crate::path::RelPath;
use crate::snippet::ContextLine;
use crate::text::{Lines, Span};

/// The most lines that a page of [`GrepReply`] holds, and the most files that one of [`FilesReply`] does.
pub const MAX_ROWS: usize = 1_000;

/// The most lines of context around a line that a grep found.
pub const MAX_GREP_CONTEXT: u32 = 100;

/// The most rows of a map.
pub const MAX_MAP_ITEMS: usize = 5_000;

/// An exact search of all lines. Its words mean what they mean to ripgrep.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// A regular expression in the syntax of Rust's `regex`, or a text when `fixed`. It is matched line by line unless
    /// `multi_line`. Not empty; with `or_patterns` not above 10,000 characters.
    pub pattern: String,
    /// More patterns; a line matches where any does.
    pub or_patterns: Vec<String>,
    /// Whether the patterns are texts and no regular expressions. Default false.
    pub fixed: bool,
    /// What upper and lower case count for. Default: they differ.
    pub case: Case,
    /// Where matches must begin and end. Default: anywhere.
    pub bounds: Bounds,
    /// Whether a match may have several lines. Default false.
    pub multi_line: bool,
    /// Whether `.` matches the end of a line, too, when `multi_line`. Default false.
    pub dot_all: bool,
    /// Whether the lines are wanted that do not match. Default false.
    pub invert: bool,
    /// How many lines a file may give; `None` for all.
    pub max_count: Option<u64>,
    /// Which files may answer. With kinds only lines count that stand in an item of one of them, from its first line
    /// to its last, without what leads it; for `doc`, `block` and `text` also those in a part of a file that defines
    /// nothing. The index knows the items of a file that is as it was indexed; others are parsed on the way. A file
    /// that cannot be decoded or is too big to be ranked has no items.
    pub filter: FilterSpec,
    /// Whether the files come in the order in which a search for the pattern's words would rank them, and those that
    /// are not ranked last, by path. A text is ranked by as it stands, of a regular expression count the words that
    /// the plan of the search names. All that matches is counted and shown as otherwise. It needs an index and makes
    /// one as a search does. Default false: by path.
    pub rank: bool,
    /// How many lines a page holds, 1 to 1,000. Default 50.
    pub max_results: usize,
    /// Where the page begins: a reply's `next`.
    pub cursor: Option<String>,
    /// Lines of context before and after each line, 0 to 100. Default 0.
    pub expand: u32,
    /// Lines of context before, instead of `expand`.
    pub before: Option<u32>,
    /// Lines of context after, instead of `expand`.
    pub after: Option<u32>,
    /// Whether every file is read, whatever the index says: the answer is the same and takes longer. Default false.
    pub brute: bool,
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
            brute: false,
        }
    }
}

/// The lines that match a pattern.
#[derive(Clone, Debug)]
pub struct GrepReply {
    /// The pattern as asked.
    pub pattern: String,
    /// The lines of this page, by path and line, or by the rank of their file and line.
    pub lines: Vec<GrepLine>,
    /// Matching lines over all pages; a lower bound when `complete` is false.
    pub total_lines: usize,
    /// Files that hold them; a lower bound when `complete` is false.
    pub total_files: usize,
    /// Whether every file that may answer was read to its end.
    pub complete: bool,
    /// Why not, in words; `None` when `complete`.
    pub incomplete: Option<String>,
    /// The cursor of the next page. It names a place, so a tree that changes between two pages moves no line twice.
    pub next: Option<String>,
    /// Where the answer comes from. The lines are those of the files as they are now; which files there are is looked
    /// up in the tree, too, unless changes are ignored. Its generation is 0 where there is no index.
    pub snapshot: Snapshot,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What an exact search came to that was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedGrep {
    /// Whether any file matched; where files without a match are wanted, whether any did not.
    pub matched: bool,
    /// Why not every file that may answer was read to its end; `None` when all were.
    pub incomplete: Option<String>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepLine {
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// Where its first match begins: the byte of the line, from 1.
    pub column: u32,
    /// The line without its end or, where it has more than 500 bytes, the part around its first match.
    pub text: String,
    /// The matches, as spans of `text`, sorted, not overlapping.
    pub highlights: Vec<Span>,
    /// Whether `text` is only a part of the line.
    pub cut: bool,
    /// Lines of context before it. What stands between two lines that match comes once.
    pub before: Vec<ContextLine>,
    /// Lines of context after it, up to the next line that matches.
    pub after: Vec<ContextLine>,
}

/// A search for files by name.
#[derive(Clone, Debug)]
pub struct FilesRequest {
    /// Letters of the name in their order, some left out (`srchmod` for `search/mod.rs`), upper and lower case alike;
    /// blanks count for nothing. A pattern that holds one of `*?[` is a glob as in `path_glob`. An empty one lists
    /// every file by path. At most 1,000 characters.
    pub pattern: String,
    /// Which files may answer; kinds are refused.
    pub filter: FilterSpec,
    /// How many files a page holds, 1 to 1,000. Default 20.
    pub max_results: usize,
    /// Where the page begins: a reply's `next`.
    pub cursor: Option<String>,
}

impl FilesRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> FilesRequest {
        FilesRequest { pattern: pattern.into(), filter: FilterSpec::default(), max_results: 20, cursor: None }
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
    /// Letters of the name in their order, some left out, upper and lower case alike; blanks count for nothing. Behind
    /// the last of `.`, `::`, `#`, `->` and `/` the name, before that letters of its container: `Pool.take`. An empty
    /// pattern lists every definition by path and line. At most 1,000 characters.
    pub pattern: String,
    /// Which files and kinds may answer. Without a kind, sections of documents and implementation blocks do not.
    pub filter: FilterSpec,
    /// How many definitions a page holds, 1 to 1,000. Default 20.
    pub max_results: usize,
    /// Where the page begins: a reply's `next`.
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
    /// The pattern as asked.
    pub pattern: String,
    /// The definitions of this page, best first; those of an empty pattern by path and line.
    pub symbols: Vec<SymbolRow>,
    /// The number of definitions over all pages.
    pub total: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// What the caller should know, such as that no name matches and near ones are shown.
    pub warnings: Vec<String>,
}

/// A definition that was found by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// The file.
    pub path: RelPath,
    /// The lines of the whole item.
    pub lines: Lines,
    /// What it is.
    pub kind: SymbolKind,
    /// The name alone, as written.
    pub name: String,
    /// The name of what holds it.
    pub container: Option<String>,
    /// The name of its language.
    pub language: &'static str,
    /// The letters of the name that matched, as spans of bytes, sorted, not overlapping.
    pub highlights: Vec<Span>,
}

impl SymbolRow {
    /// The name with its container before it: `Container.name`.
    pub fn qualified(&self) -> String {
        qualified_name(self.container.as_deref(), &self.name)
    }
}

/// The files whose name matches.
#[derive(Clone, Debug)]
pub struct FilesReply {
    /// The pattern as asked.
    pub pattern: String,
    /// The files of this page, best first; those of a glob and of an empty pattern by path.
    pub files: Vec<FileRow>,
    /// How many there are over all pages.
    pub total: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// What the caller should know, such as that another process is indexing.
    pub warnings: Vec<String>,
}

/// A file that was found by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The file.
    pub path: RelPath,
    /// The name of its language.
    pub language: &'static str,
    /// Its lines; `None` for a file that is found by its path only.
    pub lines: Option<u32>,
    /// Its bytes.
    pub bytes: u64,
    /// What matched.
    pub matched: FileMatch,
    /// The letters that matched, as spans of the path, sorted, not overlapping.
    pub highlights: Vec<Span>,
}

/// What of a file's path a pattern matched.
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
    /// Its word.
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
    /// Which files count; its `path` is the folder or file that is outlined, its kinds are those of the symbols.
    pub filter: FilterSpec,
    /// How many rows there may be, folders, files and symbols together, 1 to 5,000. Default 200.
    pub max_items: usize,
    /// How many folders deep it goes; what lies deeper is summed up in the folder above. Default 2.
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
    /// What is outlined; empty for the whole tree.
    pub path: RelPath,
    /// Files in it.
    pub files: usize,
    /// Lines of the files that are ranked.
    pub lines: u64,
    /// Names that are defined in it.
    pub symbols: usize,
    /// Files by language, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// Folders and files, each before what it holds.
    pub entries: Vec<MapEntry>,
    /// Whether every folder and file down to `depth`, and every symbol of a file that is outlined by itself, has a
    /// row. The symbols of a folder are always a choice.
    pub complete: bool,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// What the caller should know, such as that another process is indexing.
    pub warnings: Vec<String>,
}

/// A folder or a file of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// Which one.
    pub path: RelPath,
    /// Whether it is a folder.
    pub is_dir: bool,
    /// How many folders of the map stand above it.
    pub depth: u32,
    /// Files in it and below; 1 for a file.
    pub files: usize,
    /// Their lines.
    pub lines: u64,
    /// Their languages, most files first.
    pub languages: Vec<(&'static str, usize)>,
    /// The main symbols of its files, of those in folders without an entry of their own too.
    pub symbols: Vec<MapSymbol>,
    /// How many symbols these were chosen from.
    pub total_symbols: usize,
}

/// A symbol of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSymbol {
    /// Its name with its container, as `Type.method`.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The file that defines it.
    pub path: RelPath,
    /// The lines of the item.
    pub lines: Lines,
    /// How many symbols of the same file enclose it.
    pub depth: u32,
}
