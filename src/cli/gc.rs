//! `spyhop gc`: gives back what the index holds of branches and worktrees that are gone.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given};
use super::progress::Bar;
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let dry_run = given(matches, catalog::DRY_RUN.name);
    let engine = Place::of(matches)?.open_for_writing(matches)?;
    let bar = Bar::new(output);
    let collected = engine.collect(dry_run, &|progress| bar.update(progress))?;
    drop(bar);
    if output.json {
        output.json(&json::collected(&collected))?;
    } else if !output.quiet {
        output.text(&text::collected(&collected, dry_run))?;
    }
    Ok(Outcome::Found)
}
