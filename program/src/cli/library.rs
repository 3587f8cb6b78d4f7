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
use super::{args, examples, huge, log, options};

/// How long a command waits for another process that changes the library: as long as the import of a large archive.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval at which an operation is repeated.
const INTERVAL: Duration = Duration::from_secs(1);

pub fn command() -> Command {
    let mut family =
        Command::new(LIBRARY).about(LIBRARY_HELP).subcommand_required(true).arg_required_else_help(true);
    for listed in LIBRARY_OPERATIONS {
        let name = name_of(listed);
        family = family.subcommand(
            args::operation(listed, name)
                .after_help(format!("All options and examples: spyhop {LIBRARY} {name} --help"))
                .after_long_help(examples::section_of(listed.row().examples)),
        );
    }
    family
}

/// The name of an operation below the command.
fn name_of(listed: &ListedOperation) -> &'static str {
    listed.row().name.rsplit(' ').next().unwrap_or_default()
}

/// Runs an operation of the family.
pub fn run_family(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let (name, matches) = matches.subcommand().expect("the parser insists on one");
    log::start(matches)?;
    let listed = LIBRARY_OPERATIONS.iter().find(|listed| name_of(listed) == name);
    match listed.expect("the parser knows no other subcommand") {
        ListedOperation::Library(operation) => run(*operation, matches, &mut Output::new(matches)),
        ListedOperation::Own(..) | ListedOperation::Plain(_) => unreachable!("the family has no others"),
    }
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
    let prepared = operation.prepare(options, &CommandValues::without_tree(matches));
    let run = prepared.map_err(|error| Failure::Usage(error.to_string()))?;
    let bar = Bar::new(output);
    let reply = run(&library, &|progress| bar.import(progress))?;
    drop(bar);
    output.warn(reply.warnings());
    let outcome = reply.outcome();
    if output.json {
        output.json_text(&reply.json(JsonPaths::default()))?;
    } else if !output.quiet || outcome == PlainOutcome::Failed || !operation.indexes() {
        output.text(&reply.text(&output.style))?;
    }
    Ok(match outcome {
        PlainOutcome::Found => Outcome::Found,
        PlainOutcome::Nothing => Outcome::Nothing,
        PlainOutcome::Failed => Outcome::Failed,
    })
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
        let prepared = operation.prepare(options.clone(), &CommandValues::without_tree(matches));
        let run = prepared.map_err(|error| Failure::Usage(error.to_string()))?;
        match run(library, &|_| ()) {
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
