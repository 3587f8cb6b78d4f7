//! A prefix filter for terms: a name contains a term only if one of its parts begins as the term does. The filter rules
//! out most names without tokenizing them.

use rust_stemmers::{Algorithm, Stemmer};

use super::family;
use super::words::{MAX_WORD_BYTES, WORD_BYTE, words_of_chars};

/// The prefixes of up to 64 terms. Masks have a bit for each term.
pub struct TermPrefixFilter {
    /// By ASCII letter or digit, in lower case: the terms with this first byte.
    first: [u64; 128],
    /// By [`kind`] of two adjacent bytes: the terms that may begin with these bytes.
    two: Box<[u64; KINDS * KINDS]>,
    /// By [`kind`] of the byte after these two: the terms that may go on with this byte.
    third: [u64; KINDS],
    /// By term: its second and third byte, and which of the two must match.
    next: Vec<([u8; 2], [bool; 2])>,
}

/// The number of byte kinds. The two cases of a letter are of one kind.
const KINDS: usize = 32;

/// A scan over sorted names. The prefix that a name shares with the previous name is not scanned again.
#[derive(Default)]
pub struct PrefixScan {
    /// By byte of the previous name: the terms that the name may contain up to this byte.
    up_to: Vec<u64>,
}

impl PrefixScan {
    /// The terms that `name` may contain; no other term of the filter is in the name. The name shares its first
    /// `shared` bytes with the previous name. [`TermPrefixFilter::possible_terms`] is slower and rules out more terms.
    pub fn next(&mut self, beginnings: &TermPrefixFilter, name: &[u8], shared: usize) -> u64 {
        self.up_to.truncate(shared);
        let from = self.up_to.len();
        let (mut mask, mut before) = match from.checked_sub(1) {
            Some(last) => (self.up_to[last], name[last]),
            // A non-ASCII byte admits every term, and no term begins with `@`.
            None => (0, b'@'),
        };
        self.up_to.extend(name[from..].iter().map(|byte| {
            mask |= beginnings.two[kind(before) * KINDS + kind(*byte)]
                | if byte.is_ascii() { 0 } else { u64::MAX };
            before = *byte;
            mask
        }));
        mask
    }
}

fn kind(byte: u8) -> usize {
    byte as usize % KINDS
}

/// A scan over the bytes of an ASCII name, by three adjacent bytes.
#[derive(Default)]
struct TripleScan {
    /// The kind of the previous byte. No term begins with a byte of the kind 0.
    before: usize,
    /// The terms that may begin with the last two bytes.
    pair: u64,
    found: u64,
}

impl TripleScan {
    #[inline]
    fn next(&mut self, filter: &TermPrefixFilter, byte: u8) {
        let kind = kind(byte);
        self.found |= self.pair & filter.third[kind];
        self.pair = filter.two[self.before * KINDS + kind];
        self.before = kind;
    }

    /// Whether the bytes until now may contain any term.
    #[inline]
    fn may_hold(&self, filter: &TermPrefixFilter) -> bool {
        // The kind 0 stands for the end.
        self.found | (self.pair & filter.third[0]) != 0
    }
}

/// The terms that a name may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleTerms {
    /// The terms that the name may contain; no other term of the filter is in the name.
    pub mask: u64,
    /// Bit `n` is set if the name may contain term `n` directly before term `n + 1`.
    pub pairs: u64,
    /// An upper bound for the number of terms of the mask in the name.
    pub most: u32,
    /// A lower bound for the number of distinct terms of the name that are not in the mask.
    pub others: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Lower,
    Upper,
    Digit,
    None,
}

/// Whether `rest`, the bytes after an acronym, begin with the `s` of a plural, which belongs to no part.
fn is_plural(rest: &[u8]) -> bool {
    rest[0] == b's' && rest.get(1).is_none_or(|after| !after.is_ascii_lowercase())
}

const CLASS: [ByteClass; 128] = {
    let mut table = [ByteClass::None; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => ByteClass::Lower,
            b'A'..=b'Z' => ByteClass::Upper,
            b'0'..=b'9' => ByteClass::Digit,
            _ => ByteClass::None,
        };
        byte += 1;
    }
    table
};

