//! The facade: one tree, its index, and every operation on it.
//!
//! An [`Engine`] is shared by reference among threads. It holds one commit open and follows newer ones by comparing
//! the bytes of the commit point, so another process may index the same tree; searches take no lock that an update
//! would hold. It prints nothing, keeps no global state, and starts no thread that outlives a call. With [`Parsing::Workers`],
//! idle parser workers wait for the next call until [`Engine::rest`].

mod advice;
mod answer;
pub mod api;
mod cancel;
mod chosen;
mod current;
mod doctor;
mod error;
mod everywhere;
mod explain;
mod few;
mod files;
mod grep;
mod lookup;
mod map;
mod mask;
mod portable;
mod revision;
mod rows;
mod scope;
mod session;
mod source;
mod state;
mod symbols;
mod views;
mod watch;
mod why_not;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

pub use api::LanguageRow;
pub use cancel::Cancel;
pub use error::{Error, ErrorKind, no_thread};
pub use session::Session;
pub use watch::Stop;

use self::api::*;
use self::current::Opened;
use crate::filter::Filter;
use crate::git::{self, CommitTree, Repo, Revision, Tracked};
use crate::grammar::Grammars;
use crate::meta::ViewKey;
use crate::path::RelPath;
use crate::query::Query;
use crate::read::Limits;
use crate::session::TouchLog;
use crate::store::{self, IoCause};
use crate::tokenize::Tokenizers;
use crate::update::{self, Committed, OnProgress, Settings, UpdateError, Updater, Workspace, WorkspaceError};
use crate::walk::WalkError;
use crate::worker::Parsing;

/// An update begins anew at most so often because another branch was checked out meanwhile.
const SWITCHES: usize = 3;

/// A search engine over one tree.
pub struct Engine {
    options: Options,
    settings: Settings,
    grammars: Grammars,
    repo: Option<Repo>,
    /// Why there is none, where there seems to be one.
    no_repo: Option<String>,
    /// What is searched in place of the worktree.
    revision: Option<Revision>,
    /// The tree of the commit that was read last.
    tree: Mutex<Option<Arc<CommitTree>>>,
    workspace: Workspace,
    /// The folder that holds the indexes of many trees, if this one lies there.
    home: Option<PathBuf>,
    /// The view whose use was noted last, and when.
    marked: Mutex<Option<(ViewKey, Instant)>>,
    open: Mutex<Option<Opened>>,
    /// The newest commit as it is, for what needs no more of it.
    committed: Mutex<Option<Arc<Committed>>>,
    touched: Mutex<TouchLog>,
    /// What tells how old a touch is.
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// Tokenizers that no query uses just now; each remembers the words it has met.
    tokenizers: Tokenizers,
}

