//! Plain operations: a request with one text of its reply, which no face treats in a way of its own.
//!
//! A plain operation is one typed row. Front ends run such a row without knowing its types, so a new plain operation
//! needs no function in a front end.

use serde::Serialize;

use crate::catalog::{FilledRequest, OperationRow, RawValues, Row, ValueError, fill};
use crate::render::Style;
use crate::render::json::JsonPaths;
use spyhop_engine::api::{EntriesReply, MapReply, NotesReply, Options, PackReply};
use spyhop_engine::{Call, Corpus, Error, Operation};

/// An operation with its request and the forms of its reply.
pub struct PlainOperation<Q: Operation + 'static> {
    /// The name, the help, the listed parameters and the facts.
    pub operation: &'static OperationRow,
    /// The request without any parameter.
    pub request: fn() -> Q,
    /// The parameters, each with its home in the request.
    pub rows: &'static [Row<FilledRequest<Q>>],
    /// The reply as text for people.
    pub text: fn(&Q::Reply, &Style) -> String,
}

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

/// What every face knows of a reply of a plain operation.
pub trait ReplyFacts {
    /// The warnings.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// What the reply means for an exit code.
    fn outcome(&self) -> PlainOutcome {
        PlainOutcome::Found
    }

    /// Adds what only a face knows, such as the command that helps.
    fn finish(&mut self) {}
}

/// Replies with warnings that are empty if they have no rows.
macro_rules! replies_of_rows {
    ($($reply:ty: $rows:ident;)+) => {
        $(impl $crate::operations::plain::ReplyFacts for $reply {
            fn warnings(&self) -> &[String] {
                &self.warnings
            }

            fn outcome(&self) -> $crate::operations::plain::PlainOutcome {
                $crate::operations::plain::PlainOutcome::of_rows(&self.$rows)
            }
        })+
    };
}

pub(super) use replies_of_rows;

replies_of_rows! {
    EntriesReply: rows;
    MapReply: entries;
    NotesReply: notes;
    PackReply: files;
}

/// A plain operation, whatever its types are.
pub trait RunPlain: Sync {
    /// The name, the help, the listed parameters and the facts.
    fn operation(&self) -> &'static OperationRow;

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
}

/// Answers a prepared request.
pub(crate) type PreparedRun = Box<dyn FnOnce(&Corpus, &Call<'_>) -> Result<Box<dyn PlainReply>, Error>>;

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

impl<Q: Operation<Reply: Serialize + ReplyFacts> + 'static> RunPlain for PlainOperation<Q> {
    fn operation(&self) -> &'static OperationRow {
        self.operation
    }

    fn prepare(&'static self, options: Options, given: &dyn RawValues) -> Result<PreparedCall, ValueError> {
        let mut call = FilledRequest::new((self.request)(), options);
        fill(self.rows, &mut call, given)?;
        let FilledRequest { request, options } = call;
        let run: PreparedRun = Box::new(move |corpus, call| {
            let mut reply = corpus.call(&request, call)?;
            reply.finish();
            Ok(Box::new(TypedReply { reply, text: self.text }))
        });
        Ok(PreparedCall { options, run })
    }
}

/// A reply with the function that renders it.
pub(super) struct TypedReply<A> {
    pub reply: A,
    pub text: fn(&A, &Style) -> String,
}

impl<A: Serialize + ReplyFacts> PlainReply for TypedReply<A> {
    fn warnings(&self) -> &[String] {
        self.reply.warnings()
    }

    fn outcome(&self) -> PlainOutcome {
        self.reply.outcome()
    }

    fn json(&self, paths: JsonPaths<'_>) -> String {
        paths.line(&self.reply)
    }

    fn text(&self, style: &Style) -> String {
        (self.text)(&self.reply, style)
    }
}
