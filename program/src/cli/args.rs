//! Command-line arguments, generated from the catalog's rows.
//!
//! This module owns the spelling of arguments (`_` becomes `-`, and a subcommand's subject needs no flag) and the rows
//! that only a terminal needs. Help shows defaults, but this module never fills them in: a front end sets what the user
//! set, and the library's `Default` is the only place that defines the rest.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use spyhop_engine::api::{GraphQuestion, Mode};
use spyhop_interface::catalog::{
    self, DIFF, Faces, Param, Positional, TARGET, Takes, grep_params as grep, param, params,
};
use spyhop_interface::operations::{ListedOperation, OperationId};

const fn flag(name: &'static str, help: &'static str) -> Param {
    param(name, Takes::Nothing, help)
}

pub const JSON: Param = flag("json", "Answer as one line of JSON");
pub const ABSOLUTE: Param = flag(
    "absolute",
    "Absolute paths; in JSON a field absolute beside each path, which stays relative to the root",
);
pub const JSONL: Param = flag("jsonl", "Answer as JSON lines: one a hit, then one with everything else");
pub const BATCH: Param =
    flag("batch", "Read queries from standard input, one a line, and answer each with a line of JSON");
pub const OPEN: Param = param(
    "open",
    Takes::Number(1, 1_000),
    "Open this hit of the answer, counted from 1, in $VISUAL or $EDITOR instead of showing the answer",
);
pub const VIMGREP: Param =
    flag("vimgrep", "A line for each result, path:line:column: text, and nothing else");
pub const GRAPH_MODE: Param = Param {
    default: Some("default"),
    ..param(
        "mode",
        Takes::Choice(catalog::names::<Mode>),
        "compact: path:line:column: text; default: owner and code; debug: confidence and rule of each row",
    )
};
pub const NULL: Param =
    Param { short: Some('0'), ..flag("null", "Paths only, each with a NUL after it, for xargs -0") };
pub const WHOLE_PAGE: Param = flag("whole_page", "Show the whole page, however many screens it takes");
pub const COLOR: Param = Param {
    takes: Takes::Choice(colors),
    default: Some("auto"),
    ..flag("color", "Colours; auto: on a terminal, unless NO_COLOR is set")
};
pub const NO_HYPERLINKS: Param =
    flag("no_hyperlinks", "No links on paths; else they are links on a terminal");
pub const NO_PAGER: Param =
    flag("no_pager", "No pager; else SPYHOP_PAGER, PAGER or less shows what does not fit the screen");
pub const QUIET: Param = Param { short: Some('q'), ..flag("quiet", "No progress and no warnings") };
pub const YES: Param = flag("yes", "Index a huge folder, such as a home folder, without asking");
pub const VERBOSE: Param = Param {
    short: Some('v'),
    ..flag("verbose", "Log to standard error, more with -vv; SPYHOP_LOG chooses finely")
};

pub const TIMINGS: Param = flag(
    "timings",
    "Tell on standard error how long each stage of the answer took, without the stages within it",
);

/// The output and input options that only a search has.
const SEARCH_ONLY: &[&Param] = &[&OPEN, &WHOLE_PAGE, &VIMGREP, &JSONL, &BATCH];
/// The output options that only the look-up of files has.
const FILES_ONLY: &[&Param] = &[&NULL];
/// The output options that only the look-up of definitions has.
const SYMBOLS_ONLY: &[&Param] = &[&OPEN, &VIMGREP];
/// The output options that only the code graph has.
const GRAPH_ONLY: &[&Param] = &[&GRAPH_MODE, &OPEN, &VIMGREP];
/// The output options that only an exact search has, beside those of ripgrep.
const GREP_ONLY: &[&Param] = &[&OPEN];
/// The options that every operation has on a command line.
const EVERYWHERE: &[&Param] = &[&JSON, &COLOR, &NO_HYPERLINKS, &NO_PAGER, &QUIET, &VERBOSE, &TIMINGS];

