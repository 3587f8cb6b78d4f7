//! `spyhop mcp [ROOT...]`: a server for agents.
//!
//! It owns the arguments. A root is taken exactly, and so is the current folder where none is given: a server serves
//! nothing outside what it was started with, so it does not look for a repository around it.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use spyhop::catalog::tools::{self, Profile};
use spyhop::catalog::{self, Param, Takes};

use super::{Failure, Outcome, args, place};
use crate::mcp::{self, Config};

const PROFILE: Param = Param {
    name: "profile",
    aliases: &[],
    short: None,
    takes: Takes::Choice(tools::profiles),
    default: Some("default"),
    help: "Which tools are listed at first: full all, minimal only reading ones, host only tool_search",
};

/// How trees are indexed, and what happens to changes. There is no index to fail without and none to choose.
const SETTINGS: &[&Param] = &[
    &catalog::INDEX_DIR,
    &catalog::THREADS,
    &catalog::MAX_MEMORY,
    &catalog::HIDDEN,
    &catalog::NO_IGNORE,
    &catalog::NO_BUILT_IN,
    &catalog::MAX_FILE_SIZE,
    &catalog::GRAMMARS,
    &catalog::STALE_POLICY,
    &catalog::NO_REFRESH,
    &catalog::REQUIRE_INDEX,
];

pub fn command() -> Command {
    let roots = Arg::new("roots")
        .value_name("ROOT")
        .help("The trees to serve, each exactly this folder; else the current folder")
        .num_args(0..)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath);
    Command::new("mcp")
        .about("Serve agents over the Model Context Protocol on standard input and output")
        .arg(roots)
        .arg(args::arg(&PROFILE))
        .arg(args::arg(&args::VERBOSE))
        .args(SETTINGS.iter().map(|param| args::arg(param).help_heading("Tree and index")))
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let roots: Vec<PathBuf> =
        matches.get_many::<PathBuf>("roots").map(|roots| roots.cloned().collect()).unwrap_or_default();
    let here = || std::env::current_dir().map(|here| vec![here]);
    let profile = place::optional::<String>(matches, PROFILE.name).and_then(|name| Profile::by_name(name));
    let config = Config {
        roots: if roots.is_empty() { here()? } else { roots },
        options: place::options(matches)?,
        profile: profile.unwrap_or(Profile::Default),
    };
    mcp::serve(config).map_err(|failure| match failure {
        mcp::Failure::Engine(error) => Failure::Engine(error),
        mcp::Failure::Io(error) => Failure::Io(error),
    })?;
    Ok(Outcome::Found)
}
