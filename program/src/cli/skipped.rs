//! `spyhop skipped`: the files that were seen and are not ranked, each with the reason.
//!
//! This module owns the filter by one reason, which only affects the display: the engine always returns all files.

use clap::ArgMatches;
use spyhop_interface::catalog::{self, FilledRequest, SkippedRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::huge;
use super::options;
use super::output::Output;
use super::values::fill_from;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(SkippedRequest::default(), options::options(matches)?);
    fill_from(catalog::SKIPPED_ROWS, &mut call, matches, None)?;
    if let Some(path) = &call.request.explain {
        return super::explain::run(path, matches, call.options, output);
    }
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let reply = huge::open(&place, call.options, matches)?.skipped()?.of_reason(call.request.reason);
    if output.json {
        output.json(&reply)?;
    } else {
        output.text(&text::skipped(&reply, &output.style))?;
    }
    Ok(if reply.entries.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
