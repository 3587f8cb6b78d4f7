//! `spyhop read [PATH]`: lines of a file, or a definition by its name.
//!
//! This module owns the choice of the tree by a path that does not exist: the engine then names the nearest paths.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop_base::path::RelPath;
use spyhop_engine::Error;
use spyhop_engine::api::{ReadReply, ReadRequest, Remedy};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::place::TreePlace;
use super::target::CommandTarget;
use super::values::optional;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::with_place(matches, output, place)?;
    let mut call = FilledRequest::new(ReadRequest::default(), options::options(matches)?);
    asked.fill(catalog::READ_ROWS, &mut call, matches)?;
    if let Some(place) = asked.place() {
        call.request.path = word(matches, place)?.or(call.request.path);
    }
    let reply = asked.open(&catalog::READ, call.options, matches)?.call(&call.request, output);
    let reply = reply.map_err(|error| relative(error, output))?;
    let (warnings, outcome) = match &reply {
        ReadReply::Text(text) => (&text.warnings, Outcome::Found),
        ReadReply::Choices(choices) => (&choices.warnings, Outcome::Nothing),
    };
    output.warn(warnings);
    output.reply(&reply, text::read)?;
    Ok(outcome)
}

/// An error whose similar paths can be typed in the current folder.
fn relative(error: Error, output: &Output) -> Failure {
    match error.remedy() {
        Some(Remedy::ChoosePath(near)) => {
            Failure::Usage(text::with_shown_paths(&error.to_string(), near, &output.style.paths))
        }
        _ => error.into(),
    }
}

/// A typed word that is not the path of a file: the engine takes it for the name of a definition, wherever the current
/// folder is.
fn word(matches: &ArgMatches, place: &TreePlace) -> Result<Option<RelPath>, Failure> {
    let Some(path) = optional::<PathBuf>(matches, catalog::READ_PATH.name) else { return Ok(None) };
    let is_word = path.components().count() == 1 && !place.relative(path)?.below(&place.root).exists();
    // A place such as `a.rs:12` is relative to the current folder.
    let has_lines = path.to_string_lossy().contains([':', '#']) && !path.to_string_lossy().contains("::");
    Ok((is_word && !has_lines).then(|| RelPath::from_path(path).ok()).flatten())
}

/// The tree of the typed path, which need not exist.
fn place(matches: &ArgMatches) -> Result<TreePlace, Failure> {
    match (options::place(matches), optional::<PathBuf>(matches, catalog::READ_PATH.name)) {
        (Err(_), Some(path)) => {
            let (mut place, below) = TreePlace::of_entry(options::typed_root(matches)?.as_deref(), path)?;
            let below = RelPath::from_path(&below).map_err(|error| Failure::Usage(error.to_string()))?;
            place.path = Some(below.as_str().to_string());
            Ok(place)
        }
        // The engine takes names and places too, and reads those of the view.
        (place, _) => place.map(TreePlace::unchecked),
    }
}
