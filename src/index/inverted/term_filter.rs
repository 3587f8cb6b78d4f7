//! Which terms a segment may hold, in a few bits for each term.
//!
//! A question over many indexes looks up each of its terms in each segment, and most segments hold few of the terms. A look at
//! a filter takes some nanoseconds, a look at a term dictionary some hundred. A filter is made from the dictionaries when a
//! process has asked several indexes before, and is not stored. The filter may let through too much, never too little.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::schema::IndexField;

/// The bits of a filter for each term.
const BITS_PER_TERM: usize = 12;

/// The bits that a term sets, all of them in one cache line.
const BITS_SET: u32 = 6;

/// The words of 64 bits in a cache line.
const LINE: usize = 8;

/// A filter of the terms of a segment, in all fields.
pub(super) struct TermFilter(Vec<[u64; LINE]>);

pub(super) fn hash(field: IndexField, term: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(term);
    hasher.write_usize(field.number());
    // The high bits of this hasher are good, the low ones are not.
    let hash = hasher.finish();
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl TermFilter {
    /// A filter for that many terms, without any.
    pub fn new(terms: usize) -> TermFilter {
        TermFilter(vec![[0; LINE]; (terms * BITS_PER_TERM).div_ceil(64 * LINE).max(1)])
    }

    pub fn insert(&mut self, hash: u64) {
        let line = self.line_of(hash);
        for bit in bits(hash) {
            self.0[line][bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Whether the term with this hash may have been added.
    pub fn may_hold(&self, hash: u64) -> bool {
        let line = &self.0[self.line_of(hash)];
        bits(hash).all(|bit| line[bit / 64] & (1 << (bit % 64)) != 0)
    }

    fn line_of(&self, hash: u64) -> usize {
        (((hash >> 32) * self.0.len() as u64) >> 32) as usize
    }
}

/// The bits of a term within its line.
fn bits(hash: u64) -> impl Iterator<Item = usize> {
    let bits = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    (0..BITS_SET).map(move |bit| (bits >> (10 + 9 * bit)) as usize % (64 * LINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_added_term_is_found_and_few_others() {
        let term = |number: usize| hash(IndexField::Word, format!("name{number}").as_bytes());
        let mut filter = TermFilter::new(10_000);
        (0..10_000).for_each(|number| filter.insert(term(number)));
        assert!((0..10_000).all(|number| filter.may_hold(term(number))));
        let wrong = (10_000..110_000).filter(|number| filter.may_hold(term(*number))).count();
        assert!(wrong < 1_500, "{wrong} of 100000");
        let other = (0..10_000).filter(|number| {
            filter.may_hold(hash(IndexField::Definition, format!("name{number}").as_bytes()))
        });
        assert!(other.count() < 150);
    }
}