impl Engine {
    /// Opens the tree at `root`. Nothing is indexed yet. The root is taken as it is given; see
    /// [`Engine::find_root`] for the usual choice.
    ///
    /// # Errors
    /// `NoRoot` when it is missing, no folder or unreadable; `BadRequest` for a grammar folder that cannot be used,
    /// a view that names no commit and options out of range; `ForeignIndex` and `NewerFormat` when the index folder is
    /// another's.
    pub fn open(root: impl AsRef<Path>, options: Options) -> Result<Engine, Error> {
        let most = Limits::MAX_FILE_BYTES;
        if !(1..=most).contains(&options.max_file_bytes) {
            let text = format!("max_file_bytes is {}; choose 1 to {most}", options.max_file_bytes);
            return Err(Error::bad(text));
        }
        if let Some(asked) = options.max_memory.filter(|asked| *asked < update::LEAST_MEMORY) {
            let least = update::LEAST_MEMORY;
            return Err(Error::bad(format!("max_memory is {asked}; choose {least} (64M) or more")));
        }
        let given = root.as_ref();
        let root = given.canonicalize().map_err(|source| error::no_root(given.to_path_buf(), source))?;
        if !root.is_dir() {
            return Err(WalkError::NotADirectory { root: given.to_path_buf() }.into());
        }
        let grammars = match &options.grammars {
            Some(folder) => Grammars::with_overrides(folder)?,
            None => Grammars::built_in(),
        };
        let (repo, no_repo) = match git::discover_within(&root, &options.git_reach) {
            Ok(repo) => (repo, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let owner = repo.as_ref().map_or_else(|| root.clone(), Repo::common_dir);
        let home = index_home(&options)?;
        let dir = match (&home, &options.index_dir) {
            (Some(home), _) => home.join(Workspace::key(&owner)),
            (None, dir) => root.join(dir.as_deref().unwrap_or(Path::new(""))),
        };
        advice::check_index_dir(&dir)?;
        let workspace = Workspace::new(root, owner, dir, update::fingerprint(&grammars));
        match workspace.check_owner() {
            // What needs the index meets the error again; an exact search does without.
            Err(WorkspaceError::File(error)) if error.trouble() == IoCause::Permission => {
                tracing::warn!(%error, "the index cannot be read");
            }
            checked => checked?,
        }
        let touched = TouchLog::load(&workspace.session_path());
        let mut engine = Engine {
            settings: Settings {
                hidden: options.hidden,
                max_file_bytes: options.max_file_bytes,
                no_ignore: options.no_ignore,
                no_built_in: options.no_built_in,
                secrets: options.secrets,
            },
            options,
            grammars,
            repo,
            no_repo,
            revision: None,
            tree: Mutex::default(),
            workspace,
            home,
            marked: Mutex::default(),
            open: Mutex::new(None),
            committed: Mutex::new(None),
            touched: Mutex::new(touched),
            clock: Box::new(SystemTime::now),
            tokenizers: Tokenizers::default(),
        };
        engine.look_up()?;
        Ok(engine)
    }

    /// The root that a folder belongs to: the nearest git top above it, else the folder itself.
    pub fn find_root(folder: &Path) -> PathBuf {
        match git::discover(folder) {
            Some(repo) => repo.top().to_path_buf(),
            None => folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()),
        }
    }

    /// The tree.
    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Where the index lies.
    pub fn index_dir(&self) -> &Path {
        self.workspace.dir()
    }

    /// Whether there is an index, of whatever is checked out; it may still turn out to be damaged.
    pub fn has_index(&self) -> bool {
        self.workspace.stamp().is_some()
    }

    /// Brings the index up to date, making it if there is none. Only files whose stat has moved are read, and only
    /// new content is parsed. `progress` is called from the indexing threads.
    ///
    /// # Errors
    /// `Locked` when another process is indexing and [`Options::wait`] has passed; `DiskFull`, `ReadOnly`,
    /// `Permission` or `Io` when the index cannot be written. The last commit still answers after any error.
    pub fn refresh(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        // What ranking makes of a commit is not needed here.
        let committed = self.committed_with(self.workspace.stamp().as_deref()).ok();
        self.refresh_from(committed.as_deref(), self.options.wait, progress)
    }

    /// Makes the index anew from the sources; the old one answers meanwhile.
    ///
    /// # Errors
    /// As [`Engine::refresh`]; `BadRequest` for a view, which would be all that is left.
    pub fn rebuild(&self, progress: OnProgress<'_>) -> Result<RefreshReport, Error> {
        self.only_of_worktrees("rebuilding")?;
        self.with_updater(|updater| updater.rebuild(self.options.wait, progress))
    }

    /// Drops the views of branches and worktrees that are gone, what only they name, and data of older formats, and
    /// merges segments. With `dry_run` it only says what would go. Damaged data that was put aside stays. `progress`
    /// tells when another process is waited for.
    ///
    /// # Errors
    /// `NoIndex` when there is none; as [`Engine::refresh`].
    pub fn collect(&self, dry_run: bool, progress: OnProgress<'_>) -> Result<Collected, Error> {
        self.collect_within(None, dry_run, progress)
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `BadRequest` names the value that is wrong; `NoIndex` and `Stale` by the options; `Damaged` when the index
    /// contradicts itself; what [`Engine::refresh`] gives when a first index has to be made. A later index that
    /// cannot be brought up to date, because another process is at it or the disk is full, answers as it is, and
    /// the reply has a warning.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchReply, Error> {
        self.search_with_progress(request, &|_| ())
    }

    /// [`Engine::search`], reporting the progress of an index update that has to come first.
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

    /// Answers several queries as one: the hits are merged, a place that several find counts once with its best
    /// score, and the request's filter, exclusions and limits hold for all. `request.query` is not used.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` for an empty list.
    pub fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        // It tells one question from another.
        let request = SearchRequest { query: queries.join(" | "), ..request.clone() };
        self.search_all(queries, &request, &|_| ())
    }

