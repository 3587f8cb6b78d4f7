//! An operation: what a user can call.

use super::row::Listed;

/// An operation that a user can call.
#[derive(Debug)]
pub struct OperationRow {
    /// The name: a verb, or the kind of result.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// The help of the operation, one line.
    pub help: &'static str,
    /// The parameters, the most important first.
    pub params: &'static [Listed],
    /// Two or three examples for the long help and the manual.
    pub examples: &'static [Example],
}

/// An example: the command line without `spyhop`, and what the line does.
pub type Example = (&'static str, &'static str);
