//! `spyhop skipped`: the files that were seen and are not ranked, each with the reason.
//!
//! This module owns the filter by one reason, which only affects the display: the engine always returns all files.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop_engine::api::SkippedRequest;
use spyhop_interface::catalog::{self, FilledRequest, params};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::target::CommandTarget;
use super::values::{fill_from, optional};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(SkippedRequest::default(), options::options(matches)?);
    fill_from(catalog::SKIPPED_ROWS, &mut call, matches, None)?;
    if let Some(path) = optional::<PathBuf>(matches, params::EXPLAIN_SKIPS.name) {
        return super::explain::run(path, matches, call.options, output);
    }
    let asked = CommandTarget::new(matches, output)?;
    let reply = asked.open(&catalog::SKIPPED, call.options, matches)?.call(&call.request, output)?;
    output.reply(&reply, text::skipped)?;
    Ok(if reply.entries.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
