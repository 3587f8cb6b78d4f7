//! A library of sources: `add`, and a family of operations below one command.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::plain::{PlainOutcome, PlainReply, ReplyFacts, TypedReply, replies_of_rows};
use crate::catalog::{
    self, AddSourceRequest, FilledRequest, OperationRow, RawValues, RenameSourceRequest, Row,
    UpdateSourcesRequest, ValueError, fill,
};
use crate::render::Style;
use crate::render::text;
use spyhop_base::wire::wire;
use spyhop_engine::Error;
use spyhop_engine::api::Options;
use spyhop_library::{
    AddPlan, AddReply, CollectedSources, IntakeEvent, IntakeReply, Library, LibraryReply, LibraryStatus,
    OnAddProgress, PlannedUpdate, RemovedSource, ShownSource, SourceBatch, SourceManifest, UpdatedSource,
    VerifiedSource,
};

/// The command of the family.
pub const LIBRARY: &str = "library";

/// The help of the command.
pub const LIBRARY_HELP: &str = "List, update, verify and remove the sources that spyhop add has added";

/// An operation of a library, with its request, its function and the forms of its reply.
pub struct LibraryOperation<Q: 'static, A: 'static> {
    /// The name, the help and the listed parameters.
    pub operation: &'static OperationRow,
    /// Whether the operation indexes, so that options of indexing affect it.
    pub indexes: bool,
    /// Whether a command runs the operation again and again until it is killed.
    pub repeats: bool,
    /// The parameters, each with its home in the request.
    pub rows: &'static [Row<FilledRequest<Q>>],
    /// Answers the request.
    pub run: fn(&Library, &FilledRequest<Q>, OnAddProgress<'_>) -> Result<A, Error>,
    /// The reply as text for people.
    pub text: fn(&A, &Style) -> String,
}

impl<Q, A> LibraryOperation<Q, A> {
    /// An operation that does not index.
    const fn new(
        operation: &'static OperationRow,
        rows: &'static [Row<FilledRequest<Q>>],
        run: fn(&Library, &FilledRequest<Q>, OnAddProgress<'_>) -> Result<A, Error>,
        text: fn(&A, &Style) -> String,
    ) -> LibraryOperation<Q, A> {
        LibraryOperation { operation, indexes: false, repeats: false, rows, run, text }
    }
}

/// An operation of a library, whatever its types are.
pub trait RunLibrary: Sync {
    /// The name, the help and the listed parameters.
    fn operation(&self) -> &'static OperationRow;

    /// Whether options of indexing affect the operation.
    fn indexes(&self) -> bool;

    /// Whether a command runs the operation again and again until it is killed.
    fn repeats(&self) -> bool;

    /// Writes the given values into a request.
    ///
    /// # Errors
    /// A value that a parameter does not accept.
    fn prepare(&'static self, given: &dyn RawValues) -> Result<PreparedLibraryRun, ValueError>;
}

/// Answers a prepared request, under options of indexing.
pub type PreparedLibraryRun =
    Box<dyn FnOnce(&Library, Options, OnAddProgress<'_>) -> Result<Box<dyn PlainReply>, Error> + Send + Sync>;

impl<Q: Default + Send + Sync + 'static, A: Serialize + ReplyFacts + 'static> RunLibrary
    for LibraryOperation<Q, A>
{
    fn operation(&self) -> &'static OperationRow {
        self.operation
    }

    fn indexes(&self) -> bool {
        self.indexes
    }

    fn repeats(&self) -> bool {
        self.repeats
    }

    fn prepare(&'static self, given: &dyn RawValues) -> Result<PreparedLibraryRun, ValueError> {
        let mut call = FilledRequest::default();
        fill(self.rows, &mut call, given)?;
        Ok(Box::new(move |library, options, progress| {
            call.options = options;
            let reply = (self.run)(library, &call, progress)?;
            Ok(Box::new(TypedReply { reply, text: self.text }))
        }))
    }
}

/// What `add` answers.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum AddAnswer {
    /// What would be added.
    Planned(Box<AddPlan>),
    /// What was added.
    Added(Box<AddReply>),
}

/// What `library update` answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum UpdateAnswer {
    /// The plans of the updates; nothing was changed.
    Planned(SourceBatch<PlannedUpdate>),
    /// The outcomes of the updates.
    Updated(SourceBatch<UpdatedSource>),
}

/// A source, with the folder that is searched if the call asks for it.
pub struct SourceAnswer {
    /// The source.
    pub source: SourceManifest,
    /// The folder that is searched.
    pub path: Option<PathBuf>,
}

impl Serialize for SourceAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ShownSource::new(&self.source, self.path.as_ref()).serialize(serializer)
    }
}

impl From<SourceManifest> for SourceAnswer {
    fn from(source: SourceManifest) -> SourceAnswer {
        SourceAnswer { source, path: None }
    }
}

/// The folder of a source.
#[derive(Serialize)]
pub struct PathAnswer {
    /// The folder.
    #[serde(serialize_with = "wire")]
    pub path: PathBuf,
}

/// A row for each operation: its request and reply, the fields that differ from [`LibraryOperation::new`], its rows, and the
/// functions that answer and print. The row of the catalog has the same name.
macro_rules! library_operations {
    ($($name:ident: $request:ty => $reply:ty $(, $field:ident)*; $rows:ident, $run:expr, $text:expr;)+) => {
        $(#[doc = concat!("The operation [`", stringify!($name), "`](catalog::", stringify!($name), ").")]
        pub static $name: LibraryOperation<$request, $reply> = LibraryOperation {
            $($field: true,)*
            ..LibraryOperation::new(&catalog::$name, catalog::$rows, $run, $text)
        };)+
    };
}

