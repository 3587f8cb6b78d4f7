//! Search as a person types: a query line, answered whole or as server-sent events.
//!
//! This module owns the order of the events, and how a newer request of a tab ends an older one. [`search`] asks the engine.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use super::super::ask::Ask;
use super::super::blocking::blocking;
use super::super::latency::ms;
use super::super::reply::{ApiError, json_response, object, to_json};
use super::super::search::{self, PreparedSearch};
use super::super::site::PageSite;
use super::super::stream::Events;
use super::operations;
use crate::http::HttpResponse;
use crate::mcp::CancelOnDrop;
use crate::query_line::QueryMode;

/// When the parts of an answer were done.
struct Timings {
    begun: Instant,
    parsed: Instant,
    answered: Instant,
}

impl Timings {
    fn json(&self) -> String {
        let end = Instant::now();
        json!({
            "parse_ms": ms(self.parsed - self.begun),
            "engine_ms": ms(self.answered - self.parsed),
            "colors_ms": ms(end - self.answered),
            "total_ms": ms(end - self.begun),
        })
        .to_string()
    }
}

/// Puts a request in place of the one of its tab that runs.
fn supersede(site: &PageSite, ask: &Ask, guard: &CancelOnDrop) -> Result<(), ApiError> {
    if let Some(tab) = ask.params.one("tab")? {
        site.tabs.begin(tab, &guard.cancel);
    }
    Ok(())
}

/// Answers as one JSON object.
pub async fn whole(site: &Arc<PageSite>, ask: Ask) -> Result<HttpResponse, ApiError> {
    let (guard, begun, own) = (CancelOnDrop::default(), Instant::now(), Arc::clone(site));
    supersede(site, &ask, &guard)?;
    let cancel = guard.cancel.clone();
    let text = blocking(&site.searches, cancel, move || {
        let prepared = PreparedSearch::new(&own, &ask)?;
        let parsed = Instant::now();
        let answer = search::answer(&prepared)?;
        let timings = Timings { begun, parsed, answered: Instant::now() };
        let colors = answer.colors();
        own.latencies.record(&prepared.latency_name(), begun.elapsed());
        let mut fields = prepared.fields();
        fields.extend([
            ("reply", answer.json),
            ("note", to_json(&answer.note)),
            ("colors", to_json(&colors)),
            ("timings", timings.json()),
        ]);
        Ok(object(&fields))
    });
    let cancelled = guard.cancel.clone();
    let text = text.await;
    guard.disarm();
    match text {
        Ok(text) => Ok(json_response(hyper::StatusCode::OK, text)),
        Err(_) if cancelled.is_cancelled() => Err(ApiError::superseded()),
        Err(error) => Err(error),
    }
}

/// Why a file is not among the answers: of the query line `q` with its filters, or of the parameters of the operation.
pub fn why_not(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    let Some(line) = ask.params.one("q")? else { return operations::answer(site, ask) };
    ask.params.only(&["q", "file", "root", "view", "in"])?;
    let place = [ask.params.one("root")?, ask.params.one("view")?];
    let sources = || ask.params.sources();
    let prepared = PreparedSearch::of_line(site, line, Some(QueryMode::Ranked), place, sources)?;
    search::why_not(site, &prepared, ask.params.required("file")?)
}

/// Answers as server-sent events. The search is cancelled when the client closes the connection.
pub async fn events(site: &Arc<PageSite>, ask: Ask) -> Result<HttpResponse, ApiError> {
    let (guard, begun, own) = (CancelOnDrop::default(), Instant::now(), Arc::clone(site));
    supersede(site, &ask, &guard)?;
    let cancel = guard.cancel.clone();
    let (events, answer) = Events::begin(guard);
    let searches = Arc::clone(&site.searches);
    tokio::spawn(async move {
        let sender = events.clone();
        let work = move || stream(&own, &ask, begun, &sender);
        match blocking(&searches, cancel.clone(), work).await {
            Err(_) if cancel.is_cancelled() => events.send("superseded", "{}"),
            Err(error) => {
                let mut json = error.json();
                json["status"] = json!(error.status.as_u16());
                events.send("failed", &json.to_string())
            }
            Ok(()) => true,
        }
    });
    Ok(answer)
}

/// Sends the events of a search, in their order.
fn stream(site: &PageSite, ask: &Ask, begun: Instant, events: &Events) -> Result<(), ApiError> {
    let mut prepared = PreparedSearch::new(site, ask)?;
    // The lines of the first page do not wait until all lines are counted.
    let counts_later = prepared.counts && prepared.cursor.is_none();
    prepared.counts &= !counts_later;
    let parsed = Instant::now();
    let fields = prepared.fields();
    events.send("query", &object(&fields));
    if let Some(files) = search::early_files(&prepared) {
        let partial = [("mode", "\"files\"".to_string()), ("reply", files)];
        events.send("partial", &object(&partial));
    }
    let answer = search::answer(&prepared)?;
    let timings = Timings { begun, parsed, answered: Instant::now() };
    let mode = to_json(&prepared.mode.name());
    events.send(
        "results",
        &object(&[("mode", mode), ("reply", answer.json.clone()), ("note", to_json(&answer.note))]),
    );
    let colors = answer.colors();
    if colors.iter().any(|row| !row.is_empty()) {
        events.send("colors", &object(&[("colors", to_json(&colors))]));
    }
    site.latencies.record(&prepared.latency_name(), begun.elapsed());
    let timings = timings.json();
    if counts_later && let Some(counts) = answer.counts(&prepared)? {
        events.send("counts", &counts);
    }
    events.send("done", &object(&[("timings", timings)]));
    Ok(())
}
