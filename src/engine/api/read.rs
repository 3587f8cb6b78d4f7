//! The request and the reply of reading: lines of a file, or a definition.

use std::borrow::Cow;
use std::str::FromStr;

use super::snapshot::Snapshot;
use super::sources::SourceName;
use super::symbols::SymbolRow;
use spyhop_attributes::{form, open, request};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_base::wire_form;

/// The maximum number of bytes of text in a [`ReadText`].
pub(crate) const MAX_READ_BYTES: usize = 16 << 20;

/// A range of lines, from 1.
#[request(Clone, Copy, Debug, PartialEq, Eq; deny_unknown_fields)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line; `None` for the end of the file.
    pub last: Option<u32>,
}

impl FromStr for LineRange {
    type Err = String;

    /// Parses `10-40`, `10-` (to the end), `-40` (from the beginning) or `10`. The separator may also be `:`, `,` or `..`,
    /// and a number may begin with `L`.
    fn from_str(text: &str) -> Result<LineRange, String> {
        let wrong =
            || format!("lines is '{text}'; give a range of line numbers from 1, such as 10-40, 10- or 10");
        let number = |part: &str| -> Result<Option<u32>, String> {
            let digits = part.trim().trim_start_matches(['L', 'l']);
            if digits.is_empty() { Ok(None) } else { digits.parse().map(Some).map_err(|_| wrong()) }
        };
        let sign = ["..", "-", ":", ","].into_iter().find_map(|sign| text.split_once(sign));
        let range = match sign {
            None => number(text)?.map(|line| LineRange { first: line, last: Some(line) }),
            Some((first, last)) => match (number(first)?, number(last)?) {
                (None, None) => None,
                (first, last) => Some(LineRange { first: first.unwrap_or(1), last }),
            },
        };
        let is_sound =
            |range: &LineRange| range.first > 0 && range.last.is_none_or(|last| last >= range.first);
        range.filter(is_sound).ok_or_else(wrong)
    }
}

impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.last {
            Some(last) => write!(f, "{}-{last}", self.first),
            None => write!(f, "{}-", self.first),
        }
    }
}

/// A request for the text of a file, of some of its lines, or of a definition. At least one of `path` and `symbol` is
/// required.
#[request(Clone, Debug, Default; default, deny_unknown_fields)]
pub struct ReadRequest {
    /// The file. No index is needed to read a file. If there is no file with this path, the value is taken as a path with
    /// lines, such as `a.rs:12-30`, or else as the name of a definition.
    pub path: Option<RelPath>,
    /// The lines; `None` for all lines. Not together with `symbol`.
    pub lines: Option<LineRange>,
    /// The name of a definition, with its container before it if it has one: `Pool.take`. Without a path, the definition
    /// is looked up in the index.
    pub symbol: Option<String>,
}

/// The answer to a [`ReadRequest`].
#[derive(Clone, Debug)]
pub enum ReadReply {
    /// The lines.
    Text(Box<ReadText>),
    /// The definitions of the name, if there is more than one.
    Choices(Box<SymbolChoices>),
}

