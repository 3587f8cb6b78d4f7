//! The watches themselves, and what is made of the system's events.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};

use super::Inbox;
use crate::cores::check_thread;
use crate::path::RelPath;
use crate::walk::{self, Region};

/// What is watched.
#[derive(Clone, Debug)]
pub struct WatchPaths {
    /// The tree, by a path without links.
    pub root: PathBuf,
    /// The index, where it lies in the tree.
    pub own_index: Region,
    /// Git's folder with head and index, where there is a repository.
    pub git_dir: Option<PathBuf>,
    /// Where questions are put.
    pub asks: PathBuf,
}

/// Watches a tree until it is dropped.
pub struct FsWatcher {
    watcher: Mutex<RecommendedWatcher>,
    inbox: Arc<Inbox>,
    ground: WatchPaths,
    /// The rules that repositories within the tree keep for themselves, in folders that are not walked.
    excludes: Mutex<BTreeSet<PathBuf>>,
}

/// What in git's folder decides about a tree: what is checked out and tracked, and whether it is a repository at all.
pub const OF_GIT: [&str; 4] = ["HEAD", "index", "config", "objects"];

/// Whether the system's events come in the order of the changes, whichever folder they are about, so that the event
/// of a question says that all before it have been told. Linux has one queue for all watches; elsewhere there are
/// several, or none is promised.
const IN_ORDER: bool = cfg!(target_os = "linux");

impl FsWatcher {
    /// Opens them: the questions and git's folder are watched from now on, and each folder of the tree from
    /// [`FsWatcher::watch`] on. The error says in words why that cannot be.
    pub fn open(inbox: Arc<Inbox>, ground: WatchPaths) -> Result<FsWatcher, String> {
        let hears = EventSink { inbox: Arc::clone(&inbox), ground: ground.clone() };
        let hear = move |event: notify::Result<notify::Event>| match event {
            Ok(event) => hears.event(&event),
            Err(error) => hears.inbox.go_blind(words(&error)),
        };
        // `notify` goes on without its thread, and then panics, also where it is dropped, which ends the process.
        check_thread().map_err(|error| error.to_string())?;
        let watcher = RecommendedWatcher::new(hear, Config::default()).map_err(|error| words(&error))?;
        let fs_watcher =
            FsWatcher { watcher: Mutex::new(watcher), inbox, ground, excludes: Mutex::default() };
        fs_watcher
            .add(&fs_watcher.ground.asks, RecursiveMode::NonRecursive)
            .map_err(|error| words(&error))?;
        if let Some(git_dir) = &fs_watcher.ground.git_dir {
            fs_watcher.add(git_dir, RecursiveMode::NonRecursive).map_err(|error| words(&error))?;
        }
        if !fs_watcher.is_by_folder() {
            fs_watcher
                .add(&fs_watcher.ground.root, RecursiveMode::Recursive)
                .map_err(|error| words(&error))?;
        }
        Ok(fs_watcher)
    }

    /// Whether an answer may be given to who asks: all that changed before has been told by then.
    pub fn are_in_order(&self) -> bool {
        IN_ORDER
    }

    /// Watches a repository that has yet to be made in the tree's own folder.
    pub fn watch_git(&self) {
        let path = self.ground.root.join(".git");
        if self.is_by_folder() && path.is_dir() && self.inbox.begin_watching(&path) {
            // Where it fails, it is noticed when something else happens.
            let _ = self.add(&path, RecursiveMode::NonRecursive);
        }
    }

    /// The rules that repositories within the tree keep for themselves.
    pub fn excludes(&self) -> BTreeSet<PathBuf> {
        self.excludes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_by_folder(&self) -> bool {
        RecommendedWatcher::kind() == WatcherKind::Inotify
    }

    fn add(&self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).watch(path, mode)
    }

