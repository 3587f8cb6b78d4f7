//! The class `Engine`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use spyhop::{Call, FilesRequest, GrepRequest, MapRequest, OnMissing, Options, SearchRequest, WhyNotRequest};

use crate::batch;
use crate::failure::Failure;
use crate::features::{self, QueryRows};
use crate::profile::{Profile, ProfileArg};
use crate::requests::{self, FilterArgs, SearchArgs, Texts};
use crate::results::{
    FilesReply, GrepReply, MapReply, SearchReplies, SearchReply, Status, UpdateReport, WhyNot,
};
use crate::run::{self, Told};

/// The index of one source tree, and every question to it.
///
/// - `path`: the root of the tree.
/// - `index_dir`: the folder of the index; `None` for a folder in the user's cache folder.
/// - `profile`: the ranking profile of searches that name none; `None` for the built-in one.
/// - `threads`: the threads of an update and of a batch; `None` for one for each core.
/// - `stale`: what a call does about changed files: `refresh` indexes them first, `warn` counts them, `ignore` does not look, `error`
///   raises `StaleError`, and `wait` is `refresh` that waits for another process which is indexing.
/// - `build`: whether a missing index is built; otherwise `NoIndexError` is raised.
/// - `wait`: the seconds for which a change of the index waits for another process.
/// - `max_memory`: the bytes that an update may use; `None` for 200 MiB and a share of the tree.
/// - `max_file_bytes`: the size above which a file is found by its path only; `None` for 1 MiB.
/// - `hidden`, `no_ignore`, `no_built_in`: whether hidden files, ignored files, and files that built-in rules skip are indexed.
/// - `secrets`, `show_secrets`: whether files of secrets are indexed, and whether replies show values that look like secrets.
/// - `grammars`: a folder of grammars, each in place of the built-in one of its name or new; else `.spyhop/grammars` of the tree.
/// - `view`: a git revision that is searched instead of the worktree.
///
/// Searches and lookups take filters, each a text or a list of texts:
/// - `paths`: folders and files; a result is in one of them.
/// - `globs`: globs over paths, such as `src/**/*.rs`; one that begins with `!` excludes.
/// - `exclude`: texts; a path that contains one of them, in any case, is excluded.
/// - `languages`: names of languages, such as `python`.
/// - `kinds`: kinds of symbols or parts, such as `fn`, `class` or `doc`.
///
/// Other arguments of several methods:
/// - `profile`: the ranking profile of the call, a `Profile` or the path of a TOML file; `None` for that of the engine.
/// - `cursor`: the `next` of a reply, for the page after it.
/// - `progress`: a function that is called with a `Progress` in the thread of the caller. Its exception ends the call.
#[pyclass(frozen, module = "spyhop")]
pub struct Engine {
    engine: spyhop::Engine,
    profile: Option<Arc<spyhop::Profile>>,
    threads: usize,
}

