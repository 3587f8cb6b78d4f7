//! The rows of what keeps an index: building, freeing space, archives, files that are being worked on.

use std::path::PathBuf;
use std::time::Duration;

use super::operation::{Operation, OperationId};
use super::params;
use super::row::{Listed, Row, both, command_line, listed};
use super::shared::{Call, HasOptions, flag};
use crate::engine::api::{Export, Import};
use crate::path::RelPath;

/// An update of the index.
#[derive(Clone, Debug, Default)]
pub struct IndexRequest {
    /// Whether everything is indexed again.
    pub rebuild: bool,
    /// The path whose rule is explained, in place of an update.
    pub explain: Option<PathBuf>,
}

/// The rows of `index`.
pub const INDEX_ROWS: &[Row<Call<IndexRequest>>] = &[
    command_line(&params::REBUILD, |call, param, given| flag(&mut call.request.rebuild, param, given)),
    command_line(&params::WAIT, |call, param, given| {
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
const fn no_wait<R>() -> Row<Call<R>> {
    command_line(&params::NO_WAIT, |call, param, given| {
        if given.flag(param)? == Some(true) {
            call.options().wait = Duration::ZERO;
        }
        Ok(())
    })
}

const INDEX_PARAMS: [Listed; INDEX_ROWS.len()] = listed(INDEX_ROWS);

/// Builds or refreshes the index.
pub const INDEX: Operation = Operation {
    id: OperationId::Index,
    name: "index",
    aliases: &[],
    help: "Index a tree, or what changed in it since",
    params: &INDEX_PARAMS,
};

/// Frees space.
#[derive(Clone, Debug, Default)]
pub struct GcRequest {
    /// The most bytes that all indexes together may take.
    pub max_bytes: Option<u64>,
    /// Whether nothing is dropped.
    pub dry_run: bool,
}

/// The rows of `gc`.
pub const GC_ROWS: &[Row<Call<GcRequest>>] = &[
    command_line(&params::MAX_BYTES, |call, param, given| {
        call.request.max_bytes = given.number(param)?;
        Ok(())
    }),
    command_line(&params::DRY_RUN, |call, param, given| flag(&mut call.request.dry_run, param, given)),
    no_wait(),
];

const GC_PARAMS: [Listed; GC_ROWS.len()] = listed(GC_ROWS);

/// Frees space.
pub const GC: Operation = Operation {
    id: OperationId::Gc,
    name: "gc",
    aliases: &[],
    help: "Drop what the index holds of branches and worktrees that are gone, and merge segments",
    params: &GC_PARAMS,
};

/// An export.
#[derive(Clone, Debug, Default)]
pub struct ExportRequest {
    /// The archive.
    pub archive: PathBuf,
    /// What is exported.
    pub export: Export,
}

/// The rows of `export`.
pub const EXPORT_ROWS: &[Row<Call<ExportRequest>>] = &[
    command_line(&params::ARCHIVE, |call, param, given| {
        call.request.archive = given.file(param)?.unwrap_or_default();
        Ok(())
    }),
    command_line(&params::ALL_VIEWS, |call, param, given| {
        flag(&mut call.request.export.all_views, param, given)
    }),
    command_line(&params::WITH_SNIPPETS, |call, param, given| {
        flag(&mut call.request.export.snippets, param, given)
    }),
];

const EXPORT_PARAMS: [Listed; EXPORT_ROWS.len()] = listed(EXPORT_ROWS);

/// Exports an index to an archive.
pub const EXPORT: Operation = Operation {
    id: OperationId::Export,
    name: "export",
    aliases: &[],
    help: "Write the index into a file, to be imported elsewhere",
    params: &EXPORT_PARAMS,
};

/// An import.
#[derive(Clone, Debug, Default)]
pub struct ImportRequest {
    /// The archive.
    pub archive: PathBuf,
    /// How the archive is imported.
    pub import: Import,
}

/// The rows of `import`.
pub const IMPORT_ROWS: &[Row<Call<ImportRequest>>] = &[
    command_line(&params::ARCHIVE, |call, param, given| {
        call.request.archive = given.file(param)?.unwrap_or_default();
        Ok(())
    }),
    command_line(&params::FORCE, |call, param, given| flag(&mut call.request.import.force, param, given)),
    command_line(&params::WITHOUT_SOURCES, |call, param, given| {
        flag(&mut call.request.import.without_sources, param, given)
    }),
    no_wait(),
];

const IMPORT_PARAMS: [Listed; IMPORT_ROWS.len()] = listed(IMPORT_ROWS);

/// Imports an index from an archive.
pub const IMPORT: Operation = Operation {
    id: OperationId::Import,
    name: "import",
    aliases: &[],
    help: "Make an exported file this tree's index, and index what differs",
    params: &IMPORT_PARAMS,
};

/// The rows of `touch`: the files.
pub const TOUCH_ROWS: &[Row<Vec<RelPath>>] = &[both(&params::FILES, |files, param, given| {
    *files = given.paths(param)?;
    Ok(())
})];

const TOUCH_PARAMS: [Listed; TOUCH_ROWS.len()] = listed(TOUCH_ROWS);

/// Records files that are being worked on.
pub const TOUCH: Operation = Operation {
    id: OperationId::Touch,
    name: "touch",
    aliases: &[],
    help: "Say which files are being worked on; for a while they weigh more",
    params: &TOUCH_PARAMS,
};

/// Keeps the index current.
pub const WATCH: Operation = Operation {
    id: OperationId::Watch,
    name: "watch",
    aliases: &[],
    help: "Keep the index current while files change, so that nobody has to compare the tree",
    params: &[],
};

/// Lists the views of an index.
pub const VIEWS: Operation = Operation {
    id: OperationId::Views,
    name: "views",
    aliases: &[],
    help: "List the branches, commits and worktrees that the index holds, with what each costs",
    params: &[],
};

/// Checks the index thoroughly.
pub const DOCTOR: Operation = Operation {
    id: OperationId::Doctor,
    name: "doctor",
    aliases: &[],
    help: "Check every byte of the index against its checksum, and say what is wrong",
    params: &[],
};

/// Reports the state of the index.
pub const STATUS: Operation = Operation {
    id: OperationId::Status,
    name: "status",
    aliases: &[],
    help: "Show the state of the index and what is in it",
    params: &[],
};

/// Lists the languages.
pub const LANGUAGES: Operation = Operation {
    id: OperationId::Languages,
    name: "languages",
    aliases: &["langs"],
    help: "List the languages, their extensions and how many files are indexed",
    params: &[],
};
