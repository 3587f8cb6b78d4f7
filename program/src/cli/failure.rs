//! The outcome of a command, and the reasons for which a command ends early.

use std::fmt;
use std::io::{self, Write};

use spyhop_engine::{Error, ErrorKind};
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

/// Why a run ended early.
#[derive(Debug)]
pub enum Failure {
    /// The engine rejected the request or failed.
    Engine(Error),
    /// The command line is invalid.
    Usage(String),
    /// Something that needs a person's consent was not done.
    Refused(String),
    /// A stream or folder failed.
    Io(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Engine(error) if error.kind() == ErrorKind::NoIndex => {
                write!(f, "there is no index\n{}", error_text(error))
            }
            Failure::Engine(error) => f.write_str(&error_text(error)),
            Failure::Usage(text) | Failure::Refused(text) => f.write_str(text),
            Failure::Io(error) => error.fmt(f),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Engine(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

/// Reports a failure on standard error.
pub fn complain(failure: &Failure) {
    // When standard error is closed, nobody can be told; the exit code still reports the failure.
    let _ = writeln!(io::stderr(), "spyhop: {}", clean::lines(&failure.to_string()));
}
