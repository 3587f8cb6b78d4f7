//! `spyhop symbols [PATTERN]`: definitions by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every definition.

use std::io::{self, IsTerminal};

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::{ALL_ROWS, MAX_ROWS, SymbolsRequest};
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::huge;
use super::output::Output;
use super::progress::Bar;
use super::values::{fill_from, given, optional};
use super::{args, open, options};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let mut call = Call::new(SymbolsRequest::new(""), options::options(matches)?);
    fill_from(catalog::SYMBOLS_ROWS, &mut call, matches, Some(&place))?;
    // A program gets every definition, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::SYMBOLS_RESULTS.name).is_some();
    let vimgrep = given(matches, args::VIMGREP.name);
    let is_list = !output.json && (vimgrep || !output.is_terminal());
    let opened = open::wanted(matches);
    if is_list && !is_limited && opened.is_none() {
        call.request.max_results = ALL_ROWS;
    }
    call.request.max_results = call.request.max_results.max(opened.unwrap_or(0).min(MAX_ROWS));
    let engine = huge::open(&place, call.options, matches)?;
    let bar = Bar::announcing(output, &engine);
    let reply = engine.symbols_with_progress(&call.request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if let Some(number) = opened {
        let hits: Vec<_> = reply.symbols.iter().map(|row| (&row.path, row.lines.first)).collect();
        return open::open(&place.root, &hits, number);
    }
    if output.json {
        output.json(&json::symbols(&reply, output.json_paths()))?;
    } else if is_list {
        output.text(&text::symbol_lines(&reply, vimgrep, &output.style))?;
        if !vimgrep || io::stderr().is_terminal() {
            output.remark(&text::symbols_footer(&reply, &output.style))?;
        }
    } else {
        output.text(&text::symbols(&reply, &output.style))?;
    }
    Ok(if reply.symbols.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
