//! Templates: string literals with gaps for values. A message that a program prints has the words of its template in
//! order, with values in the gaps.

use rustc_hash::FxHashMap;

use super::runs::words_with_masks;
use crate::evidence::Evidence;
use crate::names::Names;
use crate::query::Query;
use spyhop_index::tokenize::for_each_word;

/// The fewest words of a template. Shorter texts occur in messages by chance.
const MIN_WORDS: usize = 3;

/// The most words of the value in one gap.
const VALUE_WORDS: usize = 8;

/// The most bytes of a literal, and of a placeholder. Minified code has longer lines.
const LITERAL_BYTES: usize = 400;
const GAP_BYTES: usize = 80;

/// The most bytes of an expression that joins two literals, such as `+ path +`.
const JOIN_BYTES: usize = 60;

/// The words of a message.
pub struct Templates<'q> {
    words: Vec<&'q str>,
    /// By word of the message: the terms of the query in it.
    masks: Vec<u64>,
    /// By word: its positions in the message.
    places: FxHashMap<&'q str, Vec<usize>>,
}

/// The best template of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BestTemplate {
    /// From 0 to 1: half, and half of the share of the query's weight in its words.
    pub value: f32,
    /// The byte at which the literal begins.
    pub at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplatePiece<'t> {
    Word(&'t str),
    Gap,
}

impl<'q> Templates<'q> {
    pub fn new(query: &'q Query, names: &mut Names<'_>) -> Option<Templates<'q>> {
        let (words, masks) = words_with_masks(query, names, MIN_WORDS)?;
        let mut places: FxHashMap<&'q str, Vec<usize>> = FxHashMap::default();
        for (place, word) in words.iter().enumerate() {
            places.entry(*word).or_default().push(place);
        }
        Some(Templates { words, masks, places })
    }

    /// The best template in `text`: its value is 0 if there is none.
    pub fn best(&self, text: &str, evidence: &Evidence) -> BestTemplate {
        let mut best = BestTemplate::default();
        let mut pieces = Vec::new();
        let quotes = memchr::memchr3_iter(b'"', b'\'', b'`', text.as_bytes());
        for at in quotes {
            if !self.may_begin(&text.as_bytes()[at + 1..]) || !read_literal(&text[at..], &mut pieces) {
                continue;
            }
            let Some(mask) = self.matched(&pieces) else { continue };
            let value = 0.5 + 0.5 * evidence.idf_of(mask);
            if value > best.value {
                best = BestTemplate { value, at: at as u32 };
            }
        }
        best
    }

    /// Whether the first word of a literal, whose text begins at the start of `bytes`, may be in the message. Most
    /// literals of a text are ruled out before they are read. A gap before the word or beside the word rules out nothing.
    fn may_begin(&self, bytes: &[u8]) -> bool {
        let is_plain = |byte: &u8| !is_word(*byte) && !is_special(*byte);
        let start = bytes.iter().take_while(|byte| is_plain(byte)).count();
        let length = bytes[start..].iter().take(LITERAL_BYTES).take_while(|byte| is_word(**byte)).count();
        let word = &bytes[start..start + length];
        let is_whole =
            length > 0 && word.is_ascii() && bytes.get(start + length).is_some_and(|byte| !is_special(*byte));
        !is_whole || std::str::from_utf8(word).is_ok_and(|word| self.places.contains_key(word))
    }

    /// The terms of a template whose words are all in the message, in order and without other words except in gaps.
    fn matched(&self, pieces: &[TemplatePiece<'_>]) -> Option<u64> {
        let n_words = pieces.iter().filter(|piece| matches!(piece, TemplatePiece::Word(_))).count();
        if n_words < MIN_WORDS || n_words == pieces.len() {
            return None;
        }
        let first = pieces.iter().position(|piece| matches!(piece, TemplatePiece::Word(_)))?;
        let TemplatePiece::Word(word) = pieces[first] else { return None };
        self.places.get(word)?.iter().find_map(|start| self.matched_from(*start, &pieces[first..]))
    }

    fn matched_from(&self, start: usize, pieces: &[TemplatePiece<'_>]) -> Option<u64> {
        let (mut next, mut is_gap, mut mask) = (start, false, 0);
        for piece in pieces {
            let TemplatePiece::Word(word) = piece else {
                is_gap = true;
                continue;
            };
            let most = if is_gap { VALUE_WORDS } else { 0 };
            let rest = self.words.get(next..)?;
            let skipped = rest.iter().take(most + 1).position(|next_word| next_word == word)?;
            next += skipped + 1;
            mask |= self.masks[next - 1];
            is_gap = false;
        }
        Some(mask)
    }
}

/// Reads the literal at the beginning of `text`, with the literals that are joined to it, into pieces. Returns whether
/// the literal ends in its line.
fn read_literal<'t>(text: &'t str, pieces: &mut Vec<TemplatePiece<'t>>) -> bool {
    pieces.clear();
    let bytes = text.as_bytes();
    let quote = bytes[0];
    let (mut at, mut from) = (1, 1);
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return false,
            Some(_) if at > LITERAL_BYTES => return false,
            Some(byte) if *byte == quote => {
                add_words(&text[from..at], pieces, false);
                match joined_literal(&text[at + 1..], quote) {
                    Some(length) => {
                        pieces.push(TemplatePiece::Gap);
                        at += 1 + length;
                        from = at;
                    }
                    None => return true,
                }
            }
            Some(_) => match gap(&bytes[at..]) {
                Some(length) => {
                    add_words(&text[from..at], pieces, is_word(bytes[at - 1]));
                    pieces.push(TemplatePiece::Gap);
                    at += length;
                    // The rest of a word that a value is part of is not compared.
                    while at < bytes.len() && is_word(bytes[at]) {
                        at += 1;
                    }
                    from = at;
                }
                None if bytes[at] == b'\\' && at + 1 < bytes.len() && bytes[at + 1] != b'\n' => at += 2,
                None => at += 1,
            },
        }
        while !text.is_char_boundary(at.min(text.len())) {
            at += 1;
        }
    }
}

