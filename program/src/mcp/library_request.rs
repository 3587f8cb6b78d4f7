//! Calls about the library of a server itself.

use spyhop_interface::catalog::tools::{Tool, ToolId};
use spyhop_interface::operations::PreparedLibraryRun;

/// A call about the library itself.
pub struct LibraryRequest {
    pub tool: &'static Tool,
    /// Whether the call may ask a server on another machine.
    pub asks_servers: bool,
    pub run: PreparedLibraryRun,
}

impl LibraryRequest {
    /// Whether the answer reads every byte of sources.
    pub fn is_slow(&self) -> bool {
        self.tool.id == ToolId::VerifySources
    }
}
