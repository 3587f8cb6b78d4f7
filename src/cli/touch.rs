//! `spyhop touch FILES...`: records which files are being worked on.
//!
//! This module owns the handling of bad paths: every good path is touched, each bad one is named, and the exit code
//! reports the failure.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop::catalog::params;
use spyhop::engine::Engine;

use super::failure::{Failure, Outcome, complain};
use super::options;
use super::output::Output;
use super::place::TreePlace;

pub fn run(matches: &ArgMatches, _: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    let engine = place.open(options::options(matches)?)?;
    let mut outcome = Outcome::Found;
    for file in matches.get_many::<PathBuf>(params::FILES.name).expect("the parser insists on one") {
        if let Err(failure) = touch(&place, &engine, file) {
            complain(&failure);
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}

fn touch(place: &TreePlace, engine: &Engine, file: &std::path::Path) -> Result<(), Failure> {
    Ok(engine.record_touch(place.relative(file)?.as_str())?)
}