/// A command with this many own parameters shows all of them in its short help.
const FEW: usize = 5;
/// The parameters that the short help of a command with more shows.
const SHORT: &[&str] = &[
    params::QUERY.name,
    catalog::SOURCE.name,
    catalog::NEW_NAME.name,
    catalog::REF.name,
    catalog::SOURCE_FOLDER.name,
    catalog::SNAPSHOT.name,
    catalog::NAME_PATTERN.name,
    catalog::FILE.name,
    params::MAX_RESULTS.name,
    params::PATH.name,
    params::PATH_GLOB.name,
    params::LANG.name,
    catalog::MODE.name,
    catalog::DEPTH.name,
    grep::FIXED.name,
    grep::IGNORE_CASE.name,
    grep::WORD.name,
    grep::FILES_WITH.name,
    grep::COUNT.name,
    WHOLE_PAGE.name,
    catalog::ALL_SOURCES.name,
    JSON.name,
    NULL.name,
];

/// The heading of the parameters that choose a tree.
const PLACE_HEADING: &str = "Tree and index";
/// The heading of the parameters that choose a library.
const LIBRARY_HEADING: &str = "Library";

/// The name of the path argument without a flag.
pub const HERE: &str = "path_argument";
/// The name of the root argument without a flag.
pub const TREE: &str = "tree";

/// The command for an operation, under `name`.
pub fn operation(listed: &ListedOperation, name: &'static str) -> Command {
    let row = listed.row();
    let forms = match listed.id() {
        Some(OperationId::Search) => SEARCH_ONLY,
        Some(OperationId::Symbols) => SYMBOLS_ONLY,
        Some(OperationId::Files) => FILES_ONLY,
        Some(OperationId::Graph(_)) => GRAPH_ONLY,
        Some(OperationId::Grep) => GREP_ONLY,
        _ => &[],
    };
    let mut command = Command::new(name).about(row.help);
    if name == row.name {
        command = command.visible_aliases(row.aliases.iter().copied());
    }
    let own: Vec<&Param> =
        row.params.iter().filter(|row| row.faces != Faces::Tools).map(|row| row.param).collect();
    let is_short = |param: &Param| SHORT.contains(&param.name);
    let is_few = own.len() <= FEW;
    command = command
        .args(own.iter().copied().map(|param| arg(param).hide_short_help(!is_few && !is_short(param))));
    let is_added = matches!(listed, ListedOperation::Library(_))
        && own.iter().any(|param| param.name == catalog::SOURCE.name);
    if row.builds_index || is_added {
        command = command.arg(arg(&YES).help_heading(PLACE_HEADING).hide_short_help(true));
    }
    let absolute: &[&Param] = if row.prints_paths { &[&ABSOLUTE] } else { &[] };
    let output = forms.iter().chain(absolute).chain(EVERYWHERE);
    command =
        command.args(output.map(|param| arg(param).help_heading("Output").hide_short_help(!is_short(param))));
    let heading = if let ListedOperation::Library(_) = listed { LIBRARY_HEADING } else { PLACE_HEADING };
    let place = place_of(listed);
    command = command.args(place.map(|param| arg(param).help_heading(heading).hide_short_help(true)));
    if forms.iter().any(|form| form.name == OPEN.name) {
        command = command.mut_arg(OPEN.name, |arg| arg.conflicts_with_all([JSON.name, params::VIEW.name]));
    }
    let command = match listed {
        ListedOperation::Own(OperationId::Search, _) => one_source_of_queries(command),
        ListedOperation::Own(OperationId::Graph(GraphQuestion::Impact), _) => command
            .mut_arg(TARGET.name, |target| target.required_unless_present(DIFF.name))
            .mut_arg(DIFF.name, |diff| {
                diff.value_name("REVISION")
                    .num_args(0..=1)
                    .default_missing_value("HEAD")
                    .conflicts_with(TARGET.name)
            }),
        ListedOperation::Own(OperationId::Grep, _) => as_in_grep(path_without_flag(command)),
        _ if row.has_bare_path => path_without_flag(command),
        _ => command,
    };
    if row.asks_sources { with_sources(command) } else { command }
}

