//! Identifiers and words to terms. Pure: the same text gives the same terms everywhere, at index and at query time.
//!
//! A *word* is a maximal run of letters, digits and `_` (Unicode's XID_Continue), as written. A word gives *terms*:
//! its camelCase, snake_case, digit and acronym parts, lower case, without diacritics, stemmed (Porter2, and [`family`] where it
//! leaves forms of one word apart). Parts of
//! one character are dropped unless nothing else is left; a part that was cut at digits is kept whole as well, so
//! `sha256` gives `sha`, `256` and `sha256`. Runs of Chinese, Japanese and Korean letters give overlapping bigrams.
//!
//! Code repeats its words, so the unit of work is the word, not the character: a [`Tokenizer`] remembers the terms
//! of every word it has met and appends them as one piece of text. Terms are passed on as one string, each followed
//! by [`SEPARATOR`], which no term contains: cheaper than a vector of strings, and the index splits it back.

mod family;
mod pool;
mod term_prefixes;

use std::ops::Range;

pub use pool::{PooledTokenizer, Tokenizers};
pub use term_prefixes::{PossibleTerms, Scan, TermPrefixFilter};

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;

/// Stands after each term of a term list.
pub const SEPARATOR: char = '\n';

/// Words of more bytes are data (hashes, encoded blobs), not names; they give no term.
pub const MAX_WORD_BYTES: usize = 64;

/// A longer word is not even among the words of its file.
const MAX_LONG_WORD_BYTES: usize = 255;

/// Stands among the words of a file whose words are not all known, so that nothing may be concluded from one that is
/// missing. No word holds a control character.
pub const OPEN_WORDS: &str = "\u{1}";

/// A change here changes the terms of the same text, so an index made before it must be made anew.
pub const TOKENIZER_VERSION: u32 = 3;

/// A word cache above this many bytes of terms is emptied; a bound on memory that changes no result.
const CACHE_BYTES: usize = 1 << 20;

/// A list of terms as one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermList {
    /// The terms, each followed by [`SEPARATOR`].
    pub text: String,
    /// How many.
    pub count: u32,
}

impl TermList {
    /// Adds one term, as it is.
    pub fn push(&mut self, term: &str) {
        debug_assert!(!term.contains(SEPARATOR));
        self.text.push_str(term);
        self.text.push(SEPARATOR);
        self.count += 1;
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.count = 0;
    }

    /// The terms one by one.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.text.split_terminator(SEPARATOR)
    }
}

/// A word met before: its terms in the arena, and when it was last seen.
struct Entry {
    terms: Range<u32>,
    count: u32,
    stamp: u32,
}

/// Turns text into terms, remembering words. One a thread.
pub struct Tokenizer {
    stems: Stems,
    words: FxHashMap<Box<str>, Entry>,
    arena: String,
    stamp: u32,
    scratch: TermList,
    cache_bytes: usize,
    passed_over: bool,
    long_words: FxHashSet<Box<str>>,
}

impl Default for Tokenizer {
    fn default() -> Tokenizer {
        Tokenizer::new()
    }
}

impl Tokenizer {
    /// An empty one.
    pub fn new() -> Tokenizer {
        Tokenizer {
            stems: Stems::new(),
            words: FxHashMap::default(),
            arena: String::new(),
            stamp: 0,
            scratch: TermList::default(),
            cache_bytes: CACHE_BYTES,
            passed_over: false,
            long_words: FxHashSet::default(),
        }
    }

    /// Appends the terms of all words of `text`.
    pub fn terms(&mut self, text: &str, terms: &mut TermList) {
        for_each_word(text, |word| self.word(word, terms, None));
    }

    /// Appends the distinct words of `text`, as written.
    pub fn words(&mut self, text: &str, distinct: &mut TermList) {
        self.begin_words();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for_each_word(text, |word| {
            if word.len() > MAX_LONG_WORD_BYTES {
                self.passed_over = true;
            } else if seen.insert(word) {
                distinct.push(word);
            }
        });
    }

    /// Begins a new set of distinct words.
    pub fn begin_words(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.passed_over = false;
        self.long_words.clear();
    }

    /// Whether a word since [`Tokenizer::begin_words`] was too long to be taken.
    pub fn passed_over(&self) -> bool {
        self.passed_over
    }

    /// Appends the terms of all words of `text` to `terms`, and each word that came for the first time since
    /// [`Tokenizer::begin_words`], as written, to `distinct`.
    pub fn terms_and_words(&mut self, text: &str, terms: &mut TermList, distinct: &mut TermList) {
        for_each_word(text, |word| self.word(word, terms, Some(&mut *distinct)));
    }

