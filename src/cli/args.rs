//! Command-line arguments, generated from the catalog's rows.
//!
//! This module owns the spelling of arguments (`_` becomes `-`, and a subcommand's subject needs no flag) and the rows
//! that only a terminal needs. Help shows defaults, but this module never fills them in: a front end sets what the user
//! set, and the library's `Default` is the only place that defines the rest.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use spyhop::catalog::{self, Operation, Param, Takes};

const fn flag(name: &'static str, help: &'static str) -> Param {
    Param { name, aliases: &[], short: None, takes: Takes::Nothing, default: None, help }
}

pub const JSON: Param = flag("json", "Answer as one line of JSON");
pub const JSONL: Param = flag("jsonl", "Answer as JSON lines: one a hit, then one with everything else");
pub const BATCH: Param =
    flag("batch", "Read queries from standard input, one a line, and answer each with a line of JSON");
pub const COLOR: Param = Param {
    takes: Takes::Choice(colors),
    default: Some("auto"),
    ..flag("color", "Colours; auto: on a terminal, unless NO_COLOR is set")
};
pub const NO_HYPERLINKS: Param =
    flag("no_hyperlinks", "No links on paths; else they are links on a terminal");
pub const QUIET: Param = Param { short: Some('q'), ..flag("quiet", "No progress and no warnings") };
pub const VERBOSE: Param = Param {
    short: Some('v'),
    ..flag("verbose", "Log to standard error, more with -vv; SPYHOP_LOG chooses finely")
};

pub const PROFILE: Param = Param {
    takes: Takes::Path,
    ..flag(
        "profile",
        "Rank by the weights in this file instead of the built-in ones; eval/README.md tells how to fit one",
    )
};

/// The output and input options that only a search has.
const SEARCH_ONLY: &[&Param] = &[&JSONL, &BATCH];
/// The options of operations that rank.
const RANKED: &[&Param] = &[&PROFILE];
/// The operations that rank.
const RANKING: &[&str] = &[catalog::SEARCH.name, catalog::WHY_NOT.name];
/// The options that every operation has on a command line.
const EVERYWHERE: &[&Param] = &[&JSON, &COLOR, &NO_HYPERLINKS, &QUIET, &VERBOSE];

/// The operations that take their path without a flag, as grep does.
const WITH_PATH: &[&str] = &[catalog::grep::GREP.name, catalog::MAP.name];
/// The name of that path argument.
pub const HERE: &str = "here";

/// The command for an operation, under `name`.
pub fn operation(row: &'static Operation, name: &'static str) -> Command {
    let is_search = row.name == catalog::SEARCH.name;
    let forms = if is_search { SEARCH_ONLY } else { &[] };
    let ranked = if RANKING.contains(&row.name) { RANKED } else { &[] };
    let mut command = Command::new(name).about(row.help);
    if name == row.name {
        command = command.visible_aliases(row.aliases.iter().copied());
    }
    let groups = [
        ("", row.params),
        ("", ranked),
        ("Output", forms),
        ("Output", EVERYWHERE),
        ("Tree and index", catalog::PLACE),
    ];
    for (heading, params) in groups {
        for param in params {
            let arg = arg(param);
            command = command.arg(if heading.is_empty() { arg } else { arg.help_heading(heading) });
        }
    }
    match row.name {
        _ if is_search => one_source_of_queries(command),
        name if name == catalog::grep::GREP.name => as_in_grep(path_without_flag(command)),
        name if WITH_PATH.contains(&name) => path_without_flag(command),
        name if name == catalog::FIND_FILES.name => {
            command.mut_arg(catalog::NAME_PATTERN.name, |pattern| pattern.required(false))
        }
        name if name == catalog::SYMBOLS.name => {
            command.mut_arg(catalog::SYMBOL_PATTERN.name, |pattern| pattern.required(false))
        }
        _ => command,
    }
}

/// Adds `PATH` without a flag, after the other positional arguments.
fn path_without_flag(command: Command) -> Command {
    let path = Arg::new(HERE).value_name("PATH").help(catalog::PATH.help).conflicts_with(catalog::PATH.name);
    command.arg(path.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath))
}

