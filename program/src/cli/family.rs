//! Commands with subcommands, one for each operation of a family: `spyhop memory add`, `spyhop semantic build`.

use clap::{ArgMatches, Command};
use spyhop_interface::operations::ListedOperation;

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::{args, examples, log, plain};

/// The command of a family.
pub fn command(family: &'static str, help: &'static str, operations: &'static [ListedOperation]) -> Command {
    let mut command = Command::new(family).about(help).subcommand_required(true).arg_required_else_help(true);
    for listed in operations {
        let name = name_of(listed);
        command = command.subcommand(
            args::operation(listed, name)
                .after_help(format!("All options and examples: spyhop {family} {name} --help"))
                .after_long_help(examples::section(listed.row().name)),
        );
    }
    command
}

/// The name of an operation below the command.
fn name_of(listed: &ListedOperation) -> &'static str {
    listed.row().name.rsplit(' ').next().unwrap_or_default()
}

/// Runs the operation that the matches name. `own` runs one that is not plain.
pub fn run(
    operations: &'static [ListedOperation],
    matches: &ArgMatches,
    own: impl Fn(&ListedOperation, &ArgMatches, &mut Output) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let (name, matches) = matches.subcommand().expect("the parser insists on one");
    log::start(matches)?;
    let mut output = Output::new(matches);
    let listed = operations.iter().find(|listed| name_of(listed) == name);
    match listed.expect("the parser knows no other subcommand") {
        ListedOperation::Plain(operation) => plain::run(*operation, matches, &mut output),
        listed => own(listed, matches, &mut output),
    }
}
