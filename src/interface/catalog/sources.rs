//! The parameters that let an operation ask several sources of a library at once.

use std::path::PathBuf;

use super::library::LIBRARY;
use super::param::{Param, Takes, params};
use super::row::{FilledField, Row, command_line};
use spyhop_library::SourceChoice;

/// The sources that a call asks in place of one tree.
#[derive(Clone, Debug, Default)]
pub struct AskedSources {
    /// The folder of the library; `None` for the usual one.
    pub library: Option<PathBuf>,
    /// Whether every source is asked.
    pub all: bool,
    /// Names and groups of sources.
    pub names: Vec<String>,
}

impl AskedSources {
    /// The choice of sources; `None` if one tree is asked.
    pub fn choice(&self) -> Option<SourceChoice> {
        match (self.all, self.names.is_empty()) {
            (true, _) => Some(SourceChoice::All),
            (false, true) => None,
            (false, false) => Some(SourceChoice::of_names(self.names.clone())),
        }
    }
}

params! {
    pub IN = "in": Takes::List,
        "Ask sources of the library: names or groups, separated by commas, or all; paths are below each \
         source";
}
/// `IN` for tools, whose list has a budget.
pub const TOOL_IN: Param = Param { help: "Library sources, or all; roots by folder name", ..IN };
params! {
    pub ALL_SOURCES = "all": Takes::Nothing, "Ask every source of the library, the same as --in all";
}
/// The rows of operations that can ask several sources.
pub const ASKED_SOURCES: &[Row<AskedSources>] = &[
    command_line(&IN, |asked, param, given| asked.names.fill(param, given)),
    command_line(&ALL_SOURCES, |asked, param, given| asked.all.fill(param, given)),
    command_line(&LIBRARY, |asked, param, given| asked.library.fill(param, given)),
];
