//! `spyhop completions SHELL`: a completion script on standard output, and the answers to the script's questions.
//!
//! This module owns which values complete which argument. The script of a shell calls the program with the variable
//! [`VARIABLE`] and the words of the command line, and the program answers with the candidates, so values that depend on
//! the tree are current: branches and tags. An answer opens no index, since it is wanted while somebody types. nushell
//! has no such script yet; its script has all commands, flags and fixed values.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter};
use spyhop_engine::{Engine, LanguageRow};
use spyhop_interface::catalog::{self, Takes, grep_params, params};
use spyhop_library::{Library, LibraryOptions, SourceManifest};
use spyhop_search::filter::type_definitions;

use super::failure::{Failure, Outcome};

/// The variable with which a script asks for candidates.
const VARIABLE: &str = "SPYHOP_COMPLETE";

/// The name under which scripts call the program.
const PROGRAM: &str = "spyhop";

const SHELL: &str = "shell";

/// The shell whose script is static.
const NUSHELL: &str = "nushell";

/// The shells whose scripts ask the program.
const SHELLS: &[&dyn EnvCompleter] = &[&Bash, &Elvish, &Fish, &Powershell, &Zsh];

pub fn command() -> Command {
    let names = SHELLS.iter().map(|shell| shell.name()).chain([NUSHELL]);
    let shell = Arg::new(SHELL)
        .value_name("SHELL")
        .required(true)
        .value_parser(PossibleValuesParser::new(names))
        .help("The shell");
    Command::new("completions").about("Print a completion script for a shell").arg(shell)
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let name: &String = matches.get_one(SHELL).expect("the parser insists on it");
    // A generator may panic when its output pipe closes, so the script is built in memory first.
    let mut script = Vec::new();
    match SHELLS.iter().find(|shell| shell.name() == name) {
        Some(shell) => shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?,
        None => {
            let mut command = with_fixed_values(super::command());
            clap_complete::generate(clap_complete_nushell::Nushell, &mut command, PROGRAM, &mut script);
        }
    }
    std::io::stdout().write_all(&script)?;
    Ok(Outcome::Found)
}

