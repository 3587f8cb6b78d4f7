//! From errors of the library to exceptions: the class follows from the kind, in `spyhop/errors.py`.

use pyo3::prelude::*;
use spyhop::{Error, ErrorKind, ProfileError};

/// An error with its kind, which can cross threads.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: String,
    text: String,
}

impl Failure {
    /// An error because of a wrong value.
    pub fn bad(text: impl Into<String>) -> Failure {
        Failure { kind: kind_name(ErrorKind::BadRequest), text: text.into() }
    }

    /// A bug of this program.
    pub fn internal(text: impl Into<String>) -> Failure {
        Failure { kind: kind_name(ErrorKind::Internal), text: text.into() }
    }

    /// The error, with the number of the query in a batch.
    pub fn of_query(self, at: usize) -> Failure {
        Failure { text: format!("query {at}: {}", self.text), ..self }
    }

    /// The exception.
    pub fn raised(self, py: Python<'_>) -> PyErr {
        let made = py
            .import("spyhop.errors")
            .and_then(|errors| errors.call_method1("of_kind", (self.kind.as_str(), self.text.as_str())));
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { kind: kind_name(error.kind()), text: error.to_string() }
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
