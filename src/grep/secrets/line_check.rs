//! Whether a block covers a line, found out without a scan of the whole file.
//!
//! [`super::blocks`] reads every line of a file. A search shows few lines of most files, and nearly none of them contains a
//! secret. A value on the line after its name is recognized here from these two lines alone. For the blocks of more than two
//! lines the check only tells that there is none, by conditions that each such block meets; otherwise the file has to be
//! scanned. The rejected alternative is a search of the whole file for parts of names: names may have separators between any
//! two letters, and no search for them is faster than the scan.

use std::cell::OnceCell;

use super::{around, block};

/// Checks lines of a text.
pub(crate) struct LineCheck<'t> {
    text: &'t [u8],
    /// Whether the text has a line that begins a private key, a YAML scalar of several lines, or a variable of Terraform.
    may_hold_long: OnceCell<bool>,
}

impl<'t> LineCheck<'t> {
    /// A check of lines of `text`, which is a whole file.
    pub fn new(text: &'t [u8]) -> LineCheck<'t> {
        LineCheck { text, may_hold_long: OnceCell::new() }
    }

    /// Whether one of the [`super::blocks`] of the text overlaps `line`, which begins at byte `at`; `None` if only these
    /// blocks can tell.
    pub(crate) fn has_block(&self, line: &[u8], at: u64) -> Option<bool> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(line.len())?;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let is_line = self.text.get(start..end) == Some(line)
            && memchr::memchr(b'\n', text).is_none()
            && (start == 0 || self.text[start - 1] == b'\n')
            && (end == self.text.len() || text.len() < line.len());
        // The searcher may have decoded the text, or may search lines that end otherwise.
        if !is_line {
            return None;
        }
        let span = start..start + text.len();
        let may_hold_long = || {
            block::may_hold_key(self.text)
                || around::may_hold_scalar(self.text)
                || around::may_hold_variable(self.text)
        };
        if *self.may_hold_long.get_or_init(may_hold_long) || around::may_be_body(self.text, span.clone()) {
            return None;
        }
        Some(around::follows_name(self.text, span))
    }
}

#[cfg(test)]
mod tests;
