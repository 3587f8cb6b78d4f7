//! Fuzzy search of names: an automaton over the dictionary of a field, which is traversed only where a name can still
//! match.

use tantivy_fst::Automaton;

/// The letters and digits of a name, in lower case: the form in which names are compared.
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Accepts names whose letters differ from the pattern by at most `slips` (Levenshtein distance with transpositions),
/// and names with the pattern as a prefix. Case and all other characters are ignored.
pub struct Near {
    pattern: String,
    slips: u8,
}

/// The state of the automaton: the row of distances of the input to each prefix of the pattern, the row before it, and
/// the last letter.
#[derive(Clone)]
pub struct Read {
    row: Vec<u8>,
    before: Vec<u8>,
    last: u8,
    /// Whether the pattern is a prefix of the input.
    is_beginning: bool,
}

impl Near {
    /// An automaton for names near to `pattern`, which is [`folded`].
    pub fn new(pattern: &str, slips: u8) -> Near {
        Near { pattern: pattern.to_string(), slips }
    }
}

impl Automaton for Near {
    type State = Read;

    fn start(&self) -> Read {
        let row: Vec<u8> = (0..=self.pattern.len()).map(|n| n.min(100) as u8).collect();
        Read { before: vec![u8::MAX / 2; row.len()], row, last: 0, is_beginning: false }
    }

    fn is_match(&self, state: &Read) -> bool {
        state.is_beginning || state.row.last().is_some_and(|distance| *distance <= self.slips)
    }

    fn can_match(&self, state: &Read) -> bool {
        state.is_beginning || state.row.iter().min().is_some_and(|least| *least <= self.slips)
    }

    fn accept(&self, state: &Read, byte: u8) -> Read {
        if state.is_beginning || (byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
            return state.clone();
        }
        let letter = byte.to_ascii_lowercase();
        let pattern = self.pattern.as_bytes();
        let mut row = Vec::with_capacity(state.row.len());
        row.push(state.row[0].saturating_add(1));
        for at in 1..state.row.len() {
            let wrong = u8::from(pattern[at - 1] != letter);
            let mut least = (state.row[at - 1].saturating_add(wrong))
                .min(state.row[at].saturating_add(1))
                .min(row[at - 1].saturating_add(1));
            if at > 1 && pattern[at - 1] == state.last && pattern[at - 2] == letter {
                least = least.min(state.before[at - 2].saturating_add(1));
            }
            row.push(least);
        }
        let is_beginning = row.last() == Some(&0);
        Read { row, before: state.row.clone(), last: letter, is_beginning }
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
}
