//! The outcome of a command, and the reasons for which a command ends early.

use std::io::{self, Write};

use spyhop_engine::{Error, ErrorKind};
use spyhop_interface::operations::PlainOutcome;
use spyhop_interface::render::{clean, error_text};

/// The outcome of a run, with grep's distinction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Something was found or done.
    Found,
    /// Nothing was found.
    Nothing,
    /// A part failed, and the failure has been reported.
    Failed,
    /// The command ended with an exit code of its own.
    Ended(u8),
}

impl From<PlainOutcome> for Outcome {
    fn from(outcome: PlainOutcome) -> Outcome {
        match outcome {
            PlainOutcome::Found => Outcome::Found,
            PlainOutcome::Nothing => Outcome::Nothing,
            PlainOutcome::Failed => Outcome::Failed,
        }
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The engine rejected the request or failed.
    #[error("{}{}", no_index(.0), error_text(.0))]
    Engine(#[from] Error),
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
    /// Something that needs a person's consent was not done.
    #[error("{0}")]
    Refused(String),
    /// A stream or folder failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The line before the advice for a missing index.
fn no_index(error: &Error) -> &'static str {
    if error.kind() == ErrorKind::NoIndex { "there is no index\n" } else { "" }
}

/// Reports a failure on standard error.
pub fn complain(failure: &Failure) {
    // When standard error is closed, nobody can be told; the exit code still reports the failure.
    let _ = writeln!(io::stderr(), "spyhop: {}", clean::lines(&failure.to_string()));
}
