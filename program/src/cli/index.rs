//! `spyhop index [ROOT]`: builds the index, or brings it up to date.
//!
//! This module owns the argument `ROOT`, which is taken exactly, as `--root` is: the advice in the error about a
//! missing index names the tree in full, and following that advice must index that tree and not one around it.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use spyhop_engine::Engine;
use spyhop_interface::catalog::{self, FilledRequest, IndexRequest, params};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::progress::Bar;
use super::values::fill_from;
use super::{args, options};

/// Adds the positional argument `ROOT`.
pub fn extend(command: Command) -> Command {
    let tree =
        Arg::new(args::TREE).value_name("ROOT").help(params::ROOT.help).conflicts_with(params::ROOT.name);
    command.arg(tree.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::DirPath))
}

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let mut call = FilledRequest::new(IndexRequest::default(), options::for_writing(matches)?);
    fill_from(catalog::INDEX_ROWS, &mut call, matches, None)?;
    if let Some(path) = &call.request.explain {
        return super::explain::run(path, matches, call.options, output);
    }
    let engine = ManuallyDrop::new(Engine::open(&options::place(matches)?.root, call.options)?);
    let bar = Bar::announcing(output, &engine);
    let begun = Instant::now();
    let report = if call.request.rebuild {
        engine.rebuild(&|progress| bar.update(progress))
    } else {
        engine.refresh(&|progress| bar.update(progress))
    }?;
    drop(bar);
    if output.json {
        output.json(&report)?;
    } else if !output.quiet {
        output.text(&text::refresh(&report))?;
        output.text(&text::indexed(&report, begun.elapsed()))?;
    }
    Ok(Outcome::Found)
}
