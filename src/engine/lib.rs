//! The facade: one tree, its index, and every operation on it.
//!
//! Threads share an [`Engine`] by reference. The engine keeps one commit open and compares the bytes of the commit
//! point before an answer, so it notices the commits of other processes. Searches take no lock that an update holds.
//! The engine prints nothing, has no global state, and starts no thread that outlives a call. A panic in it becomes an error.
//! With
//! [`Isolation::Subprocess`], idle parser workers wait for the next call until [`Engine::release_caches`].

#![deny(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod advice;
mod answer;
pub mod api;
mod archive;
mod asked_queries;
#[cfg(feature = "async")]
mod asynchronous;
mod cancel;
mod changes;
mod colors;
mod comparing;
mod completions;
mod core;
mod current;
mod doctor;
mod entries;
mod error;
mod exhaustive;
mod explain;
mod fault;
mod file_graph;
mod files;
mod graph;
mod graph_incomplete;
mod graph_outside;
mod graph_target;
mod graph_uses;
mod grep;
mod grep_selection;
mod hit_callers;
mod hosted;
mod impact;
mod in_memory;
mod items;
mod literal_files;
mod lock;
mod lookup;
mod map;
mod mask;
mod member;
mod memory;
mod note_links;
mod note_renames;
mod note_search;
mod open_commit;
mod pack;
mod parsers;
mod query_faults;
mod ranked_query;
mod read;
mod removed;
mod revision;
mod revision_notes;
mod rows;
mod scope;
mod session;
mod session_replies;
mod set_source;
mod source;
mod source_set;
mod state;
mod symbols;
mod touches;
mod views;
mod watch;
mod why_not;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use tempfile::TempDir;

pub use self::core::Engine;
use self::core::EngineState;
pub use api::LanguageRow;
#[cfg(feature = "async")]
pub use asynchronous::AsyncEngine;
pub use cancel::Cancel;
pub use cancel::is_cancelled;
pub use error::{Error, ErrorKind, no_thread};
pub use graph_uses::GraphOfFile;
pub use session::Session;
pub use set_source::SetSource;
pub use source_set::SourceSet;
pub use watch::Stop;

use self::api::Remedy;
use self::api::*;
use self::asked_queries::AskedQueries;
use self::hosted::{HostedFiles, HostedFolders};
use self::lock::lock;
use self::parsers::Parsers;
use self::revision_notes::RevisionNotes;
use self::touches::Touches;
use spyhop_base::limit;
use spyhop_base::path::RelPath;
use spyhop_base::store::{IoCause, Lock};
use spyhop_files::git::{self, Repo, Tracked};
use spyhop_files::read::Limits;
use spyhop_files::source::SourceTree;
use spyhop_files::walk::WalkError;
use spyhop_index::update::{self, OnProgress, UpdateError, Updater};
use spyhop_index::workspace::{self, Settings, Workspace, WorkspaceError};
use spyhop_search::filter::Filter;

/// How often an update is restarted because another branch was checked out meanwhile.
const SWITCHES: usize = 3;

impl Engine {
    /// Opens the tree at `root`, without indexing anything. [`Engine::find_root`] finds the usual root for a folder.
    ///
    /// # Errors
    /// `NoRoot` if the root is missing, is not a folder or cannot be read; `BadRequest` for an invalid grammar folder, an
    /// unknown revision, or an option out of range; `ForeignIndex` if the index folder belongs to another tree or user;
    /// `NewerFormat` if a newer version of this program made the index.
    pub fn open(root: impl AsRef<Path>, options: Options) -> Result<Engine, Error> {
        check_sizes(&options)?;
        let given = root.as_ref();
        let root = given.canonicalize().map_err(|source| error::no_root(given.to_path_buf(), source))?;
        if !root.is_dir() {
            return Err(WalkError::NotADirectory { root: given.to_path_buf() }.into());
        }
        let discover =
            || Ok(git::discover_within(&root, &options.git_reach).map_err(|error| error.to_string()));
        let (repo, no_repo) = match fault::guarded("reading the git repository", discover) {
            Ok(Ok(repo)) => (repo, None),
            Ok(Err(why)) => (None, Some(why)),
            Err(fault) => (None, Some(fault.to_string())),
        };
        let owner = repo.as_ref().map_or_else(|| root.clone(), Repo::common_dir);
        let private = if options.index_in_memory { Some(hosted::private_folder()?) } else { None };
        let home = if private.is_some() { None } else { index_home(&options)? };
        let dir = match (&private, &home, &options.index_dir) {
            (Some(private), ..) => private.path().join("index"),
            (None, Some(home), _) => home.join(Workspace::key(&owner)),
            (None, None, dir) => root.join(dir.as_deref().unwrap_or(Path::new(""))),
        };
        let place = IndexPlace { root, owner, dir, home, private };
        let mut engine = Engine::assembled(place, options, (repo, no_repo), None)?;
        if let Some(revision) = engine.resolve_view()? {
            Arc::get_mut(&mut engine.state).expect("the engine is not shared yet").revision = Some(revision);
            // Opening the engine fails if the tree of the revision cannot be read.
            engine.source_tree_now(&engine.head())?;
        }
        Ok(engine)
    }

