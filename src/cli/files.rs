//! `spyhop files [PATTERN]`: files by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every file.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::FilesRequest;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, optional};
use super::progress::Bar;
use super::request::{filter, number};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let pattern = optional::<String>(matches, catalog::NAME_PATTERN.name).cloned();
    let mut request = FilesRequest::new(pattern.unwrap_or_default());
    request.filter = filter(matches, &place)?;
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::FILES_RESULTS.name).unwrap_or(request.max_results);
    let bar = Bar::new(output);
    let reply = place.open(matches)?.files_with_progress(&request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::files(&reply))?;
    } else {
        output.text(&text::files(&reply, &output.style))?;
    }
    Ok(if reply.files.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