/// Lines of a file as it is now, or as it is in the view of the options.
#[open(Clone, Debug)]
pub struct ReadText {
    /// The source that has the file; `None` if one tree answers.
    pub source: Option<SourceName>,
    /// The file, with links resolved.
    pub path: RelPath,
    /// The name of the file's language.
    pub language: &'static str,
    /// The number of the first line of `text`, from 1.
    pub first: u32,
    /// The lines, without their line breaks. Secrets are masked.
    pub text: Vec<String>,
    /// The numbers of the lines of which only the beginning is given, because they are very long.
    pub cut: Vec<u32>,
    /// The number of lines of the file.
    pub total_lines: u32,
    /// The requested definition.
    pub symbol: Option<SymbolRow>,
    /// The requested lines that did not fit; a further request gets them with this value as [`ReadRequest::lines`].
    pub next: Option<LineRange>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl ReadText {
    /// The lines of `text`; `None` if it has none.
    pub fn lines(&self) -> Option<Lines> {
        let count = u32::try_from(self.text.len()).unwrap_or(u32::MAX).checked_sub(1)?;
        Some(Lines { first: self.first, last: self.first + count })
    }

    /// Keeps the first `n` lines. The next request then begins with the first line that was dropped.
    pub fn truncate(&mut self, n: usize) {
        let Some(lines) = self.lines().filter(|_| n < self.text.len()) else { return };
        let last = self.next.map_or(Some(lines.last), |next| next.last);
        let first = self.first + u32::try_from(n).unwrap_or(0);
        self.text.truncate(n);
        self.cut.retain(|line| *line < first);
        self.next = Some(LineRange { first, last });
    }
}

/// The definitions of a name.
#[open(Clone, Debug)]
pub struct SymbolChoices {
    /// The name of the request.
    pub symbol: String,
    /// The definitions, at most [`MAX_CHOICES`].
    pub choices: Vec<SymbolRow>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// The maximum number of definitions of a name in a [`SymbolChoices`].
pub(crate) const MAX_CHOICES: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        let check = |text: &str, expected: &str| {
            let parsed = text.parse::<LineRange>();
            assert_eq!(parsed.map_or("-".to_string(), |range| range.to_string()), expected, "{text}");
        };
        check("10-40", "10-40");
        check("10:40", "10-40");
        check("L10-L40", "10-40");
        check("10..40", "10-40");
        check(" 10, 40 ", "10-40");
        check("10", "10-10");
        check("10-", "10-");
        check("-40", "1-40");
        for text in ["", "-", "0", "0-3", "40-10", "ten", "1-2-3", "99999999999"] {
            check(text, "-");
        }
    }
}

wire_form!(ReadReply as ReadForm);

/// How a [`ReadReply`] is serialized: with the fields of a text, or with `choices`.
#[form(Default)]
struct ReadForm<'r> {
    /// The source that has the file, if several trees were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r SourceName>,
    /// The file, with links resolved.
    path: Option<&'r RelPath>,
    /// The name of the file's language.
    language: Option<&'static str>,
    /// The first line of the text, from 1.
    line: Option<u32>,
    /// The last line of the text.
    end_line: Option<u32>,
    /// The number of lines of the file.
    total_lines: Option<u32>,
    /// The requested definition.
    symbol: Option<&'r SymbolRow>,
    /// The lines. Secrets are masked.
    text: Option<String>,
    /// The numbers of lines of which only the beginning is in the text.
    cut: &'r [u32],
    /// The requested lines that did not fit, such as `400-`.
    next_lines: Option<String>,
    /// The definitions of the name, if there is more than one.
    choices: &'r [SymbolRow],
    /// Where the answer comes from.
    snapshot: Cow<'r, Snapshot>,
    /// Warnings for the caller.
    warnings: &'r [String],
}

impl<'r> ReadForm<'r> {
    fn new(reply: &'r ReadReply) -> ReadForm<'r> {
        match reply {
            ReadReply::Text(text) => ReadForm {
                source: text.source.as_ref(),
                path: Some(&text.path),
                language: Some(text.language),
                line: text.lines().map(|lines| lines.first),
                end_line: text.lines().map(|lines| lines.last),
                total_lines: Some(text.total_lines),
                symbol: text.symbol.as_ref(),
                text: Some(text.text.join("\n")),
                cut: &text.cut,
                next_lines: text.next.map(|next| next.to_string()),
                choices: &[],
                snapshot: Cow::Borrowed(&text.snapshot),
                warnings: &text.warnings,
            },
            ReadReply::Choices(choices) => ReadForm {
                choices: &choices.choices,
                snapshot: Cow::Borrowed(&choices.snapshot),
                warnings: &choices.warnings,
                ..ReadForm::default()
            },
        }
    }
}
