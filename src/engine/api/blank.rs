//! Requests without a question: the values of the fields that a serialized request does not have. The engine refuses an
//! empty question where one is needed.

use super::*;

pub fn search() -> SearchRequest {
    SearchRequest::new("")
}

pub fn grep() -> GrepRequest {
    GrepRequest::new("")
}

pub fn files() -> FilesRequest {
    FilesRequest::new("")
}

pub fn symbols() -> SymbolsRequest {
    SymbolsRequest::new("")
}

pub fn pack() -> PackRequest {
    PackRequest::new("")
}

pub fn search_notes() -> SearchNotesRequest {
    SearchNotesRequest::new("")
}

pub fn min_confidence() -> f32 {
    graph().min_confidence
}

pub fn max_results() -> usize {
    graph().max_results
}

pub(crate) fn max_entries() -> usize {
    EntriesRequest::new(EntryKind::Route, "").max_results
}

/// A question to the graph without its target. The question itself is not optional.
fn graph() -> GraphRequest {
    GraphRequest::new(GraphQuestion::Definitions, "")
}
