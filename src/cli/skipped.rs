//! `spyhop skipped`: the files that were seen and are not ranked, each with the reason.
//!
//! This module owns the filter by one reason, which only affects the display: the engine always returns all files.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, optional};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    if let Some(explained) = super::explain::run(matches, output) {
        return explained;
    }
    let mut reply = Place::of(matches)?.open(matches)?.skipped()?;
    if let Some(reason) = optional::<String>(matches, catalog::REASON.name) {
        reply.entries.retain(|entry| entry.reason.name() == reason);
        reply.counts.retain(|(counted, _)| counted.name() == reason);
    }
    if output.json {
        output.json(&json::skipped(&reply))?;
    } else {
        output.text(&text::skipped(&reply, &output.style))?;
    }
    Ok(if reply.entries.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