/// Adds the options that choose sources. Options that choose one tree exclude them.
fn with_sources(command: Command) -> Command {
    let of_one_tree = [
        params::ROOT.name,
        params::HERE.name,
        params::VIEW.name,
        params::INDEX_DIR.name,
        params::DB.name,
        OPEN.name,
    ];
    let ids: Vec<String> = command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    let excluded: Vec<&str> =
        of_one_tree.into_iter().filter(|name| ids.iter().any(|id| id == name)).collect();
    let of_library = |param| arg(param).help_heading(LIBRARY_HEADING).hide_short_help(true);
    let choosing = |param| of_library(param).conflicts_with_all(&excluded);
    command
        .arg(choosing(&catalog::IN))
        .arg(choosing(&catalog::ALL_SOURCES))
        .arg(of_library(&catalog::LIBRARY))
}

/// The parameters that choose what an operation is about, and how it is indexed.
fn place_of(listed: &ListedOperation) -> impl Iterator<Item = &'static Param> {
    /// A library knows where its trees and their indexes lie.
    const TREE_ONLY: &[&str] = &[params::ROOT.name, params::INDEX_DIR.name, params::DB.name];
    let (is_of_library, indexes) = match listed {
        ListedOperation::Library(operation) => (true, operation.indexes()),
        ListedOperation::Own(..) | ListedOperation::Plain(_) => (false, true),
    };
    let library = catalog::LIBRARY_PLACE.iter().filter(move |_| is_of_library).map(|row| row.param);
    let tree = catalog::PLACE.iter().map(|row| row.param);
    library.chain(tree.filter(move |param| indexes && !(is_of_library && TREE_ONLY.contains(&param.name))))
}

/// Adds `PATH` without a flag, after the other positional arguments.
fn path_without_flag(command: Command) -> Command {
    let path = Arg::new(HERE).value_name("PATH").help(params::PATH.help).conflicts_with(params::PATH.name);
    command.arg(path.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath))
}

/// Adjusts the command to what grep's users expect: any number of paths, a first positional argument that is a path
/// when `-e` gives the patterns, and the last flag wins among flags that contradict each other.
fn as_in_grep(command: Command) -> Command {
    let mut command = command
        .mut_arg(grep::PATTERN.name, |pattern| {
            let others =
                [grep::REGEXP.name, grep::PATTERN_FILE.name, grep::LIST_FILES.name, grep::TYPE_LIST.name];
            pattern.index(1).required(false).required_unless_present_any(others)
        })
        .mut_arg(HERE, |path| path.index(2).num_args(0..))
        .mut_arg(grep::REGEXP.name, |pattern| pattern.allow_hyphen_values(true))
        .mut_arg(grep::REPLACE.name, |text| text.allow_hyphen_values(true))
        .mut_arg(grep::CONTEXT_SEPARATOR.name, |text| text.allow_hyphen_values(true))
        .mut_arg(params::THREADS.name, |threads| threads.short('j'))
        .mut_arg(params::HIDDEN.name, |hidden| hidden.short('.'))
        // `-v` has its meaning from grep, and ripgrep's options for messages are these.
        .mut_arg(VERBOSE.name, |verbose| verbose.short(None).aliases(["debug", "trace"]))
        // The last occurrence of an option counts.
        .args_override_self(true);
    let contexts = [grep::BEFORE.name, grep::AFTER.name, grep::GREP_EXPAND.name];
    for name in contexts {
        command = command.mut_arg(name, |arg| arg.overrides_with(grep::PASSTHRU.name));
    }
    command = command.mut_arg(grep::PASSTHRU.name, |arg| arg.overrides_with_all(contexts));
    for group in OPPOSITES {
        for name in *group {
            let others: Vec<&str> = group.iter().copied().filter(|other| other != name).collect();
            command = command.mut_arg(*name, |arg| arg.overrides_with_all(others));
        }
    }
    command
}

