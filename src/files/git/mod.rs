//! Queries about the repository around a folder: its top, its branch and commit, and which files it tracks.
//!
//! This module owns all access to git. Ignore files belong to [`crate::walk`], since they apply without a repository
//! too.
//!
//! Repositories are opened isolated: only the configuration file of the repository is read, environment variables
//! are ignored, and nothing is executed. So a tree that came from elsewhere cannot make us execute what its
//! configuration names, and a hook's `GIT_DIR` cannot make us answer for another tree. A repository that belongs to
//! another user is opened with less trust and works as well, because nothing is written to it. Only `remote` runs the program
//! `git`, with the user's configuration, to reach other machines as the user does.
//!
//! Without the feature `git`, every folder is treated as not being a repository: `without` has the same functions, and
//! types without a value. Without the feature `network`, no URL is accepted (`without_network`).

#[cfg(feature = "git")]
mod changes;
#[cfg(feature = "git")]
mod commit;
#[cfg(feature = "git")]
mod discover;
mod head;
mod reach;
#[cfg(feature = "network")]
mod remote;
mod remote_error;
#[cfg(feature = "git")]
mod renames;
#[cfg(feature = "git")]
mod repo;
mod revision;
#[cfg(feature = "git")]
mod sound;
#[cfg(feature = "git")]
mod tracked;
mod tree_change;
#[cfg(not(feature = "git"))]
mod without;
#[cfg(not(feature = "network"))]
mod without_network;

#[cfg(feature = "git")]
pub use commit::CommitTree;
#[cfg(feature = "git")]
pub use discover::{discover, discover_within, open_objects};
pub use head::{Head, short};
pub use reach::Reach;
#[cfg(feature = "network")]
pub use remote::RemoteRepository;
pub use remote_error::{RemoteError, RemoteReference};
#[cfg(feature = "git")]
pub use repo::Repo;
pub use revision::{Revision, RevisionError};
#[cfg(feature = "git")]
pub use tracked::Tracked;
pub use tree_change::TreeChange;
#[cfg(not(feature = "git"))]
pub use without::{CommitTree, Repo, Tracked, discover, discover_within, open_objects};
#[cfg(not(feature = "network"))]
pub use without_network::RemoteRepository;
