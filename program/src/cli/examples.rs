//! Examples of each command, for the long help and the manual; and the words for a command line without words.
//!
//! This module owns the texts. A test parses every example, so that none of them goes out of date.

/// What `spyhop` alone says.
pub const WELCOME: &str = include_str!("welcome.txt");

/// What `spyhop -h` prints; the parser's own list would take two screens.
pub const SHORT_HELP: &str = concat!(include_str!("welcome.txt"), include_str!("short_help.txt"));

/// The examples of all commands; see [`of`].
const EXAMPLES: &str = include_str!("examples.txt");

/// An example: the command line without `spyhop`, and what the line does.
type Example = (&'static str, &'static str);

/// The examples of a command; none for an unknown name.
pub fn of(command: &str) -> Vec<Example> {
    let own = EXAMPLES.lines().skip_while(|line| *line != command).skip(1);
    let rows = own.take_while(|line| line.starts_with(' '));
    rows.filter_map(|row| row.trim_start().split_once("  "))
        .map(|(line, does)| (line, does.trim_start()))
        .collect()
}

/// The section of a command's long help.
pub fn section(command: &str) -> String {
    let rows = of(command);
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
        let whole = SHORT_HELP;
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
