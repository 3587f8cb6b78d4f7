//! Texts as an editor counts them: lines from 0, and columns in the code units that client and server agreed on.
//!
//! The engine counts lines from 1 and columns in bytes. This module owns every conversion between the two.

use lsp_types::{Position, PositionEncodingKind, Range};

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, which every client understands.
    Utf16,
}

impl ColumnUnit {
    /// The unit that a client is answered in: bytes where the client understands them.
    pub fn agreed(offered: Option<&[PositionEncodingKind]>) -> ColumnUnit {
        match offered.unwrap_or_default().contains(&PositionEncodingKind::UTF8) {
            true => ColumnUnit::Utf8,
            false => ColumnUnit::Utf16,
        }
    }

    /// The name of the unit in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
            ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// The length of a text.
    pub fn len(self, text: &str) -> u32 {
        match self {
            ColumnUnit::Utf8 => text.len() as u32,
            ColumnUnit::Utf16 => text.encode_utf16().count() as u32,
        }
    }

    /// The byte of a line at a column. A column inside a character is its beginning, one past the end is the end.
    pub fn byte(self, line: &str, column: u32) -> usize {
        let mut seen = 0;
        for (at, c) in line.char_indices() {
            seen += match self {
                ColumnUnit::Utf8 => c.len_utf8() as u32,
                ColumnUnit::Utf16 => c.len_utf16() as u32,
            };
            if seen > column {
                return at;
            }
        }
        line.len()
    }

    /// The range of a part of a line; the line counts from 0. `bytes` must lie at characters of the line, or beyond it.
    pub fn range(self, line: u32, text: &str, bytes: std::ops::Range<usize>) -> Range {
        let column = |byte: usize| self.len(text.get(..byte).unwrap_or(text));
        Range::new(Position::new(line, column(bytes.start)), Position::new(line, column(bytes.end)))
    }
}

/// A text with its lines.
#[derive(Clone, Debug)]
pub struct LinedText {
    text: String,
    starts: Vec<usize>,
}

/// The most lines of an item in which its name is looked for: attributes and comments may stand above the name.
const NAME_LINES: u32 = 50;

impl LinedText {
    /// The text `text`.
    pub fn new(text: String) -> LinedText {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        LinedText { text, starts }
    }

    /// The line with this number, from 0, without its end.
    pub fn line(&self, number: u32) -> Option<&str> {
        let number = number as usize;
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].strip_suffix('\n').unwrap_or(&self.text[start..end]);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The number of the line with this text that is nearest to the line `near`; both count from 0.
    pub fn nearest(&self, near: u32, text: &str) -> Option<u32> {
        if self.line(near) == Some(text) {
            return Some(near);
        }
        let numbers = 0..self.starts.len() as u32;
        numbers.filter(|number| self.line(*number) == Some(text)).min_by_key(|number| number.abs_diff(near))
    }

    /// The end of a line, which counts from 0; the end of the text where there is no such line.
    pub fn end_of(&self, line: u32, unit: ColumnUnit) -> Position {
        let line = line.min(self.starts.len() as u32 - 1);
        Position::new(line, self.line(line).map_or(0, |text| unit.len(text)))
    }

    /// The place of a name in the first of the lines `first..=last`, which count from 1; the beginning of the first line
    /// where the name is not found.
    pub fn name_range(&self, (first, last): (u32, u32), name: &str, unit: ColumnUnit) -> Range {
        let first = first.saturating_sub(1);
        let last = last.saturating_sub(1).min(first.saturating_add(NAME_LINES));
        let lines = (first..=last).map_while(|number| Some((number, self.line(number)?)));
        let found = lines.filter_map(|(number, line)| Some((number, line, word_in(line, name)?))).next();
        match found {
            Some((number, line, at)) => unit.range(number, line, at..at + name.len()),
            None => Range::new(Position::new(first, 0), Position::new(first, 0)),
        }
    }
}

/// Whether a character can be part of a word.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The byte at which `name` stands in a line as a whole word.
fn word_in(line: &str, name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let is_bound = |at: &usize| {
        let before = line[..*at].chars().next_back().is_some_and(is_word);
        let behind = line[at + name.len()..].chars().next().is_some_and(is_word);
        let (first, last) = (name.chars().next(), name.chars().next_back());
        let continues = before && first.is_some_and(is_word) || behind && last.is_some_and(is_word);
        !continues
    };
    line.match_indices(name).map(|(at, _)| at).find(is_bound)
}

/// The word of a line that contains or touches a byte.
pub fn word_at(line: &str, byte: usize) -> Option<std::ops::Range<usize>> {
    let back = line[..byte].char_indices().rev().take_while(|(_, c)| is_word(*c)).last();
    let start = back.map_or(byte, |(at, _)| at);
    let ahead = line[byte..].find(|c| !is_word(c)).unwrap_or(line.len() - byte);
    (start < byte + ahead).then_some(start..byte + ahead)
}

/// The word before a separator that ends at a byte, such as `Pool` in `Pool::take`.
pub fn qualifier_before(line: &str, byte: usize) -> Option<&str> {
    let before = &line[..byte];
    let separators = ["::", "?.", "->", ".", "#"];
    let before = separators.iter().find_map(|separator| before.strip_suffix(separator))?;
    let start = before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last()?.0;
    Some(&before[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_the_agreed_units() {
        let line = "let größe = \"𝄞\"; größe";
        let at = line.rfind("größe").unwrap();
        for (unit, column) in [(ColumnUnit::Utf8, at as u32), (ColumnUnit::Utf16, 18)] {
            assert_eq!(unit.byte(line, column), at, "{unit:?}");
            let range = unit.range(3, line, at..line.len());
            assert_eq!(range.start, Position::new(3, column), "{unit:?}");
            assert_eq!(range.end, Position::new(3, unit.len(line)), "{unit:?}");
        }
        // Inside of a character, and beyond the line.
        assert_eq!(ColumnUnit::Utf16.byte("a𝄞b", 2), 1);
        assert_eq!(ColumnUnit::Utf8.byte("a𝄞b", 99), 6);
    }

    #[test]
    fn words_and_what_stands_before_them() {
        let check = |line: &str, byte: usize, word: &str, before: Option<&str>| {
            let found = word_at(line, byte).unwrap();
            assert_eq!((&line[found.clone()], qualifier_before(line, found.start)), (word, before), "{line}");
        };
        check("    Pool::take(1)", 11, "take", Some("Pool"));
        check("größe.länge", 8, "länge", Some("größe"));
        check("self.pool", 9, "pool", Some("self"));
        check("p->next", 3, "next", Some("p"));
        check("take(x)", 4, "take", None);
        assert_eq!(word_at("a + b", 2), None);
        assert_eq!(word_at("", 0), None);
    }

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        let text = LinedText::new("#[takes]\r\nfn take_all(take: u8) {}\nlast".to_string());
        let range = text.name_range((1, 2), "take", ColumnUnit::Utf16);
        assert_eq!((range.start, range.end), (Position::new(1, 12), Position::new(1, 16)));
        assert_eq!(text.name_range((2, 2), "gone", ColumnUnit::Utf16).start, Position::new(1, 0));
        assert_eq!(text.line(0), Some("#[takes]"));
        assert_eq!(text.end_of(9, ColumnUnit::Utf16), Position::new(2, 4));
    }
}
