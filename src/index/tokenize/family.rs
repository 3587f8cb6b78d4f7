//! Families of words that the stemmer keeps apart: `built` and `build`, `exclusion` and `exclude`.
//!
//! Questions often use the past form or the noun, names the base form.

use std::collections::hash_map::Entry;
use std::sync::OnceLock;

use rust_stemmers::Stemmer;
use rustc_hash::{FxHashMap, FxHashSet};

/// Per row a base form, followed by its other forms.
const FAMILIES: &[&str] = &[
    "admit admission",
    "analyze analyse analysis",
    "assume assumption",
    "begin began begun",
    "bind bound",
    "break broke broken",
    "build built",
    "catch caught",
    "child children",
    "choose chose chosen choice",
    "compare comparison",
    "conclude conclusion",
    "consume consumption",
    "convert conversion",
    "decide decision",
    "describe description",
    "emit emission",
    "exclude exclusion",
    "expand expansion",
    "expose exposure",
    "fail failure",
    "find found",
    "forget forgot forgotten",
    "freeze froze frozen",
    "give gave given",
    "grow grew grown growth",
    "hide hid hidden",
    "hold held",
    "include inclusion",
    "introduce introduction",
    "invert inverse inversion",
    "keep kept",
    "know known knew",
    "lose lost loss",
    "matrix matrices",
    "occur occurrence",
    "omit omission",
    "override overridden overrode",
    "overwrite overwrote overwritten",
    "permit permission",
    "receive reception",
    "reduce reduction",
    "resolve resolution",
    "resume resumption",
    "rewrite rewrote rewritten",
    "run ran",
    "seek sought",
    "send sent",
    "show shown",
    "shrink shrank shrunk",
    "solve solution",
    "store storage",
    "submit submission",
    "subscribe subscription",
    "suspend suspension",
    "synthesize synthesis",
    "take took taken",
    "throw threw thrown",
    "transcribe transcript transcription",
    "transmit transmission",
    "vertex vertices",
    "write wrote written",
];

struct Families {
    base_of: FxHashMap<String, String>,
    bases: FxHashSet<String>,
}

fn families(stemmer: &Stemmer) -> &'static Families {
    static FAMILIES_BY_STEM: OnceLock<Families> = OnceLock::new();
    FAMILIES_BY_STEM.get_or_init(|| {
        let mut families = Families { base_of: FxHashMap::default(), bases: FxHashSet::default() };
        for family in FAMILIES {
            let mut words = family.split(' ').map(|word| stemmer.stem(word).into_owned());
            let base = words.next().expect("a family has a base");
            for form in words.filter(|form| *form != base) {
                if let Entry::Vacant(free) = families.base_of.entry(form) {
                    free.insert(base.clone());
                }
            }
            families.bases.insert(base);
        }
        families
    })
}

/// The stem of the base form of a stem's family, or the stem itself if it belongs to no family.
pub(super) fn base<'s>(stemmer: &Stemmer, stem: &'s str) -> &'s str {
    families(stemmer).base_of.get(stem).map_or(stem, String::as_str)
}

/// Whether `term` is the base of a family: words with another prefix can then give this term.
pub fn is_base(stemmer: &Stemmer, term: &str) -> bool {
    families(stemmer).bases.contains(term)
}

#[cfg(test)]
mod tests {
    use rust_stemmers::Algorithm;

    use super::*;

    #[test]
    fn families_do_not_overlap() {
        let stemmer = Stemmer::create(Algorithm::English);
        let families = families(&stemmer);
        for (form, base) in &families.base_of {
            assert!(!families.bases.contains(form), "{form}");
            assert!(families.bases.contains(base), "{base}");
        }
        let words: Vec<&str> = FAMILIES.iter().flat_map(|family| family.split(' ')).collect();
        let distinct: FxHashSet<&str> = words.iter().copied().collect();
        assert_eq!(words.len(), distinct.len());
        assert!(FAMILIES.is_sorted_by_key(|family| family.split(' ').next()));
    }
}
