//! The class `NativeEngine`: requests and replies as JSON. The class `Engine` of the package gives both their types.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use spyhop::{
    ActivitySource, Call, FilesRequest, OnMissing, Options, SearchRequest, StalePolicy, WhyNotRequest,
};
use spyhop_engine::{Operation, for_each_operation};

use crate::batch;
use crate::failure::Failure;
use crate::features::{self, QueryRows};
use crate::profile::{Profile, ProfileArg};
use crate::run::{self, Told};

/// The index of one source tree.
#[pyclass(frozen, module = "spyhop._spyhop")]
pub struct NativeEngine {
    engine: spyhop::Engine,
    profile: Option<Arc<spyhop::Profile>>,
    threads: usize,
}

/// A search that a profile weighs.
fn weighed(mut request: SearchRequest, profile: Option<Arc<spyhop::Profile>>) -> SearchRequest {
    request.profile = profile;
    request
}

/// The JSON of a request.
pub fn read<Q: DeserializeOwned>(name: &str, json: &str) -> Result<Q, Failure> {
    match serde_json::from_str("null") {
        // A request without fields has the JSON of no structure.
        Ok(request) if json == "{}" => Ok(request),
        _ => serde_json::from_str(json)
            .map_err(|error| Failure::bad(format!("the request of {name}: {error}"))),
    }
}

/// The JSON of a reply.
pub fn written(reply: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(reply).map_err(|error| Failure::internal(format!("a reply has no JSON: {error}")))
}

/// Whose earlier work counts: that of any caller, or nobody's.
fn session(activity: bool) -> ActivitySource {
    if activity { ActivitySource::AnyCaller } else { ActivitySource::Ignored }
}

macro_rules! ask_by_name {
    ($($request:ident),+ $(,)?) => {
        /// Answers the request of the operation `name`.
        fn ask_by_name(
            engine: &spyhop::Engine,
            name: &str,
            json: &str,
            profile: Option<Arc<spyhop::Profile>>,
            call: &Call<'_>,
        ) -> Result<Vec<u8>, Failure> {
            // These two have a profile, which is no part of their JSON.
            if name == SearchRequest::NAME {
                let request = read::<SearchRequest>(name, json)?;
                return written(&engine.call(&weighed(request, profile), call)?);
            }
            if name == WhyNotRequest::NAME {
                let WhyNotRequest { path, search } = read(name, json)?;
                return written(&engine.call(&WhyNotRequest::new(path, weighed(search, profile)), call)?);
            }
            match name {
                $(spyhop_engine::api::$request::NAME => {
                    written(&engine.call(&read::<spyhop_engine::api::$request>(name, json)?, call)?)
                })+
                _ => Err(Failure::bad(format!("there is no operation '{name}'"))),
            }
        }

        /// The names of the operations.
        #[pyfunction]
        pub fn operations() -> Vec<&'static str> {
            vec![$(spyhop_engine::api::$request::NAME),+]
        }
    };
}

for_each_operation!(ask_by_name);

impl NativeEngine {
    /// The engine, which shares everything with this one.
    pub fn shared(&self) -> spyhop::Engine {
        self.engine.with_policy(self.engine.policy())
    }

    /// The profile of a call: that of the argument, else that of the engine.
    fn profile_of(
        &self,
        py: Python<'_>,
        given: Option<ProfileArg<'_>>,
    ) -> PyResult<Option<Arc<spyhop::Profile>>> {
        match given {
            Some(given) => or_raise(py, given.read()).map(Some),
            None => Ok(self.profile.clone()),
        }
    }

    /// An engine that answers a batch from one state: the tree is compared with the index once, as the policy says.
    fn settled(&self, told: &Told) -> Result<spyhop::Engine, Failure> {
        let mut request = FilesRequest::new("");
        request.max_results = 1;
        self.engine.call(&request, &Call::default().with_progress(&|progress| told.note(progress)))?;
        Ok(self.engine.with_policy(self.engine.policy().last_commit()))
    }
}

/// The value, or the exception.
pub fn or_raise<T>(py: Python<'_>, result: Result<T, Failure>) -> PyResult<T> {
    result.map_err(|failure| failure.raised(py))
}

