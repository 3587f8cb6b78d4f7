//! Identifiers and words to terms. The module is pure: equal texts give equal terms at index time and at query time.
//!
//! A *word* is a maximal run of letters, digits and `_` (Unicode's XID_Continue), as written. A word gives *terms*: its
//! camelCase, snake_case, digit and acronym parts, in lower case, without diacritics, stemmed. The stemmer is Porter2;
//! [`family`] joins forms of one word that Porter2 keeps apart. The `s` of the
//! plural of an acronym, as in `URLs`, belongs to no part. A part of one character is dropped, unless the word has
//! no longer part. A component that is split at digits is also kept whole: `sha256` gives `sha`, `256` and `sha256`. A
//! run of Chinese, Japanese or Korean letters gives overlapping bigrams.
//!
//! Words repeat often in code, so a [`Tokenizer`] caches the terms of each word and appends them as one string. A term
//! list is one string in which [`SEPARATOR`] follows each term. One string is cheaper than a vector of strings, and no
//! term contains the separator.

mod extra;
mod family;
mod list;
mod pool;
mod split;
mod term_prefixes;
mod terms;
mod tokenizer;
mod words;

pub use extra::{ExtraTerms, TokenizerHook};
pub(crate) use list::SEPARATOR;
pub use list::TermList;
pub use pool::{PooledTokenizer, Tokenizers};
pub use split::parts;
pub use term_prefixes::{PossibleTerms, PrefixScan, TermPrefixFilter};
pub use terms::stem;
pub use tokenizer::Tokenizer;
pub use words::{MAX_WORD_BYTES, for_each_word, is_word_char};

/// A marker among the words of a file of which some words are not indexed. The absence of a word from such a file
/// proves nothing. No word contains a control character, so the marker cannot be a word.
pub const OPEN_WORDS: &str = "\u{1}";

/// The version of the mapping from text to terms. A change of the mapping increments the version, and older indexes are
/// rebuilt.
pub(crate) const TOKENIZER_VERSION: u32 = 4;
