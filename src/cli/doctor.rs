//! `spyhop doctor`: checks the index.
//!
//! This module owns the exit code: 0 when nothing is damaged, 2 when something is.

use clap::ArgMatches;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let checkup = options::place(matches)?.open(options::options(matches)?)?.doctor()?;
    if output.json {
        output.json(&json::checkup(&checkup))?;
    } else {
        output.text(&text::checkup(&checkup, &output.style))?;
    }
    Ok(if checkup.is_clean() { Outcome::Found } else { Outcome::Failed })
}