/// Adds the words of a text. The last word is left out if it is a part of a word with a value.
fn add_words<'t>(text: &'t str, pieces: &mut Vec<TemplatePiece<'t>>, is_cut: bool) {
    for_each_word(text, |word| pieces.push(TemplatePiece::Word(word)));
    if is_cut && matches!(pieces.last(), Some(TemplatePiece::Word(_))) {
        pieces.pop();
    }
}

/// The length of the placeholder at the beginning of `text`: `{}`, `${name}`, `#{name}`, `$name`, `%s`, `%(name)d`,
/// `\(name)`.
fn gap(text: &[u8]) -> Option<usize> {
    let until = |close: u8, from: usize| {
        let within = text.get(from..)?;
        let length = memchr::memchr2(close, b'\n', &within[..within.len().min(GAP_BYTES)])?;
        (within[length] == close).then_some(from + length + 1)
    };
    let second = text.get(1).copied().unwrap_or(0);
    match (text[0], second) {
        (b'{', _) => until(b'}', 1),
        (b'$' | b'#', b'{') => until(b'}', 2),
        (b'\\', b'(') => until(b')', 2),
        (b'$', name) if is_word(name) => Some(1),
        (b'%', b'(') => until(b')', 2),
        (b'%', _) => {
            let flags = text[1..].iter().take_while(|byte| b"-+#0123456789.*lhzjt".contains(byte)).count();
            let kind = text.get(1 + flags)?;
            (flags < 8 && b"sdvqrxXfgcuipeToa@TpwUb".contains(kind)).then_some(2 + flags)
        }
        _ => None,
    }
}

/// The length of the text between two literals that an expression joins, with the quote of the second one.
fn joined_literal(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = bytes.iter().take(JOIN_BYTES).position(|byte| *byte == quote || *byte == b'\n')?;
    let between = text.get(..length)?.trim();
    let is_operator = |c: char| "+.,<>&".contains(c);
    let is_joined = bytes[length] == quote && between.len() > 1 && between.starts_with(is_operator);
    (is_joined && between.ends_with(is_operator)).then_some(length + 1)
}

/// Whether a byte may begin or end a piece of a literal: a gap, an escaped character, a quote or the end of a line.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'{' | b'$' | b'#' | b'\\' | b'%' | b'"' | b'\'' | b'`' | b'\n')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> String {
        let mut pieces = Vec::new();
        if !read_literal(text, &mut pieces) {
            return "not closed".to_string();
        }
        let shown = |piece: &TemplatePiece<'_>| match piece {
            TemplatePiece::Word(word) => word.to_string(),
            TemplatePiece::Gap => "_".to_string(),
        };
        pieces.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn placeholders_of_languages_are_gaps() {
        for (text, expected) in [
            ("\"cannot open {path}: retried {0} times\", x", "cannot open _ retried _ times"),
            ("'cannot open %(path)s after %d tries'", "cannot open _ after _ tries"),
            ("`cannot open ${a.b} in #{c}`", "cannot open _ in _"),
            ("\"cannot open $path now\"", "cannot open _ now"),
            ("\"cannot open \\(path) now\"", "cannot open _ now"),
            ("\"cannot open \" + path + \" now\"", "cannot open _ now"),
            ("\"user-{id}s of %5.2f%% and x%dy\"", "user _ of _ and _"),
            ("\"naïve {x} größe\"", "naïve _ größe"),
            ("\"not closed {x}\nhere\"", "not closed"),
            ("\"first\", f(x), 'other'", "first"),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }

    fn matches(message: &str, literal: &str) -> bool {
        let query = Query::parse(message).unwrap();
        let mut words = Vec::new();
        for_each_word(&query.text, |word| words.push(word));
        let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        words.iter().enumerate().for_each(|(place, word)| places.entry(*word).or_default().push(place));
        let templates = Templates { masks: vec![0; words.len()], words: words.clone(), places };
        let mut pieces = Vec::new();
        read_literal(literal, &mut pieces) && templates.matched(&pieces).is_some()
    }

    #[test]
    fn a_message_matches_its_template_only() {
        let message = "12:01 WARN cannot open /var/db/x.sqlite after 3 tries: locked";
        assert!(matches(message, "\"cannot open {} after {} tries\""));
        assert!(matches(message, "\"cannot open %s after %d tries: %v\""));
        assert!(!matches(message, "\"cannot open {} within {} tries\""));
        assert!(!matches(message, "\"cannot open after {} tries\""), "a value without a gap");
        assert!(!matches(message, "\"cannot open the file after a few tries\""), "no gap");
        assert!(!matches(message, "\"after {} tries\""), "too few words");
    }
}