    /// Opens the tree that a host provides.
    fn open_hosted(source: Arc<dyn SourceTree>, options: Options) -> Result<Engine, Error> {
        check_sizes(&options)?;
        let HostedFolders { root, index, private } = HostedFolders::new(options.index_dir.as_deref())?;
        let place = IndexPlace { owner: root.clone(), root, dir: index, home: None, private };
        Engine::assembled(place, options, (None, None), Some(HostedFiles::new(source)))
    }

    fn assembled(
        IndexPlace { root, owner, dir, home, private }: IndexPlace,
        options: Options,
        (repo, no_repo): (Option<Repo>, Option<String>),
        hosted: Option<HostedFiles>,
    ) -> Result<Engine, Error> {
        let parsers = Parsers::new(&options)?;
        advice::check_index_dir(&dir)?;
        let workspace = Workspace::new(
            root,
            owner,
            dir,
            workspace::fingerprint(parsers.grammars(), &options.extra_terms),
        );
        match workspace.check_owner() {
            // Operations that need the index fail with this error later, or repair the index. An exact search does not need
            // the index.
            Err(error @ WorkspaceError::LostClaim { .. }) => {
                tracing::warn!(%error, "the index cannot be read")
            }
            Err(WorkspaceError::File(error)) if error.io_cause() == IoCause::Permission => {
                tracing::warn!(%error, "the index cannot be read");
            }
            checked => checked?,
        }
        let notes = RevisionNotes::new(memory::note_place(&workspace, repo.as_ref()));
        let touches = Touches::load(workspace.session_path());
        let policy = CallPolicy::of(&options);
        let state = EngineState {
            settings: Settings {
                hidden: options.hidden,
                max_file_bytes: options.max_file_bytes,
                no_ignore: options.no_ignore,
                no_built_in: options.no_built_in,
                secrets: options.secrets,
            },
            options,
            parsers,
            repo,
            no_repo,
            revision: None,
            hosted,
            tree: Mutex::default(),
            workspace,
            home,
            marked: Mutex::default(),
            open: Mutex::new(None),
            committed: Mutex::new(None),
            touches,
            notes,
            clock: Box::new(SystemTime::now),
            _private: private,
        };
        Ok(Engine { policy, state: Arc::new(state) })
    }

