//! How terms begin: a name of which no part begins as a term does cannot hold the term, and need not be cut and
//! stemmed to know it.

use rust_stemmers::{Algorithm, Stemmer};

use super::{MAX_WORD_BYTES, family};

/// The beginnings of some terms, at most as many as a mask has bits.
pub struct Beginnings {
    /// By an ASCII letter or digit, in lower case: the terms that begin with it.
    first: [u64; 128],
    /// By term: its next two letters, and which of them count.
    next: Vec<([u8; 2], [bool; 2])>,
}

/// What a name may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The terms that it may hold; it holds no other.
    pub mask: u64,
    /// Whether it holds a term that is none of them.
    pub others: bool,
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

impl Beginnings {
    /// Those of `terms`, of which there are at most 64.
    pub fn new<'t>(terms: impl Iterator<Item = &'t str>) -> Beginnings {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut own = Beginnings { first: [0; 128], next: Vec::new() };
        for (place, term) in terms.enumerate() {
            let bytes = term.as_bytes();
            // A stem keeps the beginning of its word but for a few short ones: `dying` and `die` share a letter, as
            // do the words of one family.
            let n_sure = match bytes.len() {
                _ if family::is_base(&stemmer, term) => 1,
                0..=3 => 1,
                4 => 2,
                _ => 3,
            };
            let at = |at: usize| bytes.get(at).copied().unwrap_or_default();
            own.next.push(([at(1), at(2)], [n_sure > 1, n_sure > 2]));
            // What is in ASCII gives no term that is not.
            if term.is_ascii() && !term.is_empty() {
                own.first[at(0) as usize] |= 1 << place;
            }
        }
        own
    }

    /// What `name` may hold.
    pub fn held(&self, name: &str) -> Held {
        if !name.is_ascii() {
            // Letters fold in ways that bytes do not show.
            return Held { mask: u64::MAX, others: false };
        }
        let bytes = name.as_bytes();
        let class = |at: usize| bytes.get(at).map_or(Class::None, |byte| CLASS[*byte as usize]);
        let mut held = Held { mask: 0, others: false };
        let mut before = Class::None;
        // A part so far of one character, which begins no term and is dropped if it ends.
        let mut short = false;
        for at in 0..bytes.len() {
            let own = class(at);
            let begins = match (before, own) {
                (_, Class::None) | (Class::Upper, Class::Lower) => false,
                (Class::Upper, Class::Upper) => class(at + 1) == Class::Lower,
                (before, own) => before != own,
            };
            if begins {
                let found = self.at(&bytes[at..]);
                held.mask |= found;
                short = found == 0;
            } else if own == Class::None {
                short = false;
            } else if short {
                held.others = true;
                short = false;
            }
            before = own;
        }
        // Words that are longer give no term.
        held.others &= bytes.len() <= MAX_WORD_BYTES;
        held
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
    use proptest::prelude::*;

    use super::*;
    use crate::tokenize::{TermList, Tokenizer};

    fn terms_of(text: &str) -> Vec<String> {
        let mut terms = TermList::default();
        Tokenizer::new().terms(text, &mut terms);
        terms.iter().map(str::to_string).collect()
    }

    fn check(name: &str, terms: &[&str], mask: u64, others: bool) {
        assert_eq!(Beginnings::new(terms.iter().copied()).held(name), Held { mask, others }, "{name}");
    }

    #[test]
    fn parts_tell_what_a_name_may_hold() {
        check("HTTPServer", &["server", "http", "erver"], 0b011, false);
        check("parseTheHTTPY", &["pars"], 1, true);
        check("dying", &["die"], 1, false);
        check("wroteAll", &["write"], 1, true);
        check("a_b", &["c"], 0, false);
        check("sha256sum", &["sha256sum", "sum"], 0b11, true);
        check("größe", &["x"], u64::MAX, false);
        check(&"x".repeat(65), &["y"], 0, false);
        check("kubelet", &["kübel"], 0, true);
    }

    proptest! {
        #[test]
        fn what_a_name_holds_it_may_hold(
            name in "[a-cA-CxX_0-2 .]{0,12}|(build|built|dying|Resolution|choice|[A-Z]{1,3}|_|[0-9]{1,2}){0,5}",
            words in "((build|die|resolve|choose|[a-c]{1,3}|[0-9]{1,2}|[a-c]{1,2}[0-9]) ){1,5}",
        ) {
            let wanted = terms_of(&words);
            let held = Beginnings::new(wanted.iter().map(String::as_str)).held(&name);
            let terms = terms_of(&name);
            for (place, term) in wanted.iter().enumerate() {
                prop_assert!(!terms.contains(term) || held.mask & (1 << place) != 0, "{term} in {name}");
            }
            prop_assert!(!held.others || terms.iter().any(|term| !wanted.contains(term)), "{name}");
        }
    }
}
