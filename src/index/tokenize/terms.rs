//! From a word to its terms: parts in lower case, without diacritics, stemmed.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;

use super::family;
use super::list::TermList;
use super::split::{CharClass, class_of, cut, for_each_component};

/// The last term of a part in lower case, as indexed.
pub fn stem(part: &str) -> String {
    let mut list = TermList::default();
    word_terms(&mut Stems::new(), part, &mut list);
    list.iter().last().unwrap_or(part).to_string()
}

/// A cache of the stems of parts. Stemming is the most expensive step for a word, and there are far fewer parts than
/// words.
pub(super) struct Stems {
    stemmer: Stemmer,
    /// By part: the place of its stem in `stems`.
    known: FxHashMap<Box<str>, u32>,
    stems: Vec<Box<str>>,
    bytes: usize,
    /// The current part in lower case.
    folded: String,
}

impl Stems {
    pub(super) fn new() -> Stems {
        let (stemmer, known) = (Stemmer::create(Algorithm::English), FxHashMap::default());
        Stems { stemmer, known, stems: Vec::new(), bytes: 0, folded: String::new() }
    }

    /// Empties the cache if its contents exceed `most` bytes. The limit bounds memory and does not change results.
    pub(super) fn make_room(&mut self, most: usize) {
        if self.bytes > most {
            self.known.clear();
            self.stems.clear();
            self.bytes = 0;
        }
    }

    /// The stem of a part in lower case, or the base form of its family.
    fn stem_of(&mut self, part: &str) -> &str {
        let place = match self.known.get(part) {
            Some(place) => *place,
            None => {
                let stem: Box<str> = family::base(&self.stemmer, &self.stemmer.stem(part)).into();
                self.bytes += part.len() + stem.len();
                let place = self.stems.len() as u32;
                self.known.insert(part.into(), place);
                self.stems.push(stem);
                place
            }
        };
        &self.stems[place as usize]
    }
}

pub(super) fn word_terms(stems: &mut Stems, word: &str, terms: &mut TermList) {
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
    let mut folded = std::mem::take(&mut stems.folded);
    let (mut n_parts, mut digits, mut cjk) = (0, false, false);
    cut(component, |part| {
        n_parts += 1;
        let first = part.chars().next().map_or(CharClass::Lower, class_of);
        if first == CharClass::Cjk {
            cjk = true;
            return bigrams(part, terms);
        }
        digits |= first == CharClass::Digit;
        folded.clear();
        fold(part, &mut folded);
        if folded.chars().nth(1).is_some() {
            terms.push(stems.stem_of(&folded));
        }
    });
    if n_parts > 1 && digits && !cjk {
        folded.clear();
        fold(component, &mut folded);
        terms.push(&folded);
    }
    stems.folded = folded;
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

/// Converts to lower case. Outside ASCII, compatibility forms are unified and diacritics are removed.
fn fold(part: &str, folded: &mut String) {
    if part.is_ascii() {
        let start = folded.len();
        folded.push_str(part);
        folded[start..].make_ascii_lowercase();
    } else {
        folded.extend(
            part.nfkd()
                .filter(|&c| !unicode_normalization::char::is_combining_mark(c))
                .flat_map(char::to_lowercase),
        );
    }
}
