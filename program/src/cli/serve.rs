//! `spyhop serve [ROOT...]`: a page for people.
//!
//! This module owns the arguments, and what the person at the terminal sees: the link that lets a browser in. A root is
//! taken exactly, as by the server for agents.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use spyhop_interface::catalog;
use spyhop_interface::catalog::offer::ToolOffer;
use spyhop_interface::catalog::profile::ToolProfile;

use super::failure::{Failure, Outcome};
use super::{args, mcp, options, place, values};
use crate::http::{DEFAULT_HOST, Origin};
use crate::mcp::{Config, DataProfile};
use crate::serve::{self, Links, ServeConfig};

const ROOTS: &str = "roots";
const OPEN: &str = "open_page";
const PORT: &str = "port";
const ALLOW_OPEN: &str = "allow_open";
const EVAL: &str = "eval";
const TOKEN_FILE: &str = "token_file";

pub fn command() -> Command {
    let roots = Arg::new(ROOTS)
        .value_name("ROOT")
        .help("The trees to serve, each exactly this folder; else the current folder")
        .num_args(0..)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath);
    let flag = |id: &'static str, long: &'static str, help: &'static str| {
        Arg::new(id).long(long).help(help).action(ArgAction::SetTrue)
    };
    Command::new("serve")
        .about("Serve a page for people, and its HTTP interface, on this machine only")
        .arg(roots)
        .arg(flag(OPEN, "open", "Open the page in the browser"))
        .arg(
            Arg::new(PORT)
                .long(PORT)
                .value_name("NUMBER")
                .help(format!("The port; 0 for any that is free [default: {}]", serve::PORT))
                .value_parser(value_parser!(u16)),
        )
        .arg(flag(ALLOW_OPEN, "allow-open", "The page may open files in the editor that VISUAL or EDITOR names"))
        .arg(
            Arg::new(EVAL)
                .long(EVAL)
                .value_name("DIR")
                .help("Also show the runs of spyhop-eval in this folder, and save profiles there")
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath),
        )
        .arg(
            Arg::new(TOKEN_FILE)
                .long("token-file")
                .value_name("FILE")
                .help("The file with the token of scripts and cookies, made if it is not there; else each start has its own")
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath),
        )
        .arg(args::arg(&catalog::LIBRARY))
        .arg(args::arg(&args::VERBOSE))
        .args(mcp::settings().map(|param| args::arg(param).help_heading("Tree and index").hide_short_help(true)))
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let roots: Vec<PathBuf> =
        matches.get_many::<PathBuf>(ROOTS).map(|roots| roots.cloned().collect()).unwrap_or_default();
    let port = matches.get_one::<u16>(PORT).copied().unwrap_or(serve::PORT);
    let eval = matches.get_one::<PathBuf>(EVAL).cloned();
    if let Some(folder) = eval.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::Usage(format!("--eval '{}' is no folder", folder.display())));
    }
    let served = Config {
        library: values::optional::<PathBuf>(matches, catalog::LIBRARY.name).cloned(),
        roots: if roots.is_empty() { vec![place::here()?] } else { roots },
        options: options::options(matches)?,
        offer: ToolOffer::from(ToolProfile::Default),
        data: DataProfile::Lean,
        give_back: crate::give_back,
    };
    crate::live_long();
    let listening = serve::listen(ServeConfig {
        address: DEFAULT_HOST.at(port),
        token_file: matches.get_one::<PathBuf>(TOKEN_FILE).cloned(),
        served,
        can_open: matches.get_flag(ALLOW_OPEN),
        eval,
    })
    .map_err(mcp::failed)?;
    let links = listening.links();
    let link = drawn(&links)?;
    greet(&link, listening.token())?;
    if matches.get_flag(OPEN) {
        browse(&link);
    }
    offer_links(links);
    serve::serve(listening).map_err(mcp::failed)?;
    Ok(Outcome::Found)
}

fn drawn(links: &Links) -> Result<String, Failure> {
    links.draw().map_err(|error| Failure::Usage(error.to_string()))
}

/// Prints the link, and how scripts authenticate. A generated token is not printed: a script needs one that it knows.
fn greet(link: &str, token: &Origin) -> io::Result<()> {
    let mut lines = format!("spyhop: open {link}\nspyhop: the link works once");
    lines += if io::stdin().is_terminal() { "; Enter prints another, Ctrl-C ends\n" } else { "\n" };
    match token {
        Origin::Drawn(_) => {}
        Origin::File(path) => lines += &format!("spyhop: the token is the one in {}\n", path.display()),
        Origin::NewFile(path) => lines += &format!("spyhop: a token was written to {}\n", path.display()),
        Origin::Variable => lines += &format!("spyhop: the token is the one in {}\n", crate::http::VARIABLE),
    }
    io::stderr().write_all(lines.as_bytes())
}

/// Prints another link for each line that a person enters.
fn offer_links(links: Links) {
    if !io::stdin().is_terminal() {
        return;
    }
    let offer = move || {
        for _ in io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(link) = links.draw() else { return };
            // When standard error is closed, nobody can be told.
            let _ = writeln!(io::stderr(), "spyhop: open {link}");
        }
    };
    if let Err(error) = std::thread::Builder::new().spawn(offer) {
        tracing::debug!(%error, "no further links are offered");
    }
}

/// The program that opens an address in the user's browser.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["explorer"]
} else {
    &["xdg-open"]
};

/// Opens the link in the browser. A failure is told and does not end the server, since the link is printed.
fn browse(link: &str) {
    let started = Process::new(OPENER[0])
        .args(&OPENER[1..])
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => {
            let _ = std::thread::Builder::new().spawn(move || child.wait());
        }
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "spyhop: {} did not start: {error}; open the link yourself",
                OPENER[0]
            );
        }
    }
}
