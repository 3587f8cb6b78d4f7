//! Watching a tree: the changes that the operating system reports ([`FsWatcher`], [`Inbox`]), and a server that tells other
//! processes whether the index holds all of them ([`FreshnessServer`]).
//!
//! This module talks to `notify` and to the clock between events; the engine processes the changes. The promise is
//! one-sided: a report may name a file that did not change and never omits one that did. Where this cannot be known,
//! [`Inbox::next`] gives [`Next::Blind`]. Files that the system does not report on are compared by a [`StatFingerprint`].
//!
//! Folders are watched one by one, just before a walk lists them, and not recursively by `notify`: that one watches a
//! new folder only after it has told of it, so that what is created in it meanwhile is lost; it stops at the first
//! folder that it may not read; and it watches everything that ignore files leave out, for which limits are too small.

mod fingerprint;
mod freshness;
mod fs_watcher;
mod inbox;

pub use fingerprint::StatFingerprint;
pub use freshness::{FreshnessClient, FreshnessServer, Timeouts};
pub use fs_watcher::{FsWatcher, OF_GIT, WatchPaths};
pub use inbox::{Changed, Inbox, Next, Pace, Work};
