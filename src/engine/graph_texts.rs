//! The lines of files that an answer of the code graph shows, with their secrets masked.

use super::api::*;
use super::graph::{FileLines, GraphAnswer};
use spyhop_base::text::{Lines, Span};
use spyhop_graph::Definition;
use spyhop_grep::secrets;

/// The most definitions whose code is shown, and the most lines of it.
const MAX_CODED: usize = 3;
const MAX_CODE: u32 = 45;

impl GraphAnswer<'_, '_> {
    /// The line and the column of a span.
    pub(super) fn place_of(&self, file: u32, span: Span) -> (u32, u32) {
        let Some(lines) = self.sources.lines(file) else { return (1, 1) };
        let line = lines.index.line_of(span.start);
        (line, span.start - lines.index.start_of(line) + 1)
    }

    /// The masked text of a line.
    pub(super) fn text_of(&self, file: u32, line: u32) -> String {
        shortened(self.masked(file, Lines { first: line, last: line }).trim().to_string())
    }

    /// The masked text of lines; nothing if the file has changed.
    fn masked(&self, file: u32, lines: Lines) -> String {
        let Some(known) = self.sources.lines(file) else { return String::new() };
        let FileLines { source, index, mask } = &*known;
        let whole = index.span_of(lines);
        let mask = mask.get_or_init(|| self.engine.policy().secret_mask(self.snapshot.path(file), source));
        match mask {
            Some(cover) => secrets::mask_lines(source, whole.range(), cover)[whole.range()].to_string(),
            None => source[whole.range()].to_string(),
        }
    }

    /// The code of the first definitions: many lines of a single one, fewer of several.
    pub(super) fn code_of(&self, definitions: &[Definition]) -> Vec<DefinitionCode> {
        let most = MAX_CODE / definitions.len().clamp(1, MAX_CODED) as u32;
        let code = |(place, own): (usize, &Definition)| {
            let lines =
                Lines { first: own.lines.first, last: own.lines.last.min(own.lines.first + most - 1) };
            let text = self.masked(own.file, lines);
            (!text.is_empty()).then_some(DefinitionCode { definition: place, lines, text })
        };
        definitions.iter().enumerate().take(MAX_CODED).filter_map(code).collect()
    }

    /// Fills the lines of the rows that are shown.
    pub(super) fn fill_texts(&self, rows: &mut [GraphRow]) {
        for row in rows.iter_mut().filter(|row| row.text.is_empty()) {
            if let Some(file) = self.snapshot.file_at(row.path.as_str()) {
                row.text = self.text_of(file, row.line);
            }
        }
    }
}

/// The most characters of a line in a row.
const MAX_CHARS: usize = 200;

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
