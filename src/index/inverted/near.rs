//! Fuzzy search of names: an automaton over the dictionary of a field, which is traversed only where a name can still
//! match.

use tantivy_fst::Automaton;

/// The letters and digits of a name, in lower case: the form in which names are compared.
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The most bytes of a pattern. A longer one has no near names.
const MAX_PATTERN_BYTES: usize = u128::BITS as usize - 1;

/// Accepts names whose letters differ from the pattern by at most `slips`, 0 or 1 (optimal string alignment: a letter
/// inserted, deleted or replaced, or two neighbours swapped), and names with the pattern as a prefix. Case and all other
/// characters are ignored.
///
/// The automaton is simulated by bits, as by Wu and Manber (Fast text searching allowing errors, 1992): a dictionary has
/// millions of nodes, and a step is a few operations without an allocation.
pub struct Near {
    /// By byte: bit `n` is set if byte `n` of the pattern is this byte.
    places: Box<[u128; 256]>,
    /// The bit of the whole pattern.
    whole: u128,
    slips: u8,
    /// Whether no letter may follow the pattern.
    is_whole: bool,
}

/// The state of the automaton. Bit `n` of a mask stands for the first `n` bytes of the pattern.
#[derive(Clone, Copy)]
pub struct Read {
    /// The input equals these bytes.
    exact: u128,
    /// The input equals these bytes but for one slip.
    slipped: u128,
    /// The input equals these bytes and the byte after the next one: two swapped bytes, if the next one follows.
    swapped: u128,
    /// Whether the pattern is a prefix of the input.
    is_beginning: bool,
}

impl Near {
    /// An automaton for names near to `pattern`, which is [`folded`].
    pub fn new(pattern: &str, slips: u8) -> Near {
        debug_assert!(slips <= 1, "one slip is the most that the states can count");
        let mut places = Box::new([0; 256]);
        let whole = match pattern.len() {
            len @ ..=MAX_PATTERN_BYTES => 1 << len,
            _ => 0,
        };
        if whole != 0 {
            pattern.bytes().enumerate().for_each(|(at, byte)| places[byte as usize] |= 1 << at);
        }
        Near { places, whole, slips, is_whole: false }
    }

    /// An automaton for names with the letters of `pattern`, which is [`folded`]. The automaton ignores characters outside of
    /// ASCII behind the pattern.
    pub fn same(pattern: &str) -> Near {
        Near { is_whole: true, ..Near::new(pattern, 0) }
    }

    /// The bits up to the whole pattern.
    fn bits(&self) -> u128 {
        self.whole | self.whole.wrapping_sub(1)
    }
}

impl Automaton for Near {
    type State = Read;

    fn start(&self) -> Read {
        // Without input, the first byte may be missing.
        let slipped = if self.slips == 0 { 0 } else { 0b10 & self.bits() };
        let exact = u128::from(self.whole != 0);
        Read { exact, slipped, swapped: 0, is_beginning: self.whole == 1 }
    }

    fn is_match(&self, state: &Read) -> bool {
        state.is_beginning || (state.exact | state.slipped) & self.whole != 0
    }

    fn can_match(&self, state: &Read) -> bool {
        state.is_beginning || state.exact | state.slipped | state.swapped != 0
    }

    fn accept(&self, state: &Read, byte: u8) -> Read {
        if state.is_beginning && self.is_whole && byte.is_ascii_alphanumeric() {
            return Read { exact: 0, slipped: 0, swapped: 0, is_beginning: false };
        }
        if state.is_beginning || (byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
            return *state;
        }
        let here = self.places[byte.to_ascii_lowercase() as usize];
        let exact = ((state.exact & here) << 1) & self.bits();
        let is_beginning = exact & self.whole != 0;
        if self.slips == 0 {
            return Read { exact, slipped: 0, swapped: 0, is_beginning };
        }
        let matched = (state.slipped & here) << 1;
        let inserted = state.exact;
        let replaced = state.exact << 1;
        let deleted = exact << 1;
        let swapped = (state.swapped & here) << 2;
        let slipped = (matched | inserted | replaced | deleted | swapped) & self.bits();
        Read { exact, slipped, swapped: state.exact & (here >> 1), is_beginning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(typed: &str, name: &str) -> bool {
        let near = Near::new(&folded(typed), 1);
        let end = name.bytes().fold(near.start(), |state, byte| near.accept(&state, byte));
        near.is_match(&end)
    }

    #[test]
    fn names_are_near_in_another_style_with_a_slip_or_by_their_beginning() {
        for (typed, name) in [
            ("batchsemaphore", "BatchSemaphore"),
            ("fetchall", "_fetch_all"),
            ("fetchAll", "fetch_all"),
            ("provder", "Provider"),
            ("resovle_key", "resolve_key"),
            ("resolve_ke", "resolve_keys_of_all"),
        ] {
            assert!(accepts(typed, name), "{typed} {name}");
        }
        for (typed, name) in [("fetchall", "fetch"), ("provder", "provide"), ("router", "outer_x")] {
            assert!(!accepts(typed, name), "{typed} {name}");
        }
    }

    /// Whether a name is near by the definition: the distance of its letters, or of their beginning.
    fn is_near(pattern: &str, name: &str, slips: usize) -> bool {
        let letters = folded(name);
        letters.starts_with(pattern) || strsim::osa_distance(&letters, pattern) <= slips
    }

    #[test]
    fn the_automaton_accepts_what_the_distance_says() {
        let mut seed = 1u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut n_near = 0;
        for _ in 0..20_000 {
            let mut word = |least: u64| -> String {
                let len = least + draw(6);
                (0..len).map(|_| ['a', 'b', 'B', 'c', '_'][draw(5) as usize]).collect()
            };
            let (pattern, name) = (folded(&word(1)), word(0));
            for slips in 0..=1 {
                let near = Near::new(&pattern, slips);
                let mut state = near.start();
                for byte in name.bytes() {
                    let could = near.can_match(&state);
                    state = near.accept(&state, byte);
                    assert!(could || !near.can_match(&state), "{pattern} {name}: a dead state lives again");
                }
                let expected = is_near(&pattern, &name, slips as usize);
                assert_eq!(near.is_match(&state), expected, "{pattern} {name} {slips}");
                n_near += usize::from(expected);
            }
            let same = Near::same(&pattern);
            let state = name.bytes().fold(same.start(), |state, byte| same.accept(&state, byte));
            assert_eq!(same.is_match(&state), folded(&name) == pattern, "{pattern} {name}");
            assert!(!same.is_match(&state) || same.can_match(&state), "{pattern} {name}");
        }
        assert!(n_near > 1_000, "{n_near}");
    }

    #[test]
    fn a_pattern_of_any_length_is_accepted() {
        let accepts_itself = |len: usize| accepts(&"a".repeat(len), &"a".repeat(len));
        assert!(accepts_itself(MAX_PATTERN_BYTES) && !accepts_itself(MAX_PATTERN_BYTES + 1));
    }
}
