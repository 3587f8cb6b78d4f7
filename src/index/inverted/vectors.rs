//! The vectors of the files of a segment (see [`crate::related`]), beside the segment in a file of its name.
//!
//! The vectors are derived from the postings of the text, so they are written after the commit and belong to no commit,
//! and an index of an older program gets them with its next update. A small segment has no such file: its vectors are
//! computed when they are needed. A large segment without the file, whose update was interrupted, has no vectors
//! until the next update.
//!
//! ```text
//! table  [`VectorTable`]
//! heap   for each file version, by number: the number (4 bytes, little endian), the packed vector
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use tantivy::SegmentReader;
use tantivy::schema::IndexRecordOption;

use super::error::IndexError;
use super::schema::Layout;
use crate::related::{self, DIMENSIONS, PACKED_BYTES};
use spyhop_base::model::Field;
use spyhop_base::store::{self, Envelope, EnvelopeError, FileError};

/// The kind number in the envelope, and with it the version of this format.
const KIND: u32 = 20;

/// The extension of files of vectors.
const EXTENSION: &str = "vectors";

/// The number of documents from which a segment has a file of vectors.
const MIN_DOCS: u32 = 64;

/// The number of documents up to which vectors are computed for a question if the file is missing. A document takes
/// some five microseconds.
const MAX_DOCS_AT_HAND: u32 = 16_384;

const ROW: usize = 4 + PACKED_BYTES;

#[derive(Serialize, Deserialize)]
struct VectorTable {
    /// The name of the segment.
    segment: String,
    /// The checksum of the table of words.
    words: u32,
    /// The CRC-32 of the heap.
    check: u32,
}

/// The vectors of the files of a segment, in the order of their version numbers.
pub(super) enum SegmentVectors {
    Mapped(Mmap),
    Computed(Vec<u8>),
}

/// The path of the vectors of the segment `id`.
pub(super) fn path_of(dir: &Path, id: &str) -> PathBuf {
    dir.join(format!("{id}.{EXTENSION}"))
}

/// The segment to which a file of vectors with this name belongs.
pub(super) fn segment_of(name: &str) -> Option<&str> {
    name.strip_suffix(EXTENSION)?.strip_suffix('.')
}

/// Whether a segment of `docs` documents has a file of vectors.
pub(super) fn has_file(docs: u32) -> bool {
    docs >= MIN_DOCS
}

impl SegmentVectors {
    /// The vectors of a segment; `None` if they are lacking.
    pub fn open(path: &Path, reader: &SegmentReader, layout: &Layout) -> Option<SegmentVectors> {
        if has_file(reader.max_doc())
            && let Ok(Some(vectors)) = SegmentVectors::read(path)
        {
            return Some(vectors);
        }
        if reader.max_doc() > MAX_DOCS_AT_HAND {
            return None;
        }
        computed(reader, layout).ok().map(SegmentVectors::Computed)
    }

    /// Reads the file of a segment; `None` if there is none, or one of another format or of another table of words. The
    /// error is the damage.
    fn read(path: &Path) -> Result<Option<SegmentVectors>, String> {
        let Ok(file) = std::fs::File::open(path) else { return Ok(None) };
        // SAFETY: such a file is never changed or truncated after it got its name; it is only ever unlinked.
        let Ok(map) = (unsafe { Mmap::map(&file) }) else { return Ok(None) };
        let envelope = match Envelope::open(&map) {
            Err(EnvelopeError::Format(_)) => return Ok(None),
            opened => opened.map_err(|error| error.to_string())?,
        };
        if envelope.kind != KIND {
            return Ok(None);
        }
        let table: VectorTable = postcard::from_bytes(envelope.table).map_err(|error| error.to_string())?;
        let id = path.file_name().and_then(|name| segment_of(name.to_str()?)).unwrap_or_default();
        if table.segment != id {
            return Err("it belongs to another segment".into());
        }
        if !cfg!(fuzzing) && crc32fast::hash(envelope.heap) != table.check {
            return Err("the checksum of its vectors is wrong".into());
        }
        Ok((table.words == related::table_checksum()).then_some(SegmentVectors::Mapped(map)))
    }

