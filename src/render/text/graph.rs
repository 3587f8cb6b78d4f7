//! Answers of the code graph for terminals: the definitions, then a line for each edge, as `path:line: text`, so that each
//! line can be read alone and opened by an editor.

use std::fmt::Write;

use super::counts::count;
use crate::clean::{self, line as clean};
use crate::engine::api::{GraphEnd, GraphQuestion, GraphReply, GraphRow, SymbolRow};
use crate::path::RelPath;
use crate::render::paint::{Ink, Style};

/// The answer to a question about the code graph.
pub fn graph(reply: &GraphReply, style: &Style) -> String {
    let mut out = String::new();
    for own in &reply.definitions {
        let place = place(&own.path, own.lines.first, reply, style);
        let name = style.paint(Ink::Symbol, &clean(&own.qualified()));
        let _ = writeln!(out, "{place}: {} {name}", own.kind.name());
    }
    if reply.question == GraphQuestion::Definitions {
        return out;
    }
    let mut heading = None;
    for row in &reply.rows {
        let own = heading_of(reply.question, row);
        if heading != Some(own) {
            let blank = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{blank}{}", style.paint(Ink::Dim, own));
            heading = Some(own);
        }
        edge(&mut out, row, reply, style);
    }
    if reply.rows.is_empty() {
        let _ = writeln!(out, "{}: none found", nothing(reply.question));
    }
    if reply.total > reply.rows.len() {
        let least = if reply.incomplete.is_some() { "at least " } else { "" };
        let text = format!(
            "{} of {least}{}; more with --max-results",
            reply.rows.len(),
            count(reply.total, "row", "rows")
        );
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    if let Some(reason) = &reply.incomplete {
        let text = style.clip(0, &format!("not complete: {}", clean(reason)));
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &text));
    }
    out
}

/// The line of an edge.
fn edge(out: &mut String, row: &GraphRow, reply: &GraphReply, style: &Style) {
    let place = place(&row.path, row.line, reply, style);
    let indent = "  ".repeat(row.depth.saturating_sub(1) as usize);
    let name = |own: &SymbolRow| style.paint(Ink::Symbol, &clean(&own.qualified()));
    let end = match (&row.to, row.is_outgoing) {
        (GraphEnd::Symbol(to), true) => {
            let path = clean::path(&style.paths.shown(to.path.as_str())).into_owned();
            format!("{}  {}", name(to), style.paint(Ink::Dim, &format!("{path}:{}", to.lines.first)))
        }
        (GraphEnd::File(to), true) => style.paint(Ink::Path, &clean::path(&style.paths.shown(to.as_str()))),
        (GraphEnd::Outside(module), _) => {
            format!("{} {}", clean(module), style.paint(Ink::Dim, "(outside of the tree)"))
        }
        (_, false) => row.from.as_ref().map_or_else(|| "top level".to_string(), name),
    };
    let why = match row.to {
        GraphEnd::Symbol(_) => format!("{:.2} {}", row.confidence, row.rule.sentence()),
        GraphEnd::File(_) | GraphEnd::Outside(_) => String::new(),
    };
    let why = if row.is_test { format!("{why} · test") } else { why };
    let _ = writeln!(out, "{place}: {indent}{end}  {}", style.paint(Ink::Dim, why.trim_start_matches(" · ")));
    if !row.text.is_empty() {
        let _ = writeln!(out, "    {indent}{}", style.clip(4, &clean(&row.text)));
    }
}

fn place(path: &RelPath, line: u32, reply: &GraphReply, style: &Style) -> String {
    let shown = style.paint(Ink::Path, &clean::path(&style.paths.shown(path.as_str())));
    let number = style.paint(Ink::Line, &line.to_string());
    style.link(&path.below(&reply.snapshot.root), &format!("{shown}:{number}"))
}

/// The heading above a group of edges.
fn heading_of(question: GraphQuestion, row: &GraphRow) -> &'static str {
    match (question, row.is_outgoing) {
        (GraphQuestion::Imports, _) => "imports",
        (GraphQuestion::Importers, _) => "imported by",
        (GraphQuestion::Implementations, _) => "implemented by",
        (GraphQuestion::Tests, _) => "tested by",
        (_, true) => "calls",
        (_, false) => match row.relation.name() {
            "calls" => "called by",
            "imports" => "imported by",
            "implements" => "implemented by",
            _ => "used by",
        },
    }
}

/// The subject of an answer without edges.
fn nothing(question: GraphQuestion) -> &'static str {
    match question {
        GraphQuestion::Definitions => "definitions",
        GraphQuestion::References => "uses",
        GraphQuestion::Callers | GraphQuestion::Impact => "callers",
        GraphQuestion::Callees => "callees in this tree",
        GraphQuestion::Implementations => "implementations",
        GraphQuestion::Tests => "tests",
        GraphQuestion::Imports => "imports",
        GraphQuestion::Importers => "importers",
        GraphQuestion::Trace => "callers and callees",
    }
}