    /// The usual root for a folder: the top folder of the git repository around it. Outside git, the nearest folder
    /// around it that has an index in the usual place, or the folder itself.
    pub fn find_root(folder: &Path) -> PathBuf {
        if let Some(repo) = git::discover(folder) {
            return repo.top().to_path_buf();
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let home = index_home(&Options::default()).ok().flatten();
        let is_indexed = |root: &&Path| home.as_ref().is_some_and(|home| Workspace::is_in(home, root));
        folder.ancestors().find(is_indexed).unwrap_or(&folder).to_path_buf()
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// The folder of the index.
    pub fn index_dir(&self) -> &Path {
        self.workspace.dir()
    }

    /// Whether the folder has a committed index. The index may be of another branch, or damaged.
    pub fn has_index(&self) -> bool {
        self.workspace.stamp().is_some()
    }

    /// The number of files that an update would index or compare. Counting ends above `limit`, so a larger number is a
    /// lower bound. The count takes a fraction of a second for a hundred thousand files.
    ///
    /// # Errors
    /// `NoRoot` if the tree cannot be walked.
    pub fn count_files(&self, limit: usize) -> Result<usize, Error> {
        self.with_updater(|updater| Ok(updater.count(limit)?))
    }

    /// Whether this or another process is changing the index now.
    pub fn is_updating(&self) -> bool {
        Lock::holder(&self.workspace.lock_path()).is_some()
    }

    /// Updates the index, or builds the index if there is none. Only files with
    /// changed stat data are read, and only new content is parsed. The indexing threads call `progress`.
    ///
    /// # Errors
    /// `Locked` when another process is indexing and [`Options::wait`] has passed; `DiskFull`, `ReadOnly`,
    /// `Permission` or `Io` when the index cannot be written. The last commit still answers after any error.
    pub fn refresh(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        // An update needs the commit, but not the snapshot for ranking.
        let committed = self.committed_with(self.workspace.stamp().as_deref()).ok();
        self.refresh_from(committed.as_deref(), self.policy.wait, progress)
    }

    /// Rebuilds the index from the sources. The old index answers meanwhile.
    ///
    /// # Errors
    /// As for [`Engine::refresh`]; `BadRequest` if [`Options::view`] is set, because a rebuild would remove all other
    /// views.
    pub fn rebuild(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        self.only_of_worktrees("rebuilding")?;
        self.update_anew(|updater| updater.rebuild(self.policy.wait, progress))
    }

    /// Removes the views of deleted branches and worktrees, the data that only these views use, and data of older
    /// formats; then merges segments. With `dry_run`, only reports what would be removed. Damaged data that was moved
    /// aside stays. `progress` reports when the call waits for another process.
    ///
    /// # Errors
    /// `NoIndex` if there is no index; otherwise as for [`Engine::refresh`].
    pub fn collect(&self, dry_run: bool, progress: OnProgress<'_>) -> Result<Collected, Error> {
        self.collect_within(None, dry_run, progress)
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `BadRequest`, which names the wrong value; `NoIndex` and `Stale`, depending on the options; `Damaged` if the
    /// index contradicts itself; the errors of [`Engine::refresh`] if a first index must be built. If a later index
    /// cannot be updated, because another process is indexing or the disk is full, the last commit answers and the
    /// reply has a warning.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_with_progress(request, &|_| ())
    }

    /// Like [`Engine::search`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn search_with_progress(
        &self,
        request: &SearchRequest,
        progress: OnProgress<'_>,
    ) -> Result<SearchReply, Error> {
        self.search_all(std::slice::from_ref(&request.query), request, progress)
    }

    /// Answers several queries as one. The hits are merged; a place that several queries find is one hit, with its best
    /// score. The filter, exclusions and limits of the request apply to every query. `request.query` is not used.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` for an empty list, and for more than 100 queries.
    pub fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        limit::entries("queries", queries.len(), limit::MAX_QUERIES)?;
        // A session identifies a request by its query.
        let request = SearchRequest { query: queries.join(" | "), ..request.clone() };
        self.search_all(queries, &request, &|_| ())
    }

