//! A search pattern: what a caller requests, and its compiled matcher.

use grep_matcher::{LineTerminator, Matcher, NoError};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Encoding, SearcherBuilder};
use spyhop_base::text::Span;

/// The most characters of a pattern.
pub const MAX_PATTERN_CHARS: usize = 10_000;

/// The most memory for one line or multi-line search. A file that needs more is not searched to its end.
pub(super) const MAX_HEAP_BYTES: usize = 256 << 20;

/// The pattern and the options of a search, as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Regular expressions or literal strings. A line matches if one of them matches.
    pub patterns: Vec<String>,
    /// Whether `patterns` are literal strings.
    pub fixed: bool,
    /// Whether case matters.
    pub case: Case,
    /// Where matches must begin and end.
    pub bounds: Bounds,
    /// Whether a match may span several lines.
    pub multi_line: bool,
    /// Whether `.` also matches a line end.
    pub dot_all: bool,
    /// Whether the search reports the lines that do not match.
    pub invert: bool,
    /// The most bytes of the compiled pattern; `None` for the crate's default.
    pub regex_size_limit: Option<usize>,
    /// The most bytes of the pattern's cache; `None` for the crate's default.
    pub dfa_size_limit: Option<usize>,
    /// The encoding of files; `None` for UTF-8, and UTF-16 by its byte order mark.
    pub encoding: Option<String>,
    /// Whether a file ends at the first line that does not match after one that does.
    pub stop_on_nonmatch: bool,
    /// Whether character classes mean ASCII and `.` a byte.
    pub no_unicode: bool,
    /// Whether lines end with CR and LF, so that `$` matches before both.
    pub crlf: bool,
    /// Whether lines end with a NUL byte.
    pub null_data: bool,
    /// The effect of a NUL byte.
    pub binary: Binary,
}

/// The effect of a NUL byte in a file on the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Binary {
    /// The search of the file ends there. The default.
    #[default]
    Quit,
    /// The search ends at the first match, which is named and not shown.
    Name,
    /// The byte is text.
    Text,
}

/// Whether upper and lower case differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Case {
    /// Upper and lower case differ.
    #[default]
    Sensitive,
    /// Case does not matter.
    Ignored,
    /// Case matters only if the pattern contains an upper-case letter.
    Smart,
}

/// Where matches must begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Bounds {
    /// Anywhere.
    #[default]
    None,
    /// At word boundaries.
    Word,
    /// At the ends of a line.
    Line,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(super) matcher: RegexMatcher,
    multi_line: bool,
    invert: bool,
    crlf: bool,
    null_data: bool,
    binary: Binary,
    encoding: Option<Encoding>,
    reads_bytes: bool,
    stop_on_nonmatch: bool,
}

/// Why a pattern was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("pattern has {chars} characters; at most {MAX_PATTERN_CHARS} are allowed")]
    TooLong { chars: usize },
    /// The pattern cannot be parsed, or requires bytes that no line contains.
    #[error("pattern '{pattern}' cannot be searched: {reason}")]
    Bad { pattern: String, reason: String },
}

impl Wanted {
    /// A search for a case-sensitive regular expression.
    pub fn new(pattern: impl Into<String>) -> Wanted {
        Wanted { patterns: vec![pattern.into()], ..Wanted::default() }
    }
}

impl Pattern {
    /// Compiles a pattern as ripgrep does.
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
            .crlf(wanted.crlf)
            .unicode(!wanted.no_unicode)
            .ban_byte((wanted.binary != Binary::Text && !wanted.null_data).then_some(0));
        wanted.regex_size_limit.map(|limit| builder.size_limit(limit));
        wanted.dfa_size_limit.map(|limit| builder.dfa_size_limit(limit));
        let encoding = wanted.encoding.as_deref().filter(|name| *name != "none");
        let encoding = encoding.map(|name| {
            Encoding::new(name).map_err(|error| PatternError::Bad {
                pattern: wanted.patterns.join("' or '"),
                reason: format!("encoding '{name}': {error}"),
            })
        });
        let encoding = encoding.transpose()?;
        if wanted.multi_line {
            // A pattern of several lines may contain the ends of lines, also those of --crlf.
            builder.dot_matches_new_line(wanted.dot_all).line_terminator(None);
        } else if wanted.null_data {
            builder.line_terminator(Some(0));
        } else if !wanted.crlf {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder.build_many(&wanted.patterns).map_err(|error| PatternError::Bad {
            pattern: wanted.patterns.join("' or '"),
            reason: reason(&error.to_string()),
        })?;
        let Wanted { multi_line, invert, crlf, null_data, binary, .. } = *wanted;
        let reads_bytes = wanted.encoding.as_deref() == Some("none");
        let stop_on_nonmatch = wanted.stop_on_nonmatch;
        Ok(Pattern {
            matcher,
            multi_line,
            invert,
            crlf,
            null_data,
            binary,
            encoding,
            reads_bytes,
            stop_on_nonmatch,
        })
    }

    /// The matches in a text, in order.
    pub fn matches_in(&self, text: &str) -> Vec<Span> {
        let mut found = Vec::new();
        let taken = self.matcher.find_iter(text.as_bytes(), |matched| {
            found.push(Span::new(matched.start(), matched.end()));
            true
        });
        taken.map_or_else(|_: NoError| Vec::new(), |()| found)
    }

    /// The end of the lines of a search, which a separator has too.
    pub(super) fn line_end(&self) -> &'static [u8] {
        match (self.null_data, self.crlf) {
            (true, _) => b"\0",
            (false, true) => b"\r\n",
            (false, false) => b"\n",
        }
    }

    /// Whether files are searched in another form than their bytes, by the encoding of the request.
    pub(super) fn is_encoded(&self) -> bool {
        self.encoding.is_some()
    }

    /// The options of a searcher for this pattern, for a file that is named: its binary content is searched to the end.
    pub(super) fn searcher_of_named(&self) -> SearcherBuilder {
        let mut builder = self.searcher();
        if self.binary == Binary::Quit && !self.null_data {
            builder.binary_detection(BinaryDetection::convert(0));
        }
        builder
    }

    /// The options of a searcher for this pattern, as ripgrep sets them for a file that a recursive search finds.
    pub(super) fn searcher(&self) -> SearcherBuilder {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(match self.binary {
                Binary::Text => BinaryDetection::none(),
                _ if self.null_data => BinaryDetection::none(),
                Binary::Name => BinaryDetection::convert(0),
                Binary::Quit => BinaryDetection::quit(0),
            })
            .line_terminator(match (self.null_data, self.crlf) {
                (true, _) => LineTerminator::byte(0),
                (false, true) => LineTerminator::crlf(),
                (false, false) => LineTerminator::default(),
            })
            .encoding(self.encoding.clone())
            .bom_sniffing(!self.reads_bytes)
            .stop_on_nonmatch(self.stop_on_nonmatch)
            .heap_limit(Some(MAX_HEAP_BYTES))
            .invert_match(self.invert)
            .multi_line(self.multi_line);
        builder
    }
}

/// The last sentence of the parser's message, without the excerpt of the pattern, which the error quotes already.
fn reason(message: &str) -> String {
    match message.rsplit_once("\nerror: ") {
        Some((_, reason)) => reason.trim().to_string(),
        None => message.trim().to_string(),
    }
}
