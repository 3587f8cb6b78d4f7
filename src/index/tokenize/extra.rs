//! Further terms of words, which a host adds.

use std::fmt;
use std::sync::Arc;

use super::list::TermList;

/// The longest term of a host, in bytes. A longer one is not indexed.
const MAX_EXTRA_BYTES: usize = 64;

/// A hook of the tokenizer: gives words further terms, such as the parts of a compound or a translation. The index and
/// queries use the hook alike.
pub trait TokenizerHook: Send + Sync {
    /// The name and version of the mapping. An index is rebuilt when this value changes, so equal values must mean equal
    /// mappings.
    fn fingerprint(&self) -> String;

    /// The further terms of a word, which is a run of letters, digits and `_` as written. Each term is taken as it is: in
    /// lower case and without characters that are not letters or digits. Other terms are ignored. Threads call this at the
    /// same time.
    fn extra_terms(&self, word: &str) -> Vec<String>;
}

/// The further terms of words. The default adds none.
#[derive(Clone, Default)]
pub struct ExtraTerms(Option<Arc<dyn TokenizerHook>>);

impl ExtraTerms {
    /// The terms of a hook.
    pub fn of(hook: impl TokenizerHook + 'static) -> ExtraTerms {
        ExtraTerms(Some(Arc::new(hook)))
    }

    /// The fingerprint of the hook; `None` if no terms are added.
    pub fn fingerprint(&self) -> Option<String> {
        self.0.as_ref().map(|hook| hook.fingerprint())
    }

    /// Whether terms may be added.
    pub fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Appends the further terms of a word that the list of its terms does not have.
    pub(super) fn push(&self, word: &str, terms: &mut TermList) {
        let Some(hook) = &self.0 else { return };
        for term in hook.extra_terms(word) {
            let is_term = |term: &str| {
                (1..=MAX_EXTRA_BYTES).contains(&term.len()) && term.chars().all(char::is_alphanumeric)
            };
            if is_term(&term) && terms.iter().all(|known| known != term) {
                terms.push(&term);
            }
        }
    }
}

impl fmt::Debug for ExtraTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExtraTerms").field(&self.fingerprint()).finish()
    }
}
