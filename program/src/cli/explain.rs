//! `--explain-skips PATH`, of `skipped` and of `index`: shows which rule leaves a path out.
//!
//! This module owns the exit code, which is that of `git check-ignore`: 0 when a rule leaves the path out, 1 when no
//! rule does. An absolute path outside the current tree chooses its own tree, as with `--path`.

use std::path::Path;

use clap::ArgMatches;
use spyhop_base::path::PathBase;
use spyhop_engine::api::{ExplainSkipsRequest, Options, PathOutcome};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::place::TreePlace;

pub fn run(
    path: &Path,
    matches: &ArgMatches,
    options: Options,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let (place, path) = TreePlace::of_entry(options::typed_root(matches)?.as_deref(), path)?;
    output.show_paths(&place, PathBase::Root);
    let explanation = place.open(options)?.ask(&ExplainSkipsRequest { path })?;
    output.reply(&explanation, text::explanation)?;
    Ok(match explanation.outcome {
        PathOutcome::LeftOut(..) | PathOutcome::PathOnly(_) => Outcome::Found,
        _ => Outcome::Nothing,
    })
}
