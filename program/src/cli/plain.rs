//! Runs a plain operation by its typed row.
//!
//! This module owns the order of the steps: the request, what is asked, the answer, its form, the exit code.

use clap::ArgMatches;
use spyhop_interface::operations::RunPlain;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::target::CommandTarget;

pub fn run(
    operation: &'static dyn RunPlain,
    matches: &ArgMatches,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let call = operation.prepare(options::options(matches)?, &asked.values(matches)?);
    let call = call.map_err(|error| Failure::Usage(error.to_string()))?;
    let trees = asked.open(operation.operation(), call.options, matches)?;
    let reply = trees.run(output, call.run)?;
    output.warn(reply.warnings());
    if output.json {
        output.json_text(&reply.json(output.json_paths()))?;
    } else {
        output.text(&reply.text(&output.style))?;
    }
    Ok(reply.outcome().into())
}
