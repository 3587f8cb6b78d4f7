//! Operations: a request is the operation, and every face asks in one way.

use std::time::Instant;

use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::mask::MaskTexts;
use super::remote::{self, MemberAnswers};
use crate::cancel;
use crate::error::{Error, ErrorKind};

/// Something that a caller can ask of a corpus. The request has the type of the operation.
pub trait Operation: Clone {
    /// The name, as in `find_files`.
    const NAME: &'static str;

    /// The answer.
    type Reply: MaskTexts;

    /// The paths that may begin with the name of a source and `:`, as in `client:src/lib.rs`. Such a path asks that source
    /// alone.
    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// The folder or file below which the answer lies. It is an error if no source that is asked has it.
    fn scope(&self) -> Option<&str> {
        None
    }

    /// Answers the request. [`Corpus::ask`] and [`Corpus::call`] also mask the secrets of the reply.
    ///
    /// # Errors
    /// Those of the operation.
    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<Self::Reply, Error>;
}

/// Calls the macro `$each` with the requests of all operations, which are types of [`api`](crate::api), except
/// [`SemanticRequest`](crate::api::SemanticRequest), which only people make.
#[macro_export]
macro_rules! for_each_operation {
    ($each:ident) => {
        $each! {
            SearchRequest, SearchBatch, GrepRequest, FilesRequest, SymbolsRequest, MapRequest, ReadRequest,
            GraphRequest, EntriesRequest, FileGraphRequest, PackRequest, WhyNotRequest, SkippedRequest,
            ExplainSkipsRequest, StatusRequest, ViewsRequest, CheckupRequest, LanguagesRequest,
            SearchNotesRequest, ListNotesRequest, ShowNoteRequest, AddNoteRequest, VerifyNoteRequest,
            RetireNoteRequest,
        }
    };
}

impl MemberAnswers<'_> {
    /// The answer of the member alone.
    pub(super) fn call<O>(&self, request: &O, call: &Call<'_>) -> Result<O::Reply, Error>
    where
        O: Operation<Reply: 'static> + 'static,
    {
        match self {
            MemberAnswers::Engine(engine) => engine.call(request, call),
            MemberAnswers::Remote(members, name) => remote::of_type(members.reply_of(name, request)?),
        }
    }

    /// As [`MemberAnswers::call`], in a call without settings.
    pub(super) fn ask<O>(&self, request: &O) -> Result<O::Reply, Error>
    where
        O: Operation<Reply: 'static> + 'static,
    {
        self.call(request, &Call::default())
    }
}

impl Corpus {
    /// Answers a request.
    ///
    /// # Errors
    /// Those of the operation: `BadRequest`, which names the wrong value; `NoIndex` and `Stale`, depending on the policies;
    /// if no tree can answer, the error of the first tree.
    pub fn ask<O: Operation>(&self, request: &O) -> Result<O::Reply, Error> {
        self.call(request, &Call::default())
    }

    /// Answers a request in a call with its progress, its cancellation, its deadline, its policy and its session.
    ///
    /// # Errors
    /// As [`Corpus::ask`].
    pub fn call<O: Operation>(&self, request: &O, call: &Call<'_>) -> Result<O::Reply, Error> {
        let answer = |corpus: &Corpus| -> Result<O::Reply, Error> {
            let run = |corpus: &Corpus, request: &O| {
                corpus.check_scope(request.scope())?;
                Ok(corpus.mask_policy().masked(request.run(corpus, call)?))
            };
            match corpus.of_named_source(request)? {
                Some((source, request)) => run(&source, &request),
                None => run(corpus, request),
            }
        };
        let answer = || match call.policy() {
            Some(policy) => answer(&self.with_policies(|_| policy)),
            None => answer(self),
        };
        let begun = Instant::now();
        let answer = match call.cancel() {
            Some(cancel) => cancel::with(Some(cancel), answer),
            None => answer(),
        };
        answer.map_err(|error| match call.deadline() {
            Some(deadline) if error.kind() == ErrorKind::Cancelled && Instant::now() >= deadline => {
                let limit = deadline.saturating_duration_since(begun).as_millis();
                let text = format!("there was no answer within {limit} ms; allow more time or ask for less");
                Error::new(ErrorKind::TimedOut, text)
            }
            _ => error,
        })
    }
}

impl Engine {
    /// Answers a request from this tree alone.
    ///
    /// # Errors
    /// Those of the operation: `BadRequest`, which names the wrong value; `NoIndex` and `Stale`, depending on the policy;
    /// `Damaged` if the index contradicts itself; the errors of [`Engine::refresh`] if a first index must be built. If a
    /// later index cannot be updated, because another process is indexing or the disk is full, the last commit answers and
    /// the reply has a warning.
    pub fn ask<O: Operation>(&self, request: &O) -> Result<O::Reply, Error> {
        Corpus::from(self).ask(request)
    }

    /// Answers a request in a call with its progress, its cancellation, its deadline, its policy and its session.
    ///
    /// # Errors
    /// As [`Engine::ask`].
    pub fn call<O: Operation>(&self, request: &O, call: &Call<'_>) -> Result<O::Reply, Error> {
        Corpus::from(self).call(request, call)
    }
}
