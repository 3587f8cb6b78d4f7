//! Calls about the library of a server itself.

use spyhop_interface::catalog::{RenameSourceRequest, UpdateSourcesRequest};
use spyhop_library::{AddRequest, is_remote};

/// A call about the library itself.
#[derive(Debug)]
pub enum LibraryRequest {
    List,
    Show(String),
    Status,
    /// Sources by name; all if empty.
    Verify(Vec<String>),
    Add(Box<AddRequest>),
    Update(UpdateSourcesRequest),
    Rename(RenameSourceRequest),
    Remove(String),
    Unprotect(String),
    /// Whether entries that have just changed are taken in too.
    TakeIn(bool),
    /// Whether the call only tells what would be removed.
    Collect(bool),
}

impl LibraryRequest {
    /// Whether the call may ask a server on another machine.
    pub fn asks_servers(&self) -> bool {
        match self {
            LibraryRequest::Add(request) => is_remote(&request.source),
            LibraryRequest::Update(_) => true,
            _ => false,
        }
    }

    /// Whether the answer reads every byte of sources.
    pub fn is_slow(&self) -> bool {
        matches!(self, LibraryRequest::Verify(_))
    }

    /// Whether the call changes the library.
    pub fn changes(&self) -> bool {
        !matches!(
            self,
            LibraryRequest::List
                | LibraryRequest::Show(_)
                | LibraryRequest::Status
                | LibraryRequest::Verify(_)
        )
    }
}
