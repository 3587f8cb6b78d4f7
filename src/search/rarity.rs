//! How rare a term is in a view.

use super::error::SearchError;
use super::occurrence::document_count;
use super::snapshot::SearchSnapshot;
use spyhop_base::model::Field;
use spyhop_index::inverted::IndexField;

/// The chunks without the term that are added to those of every view: in a tree of ten chunks, a term of three
/// chunks is not a common word.
const FURTHER_CHUNKS: f32 = 500.0;

/// The rarity of a term among the chunks of the view: 1 if no chunk has the term, near 0 if all do.
pub fn rarity(term: &str, snapshot: &SearchSnapshot) -> Result<f32, SearchError> {
    let mut chunks = 0;
    for field in [Field::Body, Field::Comment] {
        chunks = chunks.max(document_count(IndexField::Scored(field), term, snapshot)?);
    }
    let all = snapshot.totals().chunks as f32 + FURTHER_CHUNKS;
    Ok((1.0 + all / (1.0 + chunks as f32)).ln() / (1.0 + all).ln())
}
