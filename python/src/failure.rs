//! From errors of the library to exceptions: the class follows from the kind, in `spyhop/errors.py`.

use std::path::PathBuf;

use pyo3::prelude::*;
use spyhop::{Error, ErrorKind, ProfileError};
use spyhop_engine::federated::FederationError;

/// An error with its kind, which can cross threads.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: String,
    text: String,
    /// The number and the file of the operating system's error, if that is the cause.
    errno: Option<i32>,
    file: Option<PathBuf>,
}

impl Failure {
    /// An error because of a wrong value.
    pub fn bad(text: impl Into<String>) -> Failure {
        Failure::of_kind(ErrorKind::BadRequest, text)
    }

    /// A bug of this program.
    pub fn internal(text: impl Into<String>) -> Failure {
        Failure::of_kind(ErrorKind::Internal, text)
    }

    fn of_kind(kind: ErrorKind, text: impl Into<String>) -> Failure {
        Failure { kind: kind_name(kind), text: text.into(), errno: None, file: None }
    }

    /// The error, with the number of the query in a batch.
    pub fn of_query(self, at: usize) -> Failure {
        Failure { text: format!("query {at}: {}", self.text), ..self }
    }

    /// The exception.
    pub fn raised(self, py: Python<'_>) -> PyErr {
        let Failure { kind, text, errno, file } = self;
        let file = file.map(|file| file.to_string_lossy().into_owned());
        let made = py
            .import("spyhop.errors")
            .and_then(|errors| errors.call_method1("of_kind", (kind, text, errno, file)));
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let errno = error.io_error().and_then(std::io::Error::raw_os_error);
        let file = error.io_path().map(PathBuf::from);
        Failure { errno, file, ..Failure::of_kind(error.kind(), error.to_string()) }
    }
}

impl From<FederationError> for Failure {
    fn from(error: FederationError) -> Failure {
        let kind = match error {
            FederationError::Front(error) => return error.into(),
            FederationError::Refused { .. } => "refused-shard",
            FederationError::NotFederated(_) => "not-federated",
            _ => "shard",
        };
        Failure { kind: kind.to_string(), text: error.to_string(), errno: None, file: None }
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Failure {
        Failure::bad(error.to_string())
    }
}

/// The name of a kind: `NoIndex` is `no-index`. The names follow the variants, so a new kind has a name at once.
fn kind_name(kind: ErrorKind) -> String {
    kebab(&format!("{kind:?}"))
}

/// A name in camel case as words with hyphens.
pub fn kebab(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for (at, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && at > 0 {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
