//! Watching a tree: the changes that the operating system reports ([`FsWatcher`], [`Inbox`]), and a server that tells other
//! processes whether the index holds all of them ([`FreshnessServer`]).
//!
//! It owns what is asked of `notify` and of the clock between events. What becomes of a change is the engine's. Its
//! promise is one-sided: it may say that something changed that did not, never keep back what did, and where it cannot
//! know it says so ([`Inbox::next`] gives [`Next::Blind`]). What must be told it by stats, because the system tells
//! nobody, is a [`StatFingerprint`].
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
