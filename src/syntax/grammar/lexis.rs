//! The comments, strings and keywords of a language, as the table `[lexis]` of its manifest states them.
//!
//! This module owns the compiled form of the table, and how patterns are compiled; [`crate::analyze`] has the lexer that reads a
//! text with it.

use regex::bytes::{Regex, RegexBuilder};
use rustc_hash::FxHashSet;

use super::manifest::{LexisSection, TextEntry};

/// The compiled form of [`LexisSection`].
#[derive(Default)]
pub struct Lexis {
    /// The bytes with which a comment or string can begin, and line breaks if what begins with a line counts.
    pub starts: Box<[bool]>,
    /// These bytes, if they are at most three.
    few_starts: Vec<u8>,
    pub comment_lines: Option<Regex>,
    /// Strings whose beginning is a pattern, then comments and other strings, each with the longest sign first.
    pub pairs: Vec<DelimiterPair>,
    pub escape: Option<u8>,
    pub escapes_code: bool,
    pub characters: bool,
    pub ignore_case: bool,
    keywords: FxHashSet<Box<str>>,
    /// Whether `-` may be in a word.
    pub has_dashes: bool,
}

/// The signs around a comment or string.
#[derive(Clone, Debug, Default)]
pub struct DelimiterPair {
    /// The sign, if no pattern says how the string begins.
    pub open: Box<str>,
    /// Matches where the string begins; the second one up to there.
    pub pattern: Option<(Regex, Option<Regex>)>,
    /// See [`TextEntry::close`]; `None` for the signs that the pattern found, and without a pattern for the end of the line.
    pub close: Option<Box<str>>,
    /// The bytes with which it can begin.
    pub firsts: Vec<u8>,
    /// See [`TextEntry::after`]; empty for any.
    pub after: Box<str>,
    /// Whether the pair counts only at the start of a line.
    pub opens_line: bool,
    /// Whether the pair counts only at the start of a line and after white space.
    pub is_spaced: bool,
    pub closes_line: bool,
    pub is_comment: bool,
    pub is_doc: bool,
    pub is_heredoc: bool,
    pub nested: bool,
    pub spans_lines: bool,
    pub escapes: bool,
    /// See [`TextEntry::code`].
    pub code: Option<Box<str>>,
    /// See [`LexisSection::kept`].
    pub kept: Vec<Box<str>>,
}

impl Lexis {
    /// Compiles a section; an error says which pattern is wrong.
    pub(super) fn compile(section: &LexisSection) -> Result<Lexis, String> {
        let ignore_case = section.ignore_case;
        let mut pairs = Vec::new();
        for entry in &section.text {
            for open in entry.open.as_slice() {
                pairs.push(DelimiterPair::of_entry(entry, open, section)?);
            }
        }
        let mut plain: Vec<DelimiterPair> = Vec::new();
        for (open, close) in &section.blocks {
            let nested = section.nested;
            plain.push(DelimiterPair { is_comment: true, nested, ..DelimiterPair::of_signs(open, close) });
        }
        for open in &section.comments {
            let (close, is_spaced) = (None, section.spaced);
            let signs = DelimiterPair::of_signs(open, "");
            plain.push(DelimiterPair { is_comment: true, close, is_spaced, ..signs });
        }
        let lists = [
            (&section.strings, false, true),
            (&section.long_strings, true, true),
            (&section.raw_strings, true, false),
        ];
        for (list, spans_lines, escapes) in lists {
            for signs in list {
                let (Some(open), Some(close)) = (signs.as_slice().first(), signs.as_slice().last()) else {
                    continue;
                };
                let (escapes, kept) = (escapes && !section.no_escapes, boxed(&section.kept));
                plain.push(DelimiterPair {
                    spans_lines,
                    escapes,
                    kept,
                    ..DelimiterPair::of_signs(open, close)
                });
            }
        }
        let is_without_sign = |pair: &&DelimiterPair| {
            pair.open.is_empty() || pair.close.as_deref() == Some("") && !pair.is_comment
        };
        if let Some(pair) = plain.iter().find(is_without_sign) {
            return Err(format!("a comment or string without a sign: '{}', '{:?}'", pair.open, pair.close));
        }
        plain.sort_by_key(|pair| (std::cmp::Reverse(pair.open.len()), !pair.is_comment));
        pairs.append(&mut plain);
        let escape = section.escape.unwrap_or('\\');
        let mut lexis = Lexis {
            comment_lines: section.comment_lines.as_ref().map(|it| pattern(it, ignore_case)).transpose()?,
            pairs,
            escape: u8::try_from(escape).ok(),
            escapes_code: section.escapes_code,
            characters: section.characters,
            ignore_case,
            has_dashes: section.keywords.contains('-'),
            ..Lexis::default()
        };
        lexis.keywords = section.keywords.split_whitespace().map(|word| lexis.folded(word)).collect();
        lexis.starts = lexis.first_bytes();
        lexis.few_starts = (0..=255).filter(|byte| lexis.starts[usize::from(*byte)]).collect();
        Ok(lexis)
    }