    fn search_all(
        &self,
        queries: &[String],
        request: &SearchRequest,
        progress: OnProgress<'_>,
    ) -> Result<SearchReply, Error> {
        let asked = self.check(queries, request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let span = tracing::info_span!(
            "code.search",
            query = %queries.join(" | "),
            project = %self.root().display(),
            resultCount = tracing::field::Empty
        );
        let _entered = span.enter();
        let reply = self.with_snapshot(progress, |snapshot, freshness| {
            let context = answer::AnswerContext::new(self, snapshot, &filter, request)?;
            let mut reply = context.reply(&asked, answer::ReplyOrigin::of(self, snapshot, freshness))?;
            if request.notes {
                self.add_notes(&mut reply, &asked.parsed, &request.filter, snapshot);
            }
            Ok(reply)
        })?;
        span.record("resultCount", reply.results.len());
        Ok(self.masked_search(reply))
    }

    /// Records a touch: that a file was read or written. The file then ranks higher in searches of this tree with
    /// [`ActivitySource::AnyCaller`], the default; [`Engine::record_activity`] records for one session. The weight halves
    /// with every eight further touches and with every two days, and expires after two weeks. The file itself is not
    /// changed.
    ///
    /// # Errors
    /// `BadRequest` if there is no such file below the root; `NoIndex` if there is no index, because the record is
    /// stored in its folder.
    pub fn record_touch(&self, path: &str) -> Result<(), Error> {
        self.only_of_worktrees("touch")?;
        let path = RelPath::new(path)?;
        if !self.has_file(&path) {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        if self.workspace.stamp().is_none() {
            return Err(self.no_index());
        }
        Ok(self.touches().record(path, self.now())?)
    }

    /// Records what one caller did with files, as one turn of the caller's session. Nothing is written to disk. With
    /// [`ActivitySource::Session`], the files rank higher in later searches of the session. The weight of a file halves
    /// with every eight further turns.
    ///
    /// # Errors
    /// `BadRequest` if a path is not a file below the root; then none is recorded.
    pub fn record_activity(
        &self,
        session: &Session,
        files: &[RelPath],
        activity: FileActivity,
    ) -> Result<(), Error> {
        if let Some(path) = files.iter().find(|path| !self.has_file(path)) {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        session.record_activity(self.root(), files, activity);
        Ok(())
    }

    /// The files of the view that are not indexed or only partly indexed, each with its reason.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn skipped(&self) -> Result<SkippedReply, Error> {
        self.with_snapshot(&|_| (), |snapshot, _| Ok(self.masked_skipped(state::skipped(snapshot))))
    }

    /// Explains how an update treats one path: names the rule, with its file and line, that excludes the path or a folder
    /// above the path, or says that no rule does. `path` is relative to the root and need not be UTF-8. The explanation reads the
    /// present tree and needs no index.
    ///
    /// # Errors
    /// `BadRequest` when the path leaves the root; `NoRoot` when the root cannot be read.
    pub fn explain_skips(&self, path: impl AsRef<Path>) -> Result<Explanation, Error> {
        self.only_of_worktrees("explain_skips")?;
        self.only_of_folders("explain_skips")?;
        Ok(self.masked_explanation(explain::explain(self, path.as_ref())?))
    }

    /// Explains why a file has its rank for a query, or has none.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn why_not(&self, path: &str, request: &SearchRequest) -> Result<WhyNot, Error> {
        let path = RelPath::new(path)?;
        self.check_served(&path)?;
        let asked = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        self.with_snapshot(&|_| (), |snapshot, _| {
            let answer = why_not::why_not(self, snapshot, &filter, request, &asked.parsed[0], path.clone())?;
            Ok(self.masked_why_not(answer))
        })
    }

    /// Measures every file that is rescored, by every signal of the ranking, best file first. Weights are learned
    /// from these measures. `per_file`, paging and `min_score` have no effect here.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn candidates(&self, request: &SearchRequest) -> Result<RankedCandidates, Error> {
        let asked = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let request = SearchRequest { per_file: 1, ..request.clone() };
        self.with_snapshot(&|_| (), |snapshot, _| {
            let answer = answer::AnswerContext::new(self, snapshot, &filter, &request)?;
            answer.candidates(&asked.parsed[0])
        })
    }

