//! Answers without ranking: what a request must hold, and where each one is carried out.

use super::api::*;
use super::{Engine, Error};
use crate::filter::{Filter, FilterSpec};

impl Engine {
    /// Finds every line that matches a pattern, in the files as they are now: those that are ranked, and those that
    /// ranking leaves out for their size or looks. Needs no index and makes none.
    ///
    /// # Errors
    /// `BadRequest` names the value that is wrong, such as a pattern that is no regular expression; `NoRoot` when the
    /// tree cannot be walked.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        no_kinds(&request.filter, "a line")?;
        let _filter = Filter::new(&request.filter, &self.grammars)?;
        Err(Error::bad("grep is not built yet"))
    }

    /// Finds files by name.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn files(&self, request: &FilesRequest) -> Result<FilesReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        no_kinds(&request.filter, "a file")?;
        let _filter = Filter::new(&request.filter, &self.grammars)?;
        Err(Error::bad("files is not built yet"))
    }

    /// Outlines the tree, a folder or a file.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn project_map(&self, request: &MapRequest) -> Result<MapReply, Error> {
        rows("max_items", request.max_items, MAX_MAP_ITEMS)?;
        let _filter = Filter::new(&request.filter, &self.grammars)?;
        Err(Error::bad("map is not built yet"))
    }
}

fn rows(name: &str, value: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::bad(format!("{name} is {value}; choose 1 to {most}")))
}

fn no_kinds(filter: &FilterSpec, what: &str) -> Result<(), Error> {
    match filter.kind.first() {
        Some(kind) => Err(Error::bad(format!("kind is {kind}; {what} has no kind, leave it out"))),
        None => Ok(()),
    }
}