    fn word(&mut self, word: &str, terms: &mut TermList, distinct: Option<&mut TermList>) {
        if word.len() > MAX_WORD_BYTES {
            if let Some(distinct) = distinct {
                self.long_word(word, distinct);
            }
            return;
        }
        let stamp = self.stamp;
        let entry = match self.words.get_mut(word) {
            Some(entry) => entry,
            None => {
                self.learn(word);
                self.words.get_mut(word).expect("just learnt")
            }
        };
        terms.text.push_str(&self.arena[entry.terms.start as usize..entry.terms.end as usize]);
        terms.count += entry.count;
        if let Some(distinct) = distinct
            && entry.stamp != stamp
        {
            entry.stamp = stamp;
            distinct.push(word);
        }
    }

    /// A word that gives no term is a word all the same, unless it is longer than anything that anyone looks for.
    fn long_word(&mut self, word: &str, distinct: &mut TermList) {
        if word.len() > MAX_LONG_WORD_BYTES {
            self.passed_over = true;
        } else if !self.long_words.contains(word) {
            self.long_words.insert(word.into());
            distinct.push(word);
        }
    }

    fn learn(&mut self, word: &str) {
        if self.arena.len() > self.cache_bytes {
            self.words.clear();
            self.arena.clear();
        }
        self.stems.make_room(self.cache_bytes / 4);
        self.scratch.clear();
        word_terms(&mut self.stems, word, &mut self.scratch);
        let start = self.arena.len() as u32;
        self.arena.push_str(&self.scratch.text);
        let terms = start..self.arena.len() as u32;
        self.words.insert(
            word.into(),
            Entry { terms, count: self.scratch.count, stamp: self.stamp.wrapping_sub(1) },
        );
    }
}

/// The stems of parts met before. Stemming a part takes longer than all else that is done to a word, and there are
/// far fewer parts than words.
struct Stems {
    stemmer: Stemmer,
    known: FxHashMap<Box<str>, Box<str>>,
    bytes: usize,
}

impl Stems {
    fn new() -> Stems {
        Stems { stemmer: Stemmer::create(Algorithm::English), known: FxHashMap::default(), bytes: 0 }
    }

    /// Forgets everything where that would take more than `most` bytes; a bound on memory that changes no result.
    fn make_room(&mut self, most: usize) {
        if self.bytes > most {
            self.known.clear();
            self.bytes = 0;
        }
    }

    /// The stem of a part in lower case.
    fn of(&mut self, part: &str) -> &str {
        if !self.known.contains_key(part) {
            let stem: Box<str> = family::base(&self.stemmer, &self.stemmer.stem(part)).into();
            self.bytes += part.len() + stem.len();
            self.known.insert(part.into(), stem);
        }
        &self.known[part]
    }
}

/// Calls `each` with every word of `text`, in order, as written.
pub fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !WORD_BYTE[bytes[at] as usize] {
            at += 1;
            continue;
        }
        let start = at;
        let mut ascii = true;
        while at < bytes.len() && WORD_BYTE[bytes[at] as usize] {
            ascii &= bytes[at].is_ascii();
            at += 1;
        }
        if ascii {
            each(&text[start..at]);
        } else {
            // Any byte of a non-ASCII character counts above; here the characters decide.
            text[start..at]
                .split(|c: char| !is_word_char(c))
                .filter(|word| !word.is_empty())
                .for_each(&mut each);
        }
    }
}

/// Whether `c` can be part of a word.
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() { WORD_BYTE[c as usize] } else { unicode_ident::is_xid_continue(c) }
}

/// The parts of a word as written, cut at case changes, digits and underscores.
pub fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for_each_component(word, |component| cut(component, |part| parts.push(part)));
    parts
}

/// The stem of one lower-case part, as the index holds it.
pub fn stem(part: &str) -> String {
    let mut list = TermList::default();
    word_terms(&mut Stems::new(), part, &mut list);
    list.iter().last().unwrap_or(part).to_string()
}

const WORD_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        byte += 1;
    }
    table
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Cjk,
}

fn class_of(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        c if c.is_ascii() => Class::Lower,
        c if is_cjk(c) => Class::Cjk,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_numeric() => Class::Digit,
        _ => Class::Lower,
    }
}

/// Scripts that are written without spaces between words, and Hangul, whose words carry their particles.
fn is_cjk(c: char) -> bool {
    matches!(c as u32,
        0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3105..=0x312F | 0x3131..=0x318E | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFF66..=0xFF9F
        | 0x20000..=0x3FFFF)
}

fn for_each_component<'w>(word: &'w str, each: impl FnMut(&'w str)) {
    word.split('_').filter(|component| !component.is_empty()).for_each(each);
}