    /// Measures every place of the first files. The weights of places are learned from these measures.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn place_candidates(&self, request: &SearchRequest) -> Result<PlaceCandidates, Error> {
        let asked = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        self.with_snapshot(&|_| (), |snapshot, _| {
            let answer = answer::AnswerContext::new(self, snapshot, &filter, request)?;
            Ok(PlaceCandidates {
                kind: asked.parsed[0].kind,
                files: answer.place_candidates(&asked.parsed[0])?,
            })
        })
    }

    /// Releases what the next answer can open again: the commit, its snapshot, the tree of a revision, the caches of
    /// the tokenizers, and idle parser workers. This is for programs that keep engines open and seldom use them; the
    /// next answer takes somewhat longer. Running calls keep what they use.
    pub fn release_caches(&self) {
        // These are dropped last, when no lock is held.
        let open = lock(&self.open).take();
        let committed = lock(&self.committed).take();
        let tree = lock(&self.tree).take();
        self.notes().release();
        self.parsers().release();
        drop((open, committed, tree));
    }

    /// The state of the index. Never builds or changes an index. A missing index is not an error.
    ///
    /// # Errors
    /// `Io` when the tree or the index cannot be read.
    pub fn status(&self) -> Result<Status, Error> {
        state::status(self)
    }

    /// Checks every byte of the index and changes nothing. A missing index is not an error.
    ///
    /// # Errors
    /// `Io` if the index cannot be read. Damage is part of the reply.
    pub fn doctor(&self) -> Result<Checkup, Error> {
        doctor::check(self)
    }

    /// The languages that this program parses, each with the number of its files in the index, if there is an index.
    pub fn languages(&self) -> Vec<LanguageRow> {
        state::languages(self)
    }

    /// Checks the values that do not depend on the index, and parses the queries.
    fn check(&self, queries: &[String], request: &SearchRequest) -> Result<AskedQueries, Error> {
        if queries.is_empty() {
            return Err(Error::bad("the list of queries is empty"));
        }
        limit::entries("queries", queries.len(), limit::MAX_QUERIES)?;
        lookup::check_rows("max_results", request.max_results, request.most_results())?;
        if request.per_file == 0 {
            return Err(Error::bad("per_file is 0; choose 1 or more"));
        }
        if !(0.0..=1.0).contains(&request.min_score) {
            return Err(Error::bad(format!("min_score is {}; choose 0 to 1", request.min_score)));
        }
        if let Some(name) =
            request.profile.as_deref().and_then(|profile| self.options.signals.missing(profile))
        {
            let text =
                format!("the profile weighs the signal '{name}', which Options::signals does not have");
            return Err(Error::bad(text));
        }
        AskedQueries::new(self, queries)
    }

    fn tracked(&self) -> Option<Tracked> {
        self.repo.as_ref().map(|repo| match self.revision {
            Some(_) => repo.all_tracked(),
            None => repo.tracked_below(self.root()),
        })
    }

    fn updater<'e>(&'e self, tracked: Option<&'e Tracked>) -> Result<Updater<'e>, Error> {
        let head = self.head();
        Ok(Updater {
            workspace: &self.workspace,
            repo: self.repo.as_ref(),
            source_tree: self.source_tree_now(&head)?,
            head,
            tracked,
            grammars: self.grammars(),
            isolation: self.parsers().isolation(),
            extra_terms: self.parsers().extra_terms(),
            settings: &self.settings,
            threads: self.options.threads,
            max_memory: self.options.max_memory,
            checkpoint: update::FIRST_CHECKPOINT,
            racy: update::RACY,
            text_first: match (self.options.text_first, self.options.on_missing) {
                (false, _) => u64::MAX,
                (true, OnMissing::BuildText) => update::TEXT_ALONE,
                (true, _) => update::TEXT_FIRST,
            },
            since: None,
            on_list: None,
            cancel: cancel::current(),
            as_ripgrep: None,
        })
    }

    /// Runs `act` with an updater, and again if another branch was checked out meanwhile.
    fn with_updater<T>(
        &self,
        mut act: impl FnMut(&Updater<'_>) -> Result<T, UpdateError>,
    ) -> Result<T, Error> {
        let mut tries = 0;
        loop {
            let tracked = self.tracked();
            let updater = self.updater(tracked.as_ref())?;
            // The outer result is that of the call, the inner one that of the update.
            match fault::guarded("the update of the index", || Ok(act(&updater)))? {
                Err(UpdateError::Switched) if tries < SWITCHES => tries += 1,
                other => return Ok(other?),
            }
        }
    }
}

/// The tree of an engine and the place of its index.
struct IndexPlace {
    root: PathBuf,
    owner: PathBuf,
    dir: PathBuf,
    home: Option<PathBuf>,
    private: Option<TempDir>,
}

/// Refuses sizes that are out of range.
fn check_sizes(options: &Options) -> Result<(), Error> {
    let most = Limits::MAX_FILE_BYTES;
    if !(1..=most).contains(&options.max_file_bytes) {
        let text = format!("max_file_bytes is {}; choose 1 to {most}", options.max_file_bytes);
        return Err(Error::bad(text));
    }
    if let Some(asked) = options.max_memory.filter(|asked| *asked < update::MIN_MEMORY) {
        let least = update::MIN_MEMORY;
        return Err(Error::bad(format!("max_memory is {asked}; choose {least} (64M) or more")));
    }
    if let Some(fault) = options.signals.fault() {
        return Err(Error::bad(fault));
    }
    if let (true, Some(dir)) = (options.index_in_memory, &options.index_dir) {
        let dir = dir.display();
        return Err(Error::bad(format!(
            "index_in_memory is set and index_dir is '{dir}'; choose one of them"
        )));
    }
    Ok(())
}

/// The folder with the indexes of many trees; `None` if the options name a folder for this index only.
fn index_home(options: &Options) -> Result<Option<PathBuf>, Error> {
    if options.index_dir.is_some() {
        return Ok(None);
    }
    let base = match std::env::var_os("SPYHOP_INDEX_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => {
            std::path::absolute(dir).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?
        }
        None => {
            use etcetera::BaseStrategy;
            let strategy = etcetera::choose_base_strategy().map_err(|error| {
                Error::new(ErrorKind::Io, format!("no cache folder: {error}; set SPYHOP_INDEX_DIR"))
                    .with(Remedy::ChooseIndexFolder)
            })?;
            strategy.cache_dir().join("spyhop").join("index")
        }
    };
    Ok(Some(base))
}

#[cfg(test)]
mod graph_steps;
#[cfg(test)]
mod tests;