    fn first_bytes(&self) -> Box<[bool]> {
        let mut starts = vec![false; 256];
        for &first in self.pairs.iter().flat_map(|pair| &pair.firsts) {
            starts[usize::from(first)] = true;
            starts[usize::from(first.to_ascii_uppercase())] |= self.ignore_case;
        }
        starts[usize::from(b'\'')] |= self.characters;
        let counts_lines = self.comment_lines.is_some() || self.pairs.iter().any(|pair| pair.is_heredoc);
        starts[usize::from(b'\n')] |= counts_lines;
        let escape = self.escape.filter(|_| self.escapes_code);
        escape.into_iter().for_each(|escape| starts[usize::from(escape)] = true);
        starts.into()
    }

    /// The place of the first byte with which a comment or string can begin.
    pub(crate) fn next_start(&self, text: &[u8]) -> Option<usize> {
        match self.few_starts[..] {
            [] => None,
            [one] => memchr::memchr(one, text),
            [one, two] => memchr::memchr2(one, two, text),
            [one, two, three] => memchr::memchr3(one, two, three, text),
            _ => text.iter().position(|byte| self.starts[usize::from(*byte)]),
        }
    }

    fn folded(&self, word: &str) -> Box<str> {
        if self.ignore_case { word.to_ascii_lowercase().into() } else { word.into() }
    }

    /// Whether `word` is a keyword.
    pub fn is_keyword(&self, word: &str) -> bool {
        !self.keywords.is_empty() && self.keywords.contains(&self.folded(word))
    }
}

impl DelimiterPair {
    fn of_signs(open: &str, close: &str) -> DelimiterPair {
        let bare = |sign: &str| -> Box<str> { sign.strip_prefix('^').unwrap_or(sign).into() };
        DelimiterPair {
            open: bare(open),
            close: Some(bare(close)),
            firsts: bare(open).bytes().take(1).collect(),
            opens_line: open.starts_with('^'),
            closes_line: close.starts_with('^'),
            spans_lines: true,
            ..DelimiterPair::default()
        }
    }

    fn of_pattern(open: &str, behind: Option<&String>, ignore_case: bool) -> Result<DelimiterPair, String> {
        let first = open.trim_start_matches(['(', '\\']);
        let firsts = match first.strip_prefix('[') {
            Some(class) if first.len() == open.len() => {
                class.bytes().take_while(|byte| *byte != b']').collect()
            }
            _ => first.bytes().take(1).collect(),
        };
        let open = pattern(&format!(r"\A(?:{open})"), ignore_case)?;
        let behind = behind.map(|it| pattern(&format!(r"(?:{it})\z"), ignore_case)).transpose()?;
        Ok(DelimiterPair {
            pattern: Some((open, behind)),
            firsts,
            spans_lines: true,
            ..DelimiterPair::default()
        })
    }

    fn of_entry(entry: &TextEntry, open: &str, section: &LexisSection) -> Result<DelimiterPair, String> {
        Ok(DelimiterPair {
            close: entry.close.as_deref().map(Into::into),
            after: entry.after.as_str().into(),
            is_doc: entry.doc,
            is_heredoc: entry.heredoc,
            spans_lines: !entry.one_line,
            escapes: !entry.no_escapes && !section.no_escapes,
            code: entry.code.as_deref().map(Into::into),
            kept: boxed(&entry.kept),
            ..DelimiterPair::of_pattern(open, entry.behind.as_ref(), section.ignore_case)?
        })
    }
}

fn boxed(signs: &[String]) -> Vec<Box<str>> {
    signs.iter().map(|sign| sign.as_str().into()).collect()
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