    fn search_all(
        &self,
        queries: &[String],
        request: &SearchRequest,
        progress: OnProgress<'_>,
    ) -> Result<SearchReply, Error> {
        let parsed = self.check(queries, request)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let span = tracing::info_span!(
            "code.search",
            query = %queries.join(" | "),
            project = %self.root().display(),
            resultCount = tracing::field::Empty
        );
        let _entered = span.enter();
        let reply = self.answered(progress, |corpus, freshness| {
            answer::Answer::new(self, corpus, &filter, request)?.reply(&parsed, freshness)
        })?;
        span.record("resultCount", reply.results.len());
        Ok(self.masked_search(reply))
    }

    /// Says that a file was read or written, so that it weighs more in this tree, whoever asks; see [`Engine::note`]
    /// for one caller alone. The weight halves with every eight further touches and with every two days, and is gone
    /// after two weeks.
    ///
    /// # Errors
    /// `BadRequest` when there is no such file below the root; `NoIndex` when there is no index to note it beside.
    pub fn touch(&self, path: &str) -> Result<(), Error> {
        self.only_of_worktrees("touch")?;
        let path = RelPath::new(path)?;
        if !path.below(self.root()).is_file() {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        if self.workspace.stamp().is_none() {
            return Err(self.no_index());
        }
        let mut touched = lock(&self.touched);
        // Another process may have touched files meanwhile.
        *touched = TouchLog::load(&self.workspace.session_path());
        touched.touch(path, (self.clock)());
        Ok(touched.save(&self.workspace.session_path())?)
    }

    /// Says what files were to one caller, in one turn of its session. Nothing is written; with [`Recall::Session`]
    /// they weigh more in later searches of that session.
    ///
    /// # Errors
    /// `BadRequest` when one of them is no file below the root; then none is noted.
    pub fn note(&self, session: &Session, files: &[RelPath], interest: Interest) -> Result<(), Error> {
        if let Some(path) = files.iter().find(|path| !path.below(self.root()).is_file()) {
            return Err(Error::bad(format!("there is no file '{path}' below {}", self.root().display())));
        }
        session.note(self.root(), files, interest);
        Ok(())
    }

    /// The files that were seen and are not ranked, each with its reason, as of the newest commit.
    ///
    /// # Errors
    /// `NoIndex` when there is none.
    pub fn skipped(&self) -> Result<SkippedReply, Error> {
        self.answered(&|_| (), |corpus, _| Ok(self.masked_skipped(state::skipped(corpus))))
    }

    /// What becomes of one path when the tree is indexed: the rule, the file and the line that leave it or a folder
    /// above it out, or that nothing does. `path` is relative to the root and need not be UTF-8. It looks at the
    /// tree as it is and needs no index.
    ///
    /// # Errors
    /// `BadRequest` when the path leaves the root; `NoRoot` when the root cannot be read.
    pub fn explain_skips(&self, path: impl AsRef<Path>) -> Result<Explanation, Error> {
        self.only_of_worktrees("explain_skips")?;
        Ok(self.masked_explanation(explain::explain(self, path.as_ref())?))
    }

    /// Why a file ranks where it does for a query, or does not rank at all.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn why_not(&self, path: &str, request: &SearchRequest) -> Result<WhyNot, Error> {
        let path = RelPath::new(path)?;
        let parsed = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        self.answered(&|_| (), |corpus, _| {
            let answer = why_not::why_not(self, corpus, &filter, request, &parsed[0], path.clone())?;
            Ok(self.masked_why_not(answer))
        })
    }

