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
use super::{family, options};

/// The most bytes of an import.
const MAX_IMPORT_BYTES: u64 = 1 << 30;

pub fn command() -> Command {
    family::command(MEMORY, MEMORY_HELP, MEMORY_OPERATIONS)
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    family::run(MEMORY_OPERATIONS, matches, |listed, matches, output| match listed {
        ListedOperation::Own(OperationId::ExportNotes, _) => export(matches, output),
        _ => import(matches, output),
    })
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
    output.done(&imported, text::imported_notes)?;
    Ok(if imported.bad_lines.is_empty() { Outcome::Found } else { Outcome::Failed })
}