#[pymethods]
#[allow(clippy::too_many_arguments, reason = "each is a keyword argument of the package")]
impl NativeEngine {
    #[new]
    #[pyo3(signature = (
        path, *, index_dir, profile, threads, stale, build, wait, max_memory, max_file_bytes, hidden, no_ignore,
        no_built_in, secrets, show_secrets, grammars, view
    ))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        index_dir: Option<PathBuf>,
        profile: Option<ProfileArg<'_>>,
        threads: Option<usize>,
        stale: &str,
        build: bool,
        wait: f64,
        max_memory: Option<u64>,
        max_file_bytes: Option<u64>,
        hidden: bool,
        no_ignore: bool,
        no_built_in: bool,
        secrets: bool,
        show_secrets: bool,
        grammars: Option<PathBuf>,
        view: Option<String>,
    ) -> PyResult<NativeEngine> {
        let mut options = Options::default();
        // A relative folder is relative to the working folder, as everywhere in Python.
        options.index_dir = index_dir.map(std::path::absolute).transpose()?;
        options.on_missing = if build { OnMissing::Build } else { OnMissing::Fail };
        options.stale_policy = or_raise(py, stale_policy(stale))?;
        options.wait = or_raise(py, seconds(wait))?;
        options.threads = threads;
        options.max_memory = max_memory;
        options.max_file_bytes = max_file_bytes.unwrap_or(options.max_file_bytes);
        options.hidden = hidden;
        options.no_ignore = no_ignore;
        options.no_built_in = no_built_in;
        options.secrets = secrets;
        options.show_secrets = show_secrets;
        options.grammars = grammars;
        options.view = view;
        if threads == Some(0) {
            return Err(Failure::bad("threads is 0; choose 1 or more, or None for one per core").raised(py));
        }
        let profile = or_raise(py, profile.map(ProfileArg::read).transpose())?;
        let engine = run::call(py, None, |_, _| Ok(spyhop::Engine::open(path, options)?))?;
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Ok(NativeEngine { engine, profile, threads })
    }

    #[staticmethod]
    fn find_root(py: Python<'_>, path: PathBuf) -> PathBuf {
        py.detach(|| spyhop::Engine::find_root(&path))
    }

    #[getter]
    fn root(&self) -> PathBuf {
        self.engine.root().to_path_buf()
    }

    #[getter]
    fn index_dir(&self) -> PathBuf {
        self.engine.index_dir().to_path_buf()
    }

    #[getter]
    fn profile(&self) -> Profile {
        let built_in = || Arc::new(spyhop::Profile::built_in().clone());
        Profile { inner: self.profile.clone().unwrap_or_else(built_in) }
    }

    fn update<'py>(&self, py: Python<'py>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
        let json = run::call(py, progress.as_ref(), |told, _| {
            written(&self.engine.refresh(&|progress| told.note(progress))?)
        })?;
        Ok(PyBytes::new(py, &json))
    }

    fn rebuild<'py>(&self, py: Python<'py>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
        let json = run::call(py, progress.as_ref(), |told, _| {
            written(&self.engine.rebuild(&|progress| told.note(progress))?)
        })?;
        Ok(PyBytes::new(py, &json))
    }

    /// Answers a request of an operation.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        request: &str,
        profile: Option<ProfileArg<'_>>,
        activity: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let profile = self.profile_of(py, profile)?;
        let json = run::call(py, progress.as_ref(), |told, _| {
            let note = |progress| told.note(progress);
            let call = Call::default().with_progress(&note).with_session(session(activity));
            ask_by_name(&self.engine, operation, request, profile, &call)
        })?;
        Ok(PyBytes::new(py, &json))
    }

    /// Answers many searches, which differ in their queries.
    fn ask_many<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        request: &str,
        profile: Option<ProfileArg<'_>>,
        activity: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let profile = self.profile_of(py, profile)?;
        let pattern: SearchRequest = or_raise(py, read(SearchRequest::NAME, request))?;
        let pattern = weighed(pattern, profile);
        let replies = run::call(py, progress.as_ref(), |told, cancel| {
            let engine = self.settled(told)?;
            batch::each_of(queries.len(), self.threads, (told, cancel), |at| {
                let mut request = pattern.clone();
                request.query.clone_from(&queries[at]);
                written(&engine.call(&request, &Call::default().with_session(session(activity)))?)
            })
        })?;
        Ok(replies.iter().map(|json| PyBytes::new(py, json)).collect())
    }

    /// The columns of the feature matrix of many searches.
    fn features<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        request: &str,
        names: Option<Vec<String>>,
        limit: Option<usize>,
        profile: Option<ProfileArg<'_>>,
        activity: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let profile = self.profile_of(py, profile)?;
        let features = or_raise(py, features::chosen(names))?;
        let pattern: SearchRequest = or_raise(py, read(SearchRequest::NAME, request))?;
        let pattern = weighed(pattern, profile);
        let limit = limit.unwrap_or(usize::MAX);
        let rows = run::call(py, progress.as_ref(), |told, cancel| {
            let engine = self.settled(told)?;
            batch::each_of(queries.len(), self.threads, (told, cancel), |at| {
                let mut request = pattern.clone();
                request.query.clone_from(&queries[at]);
                let call = Call::default().with_session(session(activity));
                Ok(QueryRows::new(&engine.candidates(&request, &call)?, &features, limit))
            })
        })?;
        Ok(features::columns(py, &queries, rows, &features)?.into_any())
    }

    fn touch(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        run::call(py, None, |_, _| Ok(self.engine.record_touch(path)?))
    }

    fn release_caches(&self, py: Python<'_>) {
        py.detach(|| self.engine.release_caches());
    }
}

/// A duration from seconds.
fn seconds(given: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(given)
        .map_err(|_| Failure::bad(format!("wait is {given}; choose 0 or more seconds")))
}

/// The choice of a stale policy by its name.
fn stale_policy(name: &str) -> Result<StalePolicy, Failure> {
    let found = StalePolicy::ALL.into_iter().find(|choice| choice.name() == name);
    found.ok_or_else(|| {
        let names = StalePolicy::ALL.map(StalePolicy::name).join(", ");
        Failure::bad(format!("stale is '{name}'; choose {names}"))
    })
}