library_operations! {
    ADD_SOURCE: AddSourceRequest => AddAnswer, indexes;
        ADD_SOURCE_ROWS,
        |library, FilledRequest { request, options }, progress| match request.dry_run {
            true => Ok(AddAnswer::Planned(Box::new(library.plan(&request.source, options)?))),
            false => Ok(AddAnswer::Added(Box::new(library.add(&request.source, options, progress)?))),
        },
        |reply, style| match reply {
            AddAnswer::Planned(plan) => text::add_plan(plan, style),
            AddAnswer::Added(added) => text::added_source(added, style),
        };
    LIST_SOURCES: () => LibraryReply;
        LIST_SOURCES_ROWS, |library, _, _| library.list(), text::sources;
    SHOW_SOURCE: String => SourceAnswer;
        SHOW_SOURCE_ROWS,
        |library, call, _| {
            let (source, path) = (library.show(&call.request)?, library.path(&call.request)?);
            Ok(SourceAnswer { source, path: Some(path) })
        },
        |reply, style| text::source(&reply.source, reply.path.as_deref().unwrap_or(Path::new("")), style);
    SOURCE_PATH: String => PathAnswer;
        SOURCE_ROWS, |library, call, _| Ok(PathAnswer { path: library.path(&call.request)? }),
        |reply, _| text::source_path(&reply.path);
    LIBRARY_STATUS: () => LibraryStatus;
        NO_ROWS, |library, call, _| library.status(&call.options), text::library_status;
    RENAME_SOURCE: RenameSourceRequest => SourceAnswer;
        RENAME_SOURCE_ROWS,
        |library, FilledRequest { request, .. }, _| {
            library.rename(&request.source, &request.name).map(SourceAnswer::from)
        },
        |reply, _| text::changed_source("renamed", &reply.source);
    REMOVE_SOURCE: String => RemovedSource;
        SOURCE_ROWS, |library, call, _| library.remove(&call.request),
        |removed, _| text::removed_source(removed);
    UNPROTECT_SOURCE: String => SourceAnswer;
        SOURCE_ROWS, |library, call, _| library.unprotect(&call.request).map(SourceAnswer::from),
        |reply, _| text::changed_source("unprotected", &reply.source);
    UPDATE_SOURCES: UpdateSourcesRequest => UpdateAnswer, indexes;
        UPDATE_SOURCES_ROWS,
        |library, FilledRequest { request, options }, progress| {
            Ok(match (&request.names[..], request.dry_run) {
                ([name], true) => UpdateAnswer::Planned(library.plan_update(name, options)?.into()),
                (names, true) => UpdateAnswer::Planned(library.plan_update_all(names, options)?),
                ([name], false) => UpdateAnswer::Updated(library.update(name, options, progress)?.into()),
                (names, false) => UpdateAnswer::Updated(library.update_all(names, options, progress)?),
            })
        },
        |reply, style| match reply {
            UpdateAnswer::Planned(batch) => text::update_plans(batch),
            UpdateAnswer::Updated(batch) => text::updated_sources(batch, style),
        };
    VERIFY_SOURCES: Vec<String> => SourceBatch<VerifiedSource>;
        SOURCES_ROWS,
        |library, FilledRequest { request, .. }, _| match &request[..] {
            [name] => Ok(library.verify(name)?.into()),
            names => library.verify_all(names),
        },
        text::verified_sources;
    COLLECT_SOURCES: bool => CollectedSources;
        COLLECT_SOURCES_ROWS, |library, call, _| library.collect(call.request),
        |collected, _| text::collected_sources(collected);
    TAKE_IN: bool => IntakeReply, indexes;
        TAKE_IN_ROWS,
        |library, call, progress| take_in(library, &call.options, call.request, progress),
        text::intake;
    WATCH_INBOX: () => IntakeReply, indexes, repeats;
        NO_ROWS, |library, call, progress| take_in(library, &call.options, false, progress),
        text::intake;
}

fn outcome_of_batch<T>(batch: &SourceBatch<T>) -> PlainOutcome {
    if batch.failed.is_empty() { PlainOutcome::of_rows(&batch.sources) } else { PlainOutcome::Failed }
}

fn take_in(
    library: &Library,
    options: &Options,
    all: bool,
    progress: OnAddProgress<'_>,
) -> Result<IntakeReply, Error> {
    library.take_in(options, all, &|event| match event {
        IntakeEvent::Source(now) => progress(now),
        IntakeEvent::Taking { .. } => {}
    })
}

replies_of_rows! {
    LibraryReply: sources;
    LibraryStatus: sources;
}

impl ReplyFacts for AddAnswer {}

impl ReplyFacts for SourceAnswer {}

impl ReplyFacts for PathAnswer {}

impl ReplyFacts for RemovedSource {}

impl ReplyFacts for CollectedSources {}

impl ReplyFacts for UpdateAnswer {
    fn outcome(&self) -> PlainOutcome {
        match self {
            UpdateAnswer::Planned(batch) => outcome_of_batch(batch),
            UpdateAnswer::Updated(batch) => outcome_of_batch(batch),
        }
    }
}

impl ReplyFacts for SourceBatch<VerifiedSource> {
    fn outcome(&self) -> PlainOutcome {
        match self.sources.iter().all(VerifiedSource::is_clean) {
            true => outcome_of_batch(self),
            false => PlainOutcome::Failed,
        }
    }
}

impl ReplyFacts for IntakeReply {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn outcome(&self) -> PlainOutcome {
        match self.failed.is_empty() {
            true => PlainOutcome::of_rows(&self.taken),
            false => PlainOutcome::Failed,
        }
    }
}
