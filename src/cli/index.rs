//! `spyhop index [ROOT]`: builds the index, or brings it up to date.
//!
//! This module owns the argument `ROOT`, which is taken exactly, as `--root` is: the advice in the error about a
//! missing index names the tree in full, and following that advice must index that tree and not one around it.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use spyhop::catalog;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given};
use super::progress::Bar;
use super::{Failure, Outcome};

/// Adds the positional argument `ROOT`.
pub fn extend(command: Command) -> Command {
    let tree =
        Arg::new("tree").value_name("ROOT").help(catalog::ROOT.help).conflicts_with(catalog::ROOT.name);
    command.arg(tree.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::DirPath))
}

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    if let Some(explained) = super::explain::run(matches, output) {
        return explained;
    }
    let engine = ManuallyDrop::new(Place::of(matches)?.open_for_writing(matches)?);
    let bar = Bar::new(output);
    let report = if given(matches, catalog::REBUILD.name) {
        engine.rebuild(&|progress| bar.update(progress))
    } else {
        engine.refresh(&|progress| bar.update(progress))
    }?;
    drop(bar);
    if output.json {
        output.json(&json::refresh(&report))?;
    } else if !output.quiet {
        output.text(&text::refresh(&report))?;
    }
    Ok(Outcome::Found)
}
