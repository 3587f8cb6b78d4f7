//! `spyhop man [COMMAND]`: a manual page on standard output, in roff.
//!
//! This module owns the choice of the page. The page is made from the same arguments that the parser uses.

use std::io::Write;

use clap::{Arg, ArgMatches, Command};

use super::failure::{Failure, Outcome};

/// The name of the argument that chooses a page.
pub const COMMAND: &str = "man_command";

pub fn command() -> Command {
    let name = Arg::new(COMMAND).value_name("COMMAND").help("The command; else the page of spyhop itself");
    Command::new("man").about("Print a manual page").arg(name)
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let mut top = super::command();
    top.build();
    let page = match matches.get_one::<String>(COMMAND) {
        None => top,
        Some(name) => match top.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let known: Vec<&str> = top.get_subcommands().map(Command::get_name).collect();
                return Err(Failure::Usage(format!(
                    "unknown command '{name}'; choose one of {}",
                    known.join(", ")
                )));
            }
        },
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    std::io::stdout().write_all(&roff)?;
    Ok(Outcome::Found)
}