/// The options of an exact search that turn each other off.
const OPPOSITES: &[&[&str]] = &[
    &[grep::IGNORE_CASE.name, grep::CASE_SENSITIVE.name, grep::SMART_CASE.name],
    &[grep::WORD.name, grep::LINE_REGEXP.name],
    &[grep::LINE_NUMBER.name, grep::NO_LINE_NUMBER.name],
    &[grep::HEADING.name, grep::NO_HEADING.name],
    &[grep::WITH_FILENAME.name, grep::NO_FILENAME.name],
    &[
        grep::COUNT.name,
        grep::COUNT_MATCHES.name,
        grep::FILES_WITH.name,
        grep::FILES_WITHOUT.name,
        grep::RG_JSON.name,
    ],
    &[grep::CONTEXT_SEPARATOR.name, grep::NO_CONTEXT_SEPARATOR.name],
    &[grep::COLUMN.name, grep::NO_COLUMN.name],
    &[grep::SORT.name, grep::SORT_REVERSED.name, grep::SORT_FILES.name],
    &[grep::TEXT.name, grep::BINARY.name],
    &[grep::NO_IGNORE_VCS.name, grep::IGNORE_VCS.name],
    &[grep::NO_IGNORE_DOT.name, grep::IGNORE_DOT.name],
    &[grep::NO_IGNORE_EXCLUDE.name, grep::IGNORE_EXCLUDE.name],
    &[grep::NO_IGNORE_FILES.name, grep::IGNORE_FILES.name],
    &[grep::NO_IGNORE_PARENT.name, grep::IGNORE_PARENT.name],
    &[grep::NO_IGNORE_GLOBAL.name, grep::IGNORE_GLOBAL.name],
    &[grep::NO_REQUIRE_GIT.name, grep::REQUIRE_GIT.name],
    &[grep::NO_IGNORE_FILE_CASE_INSENSITIVE.name, grep::IGNORE_FILE_CASE_INSENSITIVE.name],
    &[grep::NO_MMAP.name, grep::MMAP.name],
    &[grep::NO_SEARCH_ZIP.name, grep::SEARCH_ZIP.name],
    &[grep::NO_FOLLOW.name, grep::FOLLOW.name],
    &[grep::NO_ONE_FILE_SYSTEM.name, grep::ONE_FILE_SYSTEM.name],
];

fn one_source_of_queries(command: Command) -> Command {
    let sources = [params::QUERY.name, params::QUERIES.name, BATCH.name];
    command
        .mut_arg(params::QUERY.name, |arg| arg.required(false))
        .group(clap::ArgGroup::new("source").args(sources).required(true))
        .mut_arg(OPEN.name, |arg| {
            arg.conflicts_with_all([
                JSON.name,
                JSONL.name,
                BATCH.name,
                params::QUERIES.name,
                params::VIEW.name,
            ])
        })
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
    if param.positional == Positional::No {
        arg = arg.long(param.name.replace('_', "-")).value_name(value_name(param));
        arg = arg.visible_aliases(param.aliases.iter().map(|alias| alias.replace('_', "-")));
        arg = param.short.into_iter().fold(arg, |arg, short| arg.short(short));
    } else {
        arg = arg.value_name(param.name.to_uppercase());
    }
    match param.takes {
        Takes::Nothing if [VERBOSE.name, grep::UNRESTRICTED.name].contains(&param.name) => {
            arg.action(ArgAction::Count)
        }
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::Text => arg,
        Takes::Texts => arg.num_args(1..).action(ArgAction::Append),
        Takes::Repeated => arg.action(ArgAction::Append),
        Takes::List | Takes::Choices(_) => arg.action(ArgAction::Append).value_delimiter(','),
        Takes::Choice(choices) => arg.value_parser(choices()),
        Takes::Number(..) => arg.value_parser(parse_number),
        Takes::Fraction => arg.value_parser(value_parser!(f32)).allow_negative_numbers(true),
        Takes::Bytes => arg.value_parser(parse_bytes),
        Takes::Path => arg.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath),
        Takes::Paths => arg.num_args(1..).value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath),
    }
    .required(param.positional == Positional::Required)
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

/// Parses a whole number.
fn parse_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| match text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty() {
        true => "the number is too large".to_string(),
        false => "give a whole number, such as 20".to_string(),
    })
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
    vec!["auto", "always", "never", "ansi"]
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
