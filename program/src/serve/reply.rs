//! Answers as bytes: JSON, and errors with their status.

use std::convert::Infallible;
use std::ops::Range;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use spyhop_engine::Error;
use spyhop_interface::catalog::ValueError;
use spyhop_interface::render::agent::Answer;
use spyhop_interface::render::{error_text, json};

use crate::http::HttpResponse;
use crate::query_line::{self, FilterWord, LineFault};

/// Why a request of the interface was not answered.
#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub kind: &'static str,
    pub text: String,
    fault: Option<Box<QueryFault>>,
}

/// The part of a query that is wrong.
#[derive(Clone, Debug)]
struct QueryFault {
    span: Range<usize>,
    word: String,
    choices: Vec<String>,
    /// The filter words of the query.
    words: Vec<FilterWord>,
}

impl ApiError {
    pub fn new(status: StatusCode, kind: &'static str, text: impl Into<String>) -> ApiError {
        ApiError { status, kind, text: text.into(), fault: None }
    }

    pub fn bad(text: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad-request", text)
    }

    pub fn not_found(text: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", text)
    }

    pub fn forbidden(text: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", text)
    }

    pub fn unauthenticated(text: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthenticated", text)
    }

    pub fn superseded() -> ApiError {
        let text = "a newer request of the same tab has taken over";
        ApiError::new(StatusCode::CONFLICT, "superseded", text)
    }

    pub fn internal(text: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text)
    }

    /// The error about the word at `span` of `line`, with the valid words.
    pub fn at(self, line: &str, span: Range<usize>, choices: Vec<String>) -> ApiError {
        let word = line.get(span.clone()).unwrap_or_default().to_string();
        let words = query_line::filter_words(line);
        let fault = Some(Box::new(QueryFault { span, word, choices, words }));
        ApiError { status: StatusCode::BAD_REQUEST, kind: "bad-query", fault, ..self }
    }

    /// The error of a query line.
    pub fn of_line(line: &str, fault: LineFault) -> ApiError {
        ApiError::bad(fault.text).at(line, fault.span, fault.choices)
    }

    pub fn json(&self) -> Value {
        let mut value = json!({ "error": self.text, "kind": self.kind });
        if let Some(QueryFault { span, word, choices, words }) = self.fault.as_deref() {
            value["span"] = json!([span.start, span.end]);
            value["word"] = json!(word);
            value["choices"] = json!(choices);
            value["words"] = words_json(words);
        }
        value
    }

    pub fn response(&self) -> HttpResponse {
        json_response(self.status, self.json().to_string())
    }
}

/// The kinds of errors of the engine that are not the server's fault, with their status.
const STATUSES: &[(&str, StatusCode)] = &[
    ("bad-request", StatusCode::BAD_REQUEST),
    ("not-found", StatusCode::NOT_FOUND),
    ("not-a-file", StatusCode::NOT_FOUND),
    ("unknown-source", StatusCode::NOT_FOUND),
    ("not-text", StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ("no-index", StatusCode::CONFLICT),
    ("no-sources", StatusCode::CONFLICT),
    ("stale", StatusCode::CONFLICT),
    ("cancelled", StatusCode::CONFLICT),
    ("too-large", StatusCode::PAYLOAD_TOO_LARGE),
    ("locked", StatusCode::SERVICE_UNAVAILABLE),
    ("no-thread", StatusCode::SERVICE_UNAVAILABLE),
];

fn status_of(kind: &str) -> StatusCode {
    let known = STATUSES.iter().find(|(name, _)| *name == kind);
    known.map_or(StatusCode::INTERNAL_SERVER_ERROR, |(_, status)| *status)
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        let kind = error.kind().name();
        ApiError::new(status_of(kind), kind, error_text(&error))
    }
}

impl From<ValueError> for ApiError {
    fn from(error: ValueError) -> ApiError {
        ApiError::bad(error.to_string())
    }
}

impl From<Answer> for ApiError {
    /// The error that the server for agents would give.
    fn from(answer: Answer) -> ApiError {
        let named = answer.data["kind"].as_str().unwrap_or_default();
        let kinds =
            STATUSES.iter().map(|(kind, _)| *kind).chain(["no-root", "foreign-index", "damaged", "io"]);
        let kind = kinds.into_iter().find(|kind| *kind == named).unwrap_or("internal");
        ApiError::new(status_of(kind), kind, answer.data["error"].as_str().unwrap_or(answer.text.trim_end()))
    }
}

/// The filter words of a query, as the page shows them.
pub fn words_json(words: &[FilterWord]) -> Value {
    let word = |word: &FilterWord| {
        json!({
            "key": word.key.name(), "value": word.value, "is_excluding": word.excludes,
            "span": [word.span.start, word.span.end],
        })
    };
    words.iter().map(word).collect()
}

/// A value as JSON.
pub fn to_json(value: &impl Serialize) -> String {
    json::line(value)
}

/// A JSON object of fields whose values are JSON already.
pub fn object(fields: &[(&str, String)]) -> String {
    let mut text = String::from("{");
    for (at, (name, value)) in fields.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        text += comma;
        text += &to_json(name);
        text.push(':');
        text += value;
    }
    text.push('}');
    text
}

/// A whole body.
pub fn full(bytes: impl Into<Bytes>) -> BoxBody<Bytes, Infallible> {
    Full::new(bytes.into()).boxed()
}

pub fn json_response(status: StatusCode, text: String) -> HttpResponse {
    typed(status, "application/json", text)
}

pub fn text_response(status: StatusCode, text: String) -> HttpResponse {
    typed(status, "text/plain; charset=utf-8", text)
}

pub fn html_response(status: StatusCode, text: String) -> HttpResponse {
    typed(status, "text/html; charset=utf-8", text)
}

fn typed(status: StatusCode, kind: &'static str, text: String) -> HttpResponse {
    let mut answer = Response::new(full(text));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}
