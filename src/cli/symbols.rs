//! `spyhop symbols [PATTERN]`: definitions by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every definition.

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::SymbolsRequest;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::huge;
use super::options;
use super::output::Output;
use super::progress::Bar;
use super::values::fill_from;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.style.paths = place.base();
    let mut call = Call::new(SymbolsRequest::new(""), options::options(matches)?);
    fill_from(catalog::SYMBOLS_ROWS, &mut call, matches, Some(&place))?;
    let engine = huge::open(&place, call.options, matches)?;
    let bar = Bar::announcing(output, &engine);
    let reply = engine.symbols_with_progress(&call.request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::symbols(&reply))?;
    } else {
        output.text(&text::symbols(&reply, &output.style))?;
    }
    Ok(if reply.symbols.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
