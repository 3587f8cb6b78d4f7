//! The references of a repository on another machine, and why a repository cannot be fetched.

use std::io;
use std::path::PathBuf;

/// A branch or tag of a repository on another machine, or its `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteReference {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// The branch that `HEAD` stands for.
    pub target: Option<String>,
    pub commit: String,
}

/// Why a repository on another machine cannot be fetched. No text has a password.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The program `git` is not installed.
    #[error(
        "'{url}' cannot be fetched: the program 'git' cannot be started ({source}); install Git 2.20 or newer and put it \
         on PATH, or clone the repository elsewhere and add its folder"
    )]
    NoGit { url: String, source: io::Error },
    /// The URL cannot be used.
    #[error("'{url}' cannot be fetched: {reason}")]
    BadUrl {
        /// The URL, without a password.
        url: String,
        reason: String,
    },
    /// The server does not answer, or breaks off.
    #[error("'{url}' cannot be reached: {reason}; check the address and the network, and try again")]
    Unreachable { url: String, reason: String },
    /// The server sends nothing, or has not sent everything in time.
    #[error("'{url}' is given up: the server {fault} {seconds} seconds; try again")]
    TimedOut {
        url: String,
        /// The part of the message before the number of seconds.
        fault: String,
        seconds: f64,
    },
    /// There is no repository at the URL.
    #[error("there is no git repository at '{url}': {reason}; give the URL that git clone takes")]
    NoRepository { url: String, reason: String },
    /// The server refuses the call without credentials, or with those that helpers supplied.
    #[error(
        "'{url}' refuses access ({reason}); let a credential helper of Git or the agent of SSH supply credentials, as for git clone"
    )]
    NeedsCredentials { url: String, reason: String },
    /// The requested commit was removed from the repository meanwhile.
    #[error("'{url}' no longer has {wanted}; try again")]
    Lost { url: String, wanted: String },
    /// The server does not answer as Git does, or sends a pack that is damaged.
    #[error("'{url}' sends {what}: {reason}; the fault is on the server, not in the network")]
    BadAnswer {
        url: String,
        /// A description of the data that the server sends.
        what: &'static str,
        reason: String,
    },
    #[error("'{url}' is refused: it takes more than {limit} {what}")]
    TooLarge {
        url: String,
        limit: u64,
        /// The limited quantity.
        what: &'static str,
    },
    #[error("the fetch of '{url}' was cancelled")]
    Cancelled { url: String },
    /// The fetched data cannot be written.
    #[error("{action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
}
