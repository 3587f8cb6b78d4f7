//! Questions to several sources of a library: `--in` and `--all`.
//!
//! This module owns the choice of the sources on a command line. Paths of such a question are relative to the root of each
//! source, so the current folder has no effect on them.

use std::sync::Arc;

use clap::ArgMatches;
use spyhop_engine::Corpus;
use spyhop_engine::api::Options;
use spyhop_interface::catalog::{self, AskedSources};
use spyhop_library::{Library, LibraryOptions, SourceChoice};

use super::failure::Failure;
use super::values::fill_from;

/// Whether the arguments ask sources of a library, and not one tree.
pub fn are_asked(matches: &ArgMatches) -> Result<bool, Failure> {
    let asked = choice(matches)?;
    match (asked.choice(), asked.library) {
        (Some(_), _) => Ok(true),
        (None, None) => Ok(false),
        (None, Some(_)) => {
            Err(Failure::Usage("--library has no effect without --all or --in; add one of them".to_string()))
        }
    }
}

fn choice(matches: &ArgMatches) -> Result<AskedSources, Failure> {
    let mut asked = AskedSources::default();
    fill_from(catalog::ASKED_SOURCES, &mut asked, matches, None)?;
    Ok(asked)
}

/// Opens the sources that the arguments ask for.
pub fn open(matches: &ArgMatches, options: &Options) -> Result<Arc<Corpus>, Failure> {
    let asked = choice(matches)?;
    let choice = asked.choice().unwrap_or(SourceChoice::All);
    let library = Library::open(LibraryOptions { root: asked.library, ..LibraryOptions::default() })?;
    Ok(library.reader(options.clone()).set(&choice)?)
}
