//! `spyhop mcp [ROOT...]`: a server for agents.
//!
//! This module owns the arguments, and the message for the person who starts a server over HTTP. A root is taken
//! exactly, and so is the current folder where no root is given: a server serves nothing outside the folders that it
//! was started with, so it does not look for a repository around them.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use spyhop_interface::catalog::offer::ToolOffer;
use spyhop_interface::catalog::profile::{self, ToolProfile};
use spyhop_interface::catalog::{self, Param, Takes, param, params};

use super::failure::{Failure, Outcome};
use super::{args, install, options, place, values};
use crate::http::{self, AllowedHost, AllowedOrigin, Loopback, Origin};
use crate::mcp::http::{HttpConfig, Listening};
use crate::mcp::{self, Config, DataProfile};

const PROFILE: Param = Param {
    default: Some("default"),
    ..param(
        "profile",
        Takes::Choice(profile::profiles),
        "Which tools are listed at first: full all, reduced three, host only tool_search; minimal can only read",
    )
};

const MODEL: Param = param(
    "model",
    Takes::Text,
    "The provider or the model that asks, such as ollama or gpt-5-mini: small models are shown fewer tools at first",
);

const STRUCTURED: Param = Param {
    default: Some("lean"),
    ..param(
        "structured",
        Takes::Choice(DataProfile::names),
        "The structured content of results: lean with little that the text has too, full as --json",
    )
};

const ALLOW_MEMORY: Param = param(
    "allow_memory",
    Takes::Nothing,
    "Agents may record, list, verify and retire notes about the code; else they only search notes",
);

const ALLOW_LIBRARY: Param = param(
    "allow_library",
    Takes::Nothing,
    "Agents may change the library: add repositories by URL, and folders and archives below the roots; update, rename and remove sources",
);

/// The options that say how trees are indexed and how changes are handled. The roots are arguments of their own.
pub fn settings() -> impl Iterator<Item = &'static Param> {
    let rows = catalog::PLACE.iter().chain(catalog::SERVER).map(|row| row.param);
    rows.filter(|param| param.name != params::ROOT.name)
}

pub fn command() -> Command {
    let roots = Arg::new("roots")
        .value_name("ROOT")
        .help("The trees to serve, each exactly this folder; else the current folder")
        .num_args(0..)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath);
    Command::new("mcp")
        .about("Serve agents over the Model Context Protocol, on standard input and output or over HTTP")
        .arg(roots)
        .arg(args::arg(&PROFILE))
        .arg(args::arg(&MODEL).hide_short_help(true))
        .arg(args::arg(&STRUCTURED))
        .arg(args::arg(&ALLOW_MEMORY))
        .arg(args::arg(&ALLOW_LIBRARY))
        .arg(args::arg(&catalog::LIBRARY))
        .arg(args::arg(&args::VERBOSE))
        .args(over_http())
        .args(settings().map(|param| args::arg(param).help_heading("Tree and index").hide_short_help(true)))
        .args_conflicts_with_subcommands(true)
        .subcommands(install::commands())
}

/// The name of the argument that turns HTTP on; the arguments below require it.
const HTTP: &str = "http";
const TOKEN_FILE: &str = "token_file";
const ALLOW_ORIGIN: &str = "allow_origin";
const ALLOW_HOST: &str = "allow_host";

fn over_http() -> [Arg; 4] {
    let http = Arg::new(HTTP)
        .long("http")
        .value_name("ADDR:PORT")
        .help(format!(
            "Serve over HTTP, on an address of this machine only [default: {}; port 0: any that is free]",
            http::DEFAULT
        ))
        .num_args(0..=1)
        .default_missing_value(http::DEFAULT)
        .value_parser(value_parser!(Loopback));
    let token_file = Arg::new(TOKEN_FILE)
        .long("token-file")
        .value_name("FILE")
        .help(format!(
            "The file with the token that requests must carry, made if it is not there; else {} holds it, else one \
             is drawn and shown",
            http::VARIABLE
        ))
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath);
    let allow_origin = Arg::new(ALLOW_ORIGIN)
        .long("allow-origin")
        .value_name("ORIGIN")
        .help("A page that may ask from a browser, as SCHEME://HOST:PORT; may be repeated")
        .action(ArgAction::Append)
        .value_parser(value_parser!(AllowedOrigin));
    let allow_host = Arg::new(ALLOW_HOST)
        .long("allow-host")
        .value_name("HOST:PORT")
        .help("A further name that requests may call the server by, as behind a tunnel; may be repeated")
        .action(ArgAction::Append)
        .value_parser(value_parser!(AllowedHost));
    [http, token_file, allow_origin, allow_host].map(|arg| {
        let arg = if arg.get_id() == HTTP { arg } else { arg.requires(HTTP).hide_short_help(true) };
        arg.help_heading("HTTP")
    })
}

