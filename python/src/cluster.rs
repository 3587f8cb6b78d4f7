//! Shards: the classes `NativeSearcher`, `NativeFront` and `NativeQuestion`, whose messages are bytes.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use spyhop::{Corpus, SourceName};
use spyhop_engine::Operation;
use spyhop_engine::api::*;
use spyhop_engine::federated::{Federation, FederationError, FederationStep, Front, Searcher};

use crate::engine::{NativeEngine, or_raise, read, written};
use crate::failure::Failure;
use crate::{run, tools};

/// Answers what a front asks of one shard.
#[pyclass(frozen, module = "spyhop._spyhop")]
pub struct NativeSearcher {
    searcher: Searcher,
}

#[pymethods]
impl NativeSearcher {
    #[new]
    fn new(py: Python<'_>, engines: Vec<Py<NativeEngine>>) -> PyResult<NativeSearcher> {
        let engines: Vec<spyhop::Engine> = engines.iter().map(|engine| engine.get().shared()).collect();
        let corpus = match &engines[..] {
            [engine] => Ok(Corpus::from(engine)),
            _ => {
                let name = |place: usize| SourceName::new(&format!("tree-{place}"));
                Corpus::new(engines.into_iter().enumerate().map(|(place, engine)| (name(place), engine)))
            }
        };
        Ok(NativeSearcher { searcher: Searcher::new(or_raise(py, corpus.map_err(Failure::from))?) })
    }

    fn answer<'py>(&self, py: Python<'py>, message: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = run::call(py, None, |_, _| Ok(self.searcher.answer(message)))?;
        Ok(PyBytes::new(py, &reply))
    }
}

/// Begins questions to shards.
#[pyclass(frozen, module = "spyhop._spyhop")]
pub struct NativeFront {
    front: Arc<Front>,
}

#[pymethods]
impl NativeFront {
    #[new]
    fn new(py: Python<'_>) -> PyResult<NativeFront> {
        Ok(NativeFront { front: Arc::new(or_raise(py, Front::new().map_err(Failure::from))?) })
    }

    /// A question for a request of an operation, to shards with these names.
    fn ask(
        &self,
        py: Python<'_>,
        operation: &str,
        request: &str,
        shards: Vec<String>,
    ) -> PyResult<NativeQuestion> {
        let federation = begun_by_name(&self.front, operation, request, &shards);
        Ok(NativeQuestion::new(or_raise(py, federation)?))
    }

    /// A call of a tool for agents, to shards with these names.
    fn call(
        &self,
        py: Python<'_>,
        tool: &str,
        arguments: &str,
        shards: Vec<String>,
    ) -> PyResult<NativeQuestion> {
        let federation = tools::begun(py, &self.front, (tool, arguments), &shards)?;
        Ok(NativeQuestion::new(or_raise(py, federation)?))
    }
}

/// A question whose answer is the JSON of the reply.
type JsonQuestion = Federation<Vec<u8>>;

fn begun<O>(front: &Arc<Front>, request: &str, shards: &[String]) -> Result<JsonQuestion, Failure>
where
    O: Operation<Reply: Serialize> + DeserializeOwned + Send + Sync + 'static,
{
    // A reply is a tree of texts, numbers and lists, which all have JSON.
    Ok(front.ask_for(read::<O>(O::NAME, request)?, shards, |reply| written(&reply).unwrap_or_default())?)
}

macro_rules! begun_by_name {
    ($($request:ident),+ $(,)?) => {
        fn begun_by_name(
            front: &Arc<Front>,
            name: &str,
            request: &str,
            shards: &[String],
        ) -> Result<JsonQuestion, Failure> {
            match name {
                $($request::NAME => begun::<$request>(front, request, shards),)+
                _ => Err(FederationError::NotFederated("this operation").into()),
            }
        }
    };
}

spyhop_engine::for_each_operation!(begun_by_name);

/// A question to shards.
#[pyclass(frozen, module = "spyhop._spyhop")]
pub struct NativeQuestion {
    state: Mutex<QuestionState>,
}

struct QuestionState {
    federation: JsonQuestion,
    reply: Option<Vec<u8>>,
}

impl NativeQuestion {
    fn new(federation: JsonQuestion) -> NativeQuestion {
        NativeQuestion { state: Mutex::new(QuestionState { federation, reply: None }) }
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut QuestionState) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let acted = py.detach(|| act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)));
        or_raise(py, acted)
    }
}

#[pymethods]
impl NativeQuestion {
    /// The messages to send, each with the number of its shard; none if the reply is there.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
        let messages = self.with(py, |state| {
            Ok(match state.federation.step()? {
                FederationStep::Ask(messages) => messages,
                FederationStep::Answer(reply) => {
                    state.reply = Some(*reply);
                    Vec::new()
                }
                _ => return Err(Failure::internal("the step of the question is unknown")),
            })
        })?;
        Ok(messages.into_iter().map(|(shard, message)| (shard, PyBytes::new(py, &message))).collect())
    }

    fn take(&self, py: Python<'_>, shard: usize, reply: &[u8]) -> PyResult<()> {
        self.with(py, |state| Ok(state.federation.take(shard, reply)?))
    }

    fn forget(&self, py: Python<'_>, shard: usize) -> PyResult<()> {
        self.with(py, |state| {
            state.federation.forget(shard);
            Ok(())
        })
    }

    fn lose(&self, py: Python<'_>, shard: usize, why: String) -> PyResult<()> {
        self.with(py, |state| {
            state.federation.lose(shard, why);
            Ok(())
        })
    }

    /// The reply as JSON; `None` before the last step.
    fn reply<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let reply = self.with(py, |state| Ok(state.reply.clone()))?;
        Ok(reply.map(|json| PyBytes::new(py, &json)))
    }
}
