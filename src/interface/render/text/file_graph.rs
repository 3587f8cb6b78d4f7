//! The graph of files as text for people, and in the formats of programs that draw graphs.

use std::fmt::Write;

use serde_json::json;

use super::counts::count;
use crate::render::paint::{Ink, Style};
use crate::render::places::RowPlaces;
use spyhop_base::clean;
use spyhop_engine::api::{FileGraphQuestion, FileGraphReply, FileNode};

/// The answer to a question about the graph of files: a line for each file; of a circle, the files in the order of the
/// imports.
pub fn file_graph(reply: &FileGraphReply, style: &Style) -> String {
    let mut out = String::new();
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    let path = |file: &FileNode| {
        let shown = style.paint(Ink::Path, &places.clean(style, file.source.as_ref(), &file.path));
        style.link(&places.file(file.source.as_ref(), &file.path), &shown)
    };
    if reply.question == FileGraphQuestion::Cycles {
        for group in &reply.cycles {
            let title = count(group.len(), "file imports", "files import");
            let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("{title} each other")));
            let (circle, rest) = circle_and_rest(reply, group);
            circle.iter().for_each(|place| _ = writeln!(out, "  {}", path(&reply.files[*place])));
            if !rest.is_empty() {
                let title = count(rest.len(), "more file", "more files");
                let title = format!("  {title} in circles with them:");
                let _ = writeln!(out, "{}", style.paint(Ink::Dim, &title));
            }
            rest.iter().for_each(|place| _ = writeln!(out, "  {}", path(&reply.files[*place])));
        }
        return out;
    }
    for file in &reply.files {
        let counts = match reply.question {
            FileGraphQuestion::Orphans => String::new(),
            _ => format!("  {} in, {} out", file.importers, file.imports),
        };
        let _ = writeln!(out, "{}{}", path(file), style.paint(Ink::Dim, &counts));
    }
    out
}

/// The shortest circle of a group, in the order of its imports, and the other files of the group.
pub(in crate::render) fn circle_and_rest<'g>(
    reply: &FileGraphReply,
    group: &'g [usize],
) -> (&'g [usize], &'g [usize]) {
    let last = reply.edges.iter().find(|edge| Some(&edge.to) == group.first()).map(|edge| edge.from);
    let at = group.iter().position(|place| Some(*place) == last);
    group.split_at(at.map_or(group.len(), |at| at + 1))
}

/// What an answer about files leaves out: empty if nothing.
pub fn file_graph_footer(reply: &FileGraphReply, style: &Style) -> String {
    let mut out = String::new();
    let (shown, name, names) = match reply.question {
        FileGraphQuestion::Cycles => (reply.cycles.len(), "circle of imports", "circles of imports"),
        FileGraphQuestion::Orphans => (reply.files.len(), "orphan", "orphans"),
        FileGraphQuestion::Export | FileGraphQuestion::Hubs => (reply.files.len(), "file", "files"),
    };
    if shown < reply.total || reply.total == 0 {
        let more = if shown < reply.total { "; more with --max-results" } else { "" };
        let text = format!("{shown} of {}{more}", count(reply.total, name, names));
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &text));
    }
    if let Some(reason) = &reply.incomplete {
        let _ =
            writeln!(out, "{}", style.paint(Ink::Alarm, &format!("not complete: {}", clean::line(reason))));
    }
    out
}

/// The name of a file in an export: its path; of several trees, behind the name of its source.
fn node_name(file: &FileNode) -> String {
    match &file.source {
        Some(source) => format!("{source}:{}", file.path),
        None => file.path.to_string(),
    }
}

/// The graph as JSON lines: a line for each file, then a line for each import.
pub fn file_graph_jsonl(reply: &FileGraphReply) -> String {
    let mut out = String::new();
    for file in &reply.files {
        let node = json!({
            "file": node_name(file), "language": file.language, "imports": file.imports,
            "importers": file.importers, "is_test": file.is_test,
        });
        let _ = writeln!(out, "{node}");
    }
    for edge in &reply.edges {
        let (from, to) = (node_name(&reply.files[edge.from]), node_name(&reply.files[edge.to]));
        let _ =
            writeln!(out, "{}", json!({ "from": from, "to": to, "relation": "imports", "line": edge.line }));
    }
    out
}

/// The graph in the language of Graphviz.
pub fn file_graph_dot(reply: &FileGraphReply) -> String {
    let mut out = String::from("digraph imports {\n  rankdir=LR;\n  node [shape=box];\n");
    let quoted = |path: &str| format!("\"{}\"", clean::line(path).replace('\\', "\\\\").replace('"', "\\\""));
    for file in &reply.files {
        let style = if file.is_test { " [style=dashed]" } else { "" };
        let _ = writeln!(out, "  {}{style};", quoted(&node_name(file)));
    }
    let mut pairs: Vec<(usize, usize)> = reply.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    pairs.dedup();
    for (from, to) in pairs {
        let _ = writeln!(
            out,
            "  {} -> {};",
            quoted(&node_name(&reply.files[from])),
            quoted(&node_name(&reply.files[to]))
        );
    }
    out.push_str("}\n");
    out
}

/// The graph as GraphML.
pub fn file_graph_graphml(reply: &FileGraphReply) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n  \
         <key id=\"path\" for=\"node\" attr.name=\"path\" attr.type=\"string\"/>\n  \
         <key id=\"language\" for=\"node\" attr.name=\"language\" attr.type=\"string\"/>\n  \
         <key id=\"test\" for=\"node\" attr.name=\"test\" attr.type=\"boolean\"/>\n  \
         <key id=\"line\" for=\"edge\" attr.name=\"line\" attr.type=\"int\"/>\n  \
         <graph id=\"imports\" edgedefault=\"directed\">\n",
    );
    for (place, file) in reply.files.iter().enumerate() {
        let _ = writeln!(
            out,
            "    <node id=\"n{place}\"><data key=\"path\">{}</data><data key=\"language\">{}</data>\
             <data key=\"test\">{}</data></node>",
            escaped(&node_name(file)),
            escaped(file.language),
            file.is_test
        );
    }
    for edge in &reply.edges {
        let _ = writeln!(
            out,
            "    <edge source=\"n{}\" target=\"n{}\"><data key=\"line\">{}</data></edge>",
            edge.from, edge.to, edge.line
        );
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn escaped(text: &str) -> String {
    clean::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
