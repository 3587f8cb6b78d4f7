//! Lists of routes and commands for terminals: `path:line: METHOD /route  handler  place` a line.

use std::fmt::Write;

use super::counts::count;
use crate::render::paint::{Ink, Style};
use crate::render::places::RowPlaces;
use spyhop_base::clean::line as clean;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{EntriesReply, EntryKind, EntryRow};

/// The list of routes or commands.
pub fn entries(reply: &EntriesReply, style: &Style) -> String {
    let mut out = String::new();
    for row in &reply.rows {
        entry(&mut out, row, RowPlaces::new(&reply.snapshot, &reply.sources), style);
    }
    if reply.rows.is_empty() {
        let kind = match reply.kind {
            EntryKind::Route => "routes",
            EntryKind::Command => "commands",
        };
        let with = match reply.pattern.is_empty() {
            true => String::new(),
            false => format!(" with '{}'", clean(&reply.pattern)),
        };
        let _ = writeln!(out, "{kind}{with}: none found");
    }
    if reply.total > reply.rows.len() {
        let text =
            format!("{} of {}; more with --max-results", reply.rows.len(), count(reply.total, "row", "rows"));
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    if let Some(reason) = &reply.incomplete {
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &format!("not complete: {}", clean(reason))));
    }
    out
}

/// The line of a route or a command.
pub(super) fn entry(out: &mut String, row: &EntryRow, places: RowPlaces<'_>, style: &Style) {
    let source = row.source.as_ref();
    let shown = |path: &RelPath| places.clean(style, source, path);
    let number = style.paint(Ink::Line, &row.line.to_string());
    let place = format!("{}:{number}", style.paint(Ink::Path, &shown(&row.path)));
    let place = style.link(&places.file(source, &row.path), &place);
    let method = style.paint(Ink::Dim, &clean(&row.method));
    let name = style.paint(Ink::Symbol, &clean(&row.name));
    let handler = match (&row.definition, &row.handler_path) {
        (Some(own), _) => {
            let at = format!("{}:{}", shown(&own.path), own.lines.first);
            format!("{}  {}", clean(&row.handler), style.paint(Ink::Dim, &at))
        }
        (None, Some(path)) => shown(path),
        (None, None) => clean(&row.handler),
    };
    let handler = if row.is_test { format!("{handler}  {}", style.paint(Ink::Dim, "test")) } else { handler };
    let line = format!("{place}: {method} {name}  {handler}");
    let _ = writeln!(out, "{}", line.trim_end());
}