/// The HTTP configuration, if `--http` is given.
fn http_config(matches: &ArgMatches) -> Option<HttpConfig> {
    fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
        matches.get_many::<T>(name).map(|values| values.cloned().collect()).unwrap_or_default()
    }
    Some(HttpConfig {
        address: *matches.get_one::<Loopback>(HTTP)?,
        token_file: matches.get_one::<PathBuf>(TOKEN_FILE).cloned(),
        origins: all(matches, ALLOW_ORIGIN),
        hosts: all(matches, ALLOW_HOST),
    })
}

/// Prints the URL and how to authenticate. A generated token is printed here and nowhere else.
fn greet(listening: &Listening) -> io::Result<()> {
    let mut lines = format!("spyhop: serving {}\n", listening.url());
    match listening.token() {
        Origin::Drawn(token) => {
            lines += &format!("spyhop: each request needs the header 'Authorization: Bearer {token}'\n");
            lines += "spyhop: this token ends with the server; --token-file keeps one\n";
        }
        Origin::File(path) => lines += &format!("spyhop: the token is the one in {}\n", path.display()),
        Origin::NewFile(path) => lines += &format!("spyhop: a token was written to {}\n", path.display()),
        Origin::Variable => lines += &format!("spyhop: the token is the one in {}\n", http::VARIABLE),
    }
    io::stderr().write_all(lines.as_bytes())
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    if let Some((name, matches)) = matches.subcommand() {
        return install::run(name, matches);
    }
    let roots: Vec<PathBuf> =
        matches.get_many::<PathBuf>("roots").map(|roots| roots.cloned().collect()).unwrap_or_default();
    let profile =
        values::optional::<String>(matches, PROFILE.name).and_then(|name| ToolProfile::by_name(name));
    let data = values::optional::<String>(matches, STRUCTURED.name);
    let data = data.and_then(|name| DataProfile::by_name(name));
    let offer = ToolOffer {
        may_record: values::given(matches, ALLOW_MEMORY.name),
        may_change_library: values::given(matches, ALLOW_LIBRARY.name),
        ..ToolOffer::from(profile.unwrap_or(ToolProfile::Default))
    };
    let model = values::optional::<String>(matches, MODEL.name);
    let config = Config {
        library: values::optional::<PathBuf>(matches, catalog::LIBRARY.name).cloned(),
        roots: if roots.is_empty() { vec![place::here()?] } else { roots },
        options: options::options(matches)?,
        offer: model.map_or(offer, |name| offer.to_model(name)),
        data: data.unwrap_or(DataProfile::Lean),
        give_back: crate::give_back,
    };
    crate::live_long();
    let served = match http_config(matches) {
        Some(asked) => {
            let listening = mcp::http::listen(&asked, config).map_err(failed)?;
            greet(&listening)?;
            mcp::http::serve(listening)
        }
        None => {
            if io::stdin().is_terminal() {
                let text = "spyhop: waiting for an agent's messages on standard input; an agent starts this command \
                            itself, see 'spyhop mcp install --help'. Ctrl-C ends\n";
                // When standard error is closed, nobody can be told.
                let _ = io::stderr().write_all(text.as_bytes());
            }
            mcp::serve(config)
        }
    };
    served.map_err(failed)?;
    Ok(Outcome::Found)
}

pub fn failed(failure: mcp::ServerFailure) -> Failure {
    match failure {
        mcp::ServerFailure::Engine(error) => Failure::Engine(error),
        mcp::ServerFailure::Http(error) => Failure::Usage(error.to_string()),
        mcp::ServerFailure::Io(error) => Failure::Io(error),
    }
}