impl Engine {
    /// The profile of a call: that of the argument, else that of the engine.
    fn profile_of(&self, given: Option<ProfileArg<'_>>) -> Result<Option<Arc<spyhop::Profile>>, Failure> {
        match given {
            Some(given) => given.read().map(Some),
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
fn or_raise<T>(py: Python<'_>, result: Result<T, Failure>) -> PyResult<T> {
    result.map_err(|failure| failure.raised(py))
}

#[pymethods]
#[allow(clippy::too_many_arguments, reason = "each is a keyword argument with a default")]
impl Engine {
    #[new]
    #[pyo3(signature = (
        path, *, index_dir=None, profile=None, threads=None, stale="refresh", build=true, wait=0.0,
        max_memory=None, max_file_bytes=None, hidden=false, no_ignore=false, no_built_in=false, secrets=false,
        show_secrets=false, grammars=None, view=None
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
    ) -> PyResult<Engine> {
        let mut options = Options::default();
        // A relative folder is relative to the working folder, as everywhere in Python.
        options.index_dir = index_dir.map(std::path::absolute).transpose()?;
        options.on_missing = if build { OnMissing::Build } else { OnMissing::Fail };
        options.stale_policy = or_raise(py, requests::stale_policy(stale))?;
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
        Ok(Engine { engine, profile, threads })
    }

    /// The usual root for the folder `path`: the top folder of its git repository, or the folder itself.
    #[staticmethod]
    fn find_root(py: Python<'_>, path: PathBuf) -> PathBuf {
        py.detach(|| spyhop::Engine::find_root(&path))
    }

    /// The root of the tree.
    #[getter]
    fn root(&self) -> PathBuf {
        self.engine.root().to_path_buf()
    }

    /// The folder of the index.
    #[getter]
    fn index_dir(&self) -> PathBuf {
        self.engine.index_dir().to_path_buf()
    }

    /// The profile of searches that name none.
    #[getter]
    fn profile(&self) -> Profile {
        let built_in = || Arc::new(spyhop::Profile::built_in().clone());
        Profile { inner: self.profile.clone().unwrap_or_else(built_in) }
    }

    /// Updates the index, or builds it. If the call is interrupted, the next update continues from there.
    #[pyo3(signature = (*, progress=None))]
    fn update(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<UpdateReport> {
        run::call(py, progress.as_ref(), |told, _| {
            Ok(UpdateReport::from(self.engine.refresh(&|progress| told.note(progress))?))
        })
    }

    /// Rebuilds the index from the sources. The old index answers until the end.
    #[pyo3(signature = (*, progress=None))]
    fn rebuild(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<UpdateReport> {
        run::call(py, progress.as_ref(), |told, _| {
            Ok(UpdateReport::from(self.engine.rebuild(&|progress| told.note(progress))?))
        })
    }

    /// Answers a query.
    ///
    /// - `query`: a question, a name or a piece of code.
    /// - `max_results`: the hits of a page, at most 50.
    /// - `mode`: the text of each hit: `compact` for none, `default` for the best lines, `debug` for the whole place and every reason.
    /// - `min_score`: the lowest score of a hit, 0 to 1.
    /// - `per_file`: the most hits in one file; `None` for 10.
    /// - `expand`: the lines of context around each snippet.
    /// - `exhaustive`: whether every file that contains the query text is a hit.
    /// - `activity`: whether files that `touch` recorded rank higher.
    #[pyo3(signature = (
        query, *, max_results=10, mode="default", paths=None, globs=None, exclude=None, languages=None, kinds=None,
        min_score=0.0, per_file=None, expand=0, exhaustive=false, activity=true, profile=None, cursor=None,
        progress=None
    ))]
    fn search(
        &self,
        py: Python<'_>,
        query: String,
        max_results: usize,
        mode: &str,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
        min_score: f32,
        per_file: Option<usize>,
        expand: u32,
        exhaustive: bool,
        activity: bool,
        profile: Option<ProfileArg<'_>>,
        cursor: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<SearchReply> {
        let filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        let profile = or_raise(py, self.profile_of(profile))?;
        let args = SearchArgs { max_results, mode, min_score, per_file, expand, exhaustive, profile };
        let mut request = or_raise(py, args.request(query, filter))?;
        request.cursor = cursor;
        run::call(py, progress.as_ref(), |told, _| {
            let note = |progress| told.note(progress);
            let call = Call::default().with_progress(&note).with_session(requests::session(activity));
            Ok(SearchReply::from(self.engine.call(&request, &call)?))
        })
    }

    /// Answers many queries on all cores, each as `search` would, from one state of the index: the tree is compared with the index
    /// once, before the first query, as `stale` says, and changes during the batch are not seen. The first query that fails ends the
    /// batch. `queries` is a list of queries; the other arguments are those of `search`.
    #[pyo3(signature = (
        queries, *, max_results=10, mode="default", paths=None, globs=None, exclude=None, languages=None, kinds=None,
        min_score=0.0, per_file=None, expand=0, exhaustive=false, activity=true, profile=None, progress=None
    ))]
    fn search_many(
        &self,
        py: Python<'_>,
        queries: Vec<String>,
        max_results: usize,
        mode: &str,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
        min_score: f32,
        per_file: Option<usize>,
        expand: u32,
        exhaustive: bool,
        activity: bool,
        profile: Option<ProfileArg<'_>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<SearchReplies> {
        let filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        let profile = or_raise(py, self.profile_of(profile))?;
        let args = SearchArgs { max_results, mode, min_score, per_file, expand, exhaustive, profile };
        let pattern = or_raise(py, args.request(String::new(), filter))?;
        run::call(py, progress.as_ref(), |told, cancel| {
            let engine = self.settled(told)?;
            let replies = batch::each_of(queries.len(), self.threads, (told, cancel), |at| {
                let mut request = pattern.clone();
                request.query.clone_from(&queries[at]);
                let call = Call::default().with_session(requests::session(activity));
                Ok(SearchReply::from(engine.call(&request, &call)?))
            })?;
            Ok(replies.into_iter().collect())
        })
    }

    /// Measures every file that ranking rescores, by every feature, for many queries: a `FeatureMatrix`. The tree is compared with the
    /// index once, as in `search_many`.
    ///
    /// - `queries`: the queries.
    /// - `names`: the features; `None` for all of `feature_names()`.
    /// - `limit`: the most files of a query, the first ones; `None` for all.
    /// - `activity`: whether files that `touch` recorded rank higher.
    #[pyo3(signature = (
        queries, *, names=None, limit=None, paths=None, globs=None, exclude=None, languages=None, kinds=None,
        activity=false, profile=None, progress=None
    ))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        names: Option<Vec<String>>,
        limit: Option<usize>,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
        activity: bool,
        profile: Option<ProfileArg<'_>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        let given = or_raise(py, self.profile_of(profile))?;
        let features = or_raise(py, features::chosen(names))?;
        let profile = given.clone();
        let (per_file, exhaustive) = (None, false);
        let (max_results, mode, min_score, expand) = (10, "compact", 0.0, 0);
        let args = SearchArgs { max_results, mode, min_score, per_file, expand, exhaustive, profile };
        let pattern = or_raise(py, args.request(String::new(), filter))?;
        let limit = limit.unwrap_or(usize::MAX);
        let rows = run::call(py, progress.as_ref(), |told, cancel| {
            let engine = self.settled(told)?;
            let weighing = given.as_deref().unwrap_or(spyhop::Profile::built_in());
            batch::each_of(queries.len(), self.threads, (told, cancel), |at| {
                let mut request = pattern.clone();
                request.query.clone_from(&queries[at]);
                let call = Call::default().with_session(requests::session(activity));
                Ok(QueryRows::new(&engine.candidates(&request, &call)?, &features, limit, weighing))
            })
        })?;
        let columns = features::columns(py, &queries, rows, &features)?;
        py.import("spyhop._features")?.getattr("FeatureMatrix")?.call_method1("of_columns", (columns,))
    }

    /// Finds the lines that match a regular expression; with a list, those that match any of them.
    ///
    /// - `pattern`: the expression or expressions, in the syntax of Rust's `regex`.
    /// - `fixed`: whether patterns are texts.
    /// - `case`: `sensitive`, `ignored` or `smart`, which ignores case unless a pattern has an upper-case letter.
    /// - `word`: whether a match is whole words.
    /// - `multi_line`: whether a match may span lines.
    /// - `invert`: whether the lines that do not match are found.
    /// - `max_count`: the most lines of one file; `None` for all.
    /// - `rank`: whether files are ordered as a search would rank them, not by path.
    /// - `enclosing`: whether lines name the definition around them.
    /// - `context`: the lines of context before and after each line.
    /// - `max_results`: the lines of a page, at most 1,000.
    #[pyo3(signature = (
        pattern, *, fixed=false, case="sensitive", word=false, multi_line=false, invert=false, max_count=None,
        rank=false, enclosing=false, context=0, max_results=50, paths=None, globs=None, exclude=None, languages=None,
        kinds=None, cursor=None
    ))]
    fn grep(
        &self,
        py: Python<'_>,
        pattern: Texts,
        fixed: bool,
        case: &str,
        word: bool,
        multi_line: bool,
        invert: bool,
        max_count: Option<u64>,
        rank: bool,
        enclosing: bool,
        context: u32,
        max_results: usize,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
        cursor: Option<String>,
    ) -> PyResult<GrepReply> {
        let mut patterns = requests::listed(Some(pattern)).into_iter();
        let mut request = GrepRequest::new(patterns.next().unwrap_or_default());
        request.or_patterns = patterns.collect();
        request.fixed = fixed;
        request.case = or_raise(py, requests::case(case))?;
        if word {
            request.bounds = spyhop_engine::api::Bounds::Word;
        }
        request.multi_line = multi_line;
        request.invert = invert;
        request.max_count = max_count;
        request.rank = rank;
        request.enclosing = enclosing;
        request.expand = context;
        request.max_results = max_results;
        request.filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        request.cursor = cursor;
        run::call(py, None, |_, _| Ok(GrepReply::from(self.engine.ask(&request)?)))
    }

    /// Finds files by name.
    ///
    /// - `pattern`: letters of the path in order, with gaps, or a glob; empty for all files.
    /// - `include_scattered`: whether weak matches are listed beside better ones.
    /// - `max_results`: the files of a page, at most 1,000.
    #[pyo3(signature = (
        pattern="", *, include_scattered=false, max_results=20, paths=None, globs=None, exclude=None, languages=None,
        cursor=None
    ))]
    fn files(
        &self,
        py: Python<'_>,
        pattern: &str,
        include_scattered: bool,
        max_results: usize,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        cursor: Option<String>,
    ) -> PyResult<FilesReply> {
        let mut request = FilesRequest::new(pattern);
        request.include_scattered = include_scattered;
        request.max_results = max_results;
        request.filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds: None }.spec())?;
        request.cursor = cursor;
        run::call(py, None, |_, _| Ok(FilesReply::from(self.engine.ask(&request)?)))
    }

    /// The outline of the tree, of a folder or of a file.
    ///
    /// - `path`: the folder or file; `None` for the tree.
    /// - `depth`: the depth of folders with a row.
    /// - `max_items`: the most rows of folders, files and symbols.
    #[pyo3(signature = (
        path=None, *, depth=2, max_items=200, globs=None, exclude=None, languages=None, kinds=None
    ))]
    fn map(
        &self,
        py: Python<'_>,
        path: Option<String>,
        depth: u32,
        max_items: usize,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
    ) -> PyResult<MapReply> {
        let mut request = MapRequest { depth, max_items, ..MapRequest::default() };
        let paths = path.map(Texts::One);
        request.filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        run::call(py, None, |_, _| Ok(MapReply::from(self.engine.ask(&request)?)))
    }

    /// The state of the index, with counts.
    fn status(&self, py: Python<'_>) -> PyResult<Status> {
        run::call(py, None, |_, _| Ok(Status::from(self.engine.status()?)))
    }

    /// Explains why a file has its rank for a query, or has none.
    ///
    /// - `path`: the file.
    /// - `query`: the query.
    #[pyo3(signature = (path, query, *, paths=None, globs=None, exclude=None, languages=None, kinds=None, profile=None))]
    fn why_not(
        &self,
        py: Python<'_>,
        path: &str,
        query: String,
        paths: Option<Texts>,
        globs: Option<Texts>,
        exclude: Option<Texts>,
        languages: Option<Texts>,
        kinds: Option<Texts>,
        profile: Option<ProfileArg<'_>>,
    ) -> PyResult<WhyNot> {
        let mut request = SearchRequest::new(query);
        request.filter = or_raise(py, FilterArgs { paths, globs, exclude, languages, kinds }.spec())?;
        request.profile = or_raise(py, self.profile_of(profile))?;
        run::call(py, None, |_, _| {
            Ok(WhyNot::from(self.engine.ask(&WhyNotRequest { path: path.into(), search: request.clone() })?))
        })
    }

    /// Records that the file `path` was read or written, so that it ranks higher in later searches.
    fn touch(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        run::call(py, None, |_, _| Ok(self.engine.record_touch(path)?))
    }

    /// Releases what the next answer can open again.
    fn release_caches(&self, py: Python<'_>) {
        py.detach(|| self.engine.release_caches());
    }

    fn __repr__(&self) -> String {
        format!("<Engine {}>", self.engine.root().display())
    }
}

/// A duration from seconds.
fn seconds(given: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(given)
        .map_err(|_| Failure::bad(format!("wait is {given}; choose 0 or more seconds")))
}
