//! Answers of the code graph for agents: the definitions, then the edges below their files, a line each.

use std::fmt::Write;

use super::answer::{Answer, clean_value, cut, link, rows, rows_that_fit, short_name, span, with_footer};
use super::sources;
use crate::render::places::{RowPlaces, agent_path};
use crate::render::text::{
    count, grouped, heading_of_edge, heading_of_mention, kind_of, mentions_line, names_uses, none_of,
    told_of_place, why_of_mention,
};
use spyhop_base::clean::{self, line as clean};
use spyhop_base::text::Lines;
use spyhop_engine::api::{
    AffectedTest, EntryRow, GraphEnd, GraphQuestion, GraphReply, GraphRow, MentionRow, Relation, SourceName,
    SymbolRow,
};

/// The most definitions that the text lists.
const MAX_DEFINITIONS: usize = 12;

/// Edges below this confidence are marked.
const SURE: f32 = 0.9;

/// The answer to a question about the code graph.
pub fn graph(reply: &GraphReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, row) in rows(&mut data, "results").zip(&reply.rows) {
        let lines = Lines { first: row.line, last: row.line };
        wire.insert("link".into(), link(places.root(row.source.as_ref()), &row.path, Some(lines)).into());
    }
    Answer { text: graph_text(reply, most_rows(reply)), data }
}

/// The edges that fit.
pub fn graph_within(mut reply: GraphReply, budget: usize) -> Answer {
    reply.truncate(rows_that_fit(most_rows(&reply), budget, |edges| graph_text(&reply, edges)).max(1));
    cut(graph(&reply), budget)
}

/// The length of the longest list of an answer.
fn most_rows(reply: &GraphReply) -> usize {
    let mentions = reply.mentions.as_ref().map_or(0, |mentions| mentions.rows.len());
    reply.rows.len().max(reply.paths.len()).max(reply.tests.len()).max(reply.entries.len()).max(mentions)
}

fn graph_text(reply: &GraphReply, edges: usize) -> String {
    let mut out = String::new();
    write_definitions(&mut out, reply, edges);
    // Tests and paths share the budget with the rows: as many of each are shown.
    let is_whole = edges >= most_rows(reply);
    let shown = |len: usize| if is_whole { len } else { len.min(edges) };
    let rows = &reply.rows[..edges.min(reply.rows.len())];
    write_rows(&mut out, reply, rows);
    let mentions = reply.mentions.as_ref().map_or(&[][..], |mentions| &mentions.rows);
    let mentions = &mentions[..shown(mentions.len())];
    write_mentions(&mut out, reply, mentions);
    for (number, path) in reply.paths[..shown(reply.paths.len())].iter().enumerate() {
        let _ = writeln!(out, "path {}, {}:", number + 1, count(path.len(), "call", "calls"));
        path.iter().for_each(|row| call(&mut out, row));
    }
    write_tests(&mut out, &reply.tests[..shown(reply.tests.len())]);
    write_entries(&mut out, &reply.entries[..shown(reply.entries.len())]);
    if reply.question != GraphQuestion::Definitions && reply.paths.is_empty() {
        write_count(&mut out, reply, (rows.len(), mentions.len()));
    }
    write_end(&mut out, reply);
    with_footer(out, None, &reply.warnings, None)
}

/// Writes the definitions with their code, and what is told of the place that was asked about.
fn write_definitions(out: &mut String, reply: &GraphReply, edges: usize) {
    for (place, own) in reply.definitions.iter().enumerate().take(MAX_DEFINITIONS) {
        let _ = writeln!(out, "{}", symbol(own, kind_of(reply, own), own.source.as_ref()));
        // Without rows in the budget, there is none for code.
        let has_room = edges > 0 || reply.rows.is_empty();
        for code in reply.code.iter().filter(|code| code.definition == place && has_room) {
            for (number, line) in (code.lines.first..).zip(code.text.lines()) {
                let _ = writeln!(out, "{number}\t{}", clean(line));
            }
        }
    }
    if let Some(more) = reply.definitions.len().checked_sub(MAX_DEFINITIONS).filter(|more| *more > 0) {
        let _ = writeln!(out, "and {}", count(more, "more definition", "more definitions"));
    }
    if let Some(told) = told_of_place(reply) {
        let _ = writeln!(out, "{told}");
        let candidates = reply.place.iter().flat_map(|place| &place.candidates).take(MAX_DEFINITIONS);
        candidates.for_each(|own| _ = writeln!(out, "{}", symbol(own, own.kind.name(), own.source.as_ref())));
    }
}

/// Writes rows below their headings, the headings in the order of their first row.
fn write_rows(out: &mut String, reply: &GraphReply, rows: &[GraphRow]) {
    for (heading, edges) in grouped(rows, |row| heading_of_edge(reply.question, row)) {
        let _ = writeln!(out, "{heading}:");
        below_files(out, &edges);
    }
}

fn write_mentions(out: &mut String, reply: &GraphReply, mentions: &[MentionRow]) {
    let mut last = "";
    for row in mentions {
        let heading = heading_of_mention(reply.question, row);
        if heading != last {
            let _ = writeln!(out, "{heading}, by name:");
            last = heading;
        }
        let path = agent_path(row.source.as_ref(), &row.path);
        let _ = writeln!(out, "{path}:{} {}\t{}", row.line, why_of_mention(row), clean(&row.text));
    }
}

