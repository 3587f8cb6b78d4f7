//! `--explain-skips PATH`, of `skipped` and of `index`: shows which rule leaves a path out.
//!
//! This module owns the exit code, which is that of `git check-ignore`: 0 when a rule leaves the path out, 1 when no
//! rule does. An absolute path outside the current tree chooses its own tree, as with `--path`.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::PathOutcome;
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, optional};
use super::{Failure, Outcome};

/// Runs if `--explain-skips` is given; `None` otherwise.
pub fn run(matches: &ArgMatches, output: &mut Output) -> Option<Result<Outcome, Failure>> {
    let path = optional::<PathBuf>(matches, catalog::EXPLAIN_SKIPS.name)?;
    Some(explain(path, matches, output))
}

fn explain(path: &Path, matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let (place, path) = Place::of_entry(matches, path)?;
    let explanation = place.open(matches)?.explain_skips(path)?;
    if output.json {
        output.json(&json::explanation(&explanation))?;
    } else {
        output.text(&text::explanation(&explanation, &output.style))?;
    }
    Ok(match explanation.fate {
        PathOutcome::LeftOut(..) | PathOutcome::PathOnly(_) => Outcome::Found,
        PathOutcome::Indexed | PathOutcome::Folder | PathOutcome::Missing => Outcome::Nothing,
    })
}
