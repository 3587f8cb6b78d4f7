//! The exact search: every line that matches a pattern, counted over all files and shown a page at a time.
//!
//! An exact search reads the present files, with ripgrep's own crates and ripgrep's defaults: line by line, bytes that are
//! no UTF-8 as they are, UTF-16 by its mark, a file only up to its first NUL byte. Which files there are is the
//! walk's business. Threads take files in the order of their paths and stop taking any when the cap is passed, so
//! what was read is always a beginning of the list; counts and lines are then cut at the cap in that order, and the
//! answer does not depend on threads.

mod cover;
mod line;
mod narrow;
mod plan;
mod print;
mod scan;
mod screen;
mod whole;
mod within;

pub use narrow::{Effort, Narrowed, narrow};
pub use plan::Plan;
pub use print::{OutputFormat, Print, PrintOptions, Printed, print};
pub use scan::{Found, Line, Scan, Unread, scan};
pub use within::Within;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, SearcherBuilder};

/// A longer pattern is refused.
pub const MAX_PATTERN_CHARS: usize = 10_000;

/// Of a longer line only this many bytes are shown.
pub const MAX_LINE_BYTES: usize = 500;

/// A line that takes more memory ends the search of its file.
const MAX_HEAP_BYTES: usize = 256 << 20;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Regular expressions, or texts; any of them may match.
    pub patterns: Vec<String>,
    /// Whether they are texts.
    pub fixed: bool,
    /// What case counts for.
    pub case: Case,
    /// Where matches must begin and end.
    pub bounds: Bounds,
    /// Whether a match may have several lines.
    pub multi_line: bool,
    /// Whether `.` matches the end of a line, too.
    pub dot_all: bool,
    /// Whether the lines that do not match are wanted.
    pub invert: bool,
}

/// What upper and lower case count for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// They differ.
    #[default]
    Sensitive,
    /// They are alike.
    Ignored,
    /// They are alike unless the pattern has an upper-case letter.
    Smart,
}

/// Where matches must begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bounds {
    /// Anywhere.
    #[default]
    None,
    /// Where words do.
    Word,
    /// Where lines do.
    Line,
}

/// A pattern, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Pattern {
    matcher: RegexMatcher,
    multi_line: bool,
    invert: bool,
}

/// Why a pattern was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern is too long.
    #[error("pattern has {chars} characters; {MAX_PATTERN_CHARS} are the most")]
    TooLong {
        /// How long.
        chars: usize,
    },
    /// The pattern cannot be parsed, or matches nothing that a line can hold.
    #[error("pattern '{pattern}' cannot be searched: {reason}")]
    Bad {
        /// The pattern.
        pattern: String,
        /// What the parser says.
        reason: String,
    },
}

impl Wanted {
    /// A regular expression, case as typed.
    pub fn new(pattern: impl Into<String>) -> Wanted {
        Wanted { patterns: vec![pattern.into()], ..Wanted::default() }
    }
}

impl Pattern {
    /// Reads a pattern, as ripgrep does.
    pub fn new(wanted: &Wanted) -> Result<Pattern, PatternError> {
        let chars = wanted.patterns.iter().map(|pattern| pattern.chars().count()).sum();
        if chars > MAX_PATTERN_CHARS {
            return Err(PatternError::TooLong { chars });
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(wanted.fixed)
            .case_insensitive(wanted.case == Case::Ignored)
            .case_smart(wanted.case == Case::Smart)
            .word(wanted.bounds == Bounds::Word)
            .whole_line(wanted.bounds == Bounds::Line)
            .multi_line(true)
            .ban_byte(Some(0));
        if wanted.multi_line {
            builder.dot_matches_new_line(wanted.dot_all);
        } else {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder.build_many(&wanted.patterns).map_err(|error| PatternError::Bad {
            pattern: wanted.patterns.join("' or '"),
            reason: reason(&error.to_string()),
        })?;
        Ok(Pattern { matcher, multi_line: wanted.multi_line, invert: wanted.invert })
    }
}

/// What searches a file for a pattern as ripgrep would that comes across it.
fn searcher(pattern: &Pattern) -> SearcherBuilder {
    let mut builder = SearcherBuilder::new();
    builder
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_HEAP_BYTES))
        .invert_match(pattern.invert)
        .multi_line(pattern.multi_line);
    builder
}

/// The parser's sentence without its drawing of the pattern, which the message has already.
fn reason(message: &str) -> String {
    match message.rsplit_once("\nerror: ") {
        Some((_, reason)) => reason.trim().to_string(),
        None => message.trim().to_string(),
    }
}

#[cfg(test)]
mod tests;
