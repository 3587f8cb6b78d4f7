//! `spyhop files [PATTERN]`: files by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every file.

use clap::ArgMatches;
use spyhop_engine::api::{ALL_ROWS, FilesRequest};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::first::FirstIndex;
use super::output::Output;
use super::target::CommandTarget;
use super::values::{given, optional};
use super::{args, options};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let mut call = FilledRequest::new(FilesRequest::new(""), options::options(matches)?);
    asked.fill(catalog::FILES_ROWS, &mut call, matches)?;
    let FilledRequest { mut request, options } = call;
    // A program gets every file, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::FILES_RESULTS.name).is_some();
    let null = given(matches, args::NULL.name);
    let is_list = !output.json && (null || !output.is_terminal());
    if is_list && !is_limited {
        request.max_results = ALL_ROWS;
    }
    let first = FirstIndex::new(&options);
    let trees = asked.open_first(&catalog::FIND_FILES, options, Some(first), matches)?;
    let mut reply = trees.call(&request, output)?;
    reply.warnings.extend(trees.complete(&reply.snapshot));
    output.warn(&reply.warnings);
    if is_list {
        let end = if null { '\0' } else { '\n' };
        output.data(&text::paths(&reply, end, &output.style))?;
        output.remark(&text::files_footer(&reply, &output.style))?;
        return Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found });
    }
    output.reply(&reply, text::files)?;
    Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
