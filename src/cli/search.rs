//! `spyhop QUERY...` and `spyhop search`: one query, several as one, or a batch from standard input.
//!
//! This module owns the three kinds of input and the three output formats. A batch answers every line of input with
//! exactly one line, errors included, so that a program on the other side can pair questions and answers by counting.

use std::io::{self, BufRead, IsTerminal};

use clap::ArgMatches;
use spyhop::catalog::{self, SearchCall};
use spyhop::engine::api::{
    GraphQuestion, GraphRequest, MAX_RESULTS, MAX_ROWS, Mode, Options, Reason, SearchReply, SearchRequest,
    StalePolicy, SymbolRow,
};
use spyhop::engine::{Engine, Error, SourceSet};
use spyhop::profile::Signal;
use spyhop::render::{error_text, json, text};

use super::failure::{Failure, Outcome};
use super::first::FirstIndex;
use super::output::Output;
use super::place::TreePlace;
use super::progress::Bar;
use super::values::{fill_for_sources, fill_from, given};
use super::{args, huge, open, options, sources};

/// The calls that are read to name the callers of a definition, and the callers that are named.
const CALLER_ROWS: usize = 6;
const CALLER_NAMES: usize = 3;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = SearchCall::new(options::options(matches)?);
    if sources::are_asked(matches)? {
        fill_for_sources(catalog::SEARCH_ROWS, &mut call, matches)?;
        let set = sources::open(matches, &call.search.options)?;
        output.show_paths_of_sources();
        return answer(matches, output, call, &AskedPlace::Sources(&set));
    }
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    fill_from(catalog::SEARCH_ROWS, &mut call, matches, Some(&place))?;
    let first = FirstIndex::new(&call.search.options);
    let engine = huge::open(&place, first.engine_options(call.search.options.clone()), matches)?;
    answer(matches, output, call, &AskedPlace::Tree(&place, &engine, &first))
}

/// What a search asks.
enum AskedPlace<'a> {
    Tree(&'a TreePlace, &'a Engine, &'a FirstIndex),
    Sources(&'a SourceSet),
}

impl AskedPlace<'_> {
    fn search(&self, request: &SearchRequest, output: &Output) -> Result<SearchReply, Error> {
        match self {
            AskedPlace::Tree(_, engine, first) => search(engine, first, request, output),
            AskedPlace::Sources(set) => set.search(request),
        }
    }

    fn search_batch(&self, queries: &[String], request: &SearchRequest) -> Result<SearchReply, Error> {
        match self {
            AskedPlace::Tree(_, engine, first) => {
                let mut reply = engine.search_batch(queries, request)?;
                reply.warnings.extend(first.complete(engine, &reply.snapshot));
                Ok(reply)
            }
            AskedPlace::Sources(set) => set.search_batch(queries, request),
        }
    }
}

fn answer(
    matches: &ArgMatches,
    output: &mut Output,
    call: SearchCall,
    asked: &AskedPlace<'_>,
) -> Result<Outcome, Failure> {
    let mut request = call.search.request;
    let opened = open::wanted(matches);
    let most = if request.exhaustive { MAX_ROWS } else { MAX_RESULTS };
    request.max_results = request.max_results.max(opened.unwrap_or(0).min(most));
    let vimgrep = given(matches, args::VIMGREP.name);
    if vimgrep {
        request.mode = Mode::Compact;
    }
    let is_for_programs = given(matches, args::JSONL.name) || output.json;
    // Rows for an editor have hits only.
    request.notes = (request.mode != Mode::Compact || is_for_programs) && opened.is_none();
    let current = Options { stale_policy: StalePolicy::Ignore, ..call.search.options };
    if given(matches, args::BATCH.name) {
        return batch(asked, request, output);
    }
    let mut reply = match &call.queries {
        Some(queries) => asked.search_batch(queries, &request)?,
        None => asked.search(&request, output)?,
    };
    if let (Some(number), AskedPlace::Tree(place, ..)) = (opened, asked) {
        output.warn(&reply.warnings);
        let hits: Vec<_> = reply.results.iter().map(|hit| (&hit.path, hit.lines.first)).collect();
        return open::open(&place.root, &hits, number);
    }
    let queries = call.queries.unwrap_or_default();
    if request.mode == Mode::Compact && !is_for_programs {
        output.warn(&reply.warnings);
        if !reply.results.is_empty() {
            output.text(&text::batch(&reply, &queries, request.mode, &output.style))?;
        }
        // An editor may read both streams.
        if !vimgrep || io::stderr().is_terminal() {
            output.remark(&text::summary(&reply, &output.style))?;
        }
        return Ok(outcome(&reply));
    }
    output.warn_above(&reply.warnings);
    if let AskedPlace::Tree(place, ..) = asked
        && !is_for_programs
        && request.mode == Mode::Default
        && reply.snapshot.building.is_none()
    {
        // The search has compared the index with the tree, so the callers come from the same state.
        name_callers(&*place.open(current)?, &mut reply);
    }
    let rendered = match (given(matches, args::JSONL.name), output.json, queries.is_empty()) {
        (true, _, true) => json::search_lines(&reply, None, output.json_paths()),
        (true, _, false) => json::search_lines(&reply, Some(&queries), output.json_paths()),
        (_, true, true) => json::line(&json::search(&reply, None, output.json_paths())),
        (_, true, false) => json::line(&json::search(&reply, Some(&queries), output.json_paths())),
        (_, _, true) => text::search(&reply, request.mode, &output.style),
        (_, _, false) => text::batch(&reply, &queries, request.mode, &output.style),
    };
    if is_for_programs {
        output.json_text(&rendered)?;
    } else {
        output.text(&rendered)?;
    }
    Ok(outcome(&reply))
}

