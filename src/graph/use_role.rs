//! How a name is used.

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UseRole {
    Call,
    Type,
    Import,
    /// Any other mention, such as an argument.
    Mention,
}
