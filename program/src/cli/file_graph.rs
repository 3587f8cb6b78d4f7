//! `spyhop graph`: the graph of imports between files.

use clap::ArgMatches;
use spyhop_engine::api::{FileGraphQuestion, FileGraphRequest, MAX_ROWS};
use spyhop_interface::catalog::{self, FilledRequest};
use spyhop_interface::render::text;

use super::failure::{Failure, Outcome};
use super::options;
use super::output::Output;
use super::target::CommandTarget;
use super::values::optional;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let asked = CommandTarget::new(matches, output)?;
    let mut call = FilledRequest::new(FileGraphRequest::default(), options::options(matches)?);
    asked.fill(catalog::FILE_GRAPH_ROWS, &mut call, matches)?;
    // A pipe gets every row, unless the caller says how many.
    let is_limited = optional::<u64>(matches, catalog::FILE_GRAPH_RESULTS.name).is_some();
    if !output.json && !output.is_terminal() && !is_limited {
        call.request.max_results = MAX_ROWS;
    }
    let trees = asked.open(&catalog::FILE_GRAPH, call.options, matches)?;
    let reply = trees.call(&call.request, output)?;
    output.warn(&reply.warnings);
    let is_export = reply.question == FileGraphQuestion::Export;
    if output.json {
        output.json(&reply)?;
    } else if is_export {
        let format = optional::<String>(matches, catalog::FORMAT.name).map_or("jsonl", String::as_str);
        match format {
            "graphml" => output.data(&text::file_graph_graphml(&reply))?,
            "dot" => output.data(&text::file_graph_dot(&reply))?,
            _ => output.json_lines(&text::file_graph_jsonl(&reply))?,
        }
    } else {
        output.text(&text::file_graph(&reply, &output.style))?;
    }
    if !output.json {
        let footer = text::file_graph_footer(&reply, &output.style);
        if output.is_terminal() && !is_export { output.text(&footer)? } else { output.remark(&footer)? }
    }
    let is_empty = reply.files.is_empty() && reply.cycles.is_empty();
    Ok(if is_empty { Outcome::Nothing } else { Outcome::Found })
}
