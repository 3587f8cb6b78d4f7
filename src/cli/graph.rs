//! The questions to the code graph: `spyhop callers NAME` and the like.

use std::path::Path;

use clap::ArgMatches;
use spyhop::catalog::{self, Call};
use spyhop::engine::api::{GraphQuestion, GraphRequest};
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::place::TreePlace;
use super::progress::Bar;
use super::values::fill_from;
use super::{huge, options};

/// The function that runs a question.
pub fn runner(question: GraphQuestion) -> fn(&ArgMatches, &mut Output) -> Result<Outcome, Failure> {
    macro_rules! run {
        ($($question:ident)+) => {
            match question {
                $(GraphQuestion::$question => |matches, output| run(GraphQuestion::$question, matches, output),)+
            }
        };
    }
    run!(Definitions References Callers Callees Implementations Tests Imports Importers Trace Impact)
}

fn run(question: GraphQuestion, matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let mut call = Call::new(GraphRequest::new(question, ""), options::options(matches)?);
    fill_from(catalog::GRAPH_ROWS, &mut call, matches, Some(&place))?;
    call.request.target = root_relative(&place, &call.request.target);
    let engine = huge::open(&place, call.options, matches)?;
    let bar = Bar::announcing(output, &engine);
    let reply = engine.graph_with_progress(&call.request, &|progress| bar.update(progress))?;
    drop(bar);
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::graph(&reply))?;
    } else {
        output.text(&text::graph(&reply, &output.style))?;
    }
    let is_empty = match question {
        GraphQuestion::Definitions => reply.definitions.is_empty(),
        _ => reply.rows.is_empty(),
    };
    Ok(if is_empty { Outcome::Nothing } else { Outcome::Found })
}

/// A target whose file, if it names one, is relative to the root: people type paths relative to the current folder.
fn root_relative(place: &TreePlace, typed: &str) -> String {
    let numbers = typed.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':').len();
    let end = typed.find('#').unwrap_or(numbers);
    let (file, rest) = typed.split_at(end);
    match place.relative(Path::new(file)) {
        Ok(path) if !file.is_empty() && path.below(&place.root).is_file() => format!("{path}{rest}"),
        _ => typed.to_string(),
    }
}
