//! The folders that a client has opened, each with an engine whose index is kept current in the background.
//!
//! This module owns the paths: which root a file belongs to, and that nothing outside of a root is read. It also owns
//! waiting: a request waits for the first update of its root, for some time, and is answered from the last commit where
//! the update takes longer.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use lsp_types::{MessageType, Uri};
use spyhop_base::path::RelPath;
use spyhop_engine::api::{GitReach, Options, Progress};
use spyhop_engine::{Cancel, Engine, Error, ErrorKind, Stop};
use spyhop_files::gitdir::GitFolders;
use spyhop_interface::render::{agent, error_text};

use super::outbox::{Outbox, ShownProgress};
use super::permits::Permits;
use super::request_error::RequestError;
use super::text::LinedText;
use super::uri;
use crate::keep;

/// How long a request waits for the first update of its root. An editor shows that it waits, and its user can cancel.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a waiting request looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The shortest interval between two reports of progress.
const PAUSE: Duration = Duration::from_millis(200);

/// The most bytes of a file in which columns are looked up.
const MAX_BYTES: u64 = 16 << 20;

/// A folder that is served.
pub struct ServedRoot {
    /// The folder as the client names it, which may be a link. URIs to the client begin with this path.
    given: PathBuf,
    engine: Engine,
    options: Options,
    is_current: Mutex<bool>,
    became_current: Condvar,
    stop: Stop,
    permits: Arc<Permits>,
}

impl ServedRoot {
    fn open(given: &Path, options: &Options, permits: Arc<Permits>) -> Result<ServedRoot, Error> {
        // Nothing outside of the root is read, by way of git either.
        let reach = GitReach::Within(vec![given.to_path_buf()]);
        let options = Options { git_reach: reach, ..options.clone() };
        let engine = Engine::open(given, options.clone())?;
        let begins_with_update = keep::begins_with_update(&engine, &options)?;
        Ok(ServedRoot {
            given: given.to_path_buf(),
            engine,
            options,
            is_current: Mutex::new(!begins_with_update),
            became_current: Condvar::new(),
            stop: Stop::default(),
            permits,
        })
    }

    /// The path of a file below the root, as the index names it.
    fn relative(&self, path: &Path) -> Option<RelPath> {
        let below = |root: &Path| RelPath::from_path(path.strip_prefix(root).ok()?).ok();
        below(&self.given).or_else(|| below(self.engine.root()))
    }

    /// The URI of a file of this root.
    pub fn uri(&self, path: &RelPath) -> Option<Uri> {
        uri::of_path(&path.below(&self.given))
    }

