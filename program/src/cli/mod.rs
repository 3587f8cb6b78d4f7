//! The command line: parse, dispatch, exit.
//!
//! This module owns exit codes and the handling of failures. Each subcommand has a file of its own, arguments come from
//! the catalog ([`args`]), and the search itself is the library's. Bare words are a search: the word `search` is
//! inserted in front of them before parsing, because with two grammars in the parser a query could not contain the name
//! of a subcommand. This way a query may contain any word anywhere but in the first place.

mod args;
mod examples;
mod explain;
mod failure;
mod family;
mod first;
mod huge;
mod log;
mod open;
mod options;
mod output;
mod pager;
mod place;
mod plain;
mod progress;
mod target;
mod values;
mod words;

mod archive;
mod completions;
mod file_graph;
mod files;
mod gc;
mod graph;
mod grep;
mod index;
mod install;
mod library;
mod lsp;
mod man;
mod mcp;
mod memory;
mod purge;
mod read;
mod search;
mod serve;
mod skipped;
mod sources;
mod symbols;
mod timings;
mod touch;
mod ui;
mod watch;
mod why_not;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use spyhop_engine::ErrorKind;
use spyhop_interface::catalog::{self, OperationRow};
use spyhop_interface::operations::{
    LIBRARY, ListedOperation, MEMORY, OPERATIONS, OperationId, SEMANTIC, SEMANTIC_HELP, SEMANTIC_OPERATIONS,
};
use spyhop_interface::render::clean;

use crate::limits::{self, WithoutThread};
use failure::{Failure, Outcome, complain};
use output::Output;

/// Runs an operation that is not plain.
fn run(operation: OperationId, matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    match operation {
        OperationId::Search => search::run(matches, output),
        OperationId::Grep => grep::run(matches, output),
        OperationId::Files => files::run(matches, output),
        OperationId::Symbols => symbols::run(matches, output),
        OperationId::Graph(question) => graph::run(question, matches, output),
        OperationId::FileGraph => file_graph::run(matches, output),
        OperationId::Read => read::run(matches, output),
        OperationId::Index => index::run(matches, output),
        OperationId::Watch => watch::run(matches, output),
        OperationId::Gc => gc::run(matches, output),
        OperationId::Export => archive::export(matches, output),
        OperationId::Import => archive::import(matches, output),
        OperationId::Skipped => skipped::run(matches, output),
        OperationId::WhyNot => why_not::run(matches, output),
        OperationId::Touch => touch::run(matches, output),
        OperationId::ExportNotes | OperationId::ImportNotes => {
            unreachable!("the command of the family runs them")
        }
    }
}

/// Runs the process.
pub fn main() -> ExitCode {
    match completions::answer_if_asked() {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            return ExitCode::from(2);
        }
    }
    let typed: Vec<OsString> = std::env::args_os().collect();
    let command = command_for(typed.get(1).and_then(|word| word.to_str()));
    let argv = words::with_exclusions(words::with_command(typed.clone(), &command), &command);
    let argv = words::with_ripgrep_config(argv);
    let argv = match argv {
        Ok(argv) => argv,
        Err(error) => {
            complain(&Failure::Io(error));
            return ExitCode::from(2);
        }
    };
    if let Some(code) = answer_before_parsing(&typed, &command) {
        return code;
    }
    let matches = match command.try_get_matches_from(argv) {
        Ok(matches) => matches,
        Err(error) => return refuse(error, &typed),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::from(2); // help has been shown: the parser insists on arguments
    };
    let code = dispatch(name, matches);
    let is_unknown = match &code {
        Err(Failure::Engine(error)) => ABOUT_WORDS.contains(&error.kind()),
        Err(Failure::Usage(_)) => true,
        _ => false,
    };
    let advice = if is_unknown { sources::advice(matches) } else { String::new() };
    let code = exit_code(code, name, &typed);
    if !advice.is_empty() {
        let _ = writeln!(io::stderr(), "{}", clean::lines(&advice));
    }
    code
}

/// Answers what the parser would misread: no words, `-h` alone, and a misspelled command, which would be a search.
fn answer_before_parsing(typed: &[OsString], command: &Command) -> Option<ExitCode> {
    if typed.len() == 1 {
        // A script that calls the program without words has made a mistake, so that this is an error with help.
        let _ = io::stderr().write_all(examples::WELCOME.as_bytes());
        return Some(ExitCode::from(2));
    }
    if typed.len() == 2 && typed[1] == "-h" {
        return Some(match io::stdout().write_all(examples::SHORT_HELP.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::SUCCESS,
        });
    }
    let first = first_word(typed);
    let name = words::misspelled(first, command)?;
    let rest = typed[1..].iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    complain(&Failure::Usage(format!(
        "'{first}' is not a command; did you mean '{name}'? To search for it: spyhop search {rest}"
    )));
    Some(ExitCode::from(2))
}

