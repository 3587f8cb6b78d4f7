//! `spyhop QUERY...` and `spyhop search`: one query, several as one, or a batch from standard input.
//!
//! This module owns the three kinds of input and the three output formats. A batch answers every line of input with
//! exactly one line, errors included, so that a program on the other side can pair questions and answers by counting.

use std::io::{self, BufRead};

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{SearchReply, SearchRequest};
use spyhop::engine::{Engine, Error};
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given, optional};
use super::progress::Bar;
use super::request::{query, request};
use super::{Failure, Outcome, args};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let request = request(query(matches), matches, &place)?;
    let engine = place.open(matches)?;
    if given(matches, args::BATCH.name) {
        return batch(&engine, request, output);
    }
    let queries = optional::<String>(matches, catalog::QUERIES.name);
    let queries = queries.map(|queries| split(queries)).unwrap_or_default();
    let reply = if optional::<String>(matches, catalog::QUERIES.name).is_some() {
        engine.search_batch(&queries, &request)?
    } else {
        search(&engine, &request, output)?
    };
    let rendered = match (given(matches, args::JSONL.name), output.json, queries.is_empty()) {
        (true, _, true) => json::search_lines(&reply),
        (true, _, false) => json::batch_lines(&reply, &queries),
        (_, true, true) => json::search(&reply),
        (_, true, false) => json::batch(&reply, &queries),
        (_, _, true) => text::search(&reply, request.mode, &output.style),
        (_, _, false) => text::batch(&reply, &queries, request.mode, &output.style),
    };
    output.warn(&reply.warnings);
    if given(matches, args::JSONL.name) || output.json {
        output.json(&rendered)?;
    } else {
        output.text(&rendered)?;
    }
    Ok(outcome(&reply))
}

/// Answers each line of standard input with a line of JSON.
fn batch(engine: &Engine, mut request: SearchRequest, output: &mut Output) -> Result<Outcome, Failure> {
    let mut whole = Outcome::Nothing;
    for line in io::stdin().lock().split(b'\n') {
        // A line that is not UTF-8 is searched too; it just finds little.
        let line = line?;
        request.query = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
        match search(engine, &request, output) {
            Ok(reply) => {
                if whole == Outcome::Nothing {
                    whole = outcome(&reply);
                }
                output.json(&json::search(&reply))?;
            }
            Err(error) => {
                whole = Outcome::Failed;
                output.json(&json::error(&error.to_string(), json::error_kind(error.kind())))?;
            }
        }
    }
    Ok(whole)
}

fn search(engine: &Engine, request: &SearchRequest, output: &Output) -> Result<SearchReply, Error> {
    let bar = Bar::new(output);
    engine.search_with_progress(request, &|progress| bar.update(progress))
}

/// The queries of a list separated by `|`; empty ones are dropped.
fn split(queries: &str) -> Vec<String> {
    queries.split('|').map(str::trim).filter(|query| !query.is_empty()).map(str::to_string).collect()
}

fn outcome(reply: &SearchReply) -> Outcome {
    if reply.results.is_empty() { Outcome::Nothing } else { Outcome::Found }
}
