//! `spyhop doctor`: checks the index.
//!
//! This module owns the exit code: 0 when nothing is damaged, 2 when something is.

use clap::ArgMatches;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::Place;
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let checkup = Place::of(matches)?.open(matches)?.doctor()?;
    if output.json {
        output.json(&json::checkup(&checkup))?;
    } else {
        output.text(&text::checkup(&checkup, &output.style))?;
    }
    Ok(if checkup.is_clean() { Outcome::Found } else { Outcome::Failed })
}
