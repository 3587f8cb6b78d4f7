//! The kinds of front ends.

/// Where a parameter appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faces {
    /// On command lines and in tools.
    Both,
    /// Only on command lines.
    CommandLine,
    /// Only in tools.
    Tools,
}
