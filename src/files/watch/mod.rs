//! Watching a tree: the changes that the operating system reports ([`FsWatcher`], [`Inbox`]), and a server that tells other
//! processes whether the index contains all of them ([`FreshnessServer`]).
//!
//! This module handles the events of `notify` and debounces them; the engine processes the changes. The guarantee is
//! one-sided: a report may name a file that did not change, but never omits a file that did. If this cannot be
//! guaranteed, [`Inbox::next`] returns [`Next::Blind`]. Files that affect the tree from outside are compared by a
//! [`StatFingerprint`].
//!
//! With inotify, folders are watched one by one, each just before a walk lists it, because the recursive mode of `notify` has
//! three faults. `notify` watches a new folder only after reporting the folder, so files created in between are lost. It stops
//! at the first folder without read permission. `notify` watches the ignored folders too, which exceeds the system's limits.
//!
//! Without the feature `watch`, there are no events: `FsWatcher::open` fails, and a watch walks the tree periodically.

mod fingerprint;
mod freshness;
#[cfg(feature = "watch")]
mod fs_watcher;
mod inbox;
mod watch_paths;
#[cfg(not(feature = "watch"))]
mod without;

pub use fingerprint::StatFingerprint;
pub use freshness::{FreshnessClient, FreshnessServer, Timeouts};
#[cfg(feature = "watch")]
pub use fs_watcher::FsWatcher;
pub use inbox::{Changed, Inbox, Next, Pace, Work};
pub use watch_paths::{OF_GIT, WatchPaths};
#[cfg(not(feature = "watch"))]
pub use without::FsWatcher;