/// Prints the candidates if a script asks for them; returns whether one did.
pub fn answer_if_asked() -> Result<bool, Failure> {
    if std::env::var_os(VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return Ok(false);
    }
    let env = CompleteEnv::with_factory(|| with_values(super::command())).var(VARIABLE);
    let folder = std::env::current_dir().ok();
    env.try_complete(std::env::args_os(), folder.as_deref())
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// The command with candidates for the values of its arguments.
fn with_values(command: Command) -> Command {
    command.mut_args(with_candidates).mut_subcommands(with_values)
}

fn with_candidates(arg: Arg) -> Arg {
    let id = arg.get_id().as_str().to_string();
    if let Some(values) = fixed_values(&id) {
        return arg.add(ArgValueCandidates::new(values));
    }
    match id.as_str() {
        id if id == params::VIEW.name => arg.add(ArgValueCandidates::new(views)),
        id if id == params::PROFILE.name => arg.add(ArgValueCompleter::new(profiles())),
        id if [params::ROOT.name, params::INDEX_DIR.name, params::DB.name].contains(&id) => {
            arg.add(ArgValueCompleter::new(PathCompleter::dir()))
        }
        id if [catalog::SOURCE_NAME.name, catalog::IN.name].contains(&id) => {
            arg.add(ArgValueCandidates::new(sources))
        }
        id if id == catalog::SOURCE.name => arg.add(ArgValueCompleter::new(PathCompleter::any())),
        id if id == catalog::LIBRARY.name => arg.add(ArgValueCompleter::new(PathCompleter::dir())),
        id if id == params::PATH.name => arg.add(ArgValueCompleter::new(PathCompleter::dir())),
        _ => arg,
    }
}

/// The command with possible values in place of candidates, for a script that cannot ask.
fn with_fixed_values(command: Command) -> Command {
    let fix = |arg: Arg| match fixed_values(arg.get_id().as_str()) {
        Some(values) => {
            let values = values().into_iter().map(|value| value.get_value().to_string_lossy().into_owned());
            arg.value_parser(PossibleValuesParser::new(values.collect::<Vec<_>>()))
        }
        None => arg,
    };
    command.mut_args(fix).mut_subcommands(with_fixed_values)
}

type Candidates = fn() -> Vec<CompletionCandidate>;

/// The candidates of an argument that do not depend on the tree.
fn fixed_values(id: &str) -> Option<Candidates> {
    let tables: [(&str, Candidates); 5] = [
        (params::KIND.name, kinds),
        (params::LANG.name, languages),
        (grep_params::TYPE.name, types),
        (grep_params::TYPE_NOT.name, types),
        (super::man::COMMAND, commands),
    ];
    tables.iter().find(|(known, _)| *known == id).map(|(_, values)| *values)
}

fn kinds() -> Vec<CompletionCandidate> {
    let Takes::Choices(names) = params::KIND.takes else { return Vec::new() };
    names().into_iter().map(CompletionCandidate::new).collect()
}

fn languages() -> Vec<CompletionCandidate> {
    let row = |row: LanguageRow| CompletionCandidate::new(row.name).help(Some(row.title.into()));
    Engine::built_in_languages().into_iter().map(row).collect()
}

/// The file types of an exact search.
fn types() -> Vec<CompletionCandidate> {
    let types = type_definitions(&[]).unwrap_or_default();
    types
        .into_iter()
        .map(|(name, globs)| CompletionCandidate::new(name).help(Some(globs.join(", ").into())))
        .collect()
}

fn commands() -> Vec<CompletionCandidate> {
    let row =
        |command: &Command| CompletionCandidate::new(command.get_name()).help(command.get_about().cloned());
    super::command().get_subcommands().map(row).collect()
}

/// The branches and tags of the repository that the command line chooses.
fn views() -> Vec<CompletionCandidate> {
    let root = typed("--root", std::env::args_os()).unwrap_or_else(|| PathBuf::from("."));
    let names = Engine::revision_names(&root);
    names.into_iter().filter(|name| !name.starts_with('-')).map(CompletionCandidate::new).collect()
}

/// The names of the sources in the library that the command line chooses.
fn sources() -> Vec<CompletionCandidate> {
    let options =
        LibraryOptions { root: typed("--library", std::env::args_os()), ..LibraryOptions::default() };
    let listed = Library::open(options).and_then(|library| library.list());
    let row = |source: SourceManifest| {
        CompletionCandidate::new(source.name).help(Some(source.origin.location.into()))
    };
    listed.map(|reply| reply.sources.into_iter().map(row).collect()).unwrap_or_default()
}

/// The value of an option among the words of a command line.
fn typed(option: &str, words: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.skip_while(|word| word != "--").skip(1);
    while let Some(word) = words.next() {
        if word == option {
            return words.next().map(PathBuf::from);
        }
        let value = word.to_str().and_then(|word| word.strip_prefix(option)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.into());
        }
    }
    None
}

/// Ranking profiles, which are TOML files.
fn profiles() -> PathCompleter {
    PathCompleter::any().filter(|path: &Path| path.extension().is_some_and(|extension| extension == "toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_command_line_is_found() {
        let root = |line: &str| typed("--root", line.split(' ').map(OsString::from));
        assert_eq!(root("spyhop -- spyhop --root /a x"), Some("/a".into()));
        assert_eq!(root("spyhop -- spyhop --root=/a --view"), Some("/a".into()));
        assert_eq!(root("spyhop -- spyhop --view m"), None);
    }

    #[test]
    fn the_command_with_values_is_sound() {
        with_values(super::super::command()).debug_assert();
        with_fixed_values(super::super::command()).debug_assert();
    }
}
