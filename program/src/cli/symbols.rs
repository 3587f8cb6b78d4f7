//! `spyhop symbols [PATTERN]`: definitions by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every definition.

use std::io::{self, IsTerminal};

use clap::ArgMatches;
use spyhop_engine::api::{ALL_ROWS, MAX_ROWS, SymbolsReply, SymbolsRequest};
use spyhop_engine::{Call, Error};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::huge;
use super::output::Output;
use super::place::TreePlace;
use super::progress::Bar;
use super::values::{fill_for_sources, fill_from, given, optional};
use super::{args, open, options, sources};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(SymbolsRequest::new(""), options::options(matches)?);
    if sources::are_asked(matches)? {
        fill_for_sources(catalog::SYMBOLS_ROWS, &mut call, matches)?;
        let set = sources::open(matches, &call.options)?;
        output.show_paths_of_sources();
        return print(matches, output, call.request, None, |request, _| set.ask(request));
    }
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    fill_from(catalog::SYMBOLS_ROWS, &mut call, matches, Some(&place))?;
    let engine = huge::open(&place, call.options, matches)?;
    print(matches, output, call.request, Some(&place), |request, output| {
        let bar = Bar::announcing(output, &engine);
        engine.call(request, &Call::default().with_progress(&|progress| bar.update(progress)))
    })
}

fn print(
    matches: &ArgMatches,
    output: &mut Output,
    mut request: SymbolsRequest,
    place: Option<&TreePlace>,
    ask: impl FnOnce(&SymbolsRequest, &Output) -> Result<SymbolsReply, Error>,
) -> Result<Outcome, Failure> {
    // A program gets every definition, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::SYMBOLS_RESULTS.name).is_some();
    let vimgrep = given(matches, args::VIMGREP.name);
    let is_list = !output.json && (vimgrep || !output.is_terminal());
    let opened = open::wanted(matches);
    if is_list && !is_limited && opened.is_none() {
        request.max_results = ALL_ROWS;
    }
    request.max_results = request.max_results.max(opened.unwrap_or(0).min(MAX_ROWS));
    let reply = ask(&request, output)?;
    output.warn(&reply.warnings);
    if let (Some(number), Some(place)) = (opened, place) {
        let hits: Vec<_> = reply.symbols.iter().map(|row| (&row.path, row.lines.first)).collect();
        return open::open(&place.root, &hits, number);
    }
    if output.json {
        output.json(&reply)?;
    } else if is_list {
        output.text(&text::symbol_lines(&reply, vimgrep, &output.style))?;
        if !vimgrep || io::stderr().is_terminal() {
            output.remark(&text::symbols_footer(&reply, &output.style))?;
        }
    } else {
        output.text(&text::symbols(&reply, &output.style))?;
    }
    // Similar names are help for a reader, and not what was asked for.
    Ok(if reply.symbols.is_empty() || reply.are_similar { Outcome::Nothing } else { Outcome::Found })
}
