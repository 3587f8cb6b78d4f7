//! Lines that were read, for terminals and pipes: a heading with the place, then each line behind its number.

use std::fmt::Write;

use crate::render::paint::{Ink, Style};
use crate::render::places::RowPlaces;
use spyhop_base::clean::line as clean;
use spyhop_engine::api::{ReadReply, ReadText, SymbolChoices};

/// The lines of a file, or the definitions of a name.
pub fn read(reply: &ReadReply, style: &Style) -> String {
    match reply {
        ReadReply::Text(text) => lines(text, style),
        ReadReply::Choices(choices) => definitions(choices, style),
    }
}

fn lines(reply: &ReadText, style: &Style) -> String {
    let path = style.paint(
        Ink::Path,
        &RowPlaces::new(&reply.snapshot, &[]).clean(style, reply.source.as_ref(), &reply.path),
    );
    let Some(shown) = reply.lines() else { return format!("{path} is empty\n") };
    let mut out = format!("{path}:{}-{}", shown.first, shown.last);
    if let Some(symbol) = &reply.symbol {
        let name = style.paint(Ink::Symbol, &clean(&symbol.qualified()));
        let _ = write!(out, " {} {name}", symbol.kind.name());
    }
    let _ = writeln!(out, " {}", style.paint(Ink::Dim, &format!("of {} lines", reply.total_lines)));
    let width = shown.last.to_string().len();
    for (number, line) in (shown.first..).zip(&reply.text) {
        let cut = if reply.cut.contains(&number) { " …" } else { "" };
        let number = style.paint(Ink::Line, &format!("{number:width$}"));
        let _ = writeln!(out, "{}", format!("{number}\t{}{cut}", clean(line)).trim_end());
    }
    if let Some(next) = reply.next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --lines {next}")));
    }
    out
}

fn definitions(reply: &SymbolChoices, style: &Style) -> String {
    let mut out =
        format!("'{}' is defined more than once; give a path or a container:\n", clean(&reply.symbol));
    let places = RowPlaces::new(&reply.snapshot, &[]);
    for row in &reply.choices {
        let path = places.clean(style, row.source.as_ref(), &row.path);
        let path = style.paint(Ink::Path, &path);
        let line = style.paint(Ink::Line, &row.lines.first.to_string());
        let name = style.paint(Ink::Symbol, &clean(&row.qualified()));
        let _ = writeln!(out, "{path}:{line}: {} {name}", row.kind.name());
    }
    out
}
