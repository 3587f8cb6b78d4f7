//! The usage of a name: how many chunks of a view define it, and how many use it.

use super::snapshot::{NO_FILE, SearchSnapshot};
use spyhop_index::inverted::{IndexError, IndexField};

/// The number of chunks of a view that define a name, and of those that use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Chunks that define the name.
    pub definitions: u32,
    /// Chunks that use the name.
    pub references: u32,
}

/// The usage of `name`. Only documents of the view count, so an updated index and a new one give equal numbers.
pub fn usage(snapshot: &SearchSnapshot, name: &str) -> Result<Usage, IndexError> {
    let count = |field: IndexField| {
        let reader = snapshot.index();
        let mut count = 0;
        for segment in 0..reader.segments().len() {
            let base = snapshot.base(segment);
            reader.postings(segment, field, name, |doc, _| {
                count += u32::from(snapshot.files()[(base + doc) as usize] != NO_FILE);
            })?;
        }
        Ok::<u32, IndexError>(count)
    };
    Ok(Usage { definitions: count(IndexField::Definition)?, references: count(IndexField::Reference)? })
}

/// The files of the view with a document that has `term` in `field`, in the order of their numbers.
pub fn files_with(snapshot: &SearchSnapshot, field: IndexField, term: &str) -> Result<Vec<u32>, IndexError> {
    let reader = snapshot.index();
    let mut files = Vec::new();
    for segment in 0..reader.segments().len() {
        let base = snapshot.base(segment);
        reader.postings(segment, field, term, |doc, _| {
            let file = snapshot.files()[(base + doc) as usize];
            files.extend((file != NO_FILE).then_some(file));
        })?;
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}
