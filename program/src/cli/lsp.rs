//! `spyhop lsp`: a server for editors.
//!
//! This module owns the arguments. The folders come from the editor, each exactly as the editor names it.

use std::io::{self, IsTerminal, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::failure::{Failure, Outcome};
use super::{args, mcp, options};
use crate::lsp::{self, SessionEnd};

pub fn command() -> Command {
    // Several editors add this flag to the command of any server.
    let stdio = Arg::new("stdio").long("stdio").action(ArgAction::SetTrue).hide(true);
    Command::new("lsp")
        .about("Serve editors over the Language Server Protocol, on standard input and output")
        .arg(stdio)
        .arg(args::arg(&args::VERBOSE))
        .args(
            mcp::settings()
                .map(|param| args::arg(param).help_heading("Tree and index").hide_short_help(true)),
        )
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let options = options::options(matches)?;
    crate::live_long();
    if io::stdin().is_terminal() {
        let _ = writeln!(
            io::stderr(),
            "spyhop: waiting for an editor on standard input; docs/editors.md says how editors start the server"
        );
    }
    match lsp::serve(options, crate::give_back)? {
        SessionEnd::Orderly => Ok(Outcome::Found),
        SessionEnd::Abrupt => Ok(Outcome::Nothing),
    }
}
