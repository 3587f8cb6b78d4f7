//! `spyhop add`, and `spyhop library list` and its family: a library of sources.
//!
//! This module owns how long a command waits for another process, and the question before a huge folder is indexed.

use std::path::Path;
use std::time::Duration;

use clap::{ArgMatches, Command};
use spyhop_engine::api::Options;
use spyhop_interface::catalog::{self, SOURCE};
use spyhop_interface::operations::{
    LIBRARY, LIBRARY_HELP, LIBRARY_OPERATIONS, ListedOperation, PlainOutcome, RunLibrary,
};
use spyhop_interface::render::json::JsonPaths;
use spyhop_library::{Library, LibraryOptions};

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::progress::Bar;
use super::values::{CommandValues, fill_from, optional};
use super::{family, huge, options};

/// How long a command waits for another process that changes the library: as long as the import of a large archive.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval at which an operation is repeated.
const INTERVAL: Duration = Duration::from_secs(1);

pub fn command() -> Command {
    family::command(LIBRARY, LIBRARY_HELP, LIBRARY_OPERATIONS)
}

/// Runs an operation of the family.
pub fn run_family(matches: &ArgMatches) -> Result<Outcome, Failure> {
    family::run(LIBRARY_OPERATIONS, matches, |listed, matches, output| match listed {
        ListedOperation::Library(operation) => run(*operation, matches, output),
        ListedOperation::Own(..) | ListedOperation::Plain(_) => unreachable!("the family has no others"),
    })
}

/// Runs an operation of a library.
pub fn run(
    operation: &'static dyn RunLibrary,
    matches: &ArgMatches,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let options = options::for_writing(matches)?;
    let library = open(matches)?;
    if let Some(source) = optional::<String>(matches, SOURCE.name) {
        huge::check_folder(Path::new(source), &options, matches)?;
    }
    if operation.repeats() {
        return run_repeatedly(operation, &library, &options, matches, output);
    }
    let prepared = operation.prepare(&CommandValues::without_tree(matches));
    let run = prepared.map_err(|error| Failure::Usage(error.to_string()))?;
    let bar = Bar::new(output);
    let reply = run(&library, options, &|progress| bar.import(progress))?;
    drop(bar);
    output.warn(reply.warnings());
    let outcome = reply.outcome();
    if output.json {
        output.json_text(&reply.json(JsonPaths::default()))?;
    } else if !output.quiet || outcome == PlainOutcome::Failed || !operation.indexes() {
        output.text(&reply.text(&output.style))?;
    }
    Ok(outcome.into())
}

/// Runs an operation again and again until the process is killed. Prints a reply if something happened. A failure is reported
/// once, and the operation is tried again.
fn run_repeatedly(
    operation: &'static dyn RunLibrary,
    library: &Library,
    options: &Options,
    matches: &ArgMatches,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    crate::live_long();
    let mut reported = None;
    loop {
        let prepared = operation.prepare(&CommandValues::without_tree(matches));
        let run = prepared.map_err(|error| Failure::Usage(error.to_string()))?;
        match run(library, options.clone(), &|_| ()) {
            Ok(reply) => {
                reported = None;
                output.warn(reply.warnings());
                if reply.outcome() != PlainOutcome::Nothing {
                    match output.json {
                        true => output.json_text(&reply.json(JsonPaths::default()))?,
                        false => output.text(&reply.text(&output.style))?,
                    }
                }
            }
            Err(error) => {
                let text = format!("{error}; it is tried again");
                if reported.as_ref() != Some(&text) {
                    output.warn(std::slice::from_ref(&text));
                }
                reported = Some(text);
            }
        }
        std::thread::sleep(INTERVAL);
    }
}

/// The library that the arguments choose.
fn open(matches: &ArgMatches) -> Result<Library, Failure> {
    let mut place = LibraryOptions { wait: PATIENCE, ..LibraryOptions::default() };
    fill_from(catalog::LIBRARY_PLACE, &mut place, matches, None)?;
    Ok(Library::open(place)?)
}
