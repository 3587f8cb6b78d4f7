//! Logging: off unless asked for, on standard error.
//!
//! This module owns the switch. The library decides what is logged. A span is logged when it closes, with its duration,
//! since the duration is what readers of a log look for.

use std::io;

use clap::ArgMatches;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::args;
use super::failure::Failure;
use super::values::optional;

/// Starts logging when `-v` or `SPYHOP_LOG` asks for it. The variable takes precedence, because it can say more.
pub fn start(matches: &ArgMatches) -> Result<(), Failure> {
    let wanted = match (std::env::var("SPYHOP_LOG"), optional::<u8>(matches, args::VERBOSE.name)) {
        (Ok(directives), _) if !directives.is_empty() => directives,
        (_, None | Some(0)) => return Ok(()),
        (_, Some(1)) => "spyhop=info".to_string(),
        (_, Some(2)) => "spyhop=debug".to_string(),
        (_, Some(_)) => "spyhop=trace".to_string(),
    };
    let filter = EnvFilter::builder().parse(&wanted).map_err(|error| {
        Failure::Usage(format!("SPYHOP_LOG is '{wanted}': {error}; choose error, warn, info, debug or trace"))
    })?;
    let color = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(color)
        .with_writer(io::stderr)
        .init();
    Ok(())
}
