//! An analysis as text, for the expected outlines beside the fixtures.
//!
//! This module owns that text format and nothing else; tests and `spyhop-eval outline` print it. Symbols come first,
//! indented by what encloses them, then chunks, then references by role, so a diff of two outlines shows which of the
//! three a change has affected.

use std::fmt::Write;

use spyhop_base::model::{Analysis, Note, ReferenceRole, qualified_name};
use spyhop_base::text::LineIndex;

/// The outline of `analysis`, which must be the analysis of `source`.
pub fn outline(analysis: &Analysis, source: &str) -> String {
    let mut out = String::new();
    let lines = LineIndex::new(source);
    writeln!(out, "symbols").unwrap();
    for (place, symbol) in (0u32..).zip(&analysis.symbols) {
        let mut depth = 1;
        let mut above = symbol.parent;
        while let Some(parent) = above {
            depth += 1;
            above = analysis.symbols[parent as usize].parent;
        }
        let led = lines.line_of(symbol.span.start);
        let led = if led < symbol.lines.first { format!(" led from {led}") } else { String::new() };
        let container =
            symbol.container.as_deref().map_or(String::new(), |container| format!("{container}."));
        let signature = source[symbol.signature.range()].split_whitespace().collect::<Vec<_>>().join(" ");
        let (first, last) = (symbol.lines.first, symbol.lines.last);
        let (kind, name, pad) = (symbol.kind, &symbol.name, "  ".repeat(depth));
        let mark = if analysis.by_rule.contains(&place) { " by rule" } else { "" };
        writeln!(out, "{pad}{first}-{last}  {kind}  {container}{name}{led}{mark}  | {signature}").unwrap();
    }
    if !analysis.minor.is_empty() {
        writeln!(out, "minor").unwrap();
    }
    for symbol in &analysis.minor {
        let (lines, name) = (symbol.lines, qualified_name(symbol.container.as_deref(), &symbol.name));
        let parent = symbol.parent.map_or("", |parent| &analysis.symbols[parent as usize].name);
        writeln!(out, "  {}-{}  {}  {name}  in {parent}", lines.first, lines.last, symbol.kind).unwrap();
    }
    writeln!(out, "chunks").unwrap();
    for chunk in &analysis.chunks {
        let main = match analysis.symbols[chunk.symbols.start as usize..chunk.symbols.end as usize].first() {
            Some(symbol) => format!(" {}", symbol.name),
            None => String::new(),
        };
        let context: Vec<&str> =
            chunk.context.iter().map(|&at| &*analysis.symbols[at as usize].name).collect();
        let context =
            if context.is_empty() { String::new() } else { format!("  in {}", context.join(" > ")) };
        writeln!(out, "  {}-{}  {}{main}{context}", chunk.lines.first, chunk.lines.last, chunk.kind).unwrap();
    }
    for (title, role) in
        [("calls", ReferenceRole::Call), ("types", ReferenceRole::Type), ("imports", ReferenceRole::Import)]
    {
        let names: Vec<&str> = analysis
            .references
            .iter()
            .filter(|it| it.role == role)
            .map(|it| &source[it.span.range()])
            .collect();
        if !names.is_empty() {
            writeln!(out, "{title}\n  {}", names.join(" ")).unwrap();
        }
    }
    if !analysis.comments.is_empty() {
        writeln!(out, "comments").unwrap();
        for comment in &analysis.comments {
            let lines = lines.lines_of(*comment);
            writeln!(out, "  {}-{}", lines.first, lines.last).unwrap();
        }
    }
    // What is read by rules is known from the language.
    let notes: Vec<Note> = analysis.notes.iter().copied().filter(|note| *note != Note::ByRule).collect();
    if !notes.is_empty() {
        writeln!(out, "notes\n  {notes:?}").unwrap();
    }
    out
}
