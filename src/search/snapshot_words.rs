//! The answers of a snapshot to questions about its words.

use super::error::SearchError;
use super::occurrence::{occurs_anywhere, occurs_in};
use super::snapshot::SearchSnapshot;
use super::words::{Lookup, WordRow, WordRows};
use super::{members, named_files, spelling, unknown};
use spyhop_index::inverted::IndexField;

impl WordRows for SearchSnapshot {
    fn rows(&self, lookup: &Lookup) -> Result<Vec<WordRow>, SearchError> {
        let is = |is: bool| if is { vec![(0, 0, String::new())] } else { Vec::new() };
        let defines = |name: &str| occurs_in(IndexField::Definition, name, self);
        match lookup {
            Lookup::Occurs(word) => Ok(is(occurs_in(IndexField::Word, word, self)? || defines(word)?)),
            Lookup::OccursAnywhere(term) => Ok(is(occurs_anywhere(term, self)?)),
            Lookup::IsDefined(name) => Ok(is(defines(name)?)),
            Lookup::NearNames(typed) => spelling::near_rows(typed, self),
            Lookup::SameNames(typed) => spelling::same_rows(typed, self),
            Lookup::Similar(word) => unknown::similar_rows(word, self),
            Lookup::Members(container, name) => members::member_rows(container, name, self),
            Lookup::Files(text, by_stem) => Ok(named_files::file_rows(text, *by_stem, self)),
        }
    }
}