fn write_tests(out: &mut String, tests: &[AffectedTest]) {
    if !tests.is_empty() {
        out.push_str("tests to run:\n");
    }
    for test in tests {
        let path = agent_path(test.source.as_ref(), &test.path);
        let _ = writeln!(out, "{path} {:.2} {}", test.confidence, short_name(&test.reason));
    }
}

fn write_entries(out: &mut String, entries: &[EntryRow]) {
    if !entries.is_empty() {
        out.push_str("routes and commands that lead to it:\n");
    }
    for entry in entries {
        let path = clean::answer_path(entry.path.as_str());
        let _ = writeln!(out, "{path}:{} {} {}", entry.line, clean(&entry.method), short_name(&entry.name));
    }
}

/// Writes how many rows there are, and how many rows and mentions are shown.
fn write_count(out: &mut String, reply: &GraphReply, (rows, mentions): (usize, usize)) {
    let is_cut = rows < reply.total;
    let more = if is_cut { "; more with max_results, max_tokens or a narrower path" } else { "" };
    let least = if is_cut && reply.incomplete.is_some() { "at least " } else { "" };
    let by_name = match mentions {
        0 => String::new(),
        listed => format!(", {listed} more by name"),
    };
    let _ = writeln!(out, "\n{rows} of {least}{}{by_name}{more}", count(reply.total, "row", "rows"));
}

/// Writes what the answer leaves open, and its notes and sources.
fn write_end(out: &mut String, reply: &GraphReply) {
    if reply.rows.is_empty() && reply.mentions.is_some() && !names_uses(reply) {
        let _ = writeln!(out, "{}", none_of(reply));
    }
    if let Some(mentions) = &reply.mentions {
        let _ = writeln!(out, "{}", mentions_line(mentions));
    }
    if let Some(why) = &reply.incomplete {
        let _ = writeln!(out, "not complete: {}", clean(why));
    }
    super::memory::note_lines(out, &reply.notes);
    let of_rows = reply.rows.iter().map(|row| row.source.as_ref());
    let of_rows = of_rows.chain(reply.definitions.iter().map(|own| own.source.as_ref()));
    sources::lines(out, &reply.sources, of_rows);
}

/// Writes the edges of each file below its path, files in the order of their first edge. The line of an edge begins with
/// its number, as every line of a file in answers for agents.
fn below_files(out: &mut String, edges: &[&GraphRow]) {
    let path = |row: &GraphRow| agent_path(row.source.as_ref(), &row.path).into_owned();
    for (path, rows) in grouped(edges.iter().copied(), path) {
        let _ = writeln!(out, "{path}");
        rows.into_iter().for_each(|row| edge(out, row));
    }
}

/// Writes `12 owner<TAB>code`, or `12 -> callee path:lines` for an edge from the target.
fn edge(out: &mut String, row: &GraphRow) {
    let _ = write!(out, "{}", row.line);
    match (&row.to, row.is_outgoing) {
        (GraphEnd::Symbol(to), true) => {
            let source = to.source.as_ref().or(row.source.as_ref());
            let _ = write!(out, " -> {}", symbol(to, to.kind.name(), source));
        }
        (GraphEnd::File(to), true) => _ = write!(out, " -> {}", agent_path(row.source.as_ref(), to)),
        (GraphEnd::Outside(module), _) => _ = write!(out, " -> {} (outside of the tree)", short_name(module)),
        (GraphEnd::Removed(to), _) => _ = write!(out, " uses {}", short_name(&to.qualified())),
        (_, false) => {
            if let Some(from) = &row.from {
                let _ = write!(out, " {}", short_name(&from.qualified()));
            }
        }
    }
    if row.depth > 1 {
        let _ = write!(out, ", {} steps", row.depth);
    }
    if row.confidence < SURE {
        let _ = write!(out, ", confidence {:.2}", row.confidence);
    }
    if row.is_test {
        out.push_str(", test");
    }
    if !row.text.is_empty() && !matches!(row.relation, Relation::Imports) {
        let _ = write!(out, "\t{}", clean(&row.text));
    }
    out.push('\n');
}

/// Writes `path:line caller -> callee<TAB>code`, a call on a path.
fn call(out: &mut String, row: &GraphRow) {
    let from =
        row.from.as_ref().map_or_else(|| "top level".to_string(), |from| short_name(&from.qualified()));
    let to = match &row.to {
        GraphEnd::Symbol(to) | GraphEnd::Removed(to) => short_name(&to.qualified()),
        GraphEnd::File(_) | GraphEnd::Outside(_) => String::new(),
    };
    let sure =
        if row.confidence < SURE { format!(", confidence {:.2}", row.confidence) } else { String::new() };
    let path = agent_path(row.source.as_ref(), &row.path);
    let _ = writeln!(out, "{path}:{} {from} -> {to}{sure}\t{}", row.line, clean(&row.text));
}

/// `kind Container.name path:first-last`.
fn symbol(own: &SymbolRow, kind: &str, source: Option<&SourceName>) -> String {
    let path = agent_path(source, &own.path);
    format!("{kind} {} {path}:{}", short_name(&own.qualified()), span(own.lines))
}