/// Answers each line of standard input with a line of JSON.
fn batch(
    asked: &AskedPlace<'_>,
    mut request: SearchRequest,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    if io::stdin().is_terminal() && !output.quiet {
        output.remark("spyhop: waiting for queries on standard input, one a line; Ctrl-D ends\n")?;
    }
    let mut whole = Outcome::Nothing;
    for line in io::stdin().lock().split(b'\n') {
        // A line that is not UTF-8 is searched too; it just finds little.
        let line = line?;
        request.query = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
        match asked.search(&request, output) {
            Ok(reply) => {
                if whole == Outcome::Nothing {
                    whole = outcome(&reply);
                }
                output.json(&json::search(&reply, None, output.json_paths()))?;
            }
            Err(error) => {
                whole = Outcome::Failed;
                output.json(&json::error(&error_text(&error), json::error_kind(error.kind())))?;
            }
        }
    }
    Ok(whole)
}

/// Names the callers of the first hit in its reasons, if the query names the definition.
fn name_callers(engine: &Engine, reply: &mut SearchReply) {
    let Some(hit) = reply.results.first_mut() else { return };
    let is_named = |reason: &Reason| reason.signal == Signal::Definition && reason.contribution > 0.0;
    let Some(symbol) = hit.symbol.as_ref().filter(|_| hit.reasons.iter().any(is_named)) else { return };
    let target = format!("{}#{symbol}", hit.path);
    let request =
        GraphRequest { max_results: CALLER_ROWS, ..GraphRequest::new(GraphQuestion::Callers, target) };
    // A search without the names of callers is complete, so a graph that cannot answer is no error.
    let Ok(callers) = engine.graph(&request) else { return };
    let mut names: Vec<String> =
        callers.rows.iter().filter_map(|row| row.from.as_ref().map(SymbolRow::qualified)).collect();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let others =
        if callers.total > callers.rows.len() || names.len() > CALLER_NAMES { " and others" } else { "" };
    names.truncate(CALLER_NAMES);
    let text = format!("reference: called by {}{others}", names.join(", "));
    match hit.reasons.iter_mut().find(|reason| reason.signal == Signal::Reference) {
        Some(reason) => reason.text = text,
        None => hit.reasons.push(Reason { signal: Signal::Reference, contribution: f32::MIN_POSITIVE, text }),
    }
}

fn search(
    engine: &Engine,
    first: &FirstIndex,
    request: &SearchRequest,
    output: &Output,
) -> Result<SearchReply, Error> {
    let bar = Bar::announcing(output, engine);
    let mut reply = engine.search_with_progress(request, &|progress| bar.update(progress))?;
    reply.warnings.extend(first.complete(engine, &reply.snapshot));
    Ok(reply)
}

fn outcome(reply: &SearchReply) -> Outcome {
    if reply.results.is_empty() { Outcome::Nothing } else { Outcome::Found }
}
