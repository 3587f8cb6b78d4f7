//! `spyhop grep PATTERN [PATH]`: every line that matches.
//!
//! It owns nothing but the call: the pattern is one argument, taken as it is typed.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::GrepRequest;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given, optional};
use super::request::{filter, number};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let pattern: &String = matches.get_one(catalog::PATTERN.name).expect("the parser insists on it");
    let mut request = GrepRequest::new(pattern);
    request.fixed = given(matches, catalog::FIXED.name);
    request.ignore_case = given(matches, catalog::IGNORE_CASE.name);
    request.word = given(matches, catalog::WORD.name);
    request.filter = filter(matches, &place)?;
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::GREP_RESULTS.name).unwrap_or(request.max_results);
    request.expand = number(matches, catalog::GREP_EXPAND.name).unwrap_or(request.expand);
    let reply = place.open(matches)?.grep(&request)?;
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::grep(&reply))?;
    } else {
        output.text(&text::grep(&reply, &output.style))?;
    }
    Ok(if reply.lines.is_empty() { Outcome::Nothing } else { Outcome::Found })
}
