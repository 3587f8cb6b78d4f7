//! The plain data of the picker: modes, places, the rows of the list and the text of the preview.

use std::ops::Range;

use spyhop_attributes::{All, Name};
use spyhop_base::path::RelPath;
use spyhop_interface::render::{SyntaxClass, clean, syntax};

/// What the query line searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Name, All)]
pub enum PickMode {
    /// Places, ranked for a question.
    #[default]
    Ranked,
    /// Every line that matches a regular expression.
    Exact,
    /// Files by name.
    Files,
    /// Definitions by name.
    Symbols,
}

impl PickMode {
    /// The mode with a name.
    pub fn by_name(name: &str) -> Option<PickMode> {
        PickMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode after this one.
    pub fn next(self) -> PickMode {
        let at = PickMode::ALL.iter().position(|mode| *mode == self).unwrap_or(0);
        PickMode::ALL[(at + 1) % PickMode::ALL.len()]
    }
}

/// A place in a file: what is selected, opened and printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PickPlace {
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// The byte of the line, from 1.
    pub column: u32,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct PickRow {
    pub place: PickPlace,
    /// The last line of the item.
    pub last: u32,
    /// The text, from left to right.
    pub pieces: Vec<Piece>,
    /// What the preview highlights.
    pub focus: Focus,
}

/// A part of a text in one style. The text is clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub tone: Tone,
}

/// The role of a text, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Path,
    Number,
    Name,
    Match,
    Dim,
    Good,
    Alarm,
    Syntax(SyntaxClass),
}

/// What the preview highlights in the text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    Nothing,
    /// Ranges of lines; a line that has other text by now is not highlighted.
    Lines(Vec<FocusLine>),
    /// Every occurrence of a name in the lines of the item.
    Name(String),
}

/// A line with matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusLine {
    pub line: u32,
    pub text: String,
    pub matches: Vec<Range<usize>>,
}

/// What is asked of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickQuery {
    pub mode: PickMode,
    /// The query line as typed, with its filter words.
    pub line: String,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickAnswer {
    pub rows: Vec<PickRow>,
    /// The number of rows over all pages.
    pub total: usize,
    /// Whether `total` counts everything.
    pub is_whole: bool,
    /// Whether the first index is not finished, so that the same query may find more soon.
    pub is_partial: bool,
    /// A remark about the answer.
    pub note: Option<String>,
}

/// The beginning of a file, with secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewText {
    pub path: RelPath,
    /// The lines from the first one on.
    pub lines: Vec<String>,
    /// For each line, its coloured parts, in order and not overlapping.
    pub colors: Vec<Vec<(Range<usize>, SyntaxClass)>>,
    /// Whether the file has more lines.
    pub has_more: bool,
}

impl PreviewText {
    /// The text of a file of a language, with its colours.
    pub fn new(path: RelPath, lines: Vec<String>, has_more: bool, language: &str) -> PreviewText {
        let text = lines.join("\n");
        let mut colors = vec![Vec::new(); lines.len()];
        let (mut line, mut start) = (0, 0);
        for (span, class) in syntax(language, &text) {
            let mut from = span.range().start;
            while from < span.range().end {
                while line + 1 < lines.len() && from > start + lines[line].len() {
                    start += lines[line].len() + 1;
                    line += 1;
                }
                let end = span.range().end.min(start + lines[line].len());
                colors[line].push((from - start..end - start, class));
                // The next part begins after the line break.
                from = end.max(from) + 1;
            }
        }
        PreviewText { path, lines, colors, has_more }
    }
}

impl PickPlace {
    /// The place as `path:line:column`, with the path as `shown`.
    pub fn shown(&self, shown: impl FnOnce(&str) -> String) -> String {
        format!("{}:{}:{}", shown(self.path.as_str()), self.line, self.column)
    }
}

impl Piece {
    /// A text in a style, cleaned and on one line. A tab becomes four blanks: a cell of the screen cannot hold a tab.
    pub fn new(text: &str, tone: Tone) -> Piece {
        Piece { text: clean::line(text).replace('\t', "    "), tone }
    }
}

/// `text` as pieces: the ranges `matches` in one style and the rest in another.
pub fn pieces(text: &str, matches: &[Range<usize>], tone: Tone) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(2 * matches.len() + 1);
    let mut at = 0;
    for range in matches {
        let (Some(before), Some(found)) = (text.get(at..range.start), text.get(range.clone())) else {
            continue;
        };
        pieces.extend((!before.is_empty()).then(|| Piece::new(before, tone)));
        pieces.extend((!found.is_empty()).then(|| Piece::new(found, Tone::Match)));
        at = range.end;
    }
    let rest = text.get(at..).unwrap_or_default();
    pieces.extend((!rest.is_empty()).then(|| Piece::new(rest, tone)));
    pieces
}

