//! Examples of each command, for the long help and the manual; and the words for a command line without words.
//!
//! This module owns the texts. A test parses every example, so that none of them goes out of date.

use spyhop_interface::catalog::Example;
use spyhop_interface::operations::{GROUPS, ListedOperation, OPERATIONS};

/// What `spyhop` alone says.
pub const WELCOME: &str = "\
Spyhop finds code by what it does, and says why each hit is there.

  spyhop QUERY...           ranked places        spyhop where is the retry delay computed
  spyhop grep PATTERN       every matching line  spyhop grep 'fn \\w+_key' src
  spyhop files [PATTERN]    files by name        spyhop files authstore
  spyhop symbols [PATTERN]  definitions by name  spyhop symbols Pool.take --kind method
  spyhop map [PATH]         an outline           spyhop map src

The first search indexes the tree around you; later ones index what changed.
Commands: spyhop -h. All options: spyhop --help. One: spyhop help COMMAND.
";

/// The commands that are not operations, as [`GROUPS`] has the operations.
const OTHER_GROUPS: &[(&str, &str)] = &[
    (
        "library list, update",
        "the sources in the library; also status, show, path, verify,\nrename, remove, unprotect, gc, intake, watch",
    ),
    ("memory add, search, list", "notes about the code, and those that help with a question"),
    ("semantic enable, build", "vectors of a model for this tree; off unless enabled"),
    ("mcp, mcp install CLIENT", "a server for coding agents, and how agents find it"),
    ("ui, serve, lsp", "a picker in the terminal, a page in the browser, a server\nfor editors"),
    ("completions, man, purge", "for a shell, the manual, before uninstalling"),
];

const SEARCH_OPTIONS: &str = "
Options of a search:
  -n, --max-results NUMBER  hits a page [default: 10]
      --path PATH, --here   only a folder or file, only the current folder
      --glob GLOB           only such paths; with ! before it, all others
      --lang, --kind TEXT   only a language, only a kind such as fn or struct
      --mode CHOICE         compact, default or debug
      --whole-page, --json  the whole page; one line of JSON
";

/// What `spyhop -h` prints; the parser's own list would take two screens.
pub fn short_help() -> String {
    let mut help = format!("{WELCOME}\nFurther commands:\n");
    for (names, purpose) in GROUPS.iter().chain(OTHER_GROUPS) {
        for (at, line) in purpose.lines().enumerate() {
            help += &format!("  {:<24}  {line}\n", if at == 0 { names } else { "" });
        }
    }
    help + SEARCH_OPTIONS
}

/// The examples of the commands that are not operations. An operation has its examples in the catalog.
const OTHER_COMMANDS: &[(&str, &[Example])] = &[
    (
        "library",
        &[
            ("library list", "the sources"),
            ("library update", "imports what is newer, of every source"),
            ("library remove keys", "a source with its index"),
        ],
    ),
    (
        "memory",
        &[
            ("memory add 'Retries lock the account' --kind failure --link src/up.rs", "records a note"),
            ("memory search uploads fail after three attempts", "the notes that help"),
            ("memory list --stale", "notes about code that has changed since"),
        ],
    ),
    (
        "semantic",
        &[
            ("semantic enable --table ~/models/potion-code", "a local table of vectors"),
            ("semantic build", "makes the vectors that are missing"),
        ],
    ),
    (
        "ui",
        &[
            ("ui", "a picker that searches while you type"),
            ("ui retry delay --print", "prints the places that are picked"),
        ],
    ),
    (
        "serve",
        &[
            ("serve --open", "a page about the current folder, in the browser"),
            ("serve ~/src/a ~/src/b --allow-open", "two trees; files open in your editor"),
        ],
    ),
    (
        "lsp",
        &[
            ("lsp", "a language server for the folders that an editor opens"),
            ("lsp -v", "with a log on standard error"),
        ],
    ),
    (
        "mcp",
        &[
            ("mcp ~/src/tree", "a server for one agent, over standard input and output"),
            ("mcp --http 127.0.0.1:7411 ~/src/tree", "a server for several agents"),
            ("mcp install claude-code", "adds the server to an agent's configuration"),
        ],
    ),
    (
        "completions",
        &[
            ("completions zsh", "a script for the shell's folder of completions"),
            ("completions bash", "a script for bash"),
        ],
    ),
    ("man", &[("man", "the manual page of spyhop"), ("man grep", "the page of one command")]),
    (
        "purge",
        &[
            ("purge --dry-run", "what Spyhop keeps on this machine"),
            ("purge", "lists it and removes it, if you say yes"),
        ],
    ),
];

/// The examples of a command; none for an unknown name.
pub fn of(command: &str) -> &'static [Example] {
    let operation = OPERATIONS.iter().map(ListedOperation::row).find(|row| row.name == command);
    let other = || OTHER_COMMANDS.iter().find(|(name, _)| *name == command).map(|(_, examples)| *examples);
    operation.map(|row| row.examples).or_else(other).unwrap_or_default()
}

/// The section of a command's long help.
pub fn section(command: &str) -> String {
    section_of(of(command))
}

/// The section of a long help with these examples.
pub fn section_of(rows: &[Example]) -> String {
    let width = rows.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
    let rows = rows.iter().map(|(line, does)| format!("\n  spyhop {line:<width$}  {does}"));
    format!("Examples:{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{command, words};
    use super::*;

    #[test]
    fn every_command_has_examples_that_parse() {
        let top = command();
        for own in top.get_subcommands().map(clap::Command::get_name) {
            assert!((2..=3).contains(&of(own).len()), "{own}");
            for (line, _) in of(own) {
                let words = line.split(' ').map(|word| word.trim_matches('\''));
                let argv: Vec<OsString> =
                    std::iter::once("spyhop").chain(words).map(OsString::from).collect();
                let argv = words::with_command(argv, &top);
                let parsed =
                    command().try_get_matches_from(argv).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(parsed.subcommand_name(), Some(own), "{line}");
            }
        }
    }

    #[test]
    fn short_help_fits_forty_lines() {
        let whole = short_help();
        assert!(whole.lines().count() <= 40, "{} lines", whole.lines().count());
        for own in command().get_subcommands().map(clap::Command::get_name) {
            assert!(whole.contains(own), "{own}");
        }
        for name in command().get_subcommands().map(clap::Command::get_name) {
            let argv = ["spyhop", name, "-h"];
            let help = command().term_width(80).try_get_matches_from(argv).unwrap_err().to_string();
            assert!(help.lines().count() <= 40, "{name}: {} lines\n{help}", help.lines().count());
        }
    }
}
