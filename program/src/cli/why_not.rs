//! `spyhop why-not FILE QUERY...`: shows why a file does not match, or where it ranks.
//!
//! This module owns the exit code: 0 when the file ranks, 1 when it does not, for whatever reason.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{SearchRequest, Verdict, WhyNotRequest};
use spyhop_interface::catalog::{self, WhyNotCall};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::place::TreePlace;
use super::target::CommandTarget;
use super::values::optional;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::with_place(matches, output, place)?;
    let mut call =
        WhyNotCall::new(WhyNotRequest::new("", SearchRequest::new("")), options::options(matches)?);
    asked.fill(catalog::WHY_NOT_ROWS, &mut call, matches)?;
    let trees = asked.open(&catalog::WHY_NOT, call.options.clone(), matches)?;
    let answer = trees.call(&call.request, output)?;
    output.reply(&answer, text::why_not)?;
    Ok(if answer.verdict == Verdict::Ranked { Outcome::Found } else { Outcome::Nothing })
}

/// The tree: that of the file, if the file lies outside the current tree and no other path is given.
fn place(matches: &ArgMatches) -> Result<TreePlace, Failure> {
    let place = options::place(matches)?;
    let file = optional::<PathBuf>(matches, catalog::FILE.name).expect("the parser insists on a file");
    if place.path.is_some() || place.relative(file).is_ok() || !file.exists() {
        return Ok(place);
    }
    let (mut own, below) = TreePlace::of_entry(options::typed_root(matches)?.as_deref(), file)?;
    own.entry = Some(RelPath::from_path(&below).map_err(|error| Failure::Usage(error.to_string()))?);
    Ok(own)
}
