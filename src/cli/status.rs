//! `spyhop status`: the state of the index and what is in it.
//!
//! This module owns the exit code: 0 when there is an index, 1 when there is none, 2 when the index is damaged, so that
//! a script need not parse the output.

use clap::ArgMatches;
use spyhop::engine::api::State;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let status = options::place(matches)?.open(options::options(matches)?)?.status()?;
    if output.json {
        output.json(&json::status(&status))?;
    } else {
        output.text(&text::status(&status, &output.style))?;
    }
    Ok(match status.state {
        State::Missing => Outcome::Nothing,
        State::Damaged => Outcome::Failed,
        State::Indexing | State::Ready | State::Stale => Outcome::Found,
    })
}
