//! `spyhop export FILE` and `spyhop import FILE`: an index in a file, for another machine or another folder.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop_engine::Engine;
use spyhop_interface::catalog::{self, ExportRequest, FilledRequest, ImportRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::progress::Bar;
use super::values::{fill_from, optional};

pub fn export(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(ExportRequest::default(), options::options(matches)?);
    fill_from(catalog::EXPORT_ROWS, &mut call, matches, None)?;
    let archive = &call.request.archive;
    let typed = optional::<PathBuf>(matches, catalog::ARCHIVE.name).unwrap_or(archive);
    if typed.extension().is_none() && typed.components().count() == 1 {
        let typed = typed.display();
        return Err(Failure::Usage(format!(
            "'{typed}' has neither a folder nor an ending; write './{typed}' to export into a file of this name"
        )));
    }
    let engine = options::place(matches)?.open(call.options)?;
    let exported = engine.export(archive, &call.request.export)?;
    output.done(&exported, text::exported)?;
    Ok(Outcome::Found)
}

pub fn import(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(ImportRequest::default(), options::for_writing(matches)?);
    fill_from(catalog::IMPORT_ROWS, &mut call, matches, None)?;
    let engine = Engine::open(&options::place(matches)?.root, call.options)?;
    let ImportRequest { archive, import } = call.request;
    let bar = Bar::new(output);
    let imported = engine.import(&archive, &import, &|progress| bar.update(progress))?;
    drop(bar);
    output.done(&imported, text::imported)?;
    Ok(Outcome::Found)
}
