//! The answers of the interface.
//!
//! This module owns which function answers a path, on which thread it runs, and that its duration is recorded. Each
//! function blocks; it is cancelled when nobody waits for its answer any more.

mod complete;
mod coverage;
mod diff;
mod files;
mod highlight;
mod open;
mod operations;
mod search;
mod state;

use std::sync::Arc;
use std::time::Instant;

use hyper::StatusCode;

use super::ask::Ask;
use super::blocking::blocking;
use super::eval;
use super::reply::{ApiError, json_response};
use super::site::PageSite;
use crate::http::HttpResponse;
use crate::mcp::CancelOnDrop;

/// A function that answers as JSON.
type AnswerFn = fn(&PageSite, &Ask) -> Result<String, ApiError>;

/// The questions that are not operations of the catalog. Those marked `true` take a POST.
const QUESTIONS: &[(&str, bool, AnswerFn)] = &[
    ("complete", false, complete::answer),
    ("file", false, files::file),
    ("excerpt", false, files::excerpt),
    ("folder", false, coverage::folder),
    ("coverage", false, coverage::answer),
    ("diff", false, diff::answer),
    ("highlight", true, highlight::answer),
    ("open", true, open::answer),
    ("server", false, state::server),
    ("latencies", false, state::latencies),
    ("catalog", false, operations::catalog),
    ("entries", false, operations::entries),
    ("explain", false, operations::explain),
    ("notes", false, operations::notes),
    ("sources", false, operations::sources),
    ("why-not", false, search::why_not),
    ("eval/runs", false, eval::runs),
    ("eval/compare", false, eval::compare),
    ("eval/query", false, eval::query),
    ("eval/rerank", true, eval::rerank),
    ("eval/profile", false, eval::profile),
    ("eval/profile", true, eval::save_profile),
];

fn method(name: &str, taken: &str) -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", format!("{name} takes a {taken}"))
}

/// Answers a question, as JSON or as server-sent events.
pub async fn answer(site: &Arc<PageSite>, ask: Ask, wants_events: bool) -> Result<HttpResponse, ApiError> {
    let is_post = ask.body.is_some();
    match (ask.name.as_str(), wants_events) {
        ("search" | "events", _) if is_post => return Err(method(&ask.name, "GET")),
        ("search", true) => return search::events(site, ask).await,
        ("search", false) => return search::whole(site, ask).await,
        ("events", _) => return state::events(site, &ask),
        _ => {}
    }
    let mut rows = QUESTIONS.iter().filter(|(name, ..)| *name == ask.name);
    let run: AnswerFn = match rows.clone().find(|(_, own, _)| *own == is_post).or(rows.next()) {
        Some((_, own, run)) if *own == is_post => *run,
        Some((name, own, _)) => return Err(method(name, if *own { "POST" } else { "GET" })),
        None if operations::is_served(&ask.name) && is_post => return Err(method(&ask.name, "GET")),
        None if operations::is_served(&ask.name) => operations::answer,
        None => {
            let text =
                format!("there is no '{}' in this interface; docs/http.md lists what there is", ask.name);
            return Err(ApiError::not_found(text));
        }
    };
    let (own, begun, name) = (Arc::clone(site), Instant::now(), ask.name.clone());
    let guard = CancelOnDrop::default();
    let cancel = guard.cancel.clone();
    let text = blocking(&site.questions, cancel, move || run(&own, &ask)).await;
    guard.disarm();
    site.latencies.record(&name, begun.elapsed());
    Ok(json_response(StatusCode::OK, text?))
}
