//! `spyhop gc`: removes from the index the branches and worktrees that are gone, and frees space.
//!
//! This module owns the exit code: 1 when the indexes still take more space than they may.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given, optional};
use super::progress::Bar;
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let dry_run = given(matches, catalog::DRY_RUN.name);
    let engine = Place::of(matches)?.open_for_writing(matches)?;
    let bar = Bar::new(output);
    let max_bytes = optional::<u64>(matches, catalog::MAX_BYTES.name).copied();
    let collected = engine.collect_within(max_bytes, dry_run, &|progress| bar.update(progress))?;
    drop(bar);
    if output.json {
        output.json(&json::collected(&collected))?;
    } else if !output.quiet {
        output.text(&text::collected(&collected, dry_run))?;
    }
    let fits = collected.room.is_none_or(|room| room.after <= room.max_bytes);
    Ok(if fits { Outcome::Found } else { Outcome::Nothing })
}
