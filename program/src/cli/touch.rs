//! `spyhop touch FILES...`: records which files are being worked on.
//!
//! This module owns the handling of bad paths: every good path is touched, each bad one is named, and the exit code
//! reports the failure.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use spyhop_base::path::RelPath;
use spyhop_engine::Engine;
use spyhop_interface::catalog;

use super::failure::{Failure, Outcome, complain};
use super::options;
use super::output::Output;
use super::place::TreePlace;

pub fn run(matches: &ArgMatches, _: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    let engine = place.open(options::options(matches)?)?;
    let mut outcome = Outcome::Found;
    for file in matches.get_many::<PathBuf>(catalog::FILES.name).expect("the parser insists on one") {
        if let Err(failure) = touch(&place, &engine, file, matches) {
            complain(&failure);
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}

fn touch(place: &TreePlace, engine: &Engine, file: &Path, matches: &ArgMatches) -> Result<(), Failure> {
    match place.relative(file) {
        Ok(path) => Ok(engine.record_touch(path.as_str())?),
        Err(outside) if !file.exists() => Err(outside),
        // A file of another tree.
        Err(_) => {
            let (own, below) = TreePlace::of_entry(options::typed_root(matches)?.as_deref(), file)?;
            let below = RelPath::from_path(&below).map_err(|error| Failure::Usage(error.to_string()))?;
            Ok(own.open(options::options(matches)?)?.record_touch(below.as_str())?)
        }
    }
}
