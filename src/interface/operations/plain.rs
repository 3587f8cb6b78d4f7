//! Plain operations: a request, a function of the engine, and a reply with one text and one JSON form.
//!
//! A plain operation is one typed row. Front ends run such a row without knowing its types, so a new plain operation
//! needs no function in a front end.

use serde::Serialize;

use crate::catalog::{FilledRequest, OperationRow, RawValues, Row, ValueError, fill};
use crate::render::Style;
use crate::render::json::JsonPaths;
use spyhop_engine::api::Options;
use spyhop_engine::{Corpus, Engine, Error};
use spyhop_index::update::OnProgress;

/// An operation with its request, its function and the forms of its reply.
pub struct PlainOperation<Q: 'static, A: 'static> {
    /// The name, the help and the listed parameters.
    pub operation: &'static OperationRow,
    /// Whether the operation builds a missing index.
    pub builds_index: bool,
    /// Whether the reply has paths of files.
    pub prints_paths: bool,
    /// Whether `--path` may be given without its flag on a command line.
    pub has_bare_path: bool,
    /// The request without any parameter.
    pub request: fn() -> Q,
    /// The parameters, each with its home in the request.
    pub rows: &'static [Row<FilledRequest<Q>>],
    /// Answers the request.
    pub run: fn(&Engine, &Q, OnProgress<'_>) -> Result<A, Error>,
    /// Answers the request from several sources; `None` if the operation is about one tree.
    pub of_sources: Option<AnswerFromSources<Q>>,
    /// The warnings of the reply.
    pub warnings: fn(&A) -> &[String],
    /// What the reply means for an exit code.
    pub outcome: fn(&A) -> PlainOutcome,
    /// The reply as text for people.
    pub text: fn(&A, &Style) -> String,
}

/// Answers a request from several sources.
pub(crate) type AnswerFromSources<Q> = fn(&Corpus, &Q) -> Result<Box<dyn PlainReply>, Error>;

/// What a reply means for an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainOutcome {
    /// The reply has what was requested.
    Found,
    /// The reply is empty.
    Nothing,
    /// The reply reports a failure, such as damage.
    Failed,
}

impl PlainOutcome {
    /// `Found` if the reply has any rows.
    pub(crate) fn of_rows<T>(rows: &[T]) -> PlainOutcome {
        if rows.is_empty() { PlainOutcome::Nothing } else { PlainOutcome::Found }
    }
}

/// A plain operation, whatever its types are.
pub trait RunPlain: Sync {
    /// The name, the help and the listed parameters.
    fn operation(&self) -> &'static OperationRow;

    /// Whether the operation builds a missing index.
    fn builds_index(&self) -> bool;

    /// Whether the reply has paths of files.
    fn prints_paths(&self) -> bool;

    /// Whether `--path` may be given without its flag on a command line.
    fn has_bare_path(&self) -> bool;

    /// Whether the operation can ask several sources of a library.
    fn asks_sources(&self) -> bool;

    /// Writes the given values into a request and into the options of the engine.
    ///
    /// # Errors
    /// A value that a parameter does not accept.
    fn prepare(&'static self, options: Options, given: &dyn RawValues) -> Result<PreparedCall, ValueError>;
}

/// A request with its values, ready to run.
pub struct PreparedCall {
    /// The options of the engine that answers.
    pub options: Options,
    /// Answers the request.
    pub run: PreparedRun,
    /// Answers the request from several sources, if the operation can.
    pub run_sources: Option<PreparedSourcesRun>,
}

/// Answers a prepared request from several sources.
pub(crate) type PreparedSourcesRun = Box<dyn FnOnce(&Corpus) -> Result<Box<dyn PlainReply>, Error>>;

/// Answers a prepared request.
pub(crate) type PreparedRun = Box<dyn FnOnce(&Engine, OnProgress<'_>) -> Result<Box<dyn PlainReply>, Error>>;

/// A reply in each of its forms.
pub trait PlainReply {
    /// The warnings.
    fn warnings(&self) -> &[String];

    /// What the reply means for an exit code.
    fn outcome(&self) -> PlainOutcome;

    /// One line of JSON, without a line end.
    fn json(&self, paths: JsonPaths<'_>) -> String;

    /// Text for people.
    fn text(&self, style: &Style) -> String;
}

impl<Q: 'static, A: Serialize + 'static> RunPlain for PlainOperation<Q, A> {
    fn operation(&self) -> &'static OperationRow {
        self.operation
    }

    fn builds_index(&self) -> bool {
        self.builds_index
    }

    fn prints_paths(&self) -> bool {
        self.prints_paths
    }

    fn has_bare_path(&self) -> bool {
        self.has_bare_path
    }

    fn asks_sources(&self) -> bool {
        self.of_sources.is_some()
    }

    fn prepare(&'static self, options: Options, given: &dyn RawValues) -> Result<PreparedCall, ValueError> {
        let mut call = FilledRequest::new((self.request)(), options);
        fill(self.rows, &mut call, given)?;
        let FilledRequest { request, options } = call;
        let request = std::rc::Rc::new(request);
        let run_sources = self.of_sources.map(|answer| -> PreparedSourcesRun {
            let request = request.clone();
            Box::new(move |set| answer(set, &request))
        });
        let run: PreparedRun = Box::new(move |engine, progress| {
            let reply = (self.run)(engine, &request, progress)?;
            Ok(Box::new(TypedReply { row: self, reply }))
        });
        Ok(PreparedCall { options, run, run_sources })
    }
}

/// A reply with the row that renders the reply.
pub(super) struct TypedReply<Q: 'static, A: 'static> {
    pub row: &'static PlainOperation<Q, A>,
    pub reply: A,
}

impl<Q, A: Serialize> PlainReply for TypedReply<Q, A> {
    fn warnings(&self) -> &[String] {
        (self.row.warnings)(&self.reply)
    }

    fn outcome(&self) -> PlainOutcome {
        (self.row.outcome)(&self.reply)
    }

    fn json(&self, paths: JsonPaths<'_>) -> String {
        paths.line(&self.reply)
    }

    fn text(&self, style: &Style) -> String {
        (self.row.text)(&self.reply, style)
    }
}
