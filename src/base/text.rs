//! Byte spans and the line index of a text.
//!
//! Offsets are bytes of the decoded source (UTF-8); lines are counted from 1. A span is half open. `u32` limits a text
//! to 4 GiB; the reader refuses much smaller files, so conversions are checked once, when a text is read.

use serde::{Deserialize, Serialize};

/// A half-open range of bytes `start..end` of a decoded source text. In JSON: `[start, end]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Span {
        Span { start, end }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> (u32, u32) {
        (span.start, span.end)
    }
}

impl Span {
    /// The span `start..end`. Panics in debug builds when `end < start`.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end, "{start} <= {end}");
        Span { start: start as u32, end: end as u32 }
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as a range of indexes into a string.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` lies wholly inside this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two spans share a byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// Lines `first..=last`, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lines {
    /// The first line.
    #[serde(rename = "line", alias = "first")]
    pub first: u32,
    /// The last line, included.
    #[serde(rename = "end_line", alias = "last")]
    pub last: u32,
}

impl Lines {
    /// The number of lines.
    pub fn count(self) -> u32 {
        self.last - self.first + 1
    }

    /// Whether the two ranges share a line.
    pub fn overlaps(self, other: Lines) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// The start of each line of a text. A line ends with `\n`, which belongs to it; a text that ends with `\n` has no
/// empty line after it, and the empty text has one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        if starts.len() > 1 && *starts.last().expect("never empty") as usize == text.len() {
            starts.pop();
        }
        LineIndex { starts, len: text.len() as u32 }
    }

    /// The number of lines, at least 1.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line that contains `byte`; a byte past the end belongs to the last line.
    pub fn line_of(&self, byte: u32) -> u32 {
        self.starts.partition_point(|&start| start <= byte) as u32
    }

    /// The first byte of line `line`, or the end of the text when there is no such line.
    pub fn start_of(&self, line: u32) -> u32 {
        self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.len)
    }

    /// The lines that `span` touches. An empty span touches the line of its position.
    pub fn lines_of(&self, span: Span) -> Lines {
        let first = self.line_of(span.start);
        let last = self.line_of(span.end.saturating_sub(1).max(span.start));
        Lines { first, last: last.max(first) }
    }

    /// The bytes of `lines`, including the last line's end, truncated at the end of the text.
    pub fn span_of(&self, lines: Lines) -> Span {
        let start = self.start_of(lines.first);
        let end = self.start_of(lines.last.saturating_add(1)).max(start);
        Span { start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_text() {
        let check = |text: &str, count: u32, spans: &[&str]| {
            let index = LineIndex::new(text);
            assert_eq!(index.count(), count, "{text:?}");
            let got: Vec<&str> = (1..=index.count())
                .map(|line| &text[index.span_of(Lines { first: line, last: line }).range()])
                .collect();
            assert_eq!(got, spans, "{text:?}");
        };
        check("", 1, &[""]);
        check("a", 1, &["a"]);
        check("a\n", 1, &["a\n"]);
        check("a\n\nb", 3, &["a\n", "\n", "b"]);
        check("\n\n", 2, &["\n", "\n"]);
    }

    #[test]
    fn a_span_names_its_lines() {
        let index = LineIndex::new("ab\ncd\nef\n");
        assert_eq!(index.lines_of(Span::new(0, 3)), Lines { first: 1, last: 1 });
        assert_eq!(index.lines_of(Span::new(0, 4)), Lines { first: 1, last: 2 });
        assert_eq!(index.lines_of(Span::new(3, 3)), Lines { first: 2, last: 2 });
        assert_eq!(index.lines_of(Span::new(3, 9)), Lines { first: 2, last: 3 });
    }
}
