//! Errors on the wire.

use serde::Serialize;

use spyhop_engine::ErrorKind;

/// An error: the message and the name of its kind.
pub fn error<'t>(text: &'t str, kind: &'t str) -> impl Serialize + use<'t> {
    WireError { error: text, kind }
}

/// The name of a kind of error.
pub fn error_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::BadRequest => "bad-request",
        ErrorKind::NotFound => "not-found",
        ErrorKind::NotAFile => "not-a-file",
        ErrorKind::NotText => "not-text",
        ErrorKind::NoRoot => "no-root",
        ErrorKind::NoIndex => "no-index",
        ErrorKind::ForeignIndex => "foreign-index",
        ErrorKind::NewerFormat => "newer-format",
        ErrorKind::Damaged => "damaged",
        ErrorKind::BadArchive => "bad-archive",
        ErrorKind::ForeignArchive => "foreign-archive",
        ErrorKind::IndexExists => "index-exists",
        ErrorKind::NoSources => "no-sources",
        ErrorKind::UnknownSource => "unknown-source",
        ErrorKind::NameTaken => "name-taken",
        ErrorKind::BadSource => "bad-source",
        ErrorKind::Unreachable => "unreachable",
        ErrorKind::Locked => "locked",
        ErrorKind::Stale => "stale",
        ErrorKind::TooLarge => "too-large",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::DiskFull => "disk-full",
        ErrorKind::ReadOnly => "read-only",
        ErrorKind::Permission => "permission",
        ErrorKind::NoThread => "no-thread",
        ErrorKind::Io => "io",
        ErrorKind::Internal => "internal",
    }
}

#[derive(Serialize)]
struct WireError<'a> {
    error: &'a str,
    kind: &'a str,
}
