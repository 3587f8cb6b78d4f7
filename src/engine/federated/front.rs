//! The front: the state of one question over shards, without input and output.

use std::sync::Arc;

use super::asked::AskedShards;
use super::error::FederationError;
use crate::api::{
    EntriesRequest, FileGraphRequest, FilesRequest, GraphRequest, GrepRequest, ListNotesRequest, MapRequest,
    Options, PackRequest, ReadRequest, SearchBatch, SearchNotesRequest, SearchRequest, SkippedRequest,
    SourceName, StatusRequest, SymbolsRequest, WhyNotRequest,
};
use crate::core::Engine;
use crate::corpus::{Corpus, CorpusMember};
use crate::error::Error;
use crate::operation::Operation;
use crate::remote::RemoteMembers;
use spyhop_files::source::MemoryTree;

/// The operations that are answered over shards.
const OPERATIONS: [&str; 16] = [
    SearchRequest::NAME,
    SearchBatch::NAME,
    GrepRequest::NAME,
    FilesRequest::NAME,
    SymbolsRequest::NAME,
    MapRequest::NAME,
    ReadRequest::NAME,
    GraphRequest::NAME,
    EntriesRequest::NAME,
    FileGraphRequest::NAME,
    PackRequest::NAME,
    SkippedRequest::NAME,
    StatusRequest::NAME,
    ListNotesRequest::NAME,
    SearchNotesRequest::NAME,
    WhyNotRequest::NAME,
];

/// The source of questions over shards: a front parses requests, and has no tree.
pub struct Front {
    engine: Arc<Engine>,
}

/// The next step of a question.
#[derive(Debug)]
#[non_exhaustive]
pub enum FederationStep<T> {
    /// Messages to send, each with the number of its shard. Replies are passed to [`Federation::take`], in any order; then
    /// [`Federation::step`] goes on, also if some are missing.
    Ask(Vec<(usize, Vec<u8>)>),
    /// The answer.
    Answer(Box<T>),
}

/// The state of one question over shards. The operation runs on a corpus whose members are the shards, again whenever replies
/// have come, until no reply is missing.
pub struct Federation<T> {
    corpus: Corpus,
    shards: Arc<AskedShards>,
    answer: AnswerOn<T>,
}

/// What answers on a corpus.
type AnswerOn<T> = Box<dyn Fn(&Corpus) -> Result<T, Error> + Send + Sync>;

impl Front {
    /// A front with the grammars and the profile of this program.
    ///
    /// # Errors
    /// `Io` if its temporary folder cannot be created.
    pub fn new() -> Result<Front, Error> {
        Ok(Front { engine: Arc::new(Engine::in_memory(MemoryTree::default(), Options::default())?) })
    }

    /// A question for a request to shards with these names, which differ.
    ///
    /// # Errors
    /// [`FederationError::Front`] for a wrong value or no shard; [`FederationError::NotFederated`] for an operation that is not
    /// answered over shards.
    pub fn ask<O>(
        self: &Arc<Front>,
        request: O,
        shards: &[String],
    ) -> Result<Federation<O::Reply>, FederationError>
    where
        O: Operation + Send + Sync + 'static,
    {
        self.ask_for(request, shards, |reply| reply)
    }

    /// A question whose answer is what `form` makes of the reply.
    ///
    /// # Errors
    /// As [`Front::ask`].
    pub fn ask_for<O, T>(
        self: &Arc<Front>,
        request: O,
        shards: &[String],
        form: impl Fn(O::Reply) -> T + Send + Sync + 'static,
    ) -> Result<Federation<T>, FederationError>
    where
        O: Operation + Send + Sync + 'static,
    {
        if !OPERATIONS.contains(&O::NAME) {
            return Err(FederationError::NotFederated("this operation"));
        }
        self.run(shards, move |corpus: &Corpus| corpus.ask(&request).map(&form))
    }

    /// A question that asks a corpus whose members are the shards, by operations that [`Front::ask`] takes only. `answer` is called
    /// again whenever replies have come; an error while replies are missing is of no use.
    ///
    /// # Errors
    /// As [`Front::ask`].
    pub fn run<T>(
        self: &Arc<Front>,
        names: &[String],
        answer: impl Fn(&Corpus) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<Federation<T>, FederationError> {
        if names.is_empty() {
            return Err(Error::bad("there is no shard to ask; name one").into());
        }
        let shards = Arc::new(AskedShards::new(Arc::clone(&self.engine), names));
        let member = |name: &String| CorpusMember {
            name: Some(SourceName::new(name)),
            engine: Err(Error::bad("a shard has no engine here")),
            provenance: None,
            package: None,
        };
        let mut corpus = Corpus::joining(names.iter().map(member).collect());
        corpus.remote = Some(Arc::clone(&shards) as Arc<dyn RemoteMembers>);
        let federation = Federation { corpus, shards, answer: Box::new(answer) };
        federation.run()?;
        Ok(federation)
    }
}

impl<T> Federation<T> {
    /// The answer; `None` if replies are missing.
    fn run(&self) -> Result<Option<T>, FederationError> {
        self.shards.begin();
        let answer = (self.answer)(&self.corpus);
        match self.shards.is_pending() {
            true => Ok(None),
            false => Ok(Some(answer?)),
        }
    }

    /// The next step.
    ///
    /// # Errors
    /// Those of an engine that answers, such as `BadRequest`.
    pub fn step(&mut self) -> Result<FederationStep<T>, FederationError> {
        Ok(match self.run()? {
            Some(reply) => FederationStep::Answer(Box::new(reply)),
            None => FederationStep::Ask(self.shards.messages()),
        })
    }

    /// Takes the reply of a shard to the message that [`Federation::step`] gave for it. A reply of another state of the shard
    /// than before is no error: the shard is asked again from the beginning.
    ///
    /// # Errors
    /// [`FederationError::Refused`] if the shard differs from the front; [`FederationError::Shard`] if the shard failed; then
    /// another copy may be asked after [`Federation::forget`], or the shard given up by [`Federation::lose`].
    pub fn take(&mut self, shard: usize, message: &[u8]) -> Result<(), FederationError> {
        self.shards.take(shard, message)
    }

    /// Forgets what a shard told, because another copy of the shard is asked from now on.
    pub fn forget(&mut self, shard: usize) {
        self.shards.forget(shard, None);
    }

    /// Gives a shard up. The answer is not complete, and has `why` as a warning, which should name what is missing.
    pub fn lose(&mut self, shard: usize, why: impl Into<String>) {
        self.shards.forget(shard, Some(why.into()));
    }
}
