//! The limits of pages that several operations share.

/// The maximum number of rows of a page: lines of a [`GrepReply`](super::GrepReply), files of a [`FilesReply`](super::FilesReply), definitions of a [`SymbolsReply`](super::SymbolsReply).
pub const MAX_ROWS: usize = 1_000;

/// The value of `max_results` of a [`FilesRequest`](super::FilesRequest) or [`SymbolsRequest`](super::SymbolsRequest) that returns every row on one page.
pub const ALL_ROWS: usize = usize::MAX;
