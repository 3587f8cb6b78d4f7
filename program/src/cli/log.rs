//! Logging and the times of stages: off unless asked for, on standard error.
//!
//! This module owns the switch. The library decides what is logged. A span is logged when it closes, with its duration,
//! since the duration is what readers of a log look for.

use std::io;

use clap::ArgMatches;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use super::failure::Failure;
use super::values::{given, optional};
use super::{args, timings};

/// Starts logging when `-v` or `SPYHOP_LOG` asks for it, and measuring when `--timings` does. The variable takes precedence,
/// because it can say more.
pub fn start(matches: &ArgMatches) -> Result<(), Failure> {
    let wanted = match (std::env::var("SPYHOP_LOG"), optional::<u8>(matches, args::VERBOSE.name)) {
        (Ok(directives), _) if !directives.is_empty() => Some(directives),
        (_, None | Some(0)) => None,
        (_, Some(1)) => Some("spyhop=info".to_string()),
        (_, Some(2)) => Some("spyhop=debug".to_string()),
        (_, Some(_)) => Some("spyhop=trace".to_string()),
    };
    let measures = given(matches, args::TIMINGS.name);
    if wanted.is_none() && !measures {
        return Ok(());
    }
    let log = wanted.as_deref().map(log_layer).transpose()?;
    let of_spyhop = Targets::new().with_target("spyhop", LevelFilter::DEBUG);
    let timings = measures.then(|| timings::start().with_filter(of_spyhop));
    tracing_subscriber::registry().with(log).with(timings).init();
    Ok(())
}

/// The layer that writes what the directives choose to standard error.
fn log_layer<S: Subscriber + for<'l> LookupSpan<'l>>(
    wanted: &str,
) -> Result<impl Layer<S> + use<S>, Failure> {
    let filter = EnvFilter::builder().parse(wanted).map_err(|error| {
        Failure::Usage(format!("SPYHOP_LOG is '{wanted}': {error}; choose error, warn, info, debug or trace"))
    })?;
    let color = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let log = fmt::layer().with_span_events(FmtSpan::CLOSE).with_ansi(color).with_writer(io::stderr);
    Ok(log.with_filter(filter))
}
