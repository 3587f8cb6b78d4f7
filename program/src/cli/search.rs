//! `spyhop QUERY...` and `spyhop search`: one query, several as one, or a batch from standard input.
//!
//! This module owns the three kinds of input and the three output formats. A batch answers every line of input with
//! exactly one line, errors included, so that a program on the other side can pair questions and answers by counting.

use std::io::{self, BufRead, IsTerminal};

use clap::ArgMatches;
use spyhop_engine::api::{MAX_RESULTS, MAX_ROWS, Mode, SearchBatch, SearchReply, SearchRequest};
use spyhop_engine::{Error, Operation};
use spyhop_interface::catalog::{self, SearchCall};
use spyhop_interface::render::{error_text, json, text};

use super::failure::{Failure, Outcome};
use super::first::FirstIndex;
use super::output::Output;
use super::target::{CommandTarget, OpenTrees};
use super::values::given;
use super::{args, open, options, words};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let mut call = SearchCall::new(options::options(matches)?);
    asked.fill(catalog::SEARCH_ROWS, &mut call, matches)?;
    let first = FirstIndex::new(&call.search.options);
    let options = call.search.options.clone();
    let trees = asked.open_first(&catalog::SEARCH, options, Some(first), matches)?;
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
    request.name_callers = !is_for_programs && request.mode == Mode::Default;
    if given(matches, args::BATCH.name) {
        return batch(&trees, request, output);
    }
    let mut reply = match &call.queries {
        Some(queries) => ask(&trees, &SearchBatch::new(queries.clone(), request.clone()), output)?,
        None => ask(&trees, &request, output)?,
    };
    if let (Some(number), Some(place)) = (opened, asked.place()) {
        output.warn(&reply.warnings);
        let hits: Vec<_> = reply.results.iter().map(|hit| (&hit.path, hit.lines.first, 1)).collect();
        return open::open(&place.root, &hits, number);
    }
    // Whoever asks for lines around the hits wants to see them, on however many screens.
    output.style.all |= request.expand > 0;
    let queries = call.queries.unwrap_or_default();
    if !is_for_programs && queries.is_empty() {
        reply.warnings.extend(words::filters_in(&request.query));
    }
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
    let paths = output.json_paths();
    let _span = tracing::debug_span!("render").entered();
    let rendered = match (given(matches, args::JSONL.name), output.json, queries.is_empty()) {
        (true, _, _) => paths.search_lines(reply.clone()),
        (_, true, _) => paths.line(&reply),
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

/// Asks. If the answer came from an unfinished index, a process completes the index.
fn ask<O: Operation<Reply = SearchReply>>(
    trees: &OpenTrees,
    request: &O,
    output: &Output,
) -> Result<SearchReply, Error> {
    let mut reply = trees.call(request, output)?;
    reply.warnings.extend(trees.complete(&reply.snapshot));
    Ok(reply)
}

/// Answers each line of standard input with a line of JSON.
fn batch(trees: &OpenTrees, mut request: SearchRequest, output: &mut Output) -> Result<Outcome, Failure> {
    if io::stdin().is_terminal() && !output.quiet {
        output.remark("spyhop: waiting for queries on standard input, one a line; Ctrl-D ends\n")?;
    }
    let mut whole = Outcome::Nothing;
    for line in io::stdin().lock().split(b'\n') {
        // A line that is not UTF-8 is searched too; it just finds little.
        let line = line?;
        request.query = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
        match ask(trees, &request, output) {
            Ok(reply) => {
                if whole == Outcome::Nothing {
                    whole = outcome(&reply);
                }
                output.json(&reply)?;
            }
            Err(error) => {
                whole = Outcome::Failed;
                output.json(&json::error(&error_text(&error), error.kind().name()))?;
            }
        }
    }
    Ok(whole)
}

fn outcome(reply: &SearchReply) -> Outcome {
    if reply.results.is_empty() { Outcome::Nothing } else { Outcome::Found }
}