    /// What every file of the rescored head measures on every signal of the ranking, best first: what weights are
    /// learned from. `per_file`, paging and `min_score` have no meaning here.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn candidates(&self, request: &SearchRequest) -> Result<Candidates, Error> {
        let parsed = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let request = SearchRequest { per_file: 1, ..request.clone() };
        self.answered(&|_| (), |corpus, _| {
            let answer = answer::Answer::new(self, corpus, &filter, &request)?;
            answer.candidates(&parsed[0])
        })
    }

    /// What every place of the first files measures: what the weights of places are learned from.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn place_candidates(&self, request: &SearchRequest) -> Result<PlaceCandidates, Error> {
        let parsed = self.check(std::slice::from_ref(&request.query), request)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        self.answered(&|_| (), |corpus, _| {
            let answer = answer::Answer::new(self, corpus, &filter, request)?;
            Ok(PlaceCandidates { kind: parsed[0].kind, files: answer.place_candidates(&parsed[0])? })
        })
    }

    /// Lets go of what the next answer can open again: the commit, what ranking made of it, the tree of a revision, the
    /// words that tokenizers have met, idle parser workers. For programs that keep engines and seldom ask them; the next answer takes somewhat
    /// longer. Calls that run meanwhile keep what they use.
    pub fn rest(&self) {
        // Dropped when nobody waits for them any more.
        let open = lock(&self.open).take();
        let committed = lock(&self.committed).take();
        let tree = lock(&self.tree).take();
        self.tokenizers.clear();
        if let Parsing::Workers(pool) = &self.options.parsing {
            pool.release_idle();
        }
        drop((open, committed, tree));
    }

    /// What there is. Never makes or changes an index, and is no error when there is none.
    ///
    /// # Errors
    /// `Io` when the tree or the index cannot be read.
    pub fn status(&self) -> Result<Status, Error> {
        state::status(self)
    }

    /// Checks the index thoroughly, every byte of it, and changes nothing. No error when there is none.
    ///
    /// # Errors
    /// `Io` when the index cannot be read; what is damaged is part of the reply.
    pub fn doctor(&self) -> Result<Checkup, Error> {
        doctor::check(self)
    }

    /// The languages that this program parses, with how many files of each the index holds, if there is one.
    pub fn languages(&self) -> Vec<LanguageRow> {
        state::languages(self)
    }

    /// Checks what does not depend on the index.
    fn check(&self, queries: &[String], request: &SearchRequest) -> Result<Vec<Query>, Error> {
        if queries.is_empty() {
            return Err(Error::bad("the list of queries is empty"));
        }
        lookup::rows("max_results", request.max_results, request.most_results())?;
        if request.per_file == 0 {
            return Err(Error::bad("per_file is 0; choose 1 or more"));
        }
        if !(0.0..=1.0).contains(&request.min_score) {
            return Err(Error::bad(format!("min_score is {}; choose 0 to 1", request.min_score)));
        }
        queries.iter().map(|query| Ok(Query::parse(query)?)).collect()
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
            ground: self.ground_now(&head)?,
            head,
            tracked,
            grammars: &self.grammars,
            parsing: &self.options.parsing,
            settings: &self.settings,
            threads: self.options.threads,
            max_memory: self.options.max_memory,
            checkpoint: update::FIRST_CHECKPOINT,
            text_first: if self.options.text_first { update::TEXT_FIRST } else { u64::MAX },
            since: None,
            on_list: None,
            cancel: cancel::current(),
            as_ripgrep: None,
        })
    }

    /// Updates, again where another branch was checked out meanwhile.
    fn with_updater<T>(
        &self,
        mut act: impl FnMut(&Updater<'_>) -> Result<T, UpdateError>,
    ) -> Result<T, Error> {
        let mut tries = 0;
        loop {
            let tracked = self.tracked();
            match act(&self.updater(tracked.as_ref())?) {
                Err(UpdateError::Switched) if tries < SWITCHES => tries += 1,
                other => return Ok(other?),
            }
        }
    }
}

/// The folder with the indexes of many trees; `None` where the options name a folder for this one alone.
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
                Error::new(
                    ErrorKind::Io,
                    format!("no cache folder: {error}; set SPYHOP_INDEX_DIR or --index-dir"),
                )
            })?;
            strategy.cache_dir().join("spyhop").join("index")
        }
    };
    Ok(Some(base))
}

/// A lock whose holder panicked still guards whole values: each is replaced in one step.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of the index on disk.
fn index_bytes(workspace: &Workspace) -> u64 {
    store::bytes_below(&workspace.meta_dir()) + store::bytes_below(&workspace.segment_dir())
}

#[cfg(test)]
mod tests;
