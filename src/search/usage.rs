//! How much a name is used: the places of a view that define it and that use it.

use super::corpus::{Corpus, NO_FILE};
use crate::index::{IndexError, IndexField};

/// How many chunks of a view define a name, and how many use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Chunks that define it.
    pub definitions: u32,
    /// Chunks that use it.
    pub references: u32,
}

/// The usage of `name`. Only what the view holds is counted, so that a refreshed index and a fresh one say the same.
pub fn usage(corpus: &Corpus, name: &str) -> Result<Usage, IndexError> {
    let count = |field: IndexField| {
        let reader = &corpus.committed().reader;
        let mut count = 0;
        for segment in 0..reader.segments().len() {
            let base = corpus.base(segment);
            reader.postings(segment, field, name, |doc, _| {
                count += u32::from(corpus.files()[(base + doc) as usize] != NO_FILE);
            })?;
        }
        Ok::<u32, IndexError>(count)
    };
    Ok(Usage { definitions: count(IndexField::Definition)?, references: count(IndexField::Reference)? })
}
