//! Routes and commands for agents: a line each, with the place that declares it and the place of its handler.

use std::fmt::Write;

use super::answer::{
    Answer, asked_for, clean_value, cut, link, rows, rows_that_fit, short_name, span, with_footer,
};
use super::sources;
use crate::render::places::{RowPlaces, agent_path};
use crate::render::text::count;
use spyhop_base::clean::line as clean;
use spyhop_base::text::Lines;
use spyhop_engine::api::{EntriesReply, EntryKind, EntryRow};

/// Routes or commands, as many as fit the budget.
pub fn entries(mut reply: EntriesReply, budget: usize) -> Answer {
    let fits = rows_that_fit(reply.rows.len(), budget, |rows| entries_text(&reply, rows));
    reply.truncate(fits.max(1));
    let mut data = clean_value(&reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, row) in rows(&mut data, "results").zip(&reply.rows) {
        let lines = Lines { first: row.line, last: row.line };
        wire.insert("link".into(), link(places.root(row.source.as_ref()), &row.path, Some(lines)).into());
    }
    cut(Answer { text: entries_text(&reply, reply.rows.len()), data }, budget)
}

fn entries_text(reply: &EntriesReply, rows: usize) -> String {
    let mut out = String::new();
    if reply.rows.is_empty() {
        let (what, how) = match reply.kind {
            EntryKind::Route => ("route", "grep_files finds how this tree declares them"),
            EntryKind::Command => ("command", "project_map shows what is where"),
        };
        let _ = writeln!(out, "No {what} found{}; {how}.", asked_for(&reply.pattern));
    }
    reply.rows[..rows].iter().for_each(|row| entry(&mut out, row));
    sources::lines(&mut out, &reply.sources, reply.rows[..rows].iter().map(|row| row.source.as_ref()));
    let more = if rows < reply.total { "; more with max_results, max_tokens or a filter" } else { "" };
    let _ = writeln!(out, "\n{rows} of {}{more}", count(reply.total, "row", "rows"));
    with_footer(out, reply.incomplete.as_deref(), &reply.warnings, None)
}

/// Writes `path:line METHOD name -> handler path:lines`.
fn entry(out: &mut String, row: &EntryRow) {
    let path = agent_path(row.source.as_ref(), &row.path);
    let _ = write!(out, "{path}:{} {} {}", row.line, clean(&row.method), short_name(&row.name));
    if !row.handler.is_empty() {
        let _ = write!(out, " -> {}", short_name(&row.handler));
    }
    match (&row.definition, &row.handler_path) {
        (Some(own), _) => {
            _ = write!(out, " {}:{}", agent_path(row.source.as_ref(), &own.path), span(own.lines));
        }
        (None, Some(path)) => _ = write!(out, " {}", agent_path(row.source.as_ref(), path)),
        (None, None) => {}
    }
    out.push_str(if row.is_test { ", test\n" } else { "\n" });
}
