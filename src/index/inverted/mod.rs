//! The boundary to tantivy: schema, writer, reader. No other module uses tantivy.
//!
//! tantivy provides immutable segments of postings and columns, deletion, merging, and an atomic commit with a payload.
//! tantivy does not decide here: statistics (its counts include deleted documents, so the caller counts the live documents
//! of its view), scores (its BM25 has fixed k1 and b), and locking of readers (its reader takes an exclusive lock file;
//! ours pins the bytes of one `meta.json` and needs no lock, see [`Reader`]).
//!
//! A document is a chunk. Text fields arrive as lists of terms, made by [`crate::tokenize`]; the only tokenizer
//! registered here splits such a list.

mod carry;
mod checked_file;
mod checks;
#[cfg(test)]
mod crashes;
mod derived;
mod directory;
mod error;
mod merge;
mod near;
mod reader;
mod schema;
mod sums;
mod term_filter;
mod trigrams;
mod vectors;
mod verify;
mod words;
mod workfolder;
mod writer;

pub use carry::files;

pub(crate) use carry::{copy_commit, put_in_place};
pub(crate) use derived::write_derived;
pub use error::{IndexError, guarded};
pub use near::folded;
pub use reader::{DocColumns, Lengths, PostingBlocks, Reader, Segment, SegmentList};
pub(crate) use schema::ChunkDoc;
pub use schema::IndexField;
pub use trigrams::{MIN_WORDS, Trigram, grams_of};
pub use verify::verify;
pub use words::{Stretches, WordDocuments, Words};
pub(crate) use writer::SegmentBuilder;
pub use writer::{FinishedSegment, SegmentMaker, Writer};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_file_that_is_cut_off_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        writer.add(writer::tests::segment(&writer, 0..2)).unwrap();
        writer.commit("payload").unwrap();
        writer.close().unwrap();
        let mut files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let terms = files.find(|path| path.extension().is_some_and(|it| it == "term")).unwrap();
        let bytes = std::fs::read(&terms).unwrap();
        for len in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&terms, &bytes[..len]).unwrap();
            let error = Reader::open(dir.path()).err().unwrap();
            assert!(matches!(error, IndexError::Damaged(_)), "{len}: {error}");
        }
    }
}
