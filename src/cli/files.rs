//! `spyhop files [PATTERN]`: files by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every file.

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::{ALL_ROWS, FilesRequest};
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::first::FirstIndex;
use super::huge;
use super::output::Output;
use super::progress::Bar;
use super::values::{fill_from, given, optional};
use super::{args, options};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let mut call = Call::new(FilesRequest::new(""), options::options(matches)?);
    fill_from(catalog::FILES_ROWS, &mut call, matches, Some(&place))?;
    // A program gets every file, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::FILES_RESULTS.name).is_some();
    let null = given(matches, args::NULL.name);
    let is_list = !output.json && (null || !output.is_terminal());
    if is_list && !is_limited {
        call.request.max_results = ALL_ROWS;
    }
    let first = FirstIndex::new(&call.options);
    let engine = huge::open(&place, first.engine_options(call.options), matches)?;
    let bar = Bar::announcing(output, &engine);
    let mut reply = engine.files_with_progress(&call.request, &|progress| bar.update(progress))?;
    reply.warnings.extend(first.complete(&engine, &reply.snapshot));
    drop(bar);
    output.warn(&reply.warnings);
    if is_list {
        let end = if null { '\0' } else { '\n' };
        output.bytes(text::paths(&reply, end, &output.style).as_bytes())?;
        output.remark(&text::files_footer(&reply, &output.style))?;
        return Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found });
    }
    if output.json {
        output.json(&json::files(&reply, output.json_paths()))?;
    } else {
        output.text(&text::files(&reply, &output.style))?;
    }
    Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
