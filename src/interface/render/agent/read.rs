//! Lines that were read, for agents.

use std::fmt::Write;

use super::answer::{Answer, clean_value, cut, link, rows, rows_that_fit, short_name, span, with_footer};
use crate::render::places::agent_path;
use spyhop_base::clean::line as clean;
use spyhop_engine::api::{ReadReply, ReadText, SymbolChoices};

/// The lines of a file, or the definitions of a name.
pub fn read(reply: &ReadReply) -> Answer {
    let mut data = clean_value(reply);
    match reply {
        ReadReply::Text(reply) => {
            data["link"] = link(&reply.snapshot.root, &reply.path, reply.lines()).into();
            Answer { text: read_text(reply, reply.text.len()), data }
        }
        ReadReply::Choices(reply) => {
            for (wire, row) in rows(&mut data, "choices").zip(&reply.choices) {
                // A choice in a source is read by the name of the source.
                if row.source.is_none() {
                    wire.insert("link".into(), link(&reply.snapshot.root, &row.path, Some(row.lines)).into());
                }
            }
            Answer { text: choices_text(reply), data }
        }
    }
}

/// The lines of a file that fit.
pub fn read_within(mut reply: ReadReply, budget: usize) -> Answer {
    if let ReadReply::Text(text) = &mut reply {
        let fits = rows_that_fit(text.text.len(), budget, |lines| read_text(text, lines));
        text.truncate(fits.max(1));
    }
    cut(read(&reply), budget)
}

fn read_text(reply: &ReadText, lines: usize) -> String {
    let mut page = reply.clone();
    page.truncate(lines);
    let path = agent_path(page.source.as_ref(), &page.path);
    let Some(shown) = page.lines() else { return format!("{path} is empty\n") };
    let mut out = format!("{path}:{}", span(shown));
    if let Some(symbol) = &page.symbol {
        let _ = write!(out, " {} {}", symbol.kind.name(), short_name(&symbol.qualified()));
    }
    out.push('\n');
    for (number, line) in (shown.first..).zip(&page.text) {
        let cut = if page.cut.contains(&number) { " …" } else { "" };
        let _ = writeln!(out, "{}", format!("{number}\t{}{cut}", clean(line)).trim_end());
    }
    let _ = writeln!(out, "\nlines {} of {}", span(shown), page.total_lines);
    let mut out = with_footer(out, None, &page.warnings, None);
    if let Some(next) = page.next {
        let _ = writeln!(out, "next: path '{path}' with lines '{next}'");
    }
    out
}

fn choices_text(reply: &SymbolChoices) -> String {
    let symbol = clean(&reply.symbol);
    let mut out =
        format!("'{symbol}' is defined more than once; give one of these with path, or path and lines:\n");
    for row in &reply.choices {
        let path = agent_path(row.source.as_ref(), &row.path);
        let name = short_name(&row.qualified());
        let _ = writeln!(out, "{path}:{} {} {name}", span(row.lines), row.kind.name());
    }
    with_footer(out, None, &reply.warnings, None)
}
