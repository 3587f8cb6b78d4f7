//! The comments, strings and keywords of a language, as the table `[lexis]` of its manifest states them.
//!
//! This module owns the compiled form of the table, and how patterns are compiled; [`crate::analyze`] has the lexer that reads a
//! text with it.

use regex::bytes::{Regex, RegexBuilder};
use rustc_hash::FxHashSet;

use super::manifest::LexisSection;

/// The compiled form of [`LexisSection`].
#[derive(Default)]
pub struct Lexis {
    /// The bytes with which a comment or string can begin.
    pub starts: Box<[bool]>,
    pub comments: Vec<Box<str>>,
    pub spaced: bool,
    pub comment_lines: Option<Regex>,
    /// Comments of several lines, then strings, each with the longest sign first.
    pub pairs: Vec<DelimiterPair>,
    pub heredocs: Vec<Regex>,
    pub escape: Option<u8>,
    pub escapes_code: bool,
    /// See [`LexisSection::kept`].
    pub kept: Vec<Box<str>>,
    pub characters: bool,
    pub ignore_case: bool,
    keywords: FxHashSet<Box<str>>,
}

/// The signs around a comment or string.
#[derive(Clone, Debug)]
pub struct DelimiterPair {
    pub open: Box<str>,
    pub close: Box<str>,
    /// Whether the pair counts only at the start of a line.
    pub opens_line: bool,
    pub closes_line: bool,
    pub is_comment: bool,
    pub nested: bool,
    pub spans_lines: bool,
    pub escapes: bool,
}

impl Lexis {
    /// Compiles a section; an error says which pattern is wrong.
    pub(super) fn compile(section: &LexisSection) -> Result<Lexis, String> {
        let bare = |sign: &str| sign.strip_prefix('^').unwrap_or(sign).into();
        let pair = |open: &str, close: &str| DelimiterPair {
            open: bare(open),
            close: bare(close),
            opens_line: open.starts_with('^'),
            closes_line: close.starts_with('^'),
            is_comment: false,
            nested: false,
            spans_lines: true,
            escapes: false,
        };
        let comment = |(open, close): &(String, String)| DelimiterPair {
            is_comment: true,
            nested: section.nested,
            ..pair(open, close)
        };
        let mut pairs: Vec<DelimiterPair> = section.blocks.iter().map(comment).collect();
        let lists = [
            (&section.strings, false, true),
            (&section.long_strings, true, true),
            (&section.raw_strings, true, false),
        ];
        for (list, spans_lines, escapes) in lists {
            for signs in list {
                let signs = signs.as_slice();
                let (Some(open), Some(close)) = (signs.first(), signs.last()) else { continue };
                let escapes = escapes && !section.no_escapes;
                pairs.push(DelimiterPair { spans_lines, escapes, ..pair(open, close) });
            }
        }
        if let Some(pair) =
            pairs.iter().find(|pair| pair.open.is_empty() || pair.close.is_empty() && !pair.is_comment)
        {
            return Err(format!("a comment or string without a sign: '{}', '{}'", pair.open, pair.close));
        }
        pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.open.len()), !pair.is_comment));
        let compile = |text: &String| pattern(text, section.ignore_case);
        let heredocs = section.heredocs.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let escape = section.escape.unwrap_or('\\');
        let mut lexis = Lexis {
            starts: Box::default(),
            comments: section.comments.iter().map(|sign| sign.as_str().into()).collect(),
            spaced: section.spaced,
            comment_lines: section.comment_lines.as_ref().map(compile).transpose()?,
            pairs,
            heredocs,
            escape: u8::try_from(escape).ok(),
            escapes_code: section.escapes_code,
            kept: section.kept.iter().map(|sign| sign.as_str().into()).collect(),
            characters: section.characters,
            ignore_case: section.ignore_case,
            keywords: FxHashSet::default(),
        };
        lexis.keywords = section.keywords.split_whitespace().map(|word| lexis.folded(word)).collect();
        lexis.starts = lexis.first_bytes();
        Ok(lexis)
    }

    fn first_bytes(&self) -> Box<[bool]> {
        let mut starts = vec![!self.heredocs.is_empty(); 256];
        let signs = self.comments.iter().chain(self.pairs.iter().map(|pair| &pair.open));
        for first in signs.filter_map(|sign| sign.bytes().next()) {
            starts[usize::from(first)] = true;
            starts[usize::from(first.to_ascii_uppercase())] = true;
        }
        starts[usize::from(b'\'')] |= self.characters;
        if let Some(escape) = self.escape.filter(|_| self.escapes_code) {
            starts[usize::from(escape)] = true;
        }
        starts.into()
    }

    fn folded(&self, word: &str) -> Box<str> {
        if self.ignore_case { word.to_ascii_lowercase().into() } else { word.into() }
    }

    /// Whether `word` is a keyword.
    pub fn is_keyword(&self, word: &str) -> bool {
        !self.keywords.is_empty() && self.keywords.contains(&self.folded(word))
    }
}

/// Compiles a pattern over bytes. `^` and `$` are the ends of lines.
pub(super) fn pattern(text: &str, ignore_case: bool) -> Result<Regex, String> {
    RegexBuilder::new(&widened(text))
        .unicode(false)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .build()
        .map_err(|error| error.to_string())
}

/// `pattern` with all bytes of characters outside ASCII in `\w`.
pub(super) fn widened(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let (mut chars, mut in_class) = (pattern.chars().peekable(), false);
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('w')) => {
                chars.next();
                out.push_str(if in_class { r"\w\x80-\xff" } else { r"[\w\x80-\xff]" });
            }
            ('\\', Some(_)) => out.extend(['\\', chars.next().unwrap_or_default()]),
            _ => {
                in_class = if in_class { c != ']' } else { c == '[' };
                out.push(c);
            }
        }
    }
    out
}
