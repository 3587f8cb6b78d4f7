//! Failures as the caller sees them: a status, a stable code and a sentence (RFC 9457).

use std::time::Duration;

use super::guard::Scope;
use crate::Failure;

#[derive(Debug)]
pub struct Problem {
    pub status: u16,
    pub code: &'static str,
    pub detail: String,
    pub retry_after: Option<Duration>,
}

impl Problem {
    pub fn unauthorized(detail: &str) -> Problem {
        Problem { status: 401, code: "unauthorized", detail: detail.into(), retry_after: None }
    }

    pub fn forbidden(scope: Scope) -> Problem {
        Problem { status: 403, code: "forbidden", detail: format!("the key lacks {scope:?}"), retry_after: None }
    }

    pub fn not_found(detail: &str) -> Problem {
        Problem { status: 404, code: "not-found", detail: detail.into(), retry_after: None }
    }

    pub fn too_many(wait: Duration) -> Problem {
        Problem { status: 429, code: "too-many", detail: "slow down".into(), retry_after: Some(wait) }
    }

    pub fn unavailable() -> Problem {
        Problem { status: 503, code: "unavailable", detail: "try again".into(), retry_after: None }
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        match failure {
            Failure::NotFound(what) => Problem::not_found(what),
            Failure::Conflict(why) => Problem { status: 409, code: "conflict", detail: why, retry_after: None },
            Failure::Invalid { field, why } => {
                Problem { status: 422, code: "invalid", detail: format!("{field}: {why}"), retry_after: None }
            }
            Failure::Carrier(error) => {
                Problem { status: 502, code: "carrier", detail: error.to_string(), retry_after: None }
            }
            // What the database says is for our log, not for strangers.
            Failure::Database(_) => Problem::unavailable(),
        }
    }
}
