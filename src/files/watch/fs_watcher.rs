//! The watches of folders, and the translation of file system events into inbox entries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};

use crate::walk;
use crate::watch::inbox::Inbox;
use crate::watch::watch_paths::{OF_GIT, WatchPaths};
use spyhop_base::cores::check_thread;
use spyhop_base::path::RelPath;

/// Watches a tree. Dropping the value ends the watch.
pub struct FsWatcher {
    watcher: Mutex<RecommendedWatcher>,
    inbox: Arc<Inbox>,
    source_tree: WatchPaths,
    /// The exclude files of repositories inside the tree, such as `.git/info/exclude`. Walks skip their folders.
    excludes: Mutex<BTreeSet<PathBuf>>,
}

/// Whether events arrive in the order of the changes, across all folders. Then the event of a request follows the events
/// of all earlier changes. Linux has one queue for all watches. Other systems have several queues or guarantee no order.
const IN_ORDER: bool = cfg!(target_os = "linux");

impl FsWatcher {
    /// Starts to watch the folder of the requests and the git folder. With inotify, [`FsWatcher::watch`] adds each folder
    /// of the tree; other systems watch the whole tree from now on. The error is a sentence for people.
    pub fn open(inbox: Arc<Inbox>, source_tree: WatchPaths) -> Result<FsWatcher, String> {
        let sink = EventSink { inbox: Arc::clone(&inbox), source_tree: source_tree.clone() };
        let on_event = move |event: notify::Result<notify::Event>| match event {
            Ok(event) => sink.add_event(&event),
            Err(error) => sink.inbox.go_blind(error_text(&error)),
        };
        check_thread().map_err(|error| error.to_string())?;
        let watcher =
            RecommendedWatcher::new(on_event, Config::default()).map_err(|error| error_text(&error))?;
        let watcher = with_thread(watcher)?;
        let fs_watcher =
            FsWatcher { watcher: Mutex::new(watcher), inbox, source_tree, excludes: Mutex::default() };
        fs_watcher
            .add(&fs_watcher.source_tree.asks, RecursiveMode::NonRecursive)
            .map_err(|error| error_text(&error))?;
        if let Some(git_dir) = &fs_watcher.source_tree.git_dir {
            fs_watcher.add(git_dir, RecursiveMode::NonRecursive).map_err(|error| error_text(&error))?;
        }
        if !fs_watcher.is_by_folder() {
            fs_watcher
                .add(&fs_watcher.source_tree.root, RecursiveMode::Recursive)
                .map_err(|error| error_text(&error))?;
        }
        Ok(fs_watcher)
    }

    /// Whether the watcher may answer requests: the event of a request follows the events of all earlier changes.
    pub fn are_in_order(&self) -> bool {
        IN_ORDER
    }

    /// Watches `.git` in the root, so that a repository that is still being created is detected.
    pub fn watch_git(&self) {
        let path = self.source_tree.root.join(".git");
        if self.is_by_folder() && path.is_dir() && self.inbox.begin_watching(&path) {
            // After a failure, the next change elsewhere detects the repository.
            let _ = self.add(&path, RecursiveMode::NonRecursive);
        }
    }

    /// The exclude files of repositories inside the tree.
    pub fn excludes(&self) -> BTreeSet<PathBuf> {
        self.excludes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_by_folder(&self) -> bool {
        RecommendedWatcher::kind() == WatcherKind::Inotify
    }

    fn add(&self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).watch(path, mode)
    }

    /// Watches a folder of the tree, unless the folder is already watched. Call this before the folder is listed.
    pub fn watch(&self, folder: &RelPath) {
        if !self.is_by_folder() {
            return;
        }
        let path = folder.below(&self.source_tree.root);
        if !self.inbox.begin_watching(&path) {
            return;
        }
        self.excludes.lock().unwrap_or_else(PoisonError::into_inner).extend(walk::exclude_of(&path));
        if let Some(kind) = remote_file_system(&path) {
            let text = format!(
                "'{}' is on {kind}, which does not report changes from other machines",
                path.display()
            );
            self.inbox.go_blind(text);
            return;
        }
        let Err(error) = self.add(&path, RecursiveMode::NonRecursive) else { return };
        self.inbox.end_watching(&path);
        match &error.kind {
            // Events of the parent folder report the removal, and later the creation or new permissions.
            ErrorKind::PathNotFound => {}
            ErrorKind::Io(io) if is_folder_error(io) => {}
            _ => self.inbox.go_blind(error_text(&error)),
        }
    }
}

/// Returns `watcher` if its thread runs.
///
/// `notify` ignores the failure to start its thread. All of its calls but `configure` panic then, even `drop`, which
/// aborts the process. So a watcher without its thread is leaked: one descriptor.
fn with_thread(mut watcher: RecommendedWatcher) -> Result<RecommendedWatcher, String> {
    match watcher.configure(Config::default()) {
        Ok(_) => Ok(watcher),
        Err(error) => {
            std::mem::forget(watcher);
            Err(format!("the thread of the watcher does not run: {}", error_text(&error)))
        }
    }
}

/// Whether an error concerns only one folder and not the watcher.
fn is_folder_error(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | PermissionDenied | NotADirectory)
}

/// The name of the file system of `folder`, if other machines may change files there without an event here.
#[cfg(target_os = "linux")]
fn remote_file_system(folder: &Path) -> Option<&'static str> {
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
fn remote_file_system(_: &Path) -> Option<&'static str> {
    None
}

fn error_text(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the limit of watched folders is reached (fs.inotify.max_user_watches)".to_string()
        }
        // Error 24 is "too many open files", but here the limit of inotify is reached.
        ErrorKind::Io(io) if io.raw_os_error() == Some(24) => {
            "the limit of watchers is reached (fs.inotify.max_user_instances)".to_string()
        }
        _ => error.to_string(),
    }
}

/// Receives the events on a thread of `notify`.
struct EventSink {
    inbox: Arc<Inbox>,
    source_tree: WatchPaths,
}

impl EventSink {
    fn add_event(&self, event: &notify::Event) {
        if event.need_rescan() {
            self.inbox.add_all();
        }
        // Reading a file causes events, even if Spyhop reads it. Closing a file that was open for writing counts as a
        // change, because a memory map changes a file without other events.
        let is_read =
            matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        if !is_read {
            event.paths.iter().for_each(|path| self.add_path(path, event.kind));
        }
    }

    fn add_path(&self, path: &Path, kind: EventKind) {
        let WatchPaths { root, index_in_tree, git_dir, asks } = &self.source_tree;
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
        // A renamed folder may still be watched under its old name, and that watch ends with the old name. So the next
        // walk must watch the folder again.
        if matches!(
            kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        ) {
            self.inbox.end_watching(path);
        }
        // The next walk watches the folder again, and then finds the exclude file of the new repository.
        if name == ".git"
            && let Some(folder) = path.parent()
        {
            self.inbox.end_watching(folder);
        }
        // A name that is not UTF-8 has no `RelPath`, so only a full walk lists the file.
        let Ok(below) = RelPath::from_path(below) else { return self.inbox.add_all() };
        if index_in_tree.contains(below.as_str()) {
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