/// Cuts a component without underscores at case changes (`aB` to `a B`, `ABc` to `A Bc`), digits and scripts.
fn cut<'w>(component: &'w str, mut each: impl FnMut(&'w str)) {
    let mut start = 0;
    let mut previous: Option<(usize, Class)> = None;
    for (at, c) in component.char_indices() {
        let class = class_of(c);
        if let Some((previous_at, before)) = previous {
            let boundary = match (before, class) {
                (Class::Upper, Class::Lower) => {
                    // `HTTPServer`: the last capital belongs to the word that follows.
                    if previous_at > start {
                        each(&component[start..previous_at]);
                        start = previous_at;
                    }
                    false
                }
                (before, class) => before != class,
            };
            if boundary {
                each(&component[start..at]);
                start = at;
            }
        }
        previous = Some((at, class));
    }
    if start < component.len() {
        each(&component[start..]);
    }
}

fn word_terms(stems: &mut Stems, word: &str, terms: &mut TermList) {
    let before = terms.count;
    for_each_component(word, |component| component_terms(stems, component, terms));
    if terms.count == before {
        let mut all = String::new();
        fold(word.trim_matches('_'), &mut all);
        if !all.is_empty() {
            terms.push(&all);
        }
    }
}

fn component_terms(stems: &mut Stems, component: &str, terms: &mut TermList) {
    let mut folded = String::new();
    let (mut n_parts, mut digits, mut cjk) = (0, false, false);
    cut(component, |part| {
        n_parts += 1;
        let first = part.chars().next().map_or(Class::Lower, class_of);
        if first == Class::Cjk {
            cjk = true;
            return bigrams(part, terms);
        }
        digits |= first == Class::Digit;
        folded.clear();
        fold(part, &mut folded);
        if folded.chars().nth(1).is_some() {
            terms.push(stems.of(&folded));
        }
    });
    if n_parts > 1 && digits && !cjk {
        folded.clear();
        fold(component, &mut folded);
        terms.push(&folded);
    }
}

fn bigrams(run: &str, terms: &mut TermList) {
    let ends: Vec<usize> = run.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    if ends.len() == 1 {
        return terms.push(run);
    }
    let mut start = 0;
    for pair in ends.windows(2) {
        terms.push(&run[start..pair[1]]);
        start = pair[0];
    }
}

/// Lower case; outside ASCII, compatibility forms are unified and diacritics dropped.
fn fold(part: &str, folded: &mut String) {
    if part.is_ascii() {
        folded.extend(part.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        folded.extend(
            part.nfkd()
                .filter(|&c| !unicode_normalization::char::is_combining_mark(c))
                .flat_map(char::to_lowercase),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_words() {
        let check = |text: &str, expected: &str| {
            let mut terms = TermList::default();
            Tokenizer::new().terms(text, &mut terms);
            assert_eq!(terms.iter().collect::<Vec<_>>().join(" "), expected, "{text:?}");
            assert_eq!(terms.count as usize, terms.iter().count());
        };
        check("resolve_api_key", "resolv api key");
        check("resolveAPIKeys", "resolv api key");
        check("HTTPServer", "http server");
        check("parse-the-thing", "pars the thing");
        check("sha256", "sha 256 sha256");
        check("utf8Path", "utf path utf8path");
        check("v1", "v1");
        check("x", "x");
        check("_", "");
        check("__init__", "init");
        check("a.b_c", "a b_c");
        check("Große naïve", "große naiv");
        check("Straße", "straße");
        check("检索代码", "检索 索代 代码");
        check("码", "码");
        check("foo检索bar", "foo 检索 bar");
        check("built builder exclusion excluded wrote", "build builder exclud exclud write");
        check("", "");
        check("+-*/ (){}", "");
        check(&"x".repeat(65), "");
    }

    #[test]
    fn distinct_words_come_as_written_and_once() {
        let mut tokenizer = Tokenizer::new();
        for _ in 0..2 {
            let (mut terms, mut words) = (TermList::default(), TermList::default());
            tokenizer.begin_words();
            tokenizer.terms_and_words("Foo foo Foo", &mut terms, &mut words);
            tokenizer.terms_and_words("bar_baz foo", &mut terms, &mut words);
            assert_eq!(words.iter().collect::<Vec<_>>(), ["Foo", "foo", "bar_baz"]);
            assert_eq!(terms.count, 6);
        }
    }

    #[test]
    fn parts_keep_their_case() {
        assert_eq!(parts("resolveAPIKey_v2"), ["resolve", "API", "Key", "v", "2"]);
    }

    #[test]
    fn a_full_cache_changes_nothing() {
        let mut tokenizer = Tokenizer { cache_bytes: 1000, ..Tokenizer::new() };
        let mut all = TermList::default();
        for number in 0..200 {
            all.clear();
            tokenizer.terms(&format!("someQuiteLongIdentifierNumber{number}"), &mut all);
            assert_eq!(all.iter().next(), Some("some"));
        }
        assert!(tokenizer.arena.len() <= 1256);
    }
}
