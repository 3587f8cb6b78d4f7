//! The entry in a client's configuration.

/// The name of the entry.
pub const NAME: &str = "spyhop";

/// The contents of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub typed: bool,
    pub command: String,
    pub args: Vec<String>,
}
