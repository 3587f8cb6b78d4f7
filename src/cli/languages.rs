//! `spyhop languages`: the languages this binary knows.
//!
//! This module only makes the call; names and extensions come from the grammar folders.

use clap::ArgMatches;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let rows = options::place(matches)?.open(options::options(matches)?)?.languages();
    if output.json {
        output.json(&json::languages(&rows))?;
    } else {
        output.text(&text::languages(&rows, &output.style))?;
    }
    Ok(Outcome::Found)
}
