//! The rows of what keeps an index: building, freeing space, archives, files that are being worked on.

use std::path::PathBuf;
use std::time::Duration;

use super::operation::OperationRow;
use super::param::{Positional, Takes, params};
use super::params;
use super::row::{FilledField, Row, both, command_line, listed, row};
use super::shared::{FilledRequest, HasOptions};
use spyhop_base::path::RelPath;
use spyhop_engine::api::{Export, Import};

/// An update of the index.
#[derive(Clone, Debug, Default)]
pub struct IndexRequest {
    /// Whether everything is indexed again.
    pub rebuild: bool,
    /// The path whose rule is explained, in place of an update.
    pub explain: Option<PathBuf>,
}

params! {
    pub(crate) WAIT = "wait": Takes::Nothing,
        "Parse a large tree at once, instead of making all of its text searchable first: the index is \
         complete sooner, and nothing answers before it has got somewhere";
    pub(crate) NO_WAIT = "no_wait": Takes::Nothing,
        "Fail at once when another process is changing the index, instead of waiting for it";
}

/// The rows of `index`.
pub const INDEX_ROWS: &[Row<FilledRequest<IndexRequest>>] = &[
    row!(command_line "rebuild" => request.rebuild: Takes::Nothing,
        "Forget what is indexed and index everything again"),
    command_line(&WAIT, |call, param, given| {
        if given.flag(param)? == Some(true) {
            call.options.text_first = false;
        }
        Ok(())
    }),
    no_wait(),
    command_line(&params::EXPLAIN_SKIPS, |call, param, given| {
        call.request.explain = given.text_of_path(param)?;
        Ok(())
    }),
];

/// Fails instead of waiting for another process.
const fn no_wait<R>() -> Row<FilledRequest<R>> {
    command_line(&NO_WAIT, |call, param, given| {
        if given.flag(param)? == Some(true) {
            call.options().wait = Duration::ZERO;
        }
        Ok(())
    })
}

/// Builds or refreshes the index.
pub(crate) const INDEX: OperationRow =
    OperationRow::new("index", "Index a tree, or what changed in it since", listed!(INDEX_ROWS));

/// Frees space.
#[derive(Clone, Debug, Default)]
pub struct GcRequest {
    /// The most bytes that all indexes together may take.
    pub max_bytes: Option<u64>,
    /// Whether nothing is dropped.
    pub dry_run: bool,
}

params! {
    pub(crate) DRY_RUN = "dry_run": Takes::Nothing, "Only say what would go";
}

/// The rows of `gc`.
pub const GC_ROWS: &[Row<FilledRequest<GcRequest>>] = &[
    row!(command_line "max_bytes" => request.max_bytes: Takes::Bytes,
        "Also drop the least recently used views, then other trees' indexes, until all take no more than \
         this (bytes, or with K, M, G)"),
    command_line(&DRY_RUN, |call, param, given| call.request.dry_run.fill(param, given)),
    no_wait(),
];

/// Frees space.
pub(crate) const GC: OperationRow = OperationRow::new(
    "gc",
    "Drop what the index holds of branches and worktrees that are gone, and merge segments",
    listed!(GC_ROWS),
);

/// An export.
#[derive(Clone, Debug, Default)]
pub struct ExportRequest {
    /// The archive.
    pub archive: PathBuf,
    /// What is exported.
    pub export: Export,
}

params! {
    pub ARCHIVE = "archive": Takes::Path, positional: Positional::Required,
        "The file that the index travels in";
}

/// The rows of `export`.
pub const EXPORT_ROWS: &[Row<FilledRequest<ExportRequest>>] = &[
    command_line(&ARCHIVE, |call, param, given| {
        call.request.archive = given.file(param)?.unwrap_or_default();
        Ok(())
    }),
    row!(command_line "all_views" => request.export.all_views: Takes::Nothing,
        "Export every branch of this tree that is indexed, not only the current one"),
    row!(command_line "with_snippets" => request.export.snippets: Takes::Nothing,
        "Export the sources of the ranked files as well, to be searched where the tree is not"),
];

/// Exports an index to an archive.
pub const EXPORT: OperationRow = OperationRow::new(
    "export",
    "Write the index into a file, to be imported elsewhere",
    listed!(EXPORT_ROWS),
);

/// An import.
#[derive(Clone, Debug, Default)]
pub struct ImportRequest {
    /// The archive.
    pub archive: PathBuf,
    /// How the archive is imported.
    pub import: Import,
}

/// The rows of `import`.
pub const IMPORT_ROWS: &[Row<FilledRequest<ImportRequest>>] = &[
    command_line(&ARCHIVE, |call, param, given| {
        call.request.archive = given.file(param)?.unwrap_or_default();
        Ok(())
    }),
    row!(command_line "force" => request.import.force: Takes::Nothing, "Replace the index that this tree has"),
    row!(command_line "without_sources" => request.import.without_sources: Takes::Nothing,
        "The tree is not here: answer from the file alone, which was exported with snippets"),
    no_wait(),
];

/// Imports an index from an archive.
pub const IMPORT: OperationRow = OperationRow::new(
    "import",
    "Make an exported file this tree's index, and index what differs",
    listed!(IMPORT_ROWS),
);

params! {
    pub FILES = "files": Takes::Paths, positional: Positional::Required, "Files that are being worked on";
}

/// The rows of `touch`: the files.
pub const TOUCH_ROWS: &[Row<Vec<RelPath>>] = &[both(&FILES, |files, param, given| {
    *files = given.paths(param)?;
    Ok(())
})];

/// Records files that are being worked on.
pub(crate) const TOUCH: OperationRow = OperationRow::new(
    "touch",
    "Say which files are being worked on; for a while they weigh more",
    listed!(TOUCH_ROWS),
);

/// Keeps the index current.
pub(crate) const WATCH: OperationRow = OperationRow::new(
    "watch",
    "Keep the index current while files change, so that nobody has to compare the tree",
    &[],
);

/// Lists the views of an index.
pub(crate) const VIEWS: OperationRow = OperationRow::new(
    "views",
    "List the branches, commits and worktrees that the index holds, with what each costs",
    &[],
)
.asks_sources();

/// Checks the index thoroughly.
pub(crate) const DOCTOR: OperationRow = OperationRow::new(
    "doctor",
    "Check every byte of the index against its checksum, and say what is wrong",
    &[],
)
.asks_sources();

/// Reports the state of the index.
pub(crate) const STATUS: OperationRow =
    OperationRow::new("status", "Show the state of the index and what is in it", &[]).asks_sources();

/// Lists the languages.
pub const LANGUAGES: OperationRow = OperationRow::new(
    "languages",
    "List the languages, their extensions and how many files are indexed",
    &[],
)
.with_aliases(&["langs"])
.asks_sources();
