//! Related words: different terms with one meaning in names, such as `router` and `routing`, `auth` and `authenticate`,
//! `dir` and `folder`, `websocket` and `web socket`.
//!
//! Three rules apply to every tree: a common root (the stem without suffixes such as `er` and `ation`), one term that
//! is a prefix of the other (at least four letters), or a common row in a list of abbreviations and synonyms. A related
//! word is weaker evidence than an equal term, so related words have separate signals.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

use crate::query::Query;
use spyhop_index::tokenize::stem;

/// The fewest letters of a prefix. A root may have one letter less.
const MIN_LETTERS: usize = 4;

/// Rows of words that replace each other in names of programs.
const ROWS: &str = include_str!("relations.txt");

/// The terms of a query, prepared for comparisons.
pub(crate) struct WordRelations<'q> {
    terms: Vec<Word<'q>>,
    /// Bit `n` is set if a term has `n` bytes.
    lengths: u128,
    /// Two adjacent words of the query as one word, with the mask of their terms.
    joined: Vec<(String, u64)>,
}

struct Word<'t> {
    term: &'t str,
    root: &'t str,
    rows: &'static [u16],
}

impl<'q> WordRelations<'q> {
    /// Prepares the terms of a query.
    pub fn new(query: &'q Query) -> WordRelations<'q> {
        let terms: Vec<Word<'_>> = query.terms.iter().map(|term| Word::new(&term.term)).collect();
        let joined = query
            .terms
            .windows(2)
            .enumerate()
            .map(|(place, pair)| (stem(&format!("{}{}", pair[0].word, pair[1].word)), 0b11u64 << place));
        let bit = |word: &Word<'_>| 1u128.checked_shl(word.term.len() as u32).unwrap_or(0);
        let lengths = terms.iter().map(bit).fold(0, |bits, bit| bits | bit);
        WordRelations { joined: joined.collect(), lengths, terms }
    }

    /// The terms of the query that are equal or related to a term of a name, as a mask.
    pub(crate) fn related_terms(&self, term: &str) -> u64 {
        let mut mask = 0;
        let word = Word::new(term);
        for (place, wanted) in self.terms.iter().enumerate() {
            mask |= u64::from(wanted.term == term || word.are_related(wanted)) << place;
        }
        for (joined, both) in &self.joined {
            if joined == term {
                mask |= both;
            }
        }
        mask
    }

    /// The terms of the query that equal two adjacent terms of a name, written as one word.
    pub(crate) fn joined_terms(&self, one: &str, other: &str) -> u64 {
        let len = one.len() + other.len();
        if self.lengths.checked_shr(len as u32).unwrap_or(0) & 1 == 0 {
            return 0;
        }
        let is_pair = |term: &str| term.len() == len && term.starts_with(one) && term.ends_with(other);
        let places = self.terms.iter().enumerate().filter(|(_, wanted)| is_pair(wanted.term));
        places.fold(0, |mask, (place, _)| mask | 1 << place)
    }
}

/// Whether two stems are equal or related.
pub(crate) fn are_related(one: &str, other: &str) -> bool {
    one == other || Word::new(one).are_related(&Word::new(other))
}

impl<'t> Word<'t> {
    fn new(term: &'t str) -> Word<'t> {
        Word { root: root(term), rows: rows().get(term).map_or(&[], Vec::as_slice), term }
    }

    fn are_related(&self, other: &Word<'_>) -> bool {
        let begins = |long: &str, short: &str| short.len() >= MIN_LETTERS && long.starts_with(short);
        (self.root == other.root && self.root.len() >= MIN_LETTERS - 1)
            || begins(self.term, other.term)
            || begins(other.term, self.term)
            || self.rows.iter().any(|row| other.rows.contains(row))
    }
}

/// A stem without its suffix, if the rest is long enough.
fn root(stem: &str) -> &str {
    let endings = ["ation", "ator", "ition", "ment", "able", "ion", "ers", "er", "or", "ed", "al", "e", "i"];
    for ending in endings {
        if let Some(root) = stem.strip_suffix(ending)
            && root.len() >= MIN_LETTERS - 1
        {
            return root;
        }
    }
    stem
}

fn rows() -> &'static FxHashMap<String, Vec<u16>> {
    static ROWS_OF: OnceLock<FxHashMap<String, Vec<u16>>> = OnceLock::new();
    ROWS_OF.get_or_init(|| {
        let mut rows: FxHashMap<String, Vec<u16>> = FxHashMap::default();
        for (row, line) in ROWS.lines().filter(|line| !line.starts_with('#')).enumerate() {
            for word in line.split_whitespace() {
                rows.entry(stem(word)).or_default().push(row as u16);
            }
        }
        rows
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_words_share_a_root_a_prefix_a_row_or_a_joint() {
        let related = |query: &str, name: &str| {
            WordRelations::new(&Query::parse(query).unwrap()).related_terms(&stem(name))
        };
        assert_eq!(related("routing", "router"), 1);
        assert_eq!(related("which extractors", "extract"), 1);
        assert_eq!(related("authenticate", "auth"), 1);
        assert_eq!(related("folder", "dir"), 1);
        assert_eq!(related("open web socket", "websocket"), 0b110);
        assert_eq!(related("the cat", "category"), 0);
        assert_eq!(related("user", "use"), 0);
        assert_eq!(
            WordRelations::new(&Query::parse("a websocket").unwrap()).joined_terms("web", "socket"),
            1
        );
    }
}
