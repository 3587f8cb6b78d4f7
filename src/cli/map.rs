//! `spyhop map [PATH]`: the outline of a tree, a folder or a file.
//!
//! This module only makes the call.

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::MapRequest;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::huge;
use super::options;
use super::output::Output;
use super::progress::Bar;
use super::values::fill_from;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let mut call = Call::new(MapRequest::default(), options::options(matches)?);
    fill_from(catalog::MAP_ROWS, &mut call, matches, Some(&place))?;
    let engine = huge::open(&place, call.options, matches)?;
    let bar = Bar::announcing(output, &engine);
    let reply = engine.project_map_with_progress(&call.request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::map(&reply))?;
    } else {
        output.text(&text::map(&reply, &output.style))?;
    }
    Ok(if reply.entries.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
