//! `spyhop files [PATTERN]`: files by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every file.

use clap::ArgMatches;
use spyhop_engine::api::{ALL_ROWS, FilesReply, FilesRequest};
use spyhop_engine::{Call, Error};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::first::FirstIndex;
use super::huge;
use super::output::Output;
use super::progress::Bar;
use super::values::{fill_for_sources, fill_from, given, optional};
use super::{args, options, sources};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(FilesRequest::new(""), options::options(matches)?);
    if sources::are_asked(matches)? {
        fill_for_sources(catalog::FILES_ROWS, &mut call, matches)?;
        let set = sources::open(matches, &call.options)?;
        output.show_paths_of_sources();
        return print(matches, output, call.request, |request, _| set.ask(request));
    }
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    fill_from(catalog::FILES_ROWS, &mut call, matches, Some(&place))?;
    let first = FirstIndex::new(&call.options);
    let engine = huge::open(&place, first.engine_options(call.options), matches)?;
    print(matches, output, call.request, |request, output| {
        let bar = Bar::announcing(output, &engine);
        let mut reply =
            engine.call(request, &Call::default().with_progress(&|progress| bar.update(progress)))?;
        reply.warnings.extend(first.complete(&engine, &reply.snapshot));
        Ok(reply)
    })
}

fn print(
    matches: &ArgMatches,
    output: &mut Output,
    mut request: FilesRequest,
    ask: impl FnOnce(&FilesRequest, &Output) -> Result<FilesReply, Error>,
) -> Result<Outcome, Failure> {
    // A program gets every file, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::FILES_RESULTS.name).is_some();
    let null = given(matches, args::NULL.name);
    let is_list = !output.json && (null || !output.is_terminal());
    if is_list && !is_limited {
        request.max_results = ALL_ROWS;
    }
    let reply = ask(&request, output)?;
    output.warn(&reply.warnings);
    if is_list {
        let end = if null { '\0' } else { '\n' };
        output.data(&text::paths(&reply, end, &output.style))?;
        output.remark(&text::files_footer(&reply, &output.style))?;
        return Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found });
    }
    if output.json {
        output.json(&reply)?;
    } else {
        output.text(&text::files(&reply, &output.style))?;
    }
    Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