/// `text` as pieces: the ranges `matches` in one style, and the rest in its colours.
pub fn colored_pieces(
    text: &str,
    matches: &[Range<usize>],
    colors: &[(Range<usize>, SyntaxClass)],
) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut at = 0;
    let plain = std::iter::once((text.len()..text.len(), None));
    for (range, class) in colors.iter().map(|(range, class)| (range.clone(), Some(*class))).chain(plain) {
        for (part, tone) in
            [(at..range.start, Tone::Plain), (range.clone(), class.map_or(Tone::Plain, Tone::Syntax))]
        {
            let within = |found: &Range<usize>| found.start.max(part.start)..found.end.min(part.end);
            let own = matches.iter().map(within).filter(|found| !found.is_empty());
            let own: Vec<Range<usize>> =
                own.map(|found| found.start - part.start..found.end - part.start).collect();
            all.extend(text.get(part).map(|part| pieces(part, &own, tone)).unwrap_or_default());
        }
        at = range.end;
    }
    all
}

/// Pieces in at most `width` columns, as far as a shorter path allows that: the middle of a path gives way to `…`.
pub fn fitted(pieces: &[Piece], width: usize) -> Vec<Piece> {
    /// What is kept of a path at least.
    const MIN_PATH: usize = 12;
    let columns = |pieces: &[Piece]| pieces.iter().map(|piece| piece.text.chars().count()).sum::<usize>();
    let mut fitted = pieces.to_vec();
    let above = columns(&fitted).saturating_sub(width);
    let path = fitted.iter_mut().find(|piece| piece.tone == Tone::Path);
    if let Some(path) = path.filter(|_| above > 0) {
        let length = path.text.chars().count();
        let kept = length.saturating_sub(above).max(MIN_PATH);
        if kept < length {
            // The end of a path says more than its beginning.
            let head = (kept - 1) / 3;
            let tail = length - (kept - 1 - head);
            let beginning: String = path.text.chars().take(head).collect();
            path.text = format!("{beginning}…{}", path.text.chars().skip(tail).collect::<String>());
        }
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_gives_way_in_its_middle() {
        let row = [
            Piece::new("components/billing/src/main/java/org/acme/InvoiceService.java", Tone::Path),
            Piece::new(":40 ", Tone::Number),
            Piece::new("InvoiceService.close", Tone::Name),
        ];
        let text = |width| fitted(&row, width).iter().map(|piece| piece.text.as_str()).collect::<String>();
        assert_eq!(text(60), "components/…acme/InvoiceService.java:40 InvoiceService.close");
        assert_eq!(text(10), "com…ice.java:40 InvoiceService.close");
        assert_eq!(text(200), row.iter().map(|piece| piece.text.as_str()).collect::<String>());
    }

    #[test]
    fn lines_have_their_colours_beside_their_matches() {
        let lines = ["/* a", "b */ let x = 1;"].map(str::to_string).to_vec();
        let text = PreviewText::new(RelPath::new("a.rs").unwrap(), lines, false, "rust");
        let shown = |at: usize, matches: &[Range<usize>]| -> Vec<(String, Tone)> {
            let pieces = colored_pieces(&text.lines[at], matches, &text.colors[at]);
            pieces.into_iter().map(|piece| (piece.text, piece.tone)).collect()
        };
        let comment = Tone::Syntax(SyntaxClass::Comment);
        assert_eq!(shown(0, &[]), [("/* a".to_string(), comment)]);
        let found = shown(1, &[5..8, 13..14]);
        let expected = [
            ("b */", comment),
            (" ", Tone::Plain),
            ("let", Tone::Match),
            (" x = ", Tone::Plain),
            ("1", Tone::Match),
            (";", Tone::Plain),
        ];
        assert_eq!(found, expected.map(|(text, tone)| (text.to_string(), tone)));
    }

    #[test]
    fn pieces_are_clean_and_keep_their_matches() {
        let of = |text: &str, found: Range<usize>| -> Vec<(String, bool)> {
            let pieces = pieces(text, std::slice::from_ref(&found), Tone::Plain);
            pieces.into_iter().map(|piece| (piece.text, piece.tone == Tone::Match)).collect()
        };
        assert_eq!(of("abc", 1..2), [("a".into(), false), ("b".into(), true), ("c".into(), false)]);
        assert_eq!(of("\u{1b}[mé", 3..5), [("␛[m".into(), false), ("é".into(), true)]);
        // A range that is not one of the text is left out.
        assert_eq!(of("aé", 2..9), [("aé".into(), false)]);
        assert_eq!(of("", 0..0), []);
    }

    #[test]
    fn a_key_goes_through_all_modes() {
        let mut mode = PickMode::default();
        let names: Vec<&str> = (0..5)
            .map(|_| {
                let name = mode.name();
                mode = mode.next();
                name
            })
            .collect();
        assert_eq!(names, ["ranked", "exact", "files", "symbols", "ranked"]);
        assert_eq!(PickMode::by_name("files"), Some(PickMode::Files));
        assert_eq!(PickMode::by_name("file"), None);
    }
}
