//! How terms begin: a name of which no part begins as a term does cannot hold the term, and need not be cut and
//! stemmed to know it.

use rust_stemmers::{Algorithm, Stemmer};

use super::{MAX_WORD_BYTES, family};

/// The beginnings of some terms, at most as many as a mask has bits.
pub struct TermPrefixFilter {
    /// By an ASCII letter or digit, in lower case: the terms that begin with it.
    first: [u64; 128],
    /// By [`kind`] of two bytes that follow each other: the terms that may begin with them.
    two: Box<[u64; KINDS * KINDS]>,
    /// By term: its next two letters, and which of them count.
    next: Vec<([u8; 2], [bool; 2])>,
}

/// As many kinds of bytes are told apart: letters are, whatever their case.
const KINDS: usize = 32;

/// Names one after the other, of which most begin as the one before: what is common is looked at once.
#[derive(Default)]
pub struct Scan {
    /// By byte of the last name: the terms that it may hold up to there.
    up_to: Vec<u64>,
}

impl Scan {
    /// The terms that `name` may hold, of which the first `shared` bytes are those of the name before. It holds no
    /// other; [`TermPrefixFilter::possible_terms`] rules out more, and later.
    pub fn next(&mut self, beginnings: &TermPrefixFilter, name: &[u8], shared: usize) -> u64 {
        self.up_to.truncate(shared);
        let from = self.up_to.len();
        let (mut mask, mut before) = match from.checked_sub(1) {
            Some(last) => (self.up_to[last], name[last]),
            // A byte that is not ASCII stands for any letter, and nothing begins with this one.
            None => (0, b'@'),
        };
        for byte in &name[from..] {
            mask |= beginnings.two[kind(before) * KINDS + kind(*byte)]
                | if byte.is_ascii() { 0 } else { u64::MAX };
            self.up_to.push(mask);
            before = *byte;
        }
        mask
    }
}

fn kind(byte: u8) -> usize {
    byte as usize % KINDS
}

/// What a name may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleTerms {
    /// The terms that it may hold; it holds no other.
    pub mask: u64,
    /// Bit `n` is set where it may hold term `n` right before term `n + 1`.
    pub pairs: u64,
    /// The most terms of the mask that it can hold.
    pub most: u32,
    /// The least terms that it holds and that are none of them.
    pub others: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    None,
}

const CLASS: [Class; 128] = {
    let mut table = [Class::None; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => Class::None,
        };
        byte += 1;
    }
    table
};

impl TermPrefixFilter {
    /// Those of `terms`, of which there are at most 64.
    pub fn new<'t>(terms: impl Iterator<Item = &'t str>) -> TermPrefixFilter {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut own = TermPrefixFilter { first: [0; 128], two: Box::new([0; _]), next: Vec::new() };
        for (place, term) in terms.enumerate() {
            let bytes = term.as_bytes();
            // A stem keeps the beginning of its word but for a few short ones: `dying` and `die` share a letter, as do
            // the words of one family.
            let n_sure = match bytes.len() {
                _ if family::is_base(&stemmer, term) => 1,
                0 | 1 => 1,
                2 | 3 if matches!(bytes[1], b'i' | b'y') => 1,
                2..=4 => 2,
                _ => 3,
            };
            let at = |at: usize| bytes.get(at).copied().unwrap_or_default();
            own.next.push(([at(1), at(2)], [n_sure > 1, n_sure > 2]));
            // What is in ASCII gives no term that is not.
            if term.is_ascii() && !term.is_empty() {
                own.first[at(0) as usize] |= 1 << place;
                let (first, second) = (kind(at(0)), kind(at(1)));
                for any in 0..KINDS {
                    match (bytes.len(), n_sure) {
                        // It may be all there is.
                        (1, _) => own.two[any * KINDS + first] |= 1 << place,
                        (_, 1) => own.two[first * KINDS + any] |= 1 << place,
                        _ => own.two[first * KINDS + second] |= 1 << place,
                    }
                }
            }
        }
        own
    }

    /// Whether `name` may hold any term. It looks at pairs of letters only, which rules most names out at once.
    #[inline]
    pub fn may_hold(&self, name: &[u8]) -> bool {
        let mut before = b'@';
        let mut found = 0;
        for byte in name {
            found |=
                self.two[kind(before) * KINDS + kind(*byte)] | if byte.is_ascii() { 0 } else { u64::MAX };
            before = *byte;
        }
        found != 0
    }

    /// What `name` may hold.
    pub fn possible_terms(&self, name: &[u8]) -> PossibleTerms {
        if !name.is_ascii() {
            // Letters fold in ways that bytes do not show.
            return PossibleTerms { mask: u64::MAX, pairs: u64::MAX, most: u32::MAX, others: 0 };
        }
        let class = |byte: &u8| CLASS[(byte & 127) as usize];
        let mut possible_terms = PossibleTerms { mask: 0, pairs: 0, most: 0, others: 0 };
        let mut before = Class::None;
        // What the part may give, and whether it has one character so far: such a part is dropped if it ends.
        let (mut own_mask, mut short) = (0, false);
        // What the part before may give, with those before it that may have been dropped.
        let mut last = 0;
        // A bit for each first letter of a part that gives no term of the mask: stems keep it.
        let mut letters = 0u64;
        let mut digits = false;
        for (at, byte) in name.iter().enumerate() {
            let own = class(byte);
            if own == before && own != Class::Upper && !short {
                continue;
            }
            let begins = match (before, own) {
                (_, Class::None) | (Class::Upper, Class::Lower) => false,
                (Class::Upper, Class::Upper) => {
                    name.get(at + 1).is_some_and(|next| class(next) == Class::Lower)
                }
                (before, own) => before != own,
            };
            if begins {
                last = if short { last | own_mask } else { own_mask };
                own_mask = self.at(&name[at..]);
                possible_terms.mask |= own_mask;
                possible_terms.pairs |= last & (own_mask >> 1);
                possible_terms.most += u32::from(own_mask != 0);
                short = true;
                digits |= own == Class::Digit;
            } else if own != Class::None {
                if short && own_mask == 0 {
                    letters |= 1 << (name[at - 1].to_ascii_lowercase() & 63);
                }
                short = false;
            }
            before = own;
        }
        possible_terms.others = letters.count_ones();
        if digits || name.len() > MAX_WORD_BYTES {
            // Parts with digits are kept whole as well, and words that are longer give no term.
            possible_terms.pairs = possible_terms.mask & (possible_terms.mask >> 1);
            possible_terms.most = u32::MAX;
            possible_terms.others = 0;
        }
        possible_terms.most = possible_terms.most.min(possible_terms.mask.count_ones());
        possible_terms
    }

    /// The terms that a part at the beginning of `bytes` may give.
    fn at(&self, bytes: &[u8]) -> u64 {
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
    use crate::tokenize::{TermList, Tokenizer};

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
        fn what_a_name_holds_it_may_hold(
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
            let mut scan = Scan::default();
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