    /// Watches a folder of the tree, unless it is watched already. To be called before it is listed.
    pub fn watch(&self, folder: &RelPath) {
        if !self.is_by_folder() {
            return;
        }
        let path = folder.below(&self.ground.root);
        if !self.inbox.begin_watching(&path) {
            return;
        }
        self.excludes.lock().unwrap_or_else(PoisonError::into_inner).extend(walk::exclude_of(&path));
        if let Some(kind) = untold(&path) {
            let text =
                format!("'{}' lies on {kind}, which tells of no changes made elsewhere", path.display());
            self.inbox.go_blind(text);
            return;
        }
        let Err(error) = self.add(&path, RecursiveMode::NonRecursive) else { return };
        self.inbox.end_watching(&path);
        match &error.kind {
            // The folder above tells of that, and of when it comes or may be read.
            ErrorKind::PathNotFound => {}
            ErrorKind::Io(io) if is_of_the_folder(io) => {}
            _ => self.inbox.go_blind(words(&error)),
        }
    }
}

fn is_of_the_folder(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | PermissionDenied | NotADirectory)
}

/// A file system whose changes may come from another machine, by its name.
#[cfg(target_os = "linux")]
fn untold(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type as u32;
    Some(match kind {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x6573_5546 => "FUSE",
        0x0102_1997 => "9P",
        0x00c3_6400 => "Ceph",
        0x5346_414f => "AFS",
        0x0bd0_0bd0 => "Lustre",
        0x786f_4256 => "a folder of the host machine",
        _ => return None,
    })
}

#[cfg(not(target_os = "linux"))]
fn untold(_: &Path) -> Option<&'static str> {
    None
}

fn words(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the limit of watched folders is reached (fs.inotify.max_user_watches)".to_string()
        }
        // It says "too many open files" where its own limit is meant.
        ErrorKind::Io(io) if io.raw_os_error() == Some(24) => {
            "the limit of watchers is reached (fs.inotify.max_user_instances)".to_string()
        }
        _ => error.to_string(),
    }
}

/// What listens, on a thread of `notify`.
struct EventSink {
    inbox: Arc<Inbox>,
    ground: WatchPaths,
}

impl EventSink {
    fn event(&self, event: &notify::Event) {
        if event.need_rescan() {
            self.inbox.add_all();
        }
        // Whoever reads a file makes an event, we too; one that was open for writing may have changed unseen, through
        // a memory map.
        let is_read =
            matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        if !is_read {
            event.paths.iter().for_each(|path| self.path(path, event.kind));
        }
    }

    fn path(&self, path: &Path, kind: EventKind) {
        let WatchPaths { root, own_index, git_dir, asks } = &self.ground;
        let name = path.file_name().unwrap_or_default();
        if path.starts_with(asks) {
            if matches!(kind, EventKind::Create(_)) && path.parent() == Some(asks) {
                self.inbox.ask(path.to_path_buf());
            }
            return;
        }
        if path
            .parent()
            .is_some_and(|folder| Some(folder) == git_dir.as_deref() || folder == root.join(".git"))
        {
            if OF_GIT.iter().any(|of_git| name == *of_git) {
                self.inbox.stir();
            }
            return;
        }
        let Ok(below) = path.strip_prefix(root) else { return };
        // What comes under a name may be watched under another one, with which that watch goes: it is watched anew.
        if matches!(
            kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        ) {
            self.inbox.end_watching(path);
        }
        // It is looked into anew when its folder is.
        if name == ".git"
            && let Some(folder) = path.parent()
        {
            self.inbox.end_watching(folder);
        }
        // A name that is no UTF-8 has a row that only a whole walk finds again.
        let Ok(below) = RelPath::from_path(below) else { return self.inbox.add_all() };
        if own_index.contains(below.as_str()) {
            return;
        }
        if below.as_str().split('/').rev().skip(1).any(|part| part == ".git") {
            return;
        }
        if below.as_str().is_empty() || walk::decides(below.file_name()) {
            self.inbox.add_all();
        } else {
            self.inbox.add(below);
        }
    }
}
