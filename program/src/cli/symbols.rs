//! `spyhop symbols [PATTERN]`: definitions by name.
//!
//! This module owns the default pattern: a missing pattern is an empty one, which lists every definition.

use std::io::{self, IsTerminal};

use clap::ArgMatches;
use spyhop_engine::api::{ALL_ROWS, MAX_ROWS, SymbolsRequest};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::target::CommandTarget;
use super::values::{given, optional};
use super::{args, open, options};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let mut call = FilledRequest::new(SymbolsRequest::new(""), options::options(matches)?);
    asked.fill(catalog::SYMBOLS_ROWS, &mut call, matches)?;
    let FilledRequest { mut request, options } = call;
    // A program gets every definition, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::SYMBOLS_RESULTS.name).is_some();
    let vimgrep = given(matches, args::VIMGREP.name);
    let is_list = !output.json && (vimgrep || !output.is_terminal());
    let opened = open::wanted(matches);
    if is_list && !is_limited && opened.is_none() {
        request.max_results = ALL_ROWS;
    }
    request.max_results = request.max_results.max(opened.unwrap_or(0).min(MAX_ROWS));
    let reply = asked.open(&catalog::SYMBOLS, options, matches)?.call(&request, output)?;
    output.warn(&reply.warnings);
    if let (Some(number), Some(place)) = (opened, asked.place()) {
        let hits: Vec<_> = reply.symbols.iter().map(|row| (&row.path, row.lines.first, 1)).collect();
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
