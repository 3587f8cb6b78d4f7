//! `spyhop gc`: removes from the index the branches and worktrees that are gone, and frees space.
//!
//! This module owns the exit code: 1 when the indexes still take more space than they may.

use clap::ArgMatches;
use spyhop_engine::Engine;
use spyhop_interface::catalog::{self, FilledRequest, GcRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::progress::Bar;
use super::values::fill_from;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(GcRequest::default(), options::for_writing(matches)?);
    fill_from(catalog::GC_ROWS, &mut call, matches, None)?;
    let GcRequest { max_bytes, dry_run } = call.request;
    let engine = Engine::open(&options::place(matches)?.root, call.options)?;
    let bar = Bar::new(output);
    let collected = engine.collect_within(max_bytes, dry_run, &|progress| bar.update(progress))?;
    drop(bar);
    output.done(&collected, |collected| text::collected(collected, dry_run))?;
    let fits = collected.room.is_none_or(|room| room.after <= room.max_bytes);
    Ok(if fits { Outcome::Found } else { Outcome::Nothing })
}
