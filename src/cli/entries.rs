//! `spyhop routes [FILTER]` and `spyhop commands [FILTER]`.

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::{EntriesRequest, EntryKind};
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::progress::Bar;
use super::values::fill_from;
use super::{huge, options};

pub fn routes(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    run(EntryKind::Route, matches, output)
}

pub fn commands(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    run(EntryKind::Command, matches, output)
}

fn run(kind: EntryKind, matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.style.paths = place.base();
    let mut call = Call::new(EntriesRequest::new(kind, ""), options::options(matches)?);
    fill_from(catalog::ENTRIES_ROWS, &mut call, matches, Some(&place))?;
    let engine = huge::open(&place, call.options, matches)?;
    let bar = Bar::announcing(output, &engine);
    let reply = engine.entries_with_progress(&call.request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::entries(&reply))?;
    } else {
        output.text(&text::entries(&reply, &output.style))?;
    }
    Ok(if reply.rows.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
