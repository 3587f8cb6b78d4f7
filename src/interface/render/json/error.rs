//! Errors as JSON.

use serde::Serialize;

/// An error: the message and the name of its kind.
pub fn error<'t>(text: &'t str, kind: &'t str) -> impl Serialize + use<'t> {
    ErrorForm { error: text, kind }
}

#[derive(Serialize)]
struct ErrorForm<'t> {
    error: &'t str,
    kind: &'t str,
}
