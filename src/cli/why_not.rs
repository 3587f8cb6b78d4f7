//! `spyhop why-not FILE QUERY...`: shows why a file does not match, or where it ranks.
//!
//! This module owns the exit code: 0 when the file ranks, 1 when it does not, for whatever reason.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::Verdict;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::Place;
use super::request::{query, request};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = Place::of(matches)?;
    let file: &PathBuf = matches.get_one(catalog::FILE.name).expect("the parser insists on it");
    let file = place.relative(file)?;
    let request = request(query(matches), matches, &place)?;
    let answer = place.open(matches)?.why_not(file.as_str(), &request)?;
    if output.json {
        output.json(&json::why_not(&answer))?;
    } else {
        output.text(&text::why_not(&answer, &place.root, &output.style))?;
    }
    Ok(if answer.verdict == Verdict::Ranked { Outcome::Found } else { Outcome::Nothing })
}
