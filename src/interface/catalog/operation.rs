//! An operation: what a user can call.

use super::row::Listed;

/// An operation that a user can call, with the facts by which every face treats it.
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
    /// Whether the operation builds a missing index.
    pub builds_index: bool,
    /// Whether the reply has paths of files.
    pub prints_paths: bool,
    /// Whether `--path` may be given without its flag on a command line.
    pub has_bare_path: bool,
    /// Whether the operation can ask several sources of a library.
    pub asks_sources: bool,
}

impl OperationRow {
    /// An operation without any of the facts.
    pub(super) const fn new(
        name: &'static str,
        help: &'static str,
        params: &'static [Listed],
    ) -> OperationRow {
        OperationRow {
            name,
            aliases: &[],
            help,
            params,
            builds_index: false,
            prints_paths: false,
            has_bare_path: false,
            asks_sources: false,
        }
    }

    pub(super) const fn with_aliases(self, aliases: &'static [&'static str]) -> OperationRow {
        OperationRow { aliases, ..self }
    }

    pub(super) const fn builds_index(self) -> OperationRow {
        OperationRow { builds_index: true, ..self }
    }

    pub(super) const fn prints_paths(self) -> OperationRow {
        OperationRow { prints_paths: true, ..self }
    }

    pub(super) const fn with_bare_path(self) -> OperationRow {
        OperationRow { has_bare_path: true, ..self }
    }

    /// The facts of most operations: they read code by an index, which they build, and may ask several sources.
    pub(super) const fn about_code(self) -> OperationRow {
        self.builds_index().prints_paths().asks_sources()
    }

    pub(super) const fn asks_sources(self) -> OperationRow {
        OperationRow { asks_sources: true, ..self }
    }
}