/// Reports that the parser refused the words, or shows the help that the words ask for.
fn refuse(error: clap::Error, typed: &[OsString]) -> ExitCode {
    let first = first_word(typed);
    if let Some(word) = typed.get(2).filter(|_| first == "help" && error.use_stderr()) {
        complain(&Failure::Usage(words::no_such_command(&word.to_string_lossy())));
        advise(typed);
        return ExitCode::from(2);
    }
    if let Some(text) = words::unsupported(&error, first) {
        complain(&Failure::Usage(text));
        return ExitCode::from(2);
    }
    let command = command();
    let name = if command.find_subcommand(first).is_some() { first } else { catalog::SEARCH.name };
    if let Some(text) = words::option_of_grep(&error, name, &command) {
        complain(&Failure::Usage(text));
        return ExitCode::from(2);
    }
    let is_help = !error.use_stderr();
    let code = usage(error);
    if !is_help {
        advise(typed);
    }
    code
}

/// The exit code of a command that ran; reports a failure.
fn exit_code(result: Result<Outcome, Failure>, name: &str, typed: &[OsString]) -> ExitCode {
    match result {
        Ok(Outcome::Found) => ExitCode::SUCCESS,
        Ok(outcome @ (Outcome::Nothing | Outcome::Failed)) => {
            // Answers of the look-ups by name have the advice.
            let is_advised = is_search(name) || ["files", "symbols"].contains(&name);
            if !is_advised && words::are_commands(typed, &command()) {
                advise(typed);
            }
            ExitCode::from(if outcome == Outcome::Nothing { 1 } else { 2 })
        }
        Ok(Outcome::Ended(code)) => ExitCode::from(code),
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            let is_about_words = match &failure {
                Failure::Usage(_) => true,
                // `spyhop read timeout` and `spyhop watch files` may be meant as searches.
                Failure::Engine(error) => {
                    let is_gone =
                        error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
                    is_gone || ABOUT_WORDS.contains(&error.kind())
                }
                Failure::Io(_) | Failure::Refused(_) => false,
            };
            if is_about_words && !is_search(name) && name != SEMANTIC {
                advise(typed);
            }
            ExitCode::from(2)
        }
    }
}

/// The kinds of failure of words that name nothing.
const ABOUT_WORDS: &[ErrorKind] = &[
    ErrorKind::BadRequest,
    ErrorKind::NotFound,
    ErrorKind::NoRoot,
    ErrorKind::BadSource,
    ErrorKind::UnknownSource,
];

/// The first word behind the name of the program, if the word is UTF-8; else an empty text.
fn first_word(typed: &[OsString]) -> &str {
    typed.get(1).and_then(|word| word.to_str()).unwrap_or_default()
}

/// Whether a command takes any words, so that a refusal is not about words that another command would take.
fn is_search(name: &str) -> bool {
    [catalog::SEARCH.name, catalog::GREP.name].contains(&name)
}

/// Tells how to search for words that a command refused.
fn advise(typed: &[OsString]) {
    if let Some(search) = words::search_instead(typed) {
        let _ = writeln!(io::stderr(), "\nTo search for these words: {}", clean::lines(&search));
    }
}

fn dispatch(name: &str, matches: &ArgMatches) -> Result<Outcome, Failure> {
    match name {
        "completions" => return completions::run(matches),
        "man" => return man::run(matches),
        "purge" => return purge::run(matches),
        "ui" => return ui::run(matches),
        MEMORY => return memory::run(matches),
        SEMANTIC => {
            limits::set_without_thread(WithoutThread::End);
            return family::run(SEMANTIC_OPERATIONS, matches, |_, _, _| {
                unreachable!("every operation is plain")
            });
        }
        LIBRARY => return library::run_family(matches),
        _ => {}
    }
    log::start(matches)?;
    if ["mcp", "serve", "lsp"].contains(&name) {
        limits::set_without_thread(WithoutThread::Unreported);
        return match name {
            "mcp" => mcp::run(matches),
            "serve" => serve::run(matches),
            _ => lsp::run(matches),
        };
    }
    limits::set_without_thread(WithoutThread::End);
    let mut output = Output::new(matches);
    let listed = OPERATIONS.iter().find(|operation| operation.row().name == name);
    let listed = listed.expect("the parser knows no other subcommand");
    // An exact search uses little memory of its own.
    crate::huge_pages(listed.id() != Some(OperationId::Grep));
    let outcome = match listed {
        ListedOperation::Own(id, _) => run(*id, matches, &mut output),
        ListedOperation::Plain(operation) => plain::run(*operation, matches, &mut output),
        ListedOperation::Library(operation) => library::run(*operation, matches, &mut output),
    };
    if let Some(table) = timings::table() {
        output.remark(&table)?;
    }
    outcome
}