/// Adjusts the command to what grep's users expect: any number of paths, a first positional argument that is a path
/// when `-e` gives the patterns, and the last flag wins among flags that contradict each other.
fn as_in_grep(command: Command) -> Command {
    let cases =
        [catalog::grep::IGNORE_CASE.name, catalog::grep::CASE_SENSITIVE.name, catalog::grep::SMART_CASE.name];
    let bounds = [catalog::grep::WORD.name, catalog::grep::LINE_REGEXP.name];
    let numbers = [catalog::grep::LINE_NUMBER.name, catalog::grep::NO_LINE_NUMBER.name];
    let headings = [catalog::grep::HEADING.name, catalog::grep::NO_HEADING.name];
    let names = [catalog::grep::WITH_FILENAME.name, catalog::grep::NO_FILENAME.name];
    let forms = [
        catalog::grep::COUNT.name,
        catalog::grep::COUNT_MATCHES.name,
        catalog::grep::FILES_WITH.name,
        catalog::grep::FILES_WITHOUT.name,
        catalog::grep::RG_JSON.name,
    ];
    let mut command = command
        .mut_arg(catalog::grep::PATTERN.name, |pattern| {
            pattern.index(1).required(false).required_unless_present(catalog::grep::REGEXP.name)
        })
        .mut_arg(HERE, |path| path.index(2).num_args(0..))
        .mut_arg(catalog::grep::REGEXP.name, |pattern| pattern.allow_hyphen_values(true))
        // `-v` has its meaning from grep.
        .mut_arg(VERBOSE.name, |verbose| verbose.short(None))
        // The last occurrence of an option counts.
        .args_override_self(true);
    for group in [&cases[..], &bounds, &numbers, &headings, &names, &forms] {
        for name in group {
            let others: Vec<&str> = group.iter().copied().filter(|other| other != name).collect();
            command = command.mut_arg(*name, |arg| arg.overrides_with_all(others));
        }
    }
    command
}

fn one_source_of_queries(command: Command) -> Command {
    let sources = [catalog::QUERY.name, catalog::QUERIES.name, BATCH.name];
    command
        .mut_arg(catalog::QUERY.name, |arg| arg.required(false))
        .group(clap::ArgGroup::new("source").args(sources).required(true))
        .mut_arg(JSONL.name, |arg| arg.conflicts_with_all([JSON.name, BATCH.name]))
}

/// The argument for a parameter.
pub fn arg(param: &'static Param) -> Arg {
    let mut help = param.help.to_string();
    if let Some(default) = param.default {
        help += &format!(" [default: {default}]");
    }
    // The engine parses these values, including their aliases; the argument parser only shows them.
    if let Takes::Choices(choices) = param.takes {
        help += &format!(" [possible values: {}]", choices().join(", "));
    }
    let mut arg = Arg::new(param.name).help(help);
    if !is_positional(param) {
        arg = arg.long(param.name.replace('_', "-")).value_name(value_name(param));
        arg = arg.visible_aliases(param.aliases.iter().map(|alias| alias.replace('_', "-")));
        arg = param.short.into_iter().fold(arg, |arg, short| arg.short(short));
    } else {
        arg = arg.value_name(param.name.to_uppercase());
    }
    match param.takes {
        Takes::Nothing if param.name == VERBOSE.name => arg.action(ArgAction::Count),
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::Text => arg,
        Takes::Texts => arg.num_args(1..).action(ArgAction::Append),
        Takes::Repeated => arg.action(ArgAction::Append),
        Takes::List | Takes::Choices(_) => arg.action(ArgAction::Append).value_delimiter(','),
        Takes::Choice(choices) => arg.value_parser(choices()),
        Takes::Number(..) => arg.value_parser(value_parser!(u64)),
        Takes::Fraction => arg.value_parser(value_parser!(f32)).allow_negative_numbers(true),
        Takes::Bytes => arg.value_parser(parse_bytes),
        Takes::Path => arg.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath),
        Takes::Paths => arg.num_args(1..).value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath),
    }
    .required(is_positional(param))
}

fn is_positional(param: &Param) -> bool {
    [
        catalog::QUERY.name,
        catalog::FILE.name,
        catalog::FILES.name,
        catalog::ARCHIVE.name,
        catalog::grep::PATTERN.name,
    ]
    .contains(&param.name)
}

fn value_name(param: &Param) -> &'static str {
    match param.takes {
        Takes::Number(..) | Takes::Fraction => "NUMBER",
        Takes::Bytes => "SIZE",
        Takes::Path | Takes::Paths => "PATH",
        Takes::Choice(_) | Takes::Choices(_) => "CHOICE",
        _ => "TEXT",
    }
}

/// Parses a number of bytes: digits, optionally with a suffix K, M or G.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        unit => return Err(format!("unknown unit '{unit}'; choose K, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("'{text}' is not a number of bytes"))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("'{text}' is too large"))
}

fn colors() -> Vec<&'static str> {
    vec!["auto", "always", "never"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("0"), Ok(0));
        assert_eq!(parse_bytes("12K"), Ok(12 << 10));
        assert_eq!(parse_bytes("3MiB"), Ok(3 << 20));
        assert_eq!(parse_bytes("1x"), Err("unknown unit 'x'; choose K, M or G".into()));
        assert_eq!(parse_bytes("M"), Err("'M' is not a number of bytes".into()));
        assert_eq!(parse_bytes("99999999999999G"), Err("'99999999999999G' is too large".into()));
    }
}
