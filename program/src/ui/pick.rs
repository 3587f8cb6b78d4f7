//! The plain data of the picker: modes, places, the rows of the list and the text of the preview.

use std::ops::Range;

use spyhop_base::path::RelPath;
use spyhop_interface::render::clean;

/// What the query line searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Every mode, in the order in which a key goes through them.
    pub const ALL: [PickMode; 4] = [PickMode::Ranked, PickMode::Exact, PickMode::Files, PickMode::Symbols];

    /// The name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            PickMode::Ranked => "ranked",
            PickMode::Exact => "exact",
            PickMode::Files => "files",
            PickMode::Symbols => "symbols",
        }
    }

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
    /// Whether the file has more lines.
    pub has_more: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

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
