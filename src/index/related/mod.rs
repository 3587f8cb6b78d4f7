//! Related words: a table of word vectors that was trained as a retriever on public code, and the vector of a file.
//!
//! The words of a question are often not the words of the code that answers: "forgotten longest ago" is `evict` and
//! `lru`. The table gives each stem a vector, so that the vectors of a question and of its answer are similar. The
//! table is data ([`README.md`](README.md) has its origin and its licences); nothing is inferred by a model when a
//! question is asked.
//!
//! The vector of a text is the sum of `ln(1 + tf) · row` over its stems, and that of a question the sum of
//! `ratio · rarity · row` over its stems. Stems that the table lacks count nothing. A vector of a file does not depend
//! on other files; the rarity of a word in the tree counts in the question only.
//!
//! ```text
//! "RELW", u16 version, u16 dimensions, u32 n             little endian, as all numbers
//! u32 length, the n stems, sorted, joined by line feeds
//! n f32    the scale of a row
//! n f16    the weight of a word in a question, divided by its weight in a text
//! n * dimensions i8
//! ```

mod table;
mod vector;

pub(crate) use table::{DIMENSIONS, add_row, table_checksum};
pub use table::{RelatedWords, StemId, related_words};
pub(crate) use vector::pack;
pub use vector::{PACKED_BYTES, QuestionVector, RelatedPair};
