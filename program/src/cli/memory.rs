//! `spyhop memory add` and its family: notes about the code.
//!
//! This module owns the streams of an export and an import.

use std::io::{self, Read};

use clap::{ArgMatches, Command};
use spyhop_base::input;
use spyhop_engine::Engine;
use spyhop_engine::api::{ExportNotesRequest, ImportNotesRequest};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::operations::{ListedOperation, MEMORY, MEMORY_HELP, MEMORY_OPERATIONS, OperationId};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::values::fill_from;
use super::{args, examples, log, options, plain};

/// The most bytes of an import.
const MAX_IMPORT_BYTES: u64 = 1 << 30;

pub fn command() -> Command {
    let mut family =
        Command::new(MEMORY).about(MEMORY_HELP).subcommand_required(true).arg_required_else_help(true);
    for listed in MEMORY_OPERATIONS {
        let name = name_of(listed);
        family = family.subcommand(
            args::operation(listed, name)
                .after_help(format!("All options and examples: spyhop {MEMORY} {name} --help"))
                .after_long_help(examples::section_of(listed.row().examples)),
        );
    }
    family
}

/// The name of an operation below the command.
fn name_of(listed: &ListedOperation) -> &'static str {
    listed.row().name.rsplit(' ').next().unwrap_or_default()
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let (name, matches) = matches.subcommand().expect("the parser insists on one");
    log::start(matches)?;
    let mut output = Output::new(matches);
    let listed = MEMORY_OPERATIONS.iter().find(|listed| name_of(listed) == name);
    match listed.expect("the parser knows no other subcommand") {
        ListedOperation::Own(OperationId::ExportNotes, _) => export(matches, &mut output),
        ListedOperation::Own(..) => import(matches, &mut output),
        ListedOperation::Plain(operation) => plain::run(*operation, matches, &mut output),
        ListedOperation::Library(_) => unreachable!("the family has no such operation"),
    }
}

fn export(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(ExportNotesRequest::default(), options::options(matches)?);
    fill_from(catalog::EXPORT_NOTES_ROWS, &mut call, matches, None)?;
    let engine = options::place(matches)?.open(call.options)?;
    let file = call.request.file.as_deref();
    let exported = file.map_or_else(|| engine.export_notes(), |file| engine.export_notes_to(file))?;
    output.warn(&exported.warnings);
    match file {
        None => output.json_lines(&exported.lines)?,
        Some(file) if exported.lines.is_empty() => {
            output.warn(&[format!("there are no notes; '{}' was not written", file.display())]);
        }
        Some(_) => {}
    }
    Ok(if exported.lines.is_empty() { Outcome::Nothing } else { Outcome::Found })
}

fn import(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(ImportNotesRequest::default(), options::options(matches)?);
    fill_from(catalog::IMPORT_NOTES_ROWS, &mut call, matches, None)?;
    let path = &call.request.file;
    let mut bytes = Vec::new();
    let read = match path.as_os_str() == "-" {
        true => io::stdin().lock().take(MAX_IMPORT_BYTES).read_to_end(&mut bytes),
        false => input::open_named(path).and_then(|file| file.take(MAX_IMPORT_BYTES).read_to_end(&mut bytes)),
    };
    read.map_err(|error| io::Error::new(error.kind(), format!("cannot read '{}': {error}", path.display())))?;
    let engine = Engine::open(&options::place(matches)?.root, call.options)?;
    let imported = engine.import_notes(&String::from_utf8_lossy(&bytes))?;
    output.warn(&imported.warnings);
    if output.json {
        output.json(&imported)?;
    } else if !output.quiet {
        output.text(&text::imported_notes(&imported))?;
    }
    Ok(if imported.bad_lines.is_empty() { Outcome::Found } else { Outcome::Failed })
}