    /// The text of a saved file, in which columns are looked up. A link that leads out of the root is not followed, and
    /// nothing in a git directory is read.
    pub fn read(&self, path: &RelPath) -> Option<LinedText> {
        if GitFolders::of(self.engine.root()).contain(path.as_str()) {
            return None;
        }
        let bytes = self.engine.saved_bytes(path, MAX_BYTES)?;
        Some(LinedText::new(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Answers from the index, once it is current or [`PATIENCE`] has passed.
    pub fn answer<T>(
        &self,
        cancel: &Cancel,
        work: impl Fn(&Engine) -> Result<T, Error>,
    ) -> Result<T, RequestError> {
        let is_current = self.wait(cancel)?;
        let _permit = self.permits.take();
        if is_current {
            return Ok(Engine::cancellable(cancel, || work(&self.engine))?);
        }
        let engine = self.engine.with_policy(self.engine.policy().last_commit());
        Engine::cancellable(cancel, || work(&engine)).map_err(|error| match error.kind() {
            ErrorKind::NoIndex | ErrorKind::Stale => {
                let root = self.given.display();
                RequestError::failed(format!("'{root}' is being indexed; ask again later"))
            }
            _ => error.into(),
        })
    }

    /// Answers from the files, which needs no index and waits for none.
    pub fn answer_from_files<T>(
        &self,
        cancel: &Cancel,
        work: impl Fn(&Engine) -> Result<T, Error>,
    ) -> Result<T, RequestError> {
        let _permit = self.permits.take();
        Ok(Engine::cancellable(cancel, || work(&self.engine))?)
    }

    /// Waits for the first update; whether it ended in time.
    fn wait(&self, cancel: &Cancel) -> Result<bool, RequestError> {
        let deadline = Instant::now() + PATIENCE;
        let mut is_current = self.is_current.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_current {
            if cancel.is_cancelled() {
                return Err(RequestError::cancelled());
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            let waited = self.became_current.wait_timeout(is_current, LOOK);
            is_current = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }

    /// Brings the index up to date and keeps it so until the root is removed.
    fn keep(&self, progress: Option<ShownProgress>) {
        let told = Mutex::new(Instant::now());
        let tell = |now: Progress| {
            let Some(shown) = &progress else { return };
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() >= PAUSE {
                *told = Instant::now();
                shown.report(keep::percentage(now) as u32, agent::said(now));
            }
        };
        keep::bring_up_to_date(&self.engine, &tell);
        drop(progress);
        self.mark_current();
        if keep::refreshes(&self.options) {
            keep::stay_up_to_date(&self.engine, &self.stop, &|| ());
        }
    }

    /// Ends the watch of the root.
    pub fn stop(&self) {
        self.stop.stop();
    }

    fn is_current(&self) -> bool {
        *self.is_current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark_current(&self) {
        *self.is_current.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.became_current.notify_all();
    }
}

/// The roots that are served now.
pub struct RootSet {
    roots: RwLock<Vec<Arc<ServedRoot>>>,
    options: Options,
    outbox: Outbox,
    shows_progress: bool,
    permits: Arc<Permits>,
    /// The number of the next progress.
    number: AtomicUsize,
}

impl RootSet {
    /// A set without roots. Progress is shown if the client can show it.
    pub fn new(options: Options, outbox: Outbox, shows_progress: bool) -> RootSet {
        let permits = Arc::new(Permits::new());
        RootSet {
            roots: RwLock::default(),
            options,
            outbox,
            shows_progress,
            permits,
            number: AtomicUsize::new(1),
        }
    }

    /// Serves a folder. A folder that cannot be served is named to the user.
    pub fn add(&self, folder: &Path) {
        if let Err(text) = self.try_add(folder) {
            tracing::warn!(folder = %folder.display(), text, "the folder is not served");
            self.outbox.show(MessageType::WARNING, format!("spyhop: {text}"));
        }
    }

    fn try_add(&self, folder: &Path) -> Result<(), String> {
        if holds_home(folder) {
            let folder = folder.display();
            return Err(format!(
                "'{folder}' holds a whole home folder and is not indexed; open a project folder"
            ));
        }
        let root = ServedRoot::open(folder, &self.options, Arc::clone(&self.permits));
        let root = root.map_err(|error| error_text(&error))?;
        let mut roots = self.roots.write().unwrap_or_else(PoisonError::into_inner);
        if roots.iter().any(|other| other.engine.root() == root.engine.root()) {
            return Ok(());
        }
        let root = Arc::new(root);
        roots.push(Arc::clone(&root));
        drop(roots);
        if root.is_current() {
            return Ok(());
        }
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let is_first = self.shows_progress && !root.engine.has_index();
        let progress = is_first.then(|| {
            self.outbox.begin_progress(self.number.fetch_add(1, Relaxed), format!("Spyhop: indexing {name}"))
        });
        let kept = Arc::clone(&root);
        if let Err(error) = std::thread::Builder::new().spawn(move || kept.keep(progress)) {
            tracing::warn!(%error, "no thread keeps the index up to date");
            root.mark_current();
        }
        Ok(())
    }

    /// Stops to serve a folder.
    pub fn remove(&self, folder: &Path) {
        let mut roots = self.roots.write().unwrap_or_else(PoisonError::into_inner);
        roots.retain(|root| {
            let stays = root.given != folder;
            if !stays {
                root.stop();
            }
            stays
        });
    }

    /// Every root.
    pub fn all(&self) -> Vec<Arc<ServedRoot>> {
        self.roots.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The innermost root that a file belongs to, and the file's path below that root.
    pub fn of(&self, path: &Path) -> Option<(Arc<ServedRoot>, RelPath)> {
        let all = self.all().into_iter();
        let below = all.filter_map(|root| root.relative(path).map(|relative| (root, relative)));
        below.min_by_key(|(_, relative)| relative.as_str().len())
    }

    /// Releases what the next request can open again.
    pub fn rest(&self) {
        self.all().iter().for_each(|root| root.engine.release_caches());
    }
}

/// Whether a folder is the user's home folder or holds it: editors that are started without a project name such folders.
fn holds_home(folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = real(folder);
    folder.parent().is_none() || std::env::home_dir().is_some_and(|home| real(&home).starts_with(&folder))
}
