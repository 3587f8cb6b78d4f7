//! The tokenizer: the terms and the distinct words of a text, with a cache of words.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::extra::ExtraTerms;
use super::list::TermList;
use super::terms::{Stems, word_terms};
use super::words::{MAX_WORD_BYTES, for_each_word};

/// Longer words are not recorded among the distinct words of their file.
const MAX_LONG_WORD_BYTES: usize = 255;

/// When the terms in the cache exceed this many bytes, the cache is emptied. The limit bounds memory and does not
/// change results.
const CACHE_BYTES: usize = 1 << 20;

/// A cached word: the range of its terms in the arena, their number, and the last set of distinct words that contains
/// the word.
struct Entry {
    terms: Range<u32>,
    count: u32,
    stamp: u32,
}

/// Turns text into terms and caches the terms of each word. Each thread needs its tokenizer.
pub struct Tokenizer {
    stems: Stems,
    words: FxHashMap<Box<str>, Entry>,
    arena: String,
    stamp: u32,
    scratch: TermList,
    cache_bytes: usize,
    passed_over: bool,
    long_words: FxHashSet<Box<str>>,
    extra: ExtraTerms,
}

impl Default for Tokenizer {
    fn default() -> Tokenizer {
        Tokenizer::new()
    }
}

impl Tokenizer {
    /// A tokenizer with an empty cache.
    pub fn new() -> Tokenizer {
        Tokenizer::with(ExtraTerms::default())
    }

    /// A tokenizer that adds further terms, with an empty cache.
    pub fn with(extra: ExtraTerms) -> Tokenizer {
        Tokenizer {
            extra,
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

    /// Begins a new set of distinct words for [`Tokenizer::terms_and_words`].
    pub fn begin_words(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.passed_over = false;
        self.long_words.clear();
    }

    /// Whether a word since [`Tokenizer::begin_words`] was too long to be recorded.
    pub(crate) fn passed_over(&self) -> bool {
        self.passed_over
    }

    /// Appends the terms of all words of `text` to `terms`. Each word that is new since [`Tokenizer::begin_words`] is
    /// appended to `distinct`, as written.
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

    /// Records a word that is too long for terms among the distinct words, unless the word exceeds
    /// [`MAX_LONG_WORD_BYTES`].
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
        self.extra.push(word, &mut self.scratch);
        let start = self.arena.len() as u32;
        self.arena.push_str(&self.scratch.text);
        let terms = start..self.arena.len() as u32;
        self.words.insert(
            word.into(),
            Entry { terms, count: self.scratch.count, stamp: self.stamp.wrapping_sub(1) },
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
