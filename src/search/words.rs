//! Questions about the words of a view. A snapshot answers them; the rows of several shards together are the answer of
//! the view that has all their files.

use serde::{Deserialize, Serialize};

use super::error::SearchError;

/// A question about a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lookup {
    /// Whether a document has the word as a word or as a definition.
    Occurs(String),
    /// Whether a document has the term in any scored field.
    OccursAnywhere(String),
    /// Whether a document defines the name.
    IsDefined(String),
    /// The definitions with similar names.
    NearNames(String),
    /// The definitions whose names have the same letters.
    SameNames(String),
    /// The words that differ by a typing error.
    Similar(String),
    /// The definitions with the letters of a name in a container with the letters of the first text, or in any if it is empty.
    /// Container and name of a row are separated by a line break.
    Members(String, String),
    /// The files that a text names best, by how it names them and by the components that path and text share; by stem too, if
    /// asked.
    Files(String, bool),
}

/// A row of an answer, by which rows are ordered: a distance, a number (the length of a name, or how many files hold a
/// word), and the word. A question for yes or no has a row for yes.
pub type WordRow = (u8, u32, String);

/// What answers questions about words.
pub trait WordRows {
    /// The rows for a lookup, in any order. Rows of several shards may repeat a word.
    fn rows(&self, lookup: &Lookup) -> Result<Vec<WordRow>, SearchError>;

    /// Whether a lookup for yes or no finds anything.
    fn is_found(&self, lookup: Lookup) -> Result<bool, SearchError> {
        Ok(!self.rows(&lookup)?.is_empty())
    }
}
