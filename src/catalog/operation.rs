//! An operation: what a user can call.

use super::row::Listed;
use crate::engine::api::GraphQuestion;

/// An operation that a user can call.
#[derive(Debug)]
pub struct Operation {
    /// The operation's number, for dispatch.
    pub id: OperationId,
    /// The name: a verb, or the kind of result.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// The help of the operation, one line.
    pub help: &'static str,
    /// The parameters, the most important first.
    pub params: &'static [Listed],
}

/// Every operation. A front end dispatches by an exhaustive `match`, so an operation without a function does not
/// compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the rows of the same names say what each operation does")]
pub enum OperationId {
    Search,
    Grep,
    Files,
    Symbols,
    Graph(GraphQuestion),
    FileGraph,
    Map,
    Read,
    Index,
    Watch,
    Status,
    Views,
    Gc,
    Doctor,
    Export,
    Import,
    Skipped,
    WhyNot,
    Touch,
    Languages,
}
