//! `spyhop views`: what an index keeps, and what each view of it costs.

use clap::ArgMatches;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::Place;
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let views = Place::of(matches)?.open(matches)?.views()?;
    if output.json {
        output.json(&json::views(&views))?;
    } else {
        output.text(&text::views(&views, &output.style))?;
    }
    Ok(Outcome::Found)
}
