//! Term lists: terms as one string, which the index splits again.

/// Follows each term of a term list.
pub(crate) const SEPARATOR: char = '\n';

/// A list of terms as one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermList {
    /// The terms; [`SEPARATOR`] follows each of them.
    pub text: String,
    pub count: u32,
}

impl TermList {
    /// Appends one term, unchanged.
    pub fn push(&mut self, term: &str) {
        debug_assert!(!term.contains(SEPARATOR));
        self.text.push_str(term);
        self.text.push(SEPARATOR);
        self.count += 1;
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.count = 0;
    }

    /// Iterates over the terms.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        // Terms are short: a loop over their bytes takes fewer instructions than a search.
        let mut rest = self.text.as_str();
        std::iter::from_fn(move || {
            let end = rest.bytes().position(|byte| byte == SEPARATOR as u8)?;
            let term = &rest[..end];
            rest = &rest[end + 1..];
            Some(term)
        })
    }
}
