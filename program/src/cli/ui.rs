//! `spyhop ui [QUERY]...`: the picker in the terminal.
//!
//! This module owns the arguments. The picker answers from the index as it is and keeps the index current beside, so
//! the options about freshness only say whether it does.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::{Arg, ArgMatches, Command, value_parser};
use spyhop_engine::Engine;
use spyhop_engine::api::{OnMissing, Options, StalePolicy};
use spyhop_interface::catalog::{self, Param, Takes, param, params};

use super::failure::{Failure, Outcome};
use super::output::on_screen;
use super::place::TreePlace;
use super::values::{given, optional};
use super::{args, log, options};
use crate::limits::{self, WithoutThread};
use crate::ui::{PickMode, Picked, PickerConfig, PickerError, Workplace};

const QUERY: &str = "first_query";
const MODE: Param = Param {
    default: Some("ranked"),
    ..param("mode", Takes::Choice(modes), "What is searched at first; Ctrl-T changes it")
};
const PRINT: Param = param(
    "print",
    Takes::Nothing,
    "Print the selection as path:line:column instead of opening it in an editor",
);

fn modes() -> Vec<&'static str> {
    PickMode::ALL.map(PickMode::name).to_vec()
}

pub fn command() -> Command {
    let query = Arg::new(QUERY)
        .value_name("QUERY")
        .help("The first query line; may contain filters such as lang:rust")
        .num_args(0..)
        .value_parser(value_parser!(String));
    let place = catalog::PLACE.iter().chain(catalog::SERVER).map(|row| row.param);
    let place = place.chain([&params::PATH, &params::HERE, &params::VIEW, &params::SHOW_SECRETS]);
    Command::new("ui")
        .about("Search while you type: an interactive picker in the terminal")
        .arg(query)
        .args([&MODE, &PRINT].map(args::arg))
        .args([&args::COLOR].map(|param| args::arg(param).help_heading("Output")))
        .args(place.map(|param| args::arg(param).help_heading("Tree and index").hide_short_help(true)))
        .after_help(
            "Keys: Enter opens in $VISUAL or $EDITOR, Tab marks, Ctrl-T changes the mode, Esc ends.\n\
             Exit codes: 0 opened or printed, 1 nothing chosen, 2 error, 130 ended by Ctrl-C.",
        )
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    // Log lines on the terminal would be written over the picker.
    if !io::stderr().is_terminal() {
        log::start(matches)?;
    }
    limits::set_without_thread(WithoutThread::Unreported);
    crate::live_long();
    let place = options::place(matches)?;
    let asked = Options {
        view: optional::<String>(matches, params::VIEW.name).cloned(),
        show_secrets: given(matches, params::SHOW_SECRETS.name),
        ..options::for_writing(matches)?
    };
    let refreshes = matches!(asked.stale_policy, StalePolicy::Refresh | StalePolicy::Wait);
    let is_required = asked.on_missing == OnMissing::Fail;
    let engine =
        place.open(Options { stale_policy: StalePolicy::Ignore, on_missing: OnMissing::Fail, ..asked })?;
    let engine: &'static Engine = Box::leak(Box::new(engine));
    if is_required && !engine.has_index() {
        return Err(Failure::Usage(format!(
            "there is no index at {}; run: spyhop index",
            engine.index_dir().display()
        )));
    }
    let prints = given(matches, PRINT.name) || !io::stdout().is_terminal();
    let words: Vec<&str> = matches
        .get_many::<String>(QUERY)
        .map(|words| words.map(String::as_str).collect())
        .unwrap_or_default();
    let mode = optional::<String>(matches, MODE.name).and_then(|name| PickMode::by_name(name));
    let within = match given(matches, params::HERE.name) {
        true => place.current_folder(),
        false => place.path.clone(),
    };
    let base = place.base();
    let resolve = Box::new(move |path: &str| resolved(&place, path));
    let config = PickerConfig {
        place: Workplace { engine, base, resolve, within, refreshes },
        mode: mode.unwrap_or_default(),
        line: words.join(" "),
        prints,
        color: wants_color(matches),
    };
    match crate::ui::run(config).map_err(failed)? {
        Picked::Places(places) => {
            let text: String = places.iter().map(|place| format!("{place}\n")).collect();
            io::stdout().write_all(on_screen(&text).as_bytes())?;
            Ok(Outcome::Found)
        }
        Picked::Nothing(code) => Ok(Outcome::Ended(code)),
    }
}

/// A path of a filter word, relative to the root.
fn resolved(place: &TreePlace, path: &str) -> Result<String, String> {
    place.also(Path::new(path)).map_err(|failure| failure.to_string())
}

/// Whether the picker has colours. The picker draws on a terminal, whatever standard output is.
fn wants_color(matches: &ArgMatches) -> bool {
    match optional::<String>(matches, args::COLOR.name).map(String::as_str) {
        Some("always" | "ansi") => true,
        Some("never") => false,
        _ => std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

fn failed(error: PickerError) -> Failure {
    Failure::Usage(error.to_string())
}