/// The command with its subcommands for a first word. If that is not an option, only the subcommand of that name, or else the
/// search, has arguments: to describe all of them takes a tenth of the instructions of a search.
fn command_for(first: Option<&str>) -> Command {
    let Some(first) = first.filter(|word| !word.starts_with('-') && *word != HELP) else { return command() };
    let is_meant = |row: &&OperationRow| row.name == first || row.aliases.contains(&first);
    let operation = OPERATIONS.iter().map(ListedOperation::row).find(is_meant);
    let other = || OTHERS.iter().find(|(name, _)| *name == first).map(|(name, _)| *name);
    let only = operation.map(|row| row.name).or_else(other).unwrap_or(catalog::SEARCH.name);
    with_operations(|name| name == only)
}

/// The subcommand that the parser adds.
const HELP: &str = "help";

/// The command and its subcommands. The top-level command also has the search's arguments, so that they appear in its
/// help, completions and manual.
fn command() -> Command {
    with_operations(|_| true)
}

/// A function that describes a command.
type Describe = fn() -> Command;

/// The commands that are not operations of one tree, by name.
const OTHERS: [(&str, Describe); 10] = [
    (LIBRARY, library::command),
    (MEMORY, memory::command),
    (SEMANTIC, || family::command(SEMANTIC, SEMANTIC_HELP, SEMANTIC_OPERATIONS)),
    ("ui", ui::command),
    ("serve", serve::command),
    ("mcp", mcp::command),
    ("lsp", lsp::command),
    ("completions", completions::command),
    ("man", man::command),
    ("purge", purge::command),
];

/// The command and its subcommands, of which those whose names `is_whole` accepts have their arguments.
fn with_operations(is_whole: impl Fn(&str) -> bool) -> Command {
    let search = ListedOperation::Own(OperationId::Search, &catalog::SEARCH);
    let mut top = args::operation(&search, "spyhop")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Find code by what it does, and see why each hit is there")
        .override_usage("spyhop [OPTIONS] <QUERY>...\n       spyhop <COMMAND>")
        .after_long_help(format!(
            "{}\n\nA first word that is the name of a command is the command; anything else is a search.\n\
             Exit codes: 0 found, 1 nothing found, 2 error.",
            examples::section(catalog::SEARCH.name)
        ))
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg_required_else_help(true);
    for operation in OPERATIONS {
        let row = operation.row();
        if !is_whole(row.name) {
            top = top.subcommand(Command::new(row.name).visible_aliases(row.aliases.iter().copied()));
            continue;
        }
        let own = args::operation(operation, row.name);
        top = top.subcommand(match operation.id() {
            Some(OperationId::Index | OperationId::Watch) => index::extend(own),
            _ => own,
        });
    }
    for (name, whole) in OTHERS {
        top = top.subcommand(if is_whole(name) { whole() } else { Command::new(name) });
    }
    let names: Vec<String> = top.get_subcommands().map(|own| own.get_name().to_string()).collect();
    for name in names.iter().filter(|name| is_whole(name)) {
        top = top.mut_subcommand(name, |own| {
            own.after_help(format!("All options and examples: spyhop {name} --help"))
                .after_long_help(examples::section(name))
        });
    }
    top
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn a_typed_command_is_described_as_among_all_commands() {
        let help = |whole: &mut Command, name: &str| {
            whole.find_subcommand_mut(name).map(|own| own.render_long_help().to_string())
        };
        let mut all = command();
        let names: Vec<String> = all
            .get_subcommands()
            .flat_map(|own| own.get_name_and_visible_aliases())
            .map(String::from)
            .collect();
        assert!(names.len() > OTHERS.len());
        for name in &names {
            assert_eq!(help(&mut command_for(Some(name)), name), help(&mut all, name), "{name}");
            assert_eq!(command_for(Some(name)).get_subcommands().count(), all.get_subcommands().count());
        }
    }
}
