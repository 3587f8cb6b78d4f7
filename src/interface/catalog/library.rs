//! The rows of a library of sources: `spyhop add` and the commands below `spyhop library`.

use super::operation::OperationRow;
use super::param::{Positional, Takes, params};
use super::row::{FilledField, Row, both, command_line, listed, row, tools};
use super::shared::FilledRequest;
use spyhop_library::{AddRequest, LibraryOptions};

/// A source to add, or only the plan.
#[derive(Clone, Debug, Default)]
pub struct AddSourceRequest {
    /// The source.
    pub source: AddRequest,
    /// Whether the source is only planned.
    pub dry_run: bool,
}

/// A source and its new name.
#[derive(Clone, Debug, Default)]
pub struct RenameSourceRequest {
    /// The name or the id of the source.
    pub source: String,
    /// The new name.
    pub name: String,
}

/// Sources to update, or only the plans.
#[derive(Clone, Debug, Default)]
pub struct UpdateSourcesRequest {
    /// The names or ids of the sources; all if empty.
    pub names: Vec<String>,
    /// Whether the updates are only planned.
    pub dry_run: bool,
}

params! {
    pub LIBRARY = "library": Takes::Path,
        "The folder of the library; else SPYHOP_LIBRARY, else the user's data folder";
    pub SOURCE = "source": Takes::Text, positional: Positional::Required,
        "A folder, an archive, a source file, or a git repository by its path or URL";
    pub NEW_NAME = "name": Takes::Text, "The name of the source; else the last part of its location";
    pub REF = "ref": Takes::Text, "The branch, tag or commit; else the branch that is checked out";
    pub SOURCE_FOLDER = "folder": Takes::Text, "Only this folder of the source";
    pub SNAPSHOT = "snapshot": Takes::Nothing,
        "Copy the files of a folder, which is otherwise searched where it lies";
    pub PLAN = "dry_run": Takes::Nothing, "Only tell what would be added";
    pub SOURCE_NAME = "source_name": Takes::Text, positional: Positional::Required,
        "The name or the id of a source";
    pub(crate) SOURCE_NAMES = "source_name": Takes::Repeated, positional: Positional::Optional,
        "Names or ids of sources; else all";
    pub ONE_SOURCE = "source": Takes::Text, "Only this one, with its history";
    pub(crate) OTHER_NAME = "new_name": Takes::Text, positional: Positional::Required, "The new name";
}

/// The parameters that choose a library; every operation of a library takes these.
pub const LIBRARY_PLACE: &[Row<LibraryOptions>] = &[command_line(&LIBRARY, |library, param, given| {
    library.root = given.file(param)?;
    Ok(())
})];

/// The rows of `add`.
pub const ADD_SOURCE_ROWS: &[Row<FilledRequest<AddSourceRequest>>] = &[
    both(&SOURCE, |call, param, given| call.request.source.source.fill(param, given)),
    both(&NEW_NAME, |call, param, given| call.request.source.name.fill(param, given)),
    row!(both "group" => request.source.groups: Takes::List,
        "Labels of the source, separated by commas: --in LABEL asks every source with the label"),
    both(&REF, |call, param, given| call.request.source.reference.fill(param, given)),
    both(&SOURCE_FOLDER, |call, param, given| call.request.source.folder.fill(param, given)),
    command_line(&SNAPSHOT, |call, param, given| call.request.source.snapshot.fill(param, given)),
    row!(command_line "nested" => request.source.nested: Takes::Nothing,
        "Also unpack the archives inside an archive: the files of a/b.jar in the folder a/b.jar!"),
    command_line(&PLAN, |call, param, given| call.request.dry_run.fill(param, given)),
];

/// Adds a source.
pub const ADD_SOURCE: OperationRow = OperationRow::new(
    "add",
    "Add a folder, an archive or a git repository to the library, and index it",
    listed!(ADD_SOURCE_ROWS),
);

/// Operations without parameters of their own.
pub(crate) const NO_ROWS: &[Row<FilledRequest<()>>] = &[];

/// The rows of `library list`. A tool of this operation that is given a source shows the source.
pub const LIST_SOURCES_ROWS: &[Row<FilledRequest<()>>] = &[tools(&ONE_SOURCE, |_, _, _| Ok(()))];

/// Lists sources.
pub const LIST_SOURCES: OperationRow =
    OperationRow::new("library list", "List the sources of the library", listed!(LIST_SOURCES_ROWS));

