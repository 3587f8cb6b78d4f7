//! `spyhop map [PATH]`: the outline of a tree, a folder or a file.
//!
//! This module only makes the call.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::MapRequest;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::Place;
use super::progress::Bar;
use super::request::{filter, number};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let mut request = MapRequest { filter: filter(matches, &place)?, ..MapRequest::default() };
    request.max_items = number(matches, catalog::MAX_ITEMS.name).unwrap_or(request.max_items);
    request.depth = number(matches, catalog::DEPTH.name).unwrap_or(request.depth);
    let bar = Bar::new(output);
    let reply = place.open(matches)?.project_map_with_progress(&request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::map(&reply))?;
    } else {
        output.text(&text::map(&reply, &output.style))?;
    }
    Ok(if reply.entries.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
