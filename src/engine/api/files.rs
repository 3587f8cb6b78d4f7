//! The request and the reply of a search for files by name.

use super::cursor::page_cursor;
use super::snapshot::Snapshot;
use super::sources::{SourceName, SourceSnapshot, answering};
use spyhop_attributes::{Name, reply, request};
use spyhop_base::path::RelPath;
use spyhop_base::text::Span;
use spyhop_search::filter::FilterSpec;

/// A search for files by name.
#[request(Clone, Debug; default = "crate::api::blank::files", deny_unknown_fields)]
pub struct FilesRequest {
    /// Letters of the path in order, with gaps (`srchmod` for `search/mod.rs`), case-insensitive. Of several words, each
    /// must match, in any order. A pattern that contains `*`, `?` or `[` is a glob as in [`FilterSpec::path_globs`]. An
    /// empty pattern lists every file by path. At most 1,000 characters.
    pub pattern: String,
    /// Whether the reply also has weak matches, in whose paths the letters of the pattern are scattered, if there are
    /// better matches. Default false: weak matches are only counted, in [`FilesReply::left_out`].
    pub include_scattered: bool,
    /// The filter of files; kinds are refused.
    pub filter: FilterSpec,
    /// The maximum number of files of a page, 1 to 1,000, or [`ALL_ROWS`](super::ALL_ROWS). Default 20.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
}

impl FilesRequest {
    /// The default search for `pattern`.
    pub fn new(pattern: impl Into<String>) -> FilesRequest {
        let (filter, max_results) = (FilterSpec::default(), 20);
        FilesRequest { pattern: pattern.into(), include_scattered: false, filter, max_results, cursor: None }
    }
}

/// The files whose name matches.
#[reply(Clone, Debug)]
pub struct FilesReply {
    /// The pattern of the request.
    pub pattern: String,
    /// The files of this page, best first; for a glob or an empty pattern sorted by path.
    #[serde(rename = "results")]
    pub files: Vec<FileRow>,
    /// The number of files over all pages.
    pub total: usize,
    /// The number of weak matches that the reply leaves out, see [`FilesRequest::include_scattered`].
    pub left_out: usize,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of files on the pages before.
    #[serde(skip)]
    pub offset: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Whether every source that was asked answers; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller, such as that another process is indexing.
    pub warnings: Vec<String>,
}

impl FilesReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.files.iter_mut().map(|row| &mut row.source));
    }

    /// Keeps the first `n` files. The next page then begins with the first file that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.files.len() {
            self.files.truncate(n);
            self.settle_sources();
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A file found by name.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The source that has the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The name of the file's language.
    pub language: &'static str,
    /// The number of lines; `None` for a file that is indexed by its path only.
    pub lines: Option<u32>,
    /// The size in bytes.
    pub bytes: u64,
    /// The part of the path that matched.
    pub matched: FileMatch,
    /// The letters that matched, as byte spans of the path, sorted and not overlapping.
    pub highlights: Vec<Span>,
}

/// The part of a file's path that a pattern matched.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Name)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
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
