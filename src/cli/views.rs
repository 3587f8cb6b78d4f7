//! `spyhop views`: lists the views that an index keeps, and the size of each.

use clap::ArgMatches;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let views = options::place(matches)?.open(options::options(matches)?)?.views()?;
    if output.json {
        output.json(&json::views(&views))?;
    } else {
        output.text(&text::views(&views, &output.style))?;
    }
    Ok(Outcome::Found)
}