    /// Whether a segment lacks its file of vectors, or has one that cannot be used.
    pub fn is_lacking(path: &Path) -> bool {
        !matches!(SegmentVectors::read(path), Ok(Some(_)))
    }

    /// The damage of the file of a segment; `None` if it is as it was written, or if there is none.
    pub fn damage(path: &Path) -> Option<String> {
        SegmentVectors::read(path).err()
    }

    /// Releases the memory of the vectors.
    pub fn release_pages(&self) {
        if let SegmentVectors::Mapped(map) = self {
            store::release_pages(map);
        }
    }

    /// The packed vector of a file version.
    pub fn get(&self, version: u32) -> Option<&[u8; PACKED_BYTES]> {
        let bytes = match self {
            SegmentVectors::Mapped(map) => Envelope::heap_of(map),
            SegmentVectors::Computed(bytes) => bytes,
        };
        let (rows, _) = bytes.as_chunks::<ROW>();
        let number = |row: &[u8; ROW]| u32::from_le_bytes(*row.first_chunk().expect("four bytes"));
        let row = &rows[rows.binary_search_by_key(&version, number).ok()?];
        row.last_chunk()
    }
}

/// Computes the vectors of a segment from the postings of its text.
fn computed(reader: &SegmentReader, layout: &Layout) -> Result<Vec<u8>, IndexError> {
    // The documents of a file version are adjacent.
    let column: Arc<_> = reader.fast_fields().u64("version")?.values;
    let (mut versions, mut file_of) = (Vec::new(), Vec::with_capacity(reader.max_doc() as usize));
    for doc in 0..reader.max_doc() {
        let version = column.get_val(doc) as u32;
        if versions.last() != Some(&version) {
            versions.push(version);
        }
        file_of.push(versions.len() - 1);
    }
    let mut sums = vec![[0.0f32; DIMENSIONS]; versions.len()];
    let inverted = reader.inverted_index(layout.scored[Field::Body as usize])?;
    let table = related::related_words();
    let mut known = table.stems().peekable();
    let mut terms = inverted.terms().stream()?;
    while terms.advance() {
        while known.next_if(|(_, stem)| stem.as_bytes() < terms.key()).is_some() {}
        let Some((stem, _)) = known.next_if(|(_, stem)| stem.as_bytes() == terms.key()) else { continue };
        let row = table.row(stem);
        let mut postings =
            inverted.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::WithFreqs)?;
        let (mut open, mut count) = (usize::MAX, 0u32);
        let mut close = |file: usize, count: u32| {
            if let Some(sum) = sums.get_mut(file) {
                related::add_row(sum, &row, (count as f32).ln_1p());
            }
        };
        while postings.block_len() > 0 {
            for (doc, freq) in postings.docs().iter().zip(postings.freqs()).take(postings.block_len()) {
                let file = file_of[*doc as usize];
                if file != open {
                    close(open, count);
                    (open, count) = (file, 0);
                }
                count += freq;
            }
            postings.advance();
        }
        close(open, count);
    }
    let mut rows: Vec<(u32, [u8; PACKED_BYTES])> =
        versions.into_iter().zip(sums.iter().map(related::pack)).collect();
    rows.sort_unstable_by_key(|(version, _)| *version);
    Ok(rows.iter().flat_map(|(version, packed)| version.to_le_bytes().into_iter().chain(*packed)).collect())
}

/// Writes the vectors of a segment.
pub(super) fn write(reader: &SegmentReader, layout: &Layout, path: &Path) -> Result<(), IndexError> {
    let heap = computed(reader, layout)?;
    let segment = path.file_name().and_then(|name| segment_of(name.to_str()?)).unwrap_or_default();
    let table = VectorTable {
        segment: segment.to_string(),
        words: related::table_checksum(),
        check: crc32fast::hash(&heap),
    };
    let table = postcard::to_stdvec(&table).expect("plain data");
    let pieces: [&[u8]; 3] = [&Envelope::header(KIND, &table, heap.len() as u64), &table, &heap];
    store::replace(path, &pieces).map_err(|FileError { source, .. }| IndexError::Io(source))
}
