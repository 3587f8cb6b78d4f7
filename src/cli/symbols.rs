//! `spyhop symbols [PATTERN]`: definitions by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every definition.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::SymbolsRequest;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, optional};
use super::progress::Bar;
use super::request::{filter, number};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let pattern = optional::<String>(matches, catalog::SYMBOL_PATTERN.name).cloned();
    let mut request = SymbolsRequest::new(pattern.unwrap_or_default());
    request.filter = filter(matches, &place)?;
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::SYMBOLS_RESULTS.name).unwrap_or(request.max_results);
    let bar = Bar::new(output);
    let reply = place.open(matches)?.symbols_with_progress(&request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::symbols(&reply))?;
    } else {
        output.text(&text::symbols(&reply, &output.style))?;
    }
    Ok(if reply.symbols.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
