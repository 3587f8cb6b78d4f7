//! `spyhop views`: lists the views that an index keeps, and the size of each.

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
