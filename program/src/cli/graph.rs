//! The questions to the code graph: `spyhop callers NAME` and the like.

use std::io;
use std::path::Path;

use clap::ArgMatches;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{GraphChanges, GraphQuestion, GraphReply, GraphRequest, MAX_ROWS, Mode};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::output::Output;
use super::place::TreePlace;
use super::target::CommandTarget;
use super::values::{given, optional};
use super::{args, open, options};

/// Answers a question.
pub fn run(question: GraphQuestion, matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let mut call = FilledRequest::new(GraphRequest::new(question, ""), options::options(matches)?);
    asked.fill(catalog::graph_rows(question), &mut call, matches)?;
    let FilledRequest { mut request, options } = call;
    if let Some(place) = asked.place() {
        let is_of_files = matches!(question, GraphQuestion::Imports | GraphQuestion::Importers);
        request.target = root_relative(place, &request.target, is_of_files);
        request.to = request.to.as_ref().map(|to| root_relative(place, to, false));
    }
    if request.changes == Some(GraphChanges::Between("-".to_string())) {
        request.changes = Some(GraphChanges::Diff(io::read_to_string(io::stdin())?));
    }
    let typed_mode = optional::<String>(matches, args::GRAPH_MODE.name);
    let mode = Mode::ALL.into_iter().find(|mode| typed_mode.is_some_and(|typed| mode.name() == typed));
    let mode = mode.unwrap_or(Mode::Default);
    let is_list = !output.json && (given(matches, args::VIMGREP.name) || mode == Mode::Compact);
    let opened = open::wanted(matches);
    // A pipe gets every row, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::GRAPH_RESULTS.name).is_some();
    if !output.json && (!output.is_terminal() || opened.is_some()) && !is_limited {
        request.max_results = MAX_ROWS;
    }
    let reply = asked.open(&catalog::DEF, options, matches)?.call(&request, output)?;
    output.warn(&reply.warnings);
    if let (Some(number), Some(place)) = (opened, asked.place()) {
        return open::open(&place.root, &places(&reply), number);
    }
    if output.json {
        output.json(&reply)?;
    } else if is_list {
        output.text(&text::graph_lines(&reply, &output.style))?;
        output.remark(&text::graph_footer(&reply, &output.style))?;
    } else {
        output.text(&text::graph(&reply, mode, &output.style))?;
        let footer = text::graph_footer(&reply, &output.style);
        if output.is_terminal() { output.text(&footer)? } else { output.remark(&footer)? }
    }
    let is_empty = match question {
        GraphQuestion::Definitions => reply.definitions.is_empty(),
        _ => {
            let has_mentions = reply.mentions.as_ref().is_some_and(|mentions| !mentions.rows.is_empty());
            reply.rows.is_empty() && reply.paths.is_empty() && reply.tests.is_empty() && !has_mentions
        }
    };
    Ok(if is_empty { Outcome::Nothing } else { Outcome::Found })
}

/// The places of an answer in the order in which the answer shows them: definitions, or the uses.
fn places(reply: &GraphReply) -> Vec<open::EditorPlace<'_>> {
    if reply.question == GraphQuestion::Definitions {
        return reply.definitions.iter().map(|one| (&one.path, one.lines.first, 1)).collect();
    }
    let rows = reply.rows.iter().chain(reply.paths.iter().flatten());
    rows.map(|row| (&row.path, row.line, row.column)).collect()
}

/// A target whose file, if it names one, is relative to the root: people type paths relative to the current folder.
/// A question about files takes folders too.
fn root_relative(place: &TreePlace, typed: &str, is_of_files: bool) -> String {
    let (file, rest) = typed.split_at(catalog::file_of_target(typed).len());
    let is_there = |path: &RelPath| {
        let path = path.below(&place.root);
        !file.is_empty() && (path.is_file() || ((is_of_files || file.contains('/')) && path.is_dir()))
    };
    match place.relative(Path::new(file)) {
        Ok(path) if path.as_str().is_empty() && is_of_files && !file.is_empty() => ".".to_string(),
        Ok(path) if is_there(&path) => format!("{path}{rest}"),
        _ => typed.to_string(),
    }
}
