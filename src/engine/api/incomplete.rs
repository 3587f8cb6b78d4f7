//! Why an answer is not complete.

use std::fmt;
use std::ops::Deref;

use serde::{Serialize, Serializer};
use spyhop_attributes::{All, Name, form, open};

/// Why rows may be missing in an answer: a cause for programs, and a sentence for people. The value dereferences to the
/// sentence.
#[open(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The cause that the sentence names first. There may be others.
    pub cause: IncompleteCause,
    /// The sentence, which names files, sources and numbers.
    pub text: String,
}

/// The cause of missing rows.
#[open(Clone, Copy, Debug, PartialEq, Eq, Hash, Name, All)]
pub enum IncompleteCause {
    /// The index is being built. A later answer has more.
    Indexing,
    /// A source of a [`Corpus`](crate::Corpus) does not answer.
    Silent,
    /// A file could not be read.
    Unread,
    /// The question would read more files than one answer may. A narrower question has all rows.
    Limit,
    /// The code graph cannot decide what some uses of a name mean.
    Undecided,
}

impl IncompleteCause {
    /// That the imports of files in a language are not read.
    pub(crate) fn unread_imports(language: &str) -> Incomplete {
        IncompleteCause::Unread.with(format!("the imports of files in {language} are not read"))
    }

    /// An answer that is incomplete for this cause.
    #[doc(hidden)]
    pub fn with(self, text: impl Into<String>) -> Incomplete {
        Incomplete { cause: self, text: text.into() }
    }
}

impl Incomplete {
    /// All reasons in one; `None` without any.
    pub(crate) fn of_all(reasons: Vec<Incomplete>) -> Option<Incomplete> {
        let cause = reasons.first()?.cause;
        let texts: Vec<&str> = reasons.iter().map(|reason| &*reason.text).collect();
        Some(cause.with(texts.join("; ")))
    }
}

impl Deref for Incomplete {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether an answer is complete, and why not: how replies serialize an `Option<Incomplete>`.
#[form]
pub(super) struct Completeness<'r> {
    /// Whether no row may be missing.
    complete: bool,
    /// Why rows may be missing.
    incomplete: Option<&'r str>,
}

/// Serializes `complete` and `incomplete`, to be flattened into a reply.
pub(super) fn completeness<S: Serializer>(
    why: &Option<Incomplete>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Completeness::new(why).serialize(serializer)
}

impl<'r> Completeness<'r> {
    pub fn new(why: &'r Option<Incomplete>) -> Completeness<'r> {
        Completeness { complete: why.is_none(), incomplete: why.as_deref() }
    }
}
