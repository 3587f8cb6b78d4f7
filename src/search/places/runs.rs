//! Verbatim runs: consecutive words of the query that are consecutive in a text too. A log message has such runs with
//! the source line that prints it.

use rustc_hash::FxHashMap;

use crate::evidence::Evidence;
use crate::names::Names;
use crate::query::Query;
use spyhop_index::tokenize::for_each_word;

/// The fewest words of a run.
const MIN_WORDS: usize = 3;

/// The words of a query, and the current run.
pub struct Runs<'q> {
    words: Vec<&'q str>,
    /// By word: the terms of the query in it.
    masks: Vec<u64>,
    /// By word: its first position in the query.
    places: FxHashMap<&'q str, usize>,
    /// By first byte: the lengths of the words of the query, as a mask. The mask rules out most words of a text.
    shapes: Box<[u64; 256]>,
    /// The last word of the run; its number of words and its terms follow.
    last: Option<usize>,
    length: usize,
    mask: u64,
}

/// The words of a query with the terms of each; `None` for a report, and for a query of at most `too_few` words.
pub(super) fn words_with_masks<'q>(
    query: &'q Query,
    names: &mut Names<'_>,
    too_few: usize,
) -> Option<(Vec<&'q str>, Vec<u64>)> {
    if query.is_report || query.n_words <= too_few {
        return None;
    }
    let (mut words, mut masks) = (Vec::new(), Vec::new());
    for_each_word(&query.text, |word| {
        let name = names.terms_of(word);
        words.push(word);
        masks.push(names.cover(name).mask);
    });
    Some((words, masks))
}

impl<'q> Runs<'q> {
    pub fn new(query: &'q Query, names: &mut Names<'_>) -> Option<Runs<'q>> {
        let (words, masks) = words_with_masks(query, names, MIN_WORDS)?;
        let mut places = FxHashMap::default();
        let mut shapes = Box::new([0u64; 256]);
        for (place, word) in words.iter().enumerate() {
            places.entry(*word).or_insert(place);
            shapes[usize::from(word.as_bytes()[0])] |= 1 << word.len().min(63);
        }
        Some(Runs { words, masks, places, shapes, last: None, length: 0, mask: 0 })
    }

    /// Begins a text.
    pub fn begin(&mut self) {
        (self.last, self.length, self.mask) = (None, 0, 0);
    }

    /// Reads the next word of a text. Returns the share of the query's weight in the run that ends with this word, or 0
    /// if there is no run.
    #[inline]
    pub fn next(&mut self, word: &str, evidence: &Evidence) -> f32 {
        if self.shapes[usize::from(word.as_bytes()[0])] & (1 << word.len().min(63)) == 0 {
            self.last = None;
            return 0.0;
        }
        let follows = self.last.map(|last| last + 1).filter(|next| self.words.get(*next) == Some(&word));
        let Some(place) = follows.or_else(|| self.places.get(word).copied()) else {
            self.last = None;
            return 0.0;
        };
        if follows.is_none() {
            (self.length, self.mask) = (0, 0);
        }
        self.last = Some(place);
        self.length += 1;
        self.mask |= self.masks[place];
        if self.length >= MIN_WORDS { evidence.idf_of(self.mask) } else { 0.0 }
    }
}
