//! In which documents of the view a term occurs.

use super::error::SearchError;
use super::snapshot::{NO_FILE, SearchSnapshot};
use spyhop_base::model::Field;
use spyhop_index::inverted::IndexField;

/// Whether a document of the view has `term` in a field.
pub(super) fn occurs_in(
    field: IndexField,
    term: &str,
    snapshot: &SearchSnapshot,
) -> Result<bool, SearchError> {
    let reader = snapshot.index();
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, field, term)? else { continue };
        // If the view contains every document of the segment, no postings have to be read.
        let mut is_held = snapshot.is_whole(segment) && blocks.count() > 0;
        if !snapshot.is_whole(segment) {
            let files = snapshot.files_of(segment);
            blocks.for_each(|docs, _| is_held |= docs.iter().any(|doc| files[*doc as usize] != NO_FILE));
        }
        if is_held {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The number of documents of the view that have `term` in a field.
pub(super) fn document_count(
    field: IndexField,
    term: &str,
    snapshot: &SearchSnapshot,
) -> Result<usize, SearchError> {
    let reader = snapshot.index();
    let mut count = 0;
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, field, term)? else { continue };
        let files = snapshot.files_of(segment);
        blocks.for_each(|docs, _| {
            count += docs.iter().filter(|doc| files[**doc as usize] != NO_FILE).count();
        });
    }
    Ok(count)
}

/// Whether a document of the view has `term` in any scored field.
pub(super) fn occurs_anywhere(term: &str, snapshot: &SearchSnapshot) -> Result<bool, SearchError> {
    for field in Field::ALL {
        if occurs_in(IndexField::Scored(field), term, snapshot)? {
            return Ok(true);
        }
    }
    Ok(false)
}