/// The state of a library.
pub const LIBRARY_STATUS: OperationRow = OperationRow::new(
    "library status",
    "Compare each source with its index: state, changed files, sizes, unfinished imports",
    &[],
);

/// The rows of operations about one source.
pub const SOURCE_ROWS: &[Row<FilledRequest<String>>] =
    &[both(&SOURCE_NAME, |call, param, given| call.request.fill(param, given))];

/// The rows of `library show`; the tool `library` has the last one.
pub(crate) const SHOW_SOURCE_ROWS: &[Row<FilledRequest<String>>] =
    &[SOURCE_ROWS[0], tools(&ONE_SOURCE, |call, param, given| call.request.fill(param, given))];

/// The rows of operations about some or all sources.
pub const SOURCES_ROWS: &[Row<FilledRequest<Vec<String>>>] =
    &[both(&SOURCE_NAMES, |call, param, given| call.request.fill(param, given))];

/// Shows a source.
pub const SHOW_SOURCE: OperationRow = OperationRow::new(
    "library show",
    "Show a source: origin, commit, hashes, licence, history",
    listed!(SOURCE_ROWS),
);

/// The folder of a source.
pub(crate) const SOURCE_PATH: OperationRow =
    OperationRow::new("library path", "Print the folder with the files of a source", listed!(SOURCE_ROWS));

/// The rows of `library rename`.
pub const RENAME_SOURCE_ROWS: &[Row<FilledRequest<RenameSourceRequest>>] = &[
    both(&SOURCE_NAME, |call, param, given| call.request.source.fill(param, given)),
    both(&OTHER_NAME, |call, param, given| call.request.name.fill(param, given)),
];

/// Renames a source.
pub const RENAME_SOURCE: OperationRow =
    OperationRow::new("library rename", "Give a source another name", listed!(RENAME_SOURCE_ROWS));

/// Removes a source.
pub const REMOVE_SOURCE: OperationRow = OperationRow::new(
    "library remove",
    "Remove a source, its index and its notes; your own files stay, those of the inbox in intake/removed",
    listed!(SOURCE_ROWS),
);

/// The rows of `library update`.
pub const UPDATE_SOURCES_ROWS: &[Row<FilledRequest<UpdateSourcesRequest>>] = &[
    both(&SOURCE_NAMES, |call, param, given| call.request.names.fill(param, given)),
    row!(both "dry_run" => request.dry_run: Takes::Nothing, "Only tell what would be imported and indexed"),
];

/// Updates sources.
pub const UPDATE_SOURCES: OperationRow = OperationRow::new(
    "library update",
    "Import the newest commit, the changed archive or the present files of sources",
    listed!(UPDATE_SOURCES_ROWS),
);

/// Compares raw files with their hashes.
pub const VERIFY_SOURCES: OperationRow = OperationRow::new(
    "library verify",
    "Compare the imported files of sources with their hashes",
    listed!(SOURCES_ROWS),
);

/// Makes raw files writable.
pub const UNPROTECT_SOURCE: OperationRow = OperationRow::new(
    "library unprotect",
    "Make the imported files of a source writable",
    listed!(SOURCE_ROWS),
);

/// The rows of `library gc`.
pub const COLLECT_SOURCES_ROWS: &[Row<FilledRequest<bool>>] =
    &[row!(both "dry_run" => request: Takes::Nothing, "Only tell what would be removed")];

/// Frees space.
pub const COLLECT_SOURCES: OperationRow = OperationRow::new(
    "library gc",
    "Remove what killed imports, updates and removals have left behind",
    listed!(COLLECT_SOURCES_ROWS),
);

/// The rows of `library intake`.
pub const TAKE_IN_ROWS: &[Row<FilledRequest<bool>>] = &[
    row!(both "all" => request: Takes::Nothing, "Also take in entries that changed in the last two seconds"),
];

/// Takes in what lies in the inbox.
pub const TAKE_IN: OperationRow = OperationRow::new(
    "library intake",
    "Take in the files of the inbox: code, archives, papers and documents",
    listed!(TAKE_IN_ROWS),
);

/// Takes in files as they come.
pub(crate) const WATCH_INBOX: OperationRow = OperationRow::new(
    "library watch",
    "Take in the files of the inbox as they come, until the command is killed",
    &[],
);
