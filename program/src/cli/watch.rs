//! `spyhop watch`: keeps the index current until it is killed.
//!
//! This module owns the output while watching: one line an event on standard output, failures on standard error. When a
//! tree becomes part of another repository, its index is another one, so the engine is then opened again.

use std::sync::Mutex;

use clap::ArgMatches;
use spyhop_engine::api::{WatchEnd, WatchEvent};
use spyhop_engine::{Engine, Stop};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    crate::live_long();
    let place = options::place(matches)?;
    let told = Mutex::new((output, Ok(())));
    loop {
        let engine = Engine::open(&place.root, options::for_writing(matches)?)?;
        let stop = Stop::default();
        let tell = |event: WatchEvent| {
            let mut told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (output, ended) = &mut *told;
            if let Err(error) = say(output, engine.root(), &event) {
                *ended = Err(error);
                stop.stop();
            }
        };
        let end = engine.watch(&stop, &tell)?;
        let mut told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::replace(&mut told.1, Ok(()))?;
        if end == WatchEnd::Stopped {
            return Ok(Outcome::Found);
        }
    }
}

fn say(output: &mut Output, root: &std::path::Path, event: &WatchEvent) -> std::io::Result<()> {
    if output.json {
        return output.json(event);
    }
    match event {
        WatchEvent::Failed(error) => output.warn(&[format!("{error}; it is tried again")]),
        _ if output.quiet => {}
        event => output.text(&text::watched(event, root))?,
    }
    Ok(())
}
