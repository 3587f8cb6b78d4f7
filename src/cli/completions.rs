//! `spyhop completions SHELL`: a completion script on standard output.
//!
//! This module owns the list of shells, which is clap's. The script is built in memory first, because the generator
//! panics when its output pipe closes.

use std::io::Write;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::failure::{Failure, Outcome};

pub fn command() -> Command {
    let shell = Arg::new("shell")
        .value_name("SHELL")
        .required(true)
        .value_parser(value_parser!(Shell))
        .help("The shell");
    Command::new("completions").about("Print a completion script for a shell").arg(shell)
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let shell: Shell = *matches.get_one("shell").expect("the parser insists on it");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::command(), "spyhop", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Outcome::Found)
}