impl TermPrefixFilter {
    /// A filter for `terms`, of which there are at most 64.
    pub fn new<'t>(terms: impl Iterator<Item = &'t str>) -> TermPrefixFilter {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut filter =
            TermPrefixFilter { first: [0; 128], two: Box::new([0; _]), third: [0; KINDS], next: Vec::new() };
        for (place, term) in terms.enumerate() {
            let bytes = term.as_bytes();
            // A stem keeps the prefix of its word, except for some short words: `dying` and `die` share only one
            // letter. The words of a family share one letter too.
            let n_sure = match bytes.len() {
                _ if family::is_base(&stemmer, term) => 1,
                0 | 1 => 1,
                2 | 3 if matches!(bytes[1], b'i' | b'y') => 1,
                2..=4 => 2,
                _ => 3,
            };
            let at = |at: usize| bytes.get(at).copied().unwrap_or_default();
            filter.next.push(([at(1), at(2)], [n_sure > 1, n_sure > 2]));
            // An ASCII name gives only ASCII terms; other names are not filtered.
            if term.is_ascii() && !term.is_empty() {
                filter.first[at(0) as usize] |= 1 << place;
                let (first, second, third) = (kind(at(0)), kind(at(1)), kind(at(2)));
                for any in 0..KINDS {
                    if n_sure < 3 || any == third {
                        filter.third[any] |= 1 << place;
                    }
                    match (bytes.len(), n_sure) {
                        // The term may be the last byte of the name.
                        (1, _) => filter.two[any * KINDS + first] |= 1 << place,
                        (_, 1) => filter.two[first * KINDS + any] |= 1 << place,
                        _ => filter.two[first * KINDS + second] |= 1 << place,
                    }
                }
            }
        }
        filter
    }

    /// Whether `name` may contain any term. Only three bytes of a term are checked, which rules out most names.
    #[inline]
    pub fn may_hold(&self, name: &[u8]) -> bool {
        let mut scan = TripleScan::default();
        name.iter().for_each(|byte| scan.next(self, *byte));
        scan.may_hold(self) || !name.is_ascii()
    }

    /// Calls `each` with every word of `text`, in order, and whether the word may contain any term.
    #[inline]
    pub fn for_each_word<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str, bool)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !WORD_BYTE[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            let start = at;
            let (mut scan, mut every) = (TripleScan::default(), 0);
            while at < bytes.len() && WORD_BYTE[usize::from(bytes[at])] {
                scan.next(self, bytes[at]);
                every |= bytes[at];
                at += 1;
            }
            let run = &text[start..at];
            if every.is_ascii() {
                each(run, scan.may_hold(self));
            } else {
                words_of_chars(run).for_each(|word| each(word, true));
            }
        }
    }

    /// The terms that `name` may contain, with bounds.
    pub fn possible_terms(&self, name: &[u8]) -> PossibleTerms {
        if !name.is_ascii() {
            // Case folding and normalization of such names are not visible in their bytes.
            return PossibleTerms { mask: u64::MAX, pairs: u64::MAX, most: u32::MAX, others: 0 };
        }
        let class = |byte: &u8| CLASS[(byte & 127) as usize];
        let mut possible_terms = PossibleTerms { mask: 0, pairs: 0, most: 0, others: 0 };
        let mut before = ByteClass::None;
        // The terms that the current part may give, and whether the part has one character so far. A part of one
        // character is dropped.
        let (mut part_mask, mut short) = (0, false);
        // The terms of the previous part, and of parts before it that may have been dropped.
        let mut last = 0;
        // A bit for the first letter of each part that gives no term of the mask. Stemming keeps the first letter.
        let mut letters = 0u64;
        let mut digits = false;
        for (at, byte) in name.iter().enumerate() {
            let current = class(byte);
            if current == before && current != ByteClass::Upper && !short {
                continue;
            }
            let begins = match (before, current) {
                (_, ByteClass::None) | (ByteClass::Upper, ByteClass::Lower) => false,
                (ByteClass::Upper, ByteClass::Upper) => {
                    name.get(at + 1).is_some_and(|next| class(next) == ByteClass::Lower)
                        && !is_plural(&name[at + 1..])
                }
                (before, current) => before != current,
            };
            if begins {
                last = if short { last | part_mask } else { part_mask };
                part_mask = self.terms_starting(&name[at..]);
                possible_terms.mask |= part_mask;
                possible_terms.pairs |= last & (part_mask >> 1);
                possible_terms.most += u32::from(part_mask != 0);
                short = true;
                digits |= current == ByteClass::Digit;
            } else if current != ByteClass::None {
                if short && part_mask == 0 {
                    letters |= 1 << (name[at - 1].to_ascii_lowercase() & 63);
                }
                short = false;
            }
            before = current;
        }
        possible_terms.others = letters.count_ones();
        if digits || name.len() > MAX_WORD_BYTES {
            // A component with digits also gives a term as a whole, and words over [`MAX_WORD_BYTES`] give no terms.
            possible_terms.pairs = possible_terms.mask & (possible_terms.mask >> 1);
            possible_terms.most = u32::MAX;
            possible_terms.others = 0;
        }
        possible_terms.most = possible_terms.most.min(possible_terms.mask.count_ones());
        possible_terms
    }

    /// The terms that a part may give that begins at the start of `bytes`.
    fn terms_starting(&self, bytes: &[u8]) -> u64 {
        let lower = |at: usize| bytes.get(at).map_or(0, u8::to_ascii_lowercase);
        let mut left = self.first[(lower(0) & 127) as usize];
        let mut found = 0;
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            let (letters, counts) = self.next[place];
            let is_so = |n: usize| !counts[n] || letters[n] == lower(n + 1);
            found |= u64::from(is_so(0) && is_so(1)) << place;
            left &= left - 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::tokenize::list::TermList;
    use crate::tokenize::tokenizer::Tokenizer;
    use crate::tokenize::words::for_each_word;

    fn terms_of(text: &str) -> Vec<String> {
        let mut terms = TermList::default();
        Tokenizer::new().terms(text, &mut terms);
        terms.iter().map(str::to_string).collect()
    }

    fn check(name: &str, terms: &[&str], mask: u64, pairs: u64, (most, others): (u32, u32)) {
        let possible_terms = TermPrefixFilter::new(terms.iter().copied()).possible_terms(name.as_bytes());
        assert_eq!(possible_terms, PossibleTerms { mask, pairs, most, others }, "{name}");
    }

    #[test]
    fn parts_tell_what_a_name_may_hold() {
        check("HTTPServer", &["server", "http", "erver"], 0b011, 0, (2, 0));
        check("HTTPServer", &["http", "server", "erver"], 0b011, 0b01, (2, 0));
        check("parseTheHTTPY", &["pars"], 1, 0, (1, 2));
        check("dying", &["die"], 1, 0, (1, 0));
        check("resolveAll", &["resolv", "resourc"], 0b11, 0, (1, 1));
        check("a_b", &["c"], 0, 0, (0, 0));
        check("pod_x_worker", &["pod", "work"], 0b11, 0b01, (2, 0));
        check("sha256sum", &["sha256sum", "sum"], 0b11, 0b01, (2, 0));
        check("größe", &["x"], u64::MAX, u64::MAX, (u32::MAX, 0));
        check(&"x".repeat(65), &["y"], 0, 0, (0, 0));
        check("kubelet", &["kübel"], 0, 0, (0, 1));
    }

    proptest! {
        #[test]
        fn every_name_that_holds_a_term_may_hold_it(
            name in "[a-cA-CxX_0-2 .]{0,12}|(build|built|dying|Resolution|choice|[A-Z]{1,3}|_|[0-9]{1,2}){0,5}",
            words in "((build|die|resolve|choose|[a-c]{1,3}|[0-9]{1,2}|[a-c]{1,2}[0-9]) ){1,5}",
        ) {
            let wanted = terms_of(&words);
            let possible_terms = TermPrefixFilter::new(wanted.iter().map(String::as_str)).possible_terms(name.as_bytes());
            let terms = terms_of(&name);
            for (place, term) in wanted.iter().enumerate() {
                prop_assert!(!terms.contains(term) || possible_terms.mask & (1 << place) != 0, "{term} in {name}");
            }
            let beginnings = TermPrefixFilter::new(wanted.iter().map(String::as_str));
            let holds = |word: &str| terms_of(word).iter().any(|term| wanted.contains(term));
            prop_assert!(!holds(&name) || beginnings.may_hold(name.as_bytes()), "{name}");
            let (mut all, mut filtered) = (Vec::new(), Vec::new());
            for_each_word(&name, |word| all.push(word));
            beginnings.for_each_word(&name, |word, may| filtered.push((word, may)));
            prop_assert_eq!(&all, &filtered.iter().map(|(word, _)| *word).collect::<Vec<_>>());
            for (word, may) in filtered {
                prop_assert!(may || !holds(word), "{word} in {name}");
            }
            let mut scan = PrefixScan::default();
            for shared in [0, name.len() / 2] {
                let shared = (0..=shared).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
                let before = format!("{}{words}", &name[..shared]);
                scan.next(&beginnings, before.as_bytes(), 0);
                let may = scan.next(&beginnings, name.as_bytes(), shared);
                for (place, term) in wanted.iter().enumerate() {
                    prop_assert!(!terms.contains(term) || may & (1 << place) != 0, "{} after {}", &name, before);
                }
            }
            let distinct: HashSet<&String> = terms.iter().collect();
            let (known, unknown): (Vec<&&String>, _) = distinct.iter().partition(|term| wanted.contains(term));
            prop_assert!(known.len() <= possible_terms.most as usize && unknown.len() >= possible_terms.others as usize, "{name}");
            for pair in terms.windows(2) {
                let place = |term: &String| wanted.iter().position(|wanted| wanted == term);
                if let (Some(one), Some(other)) = (place(&pair[0]), place(&pair[1]))
                    && other == one + 1
                {
                    prop_assert!(possible_terms.pairs & (1 << one) != 0, "{pair:?} in {name}");
                }
            }
        }
    }
}
