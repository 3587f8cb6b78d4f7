//! Runs a plain operation by its typed row.
//!
//! This module owns the order of the steps: the tree, the request, the engine, the answer, its form, the exit code.

use clap::ArgMatches;
use spyhop_engine::api::Progress;
use spyhop_interface::operations::{PlainOutcome, PlainReply, RunPlain};

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::progress::Bar;
use super::values::CommandValues;
use super::{huge, options, sources};

pub fn run(
    operation: &'static dyn RunPlain,
    matches: &ArgMatches,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    if operation.asks_sources() && sources::are_asked(matches)? {
        return run_on_sources(operation, matches, output);
    }
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let call = operation.prepare(options::options(matches)?, &CommandValues::new(matches, &place));
    let call = call.map_err(|error| Failure::Usage(error.to_string()))?;
    let reply = if operation.builds_index() {
        let engine = huge::open(&place, call.options, matches)?;
        let bar = Bar::announcing(output, &engine);
        (call.run)(&engine, &|progress: Progress| bar.update(progress))?
    } else {
        (call.run)(&*place.open(call.options)?, &|_| ())?
    };
    print(&*reply, output)
}

fn run_on_sources(
    operation: &'static dyn RunPlain,
    matches: &ArgMatches,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let call = operation.prepare(options::options(matches)?, &CommandValues::of_sources(matches)?);
    let call = call.map_err(|error| Failure::Usage(error.to_string()))?;
    let set = sources::open(matches, &call.options)?;
    output.show_paths_of_sources();
    let run = call.run_sources.expect("the operation can ask sources");
    print(&*run(&set)?, output)
}

fn print(reply: &dyn PlainReply, output: &mut Output) -> Result<Outcome, Failure> {
    output.warn(reply.warnings());
    if output.json {
        output.json_text(&reply.json(output.json_paths()))?;
    } else {
        output.text(&reply.text(&output.style))?;
    }
    Ok(match reply.outcome() {
        PlainOutcome::Found => Outcome::Found,
        PlainOutcome::Nothing => Outcome::Nothing,
        PlainOutcome::Failed => Outcome::Failed,
    })
}
