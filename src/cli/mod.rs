//! The command line: parse, dispatch, exit.
//!
//! This module owns exit codes and the handling of failures. Each subcommand has a file of its own, arguments come from
//! the catalog ([`args`]), and the search itself is the library's. Bare words are a search: the word `search` is
//! inserted in front of them before parsing, because with two grammars in the parser a query could not contain the name
//! of a subcommand. This way a query may contain any word anywhere but in the first place.

mod args;
mod explain;
mod log;
mod output;
mod place;
mod progress;
mod request;

mod completions;
mod doctor;
mod files;
mod gc;
mod grep;
mod index;
mod install;
mod languages;
mod man;
mod map;
mod mcp;
mod portable;
mod search;
mod skipped;
mod status;
mod symbols;
mod touch;
mod views;
mod watch;
mod why_not;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use spyhop::catalog::{self, Operation};
use spyhop::engine::{Error, ErrorKind};
use spyhop::render::clean;

use crate::limits::{self, WithoutThread};
use output::Output;

/// The outcome of a run, with grep's distinction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Something was found or done.
    Found,
    /// Nothing was found.
    Nothing,
    /// A part failed, and the failure has been reported.
    Failed,
}

/// Why a run ended early.
#[derive(Debug)]
enum Failure {
    /// The engine rejected the request or failed.
    Engine(Error),
    /// The command line is invalid.
    Usage(String),
    /// A stream or folder failed.
    Io(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Engine(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

type Run = fn(&ArgMatches, &mut Output) -> Result<Outcome, Failure>;

/// Every operation of the catalog that the command line offers, with the function that runs it.
const COMMANDS: &[(&Operation, Run)] = &[
    (&catalog::SEARCH, search::run),
    (&catalog::grep::GREP, grep::run),
    (&catalog::FIND_FILES, files::run),
    (&catalog::SYMBOLS, symbols::run),
    (&catalog::MAP, map::run),
    (&catalog::INDEX, index::run),
    (&catalog::WATCH, watch::run),
    (&catalog::STATUS, status::run),
    (&catalog::VIEWS, views::run),
    (&catalog::GC, gc::run),
    (&catalog::DOCTOR, doctor::run),
    (&catalog::EXPORT, portable::export),
    (&catalog::IMPORT, portable::import),
    (&catalog::SKIPPED, skipped::run),
    (&catalog::WHY_NOT, why_not::run),
    (&catalog::TOUCH, touch::run),
    (&catalog::LANGUAGES, languages::run),
];

/// Runs the process.
pub fn main() -> ExitCode {
    let matches = match command().try_get_matches_from(with_command(std::env::args_os().collect())) {
        Ok(matches) => matches,
        Err(error) => return usage(error),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::from(2); // help has been shown: the parser insists on arguments
    };
    match dispatch(name, matches) {
        Ok(Outcome::Found) => ExitCode::SUCCESS,
        Ok(Outcome::Nothing) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            ExitCode::from(2)
        }
    }
}

fn dispatch(name: &str, matches: &ArgMatches) -> Result<Outcome, Failure> {
    match name {
        "completions" => return completions::run(matches),
        "man" => return man::run(matches),
        _ => {}
    }
    log::start(matches)?;
    if name == "mcp" {
        limits::set_without_thread(WithoutThread::Unreported);
        return mcp::run(matches);
    }
    limits::set_without_thread(WithoutThread::End);
    let mut output = Output::new(matches);
    let row = COMMANDS.iter().find(|(operation, _)| operation.name == name);
    let (_, run) = row.expect("the parser knows no other subcommand");
    run(matches, &mut output)
}

/// The command and its subcommands. The top-level command also has the search's arguments, so that they appear in its
/// help, completions and manual.
fn command() -> Command {
    let mut top = args::operation(&catalog::SEARCH, "spyhop")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Find code by what it does, and see why each hit is there")
        .override_usage("spyhop [OPTIONS] <QUERY>...\n       spyhop <COMMAND>")
        .after_help(
            "A first word that is the name of a command is the command; anything else is a search.\n\
             Exit codes: 0 found, 1 nothing found, 2 error.",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg_required_else_help(true);
    for (operation, _) in COMMANDS {
        let own = args::operation(operation, operation.name);
        let takes_tree = [catalog::INDEX.name, catalog::WATCH.name].contains(&operation.name);
        top = top.subcommand(if takes_tree { index::extend(own) } else { own });
    }
    top.subcommand(mcp::command()).subcommand(completions::command()).subcommand(man::command())
}

/// Puts the subcommand first: options before a subcommand move behind its name, and arguments without a subcommand get
/// `search`.
fn with_command(mut argv: Vec<OsString>) -> Vec<OsString> {
    let command = command();
    let at = first_word(&argv, &command);
    let is_command = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_own = |known: &Command| known.get_name_and_visible_aliases().contains(&&*word);
        word == "help" || command.get_subcommands().any(is_own)
    };
    let asks = |flag: &OsString| ["-h", "--help", "-V", "--version"].iter().any(|known| flag == known);
    match argv.get(at) {
        Some(word) if is_command(word) => argv[1..=at].rotate_right(1),
        None if argv.len() == 1 => {}
        _ if asks(&argv[1]) => {}
        _ => argv.insert(1, catalog::SEARCH.name.into()),
    }
    argv
}

/// The place of the first argument that is neither an option nor the value of one; behind the last where there is none.
/// `--` and an option that no subcommand has end the search: what follows belongs to a query.
fn first_word(argv: &[OsString], command: &Command) -> usize {
    let mut at = 1;
    while let Some(word) = argv.get(at).map(|word| word.to_string_lossy()) {
        if !word.starts_with('-') {
            return at;
        }
        let (flag, has_value) = match word.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (&*word, false),
        };
        match takes_value(flag, command) {
            Some(takes) => at += if takes && !has_value { 2 } else { 1 },
            None => break,
        }
    }
    argv.len()
}

/// Whether an option takes a value; `None` if neither the search nor a subcommand has the option. A short option may have
/// its value attached, as in `-n5`.
fn takes_value(flag: &str, command: &Command) -> Option<bool> {
    let commands = || std::iter::once(command).chain(command.get_subcommands());
    let takes = |arg: &clap::Arg| arg.get_action().takes_values();
    if let Some(long) = flag.strip_prefix("--") {
        let is_own = |arg: &&clap::Arg| {
            arg.get_long() == Some(long) || arg.get_all_aliases().is_some_and(|all| all.contains(&long))
        };
        return commands().find_map(|own| own.get_arguments().find(is_own)).map(takes);
    }
    let mut letters = flag.strip_prefix('-')?.chars();
    let short = letters.next()?;
    let arg = commands().find_map(|own| own.get_arguments().find(|arg| arg.get_short() == Some(short)))?;
    Some(takes(arg) && letters.next().is_none())
}

/// Prints the parser's message: help on standard output, errors on standard error in Spyhop's format.
fn usage(error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").map(|text| format!("spyhop: {text}")).unwrap_or(text);
    let _ = io::stderr().write_all(clean::lines(&text).as_bytes());
    ExitCode::from(2)
}

/// Reports a failure on standard error.
fn complain(failure: &Failure) {
    let text = match failure {
        Failure::Engine(error) if error.kind() == ErrorKind::NoIndex => format!("there is no index\n{error}"),
        Failure::Engine(error) => error.to_string(),
        Failure::Usage(text) => text.clone(),
        Failure::Io(error) => error.to_string(),
    };
    // When standard error is closed, nobody can be told; the exit code still reports the failure.
    let _ = writeln!(io::stderr(), "spyhop: {}", clean::lines(&text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_operation_has_a_command() {
        let names = |operations: &[&Operation]| operations.iter().map(|row| row.name).collect::<Vec<_>>();
        let offered: Vec<&Operation> = COMMANDS.iter().map(|(operation, _)| *operation).collect();
        assert_eq!(names(&offered), names(&catalog::OPERATIONS.iter().collect::<Vec<_>>()));
    }

    #[test]
    fn bare_words_are_a_search() {
        let check = |line: &str, expected: &str| {
            let argv = with_command(line.split(' ').map(OsString::from).collect());
            let words: Vec<&str> = argv.iter().map(|word| word.to_str().unwrap()).collect();
            assert_eq!(words.join(" "), expected);
        };
        check("spyhop", "spyhop");
        check("spyhop where is it", "spyhop search where is it");
        check("spyhop search index", "spyhop search index");
        check("spyhop index", "spyhop index");
        check("spyhop langs", "spyhop langs");
        check("spyhop -- index", "spyhop search -- index");
        check("spyhop --json index", "spyhop index --json");
        check("spyhop --root a -n1 --mode=compact files b c", "spyhop files --root a -n1 --mode=compact b c");
        check("spyhop -n 5 where is it", "spyhop search -n 5 where is it");
        check("spyhop --lang status", "spyhop search --lang status");
        check("spyhop --unknown status", "spyhop search --unknown status");
        check("spyhop --help", "spyhop --help");
        check("spyhop help", "spyhop help");
        check("spyhop help status", "spyhop help status");
        check("spyhop help me find it", "spyhop help me find it");
    }
}
