//! The exact search: every line that matches a pattern, counted over all files and shown a page at a time.
//!
//! It reads the files as they are now, with ripgrep's own crates and ripgrep's defaults: line by line, bytes that are
//! no UTF-8 as they are, UTF-16 by its mark, a file only up to its first NUL byte. Which files there are is the
//! walk's business. Threads take files in the order of their paths and stop taking any when the cap is passed, so
//! what was read is always a beginning of the list; counts and lines are then cut at the cap in that order, and the
//! answer does not depend on threads.

mod line;
mod scan;

pub use scan::{Found, Line, MAX_LINES, Scan, Unread, scan};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// A longer pattern is refused.
pub const MAX_PATTERN_CHARS: usize = 10_000;

/// Of a longer line only this many bytes are shown.
pub const MAX_LINE_BYTES: usize = 500;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'p> {
    /// A regular expression, or a text.
    pub pattern: &'p str,
    /// Whether it is a text.
    pub fixed: bool,
    /// Whether upper and lower case are alike.
    pub ignore_case: bool,
    /// Whether matches must begin and end at the bounds of words.
    pub word: bool,
}

/// A pattern, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Pattern(RegexMatcher);

/// Why a pattern was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is empty.
    #[error("pattern is empty")]
    Empty,
    /// It is too long.
    #[error("pattern has {chars} characters; {MAX_PATTERN_CHARS} are the most")]
    TooLong {
        /// How long.
        chars: usize,
    },
    /// It cannot be read, or matches nothing that a line can hold.
    #[error("pattern '{pattern}' cannot be searched: {reason}")]
    Bad {
        /// The pattern.
        pattern: String,
        /// What the parser says.
        reason: String,
    },
}

impl Pattern {
    /// Reads a pattern.
    pub fn new(wanted: &Wanted<'_>) -> Result<Pattern, PatternError> {
        if wanted.pattern.is_empty() {
            return Err(PatternError::Empty);
        }
        let chars = wanted.pattern.chars().count();
        if chars > MAX_PATTERN_CHARS {
            return Err(PatternError::TooLong { chars });
        }
        RegexMatcherBuilder::new()
            .fixed_strings(wanted.fixed)
            .case_insensitive(wanted.ignore_case)
            .word(wanted.word)
            .multi_line(true)
            .line_terminator(Some(b'\n'))
            .ban_byte(Some(0))
            .build(wanted.pattern)
            .map(Pattern)
            .map_err(|error| PatternError::Bad {
                pattern: wanted.pattern.to_string(),
                reason: reason(&error.to_string()),
            })
    }
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
