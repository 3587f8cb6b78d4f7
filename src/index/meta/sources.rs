//! The sources of an index that was imported without its tree: each is compressed separately and found by its hash.
//!
//! The sources are a file beside the records, and a commit names that file as it names its records. The next update of
//! the tree writes a commit without sources.
//!
//! ```text
//! table  one [`SourceRow`] for each source, sorted by hash
//! heap   the sources, deflated
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::commit::RecordRef;
use super::error::MetaError;
use super::record_file::map_record;
use spyhop_base::id::ContentHash;
use spyhop_base::store::{self, AtFile, Envelope, FileError, Private, sync_file};

/// The suffix of the names of such files.
pub(crate) const SOURCES: &str = "sources";

/// The kind number in the envelope.
const KIND: u32 = 3;

/// The location of a source in the heap.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct SourceRow {
    hash: ContentHash,
    at: u64,
    /// The compressed and the uncompressed length in bytes.
    packed: u32,
    len: u32,
}

/// The sources, open for reading.
pub struct Sources {
    map: Mmap,
    rows: Vec<SourceRow>,
}

impl Sources {
    /// Opens the file that a commit names in the folder `dir`.
    pub(super) fn open(dir: &Path, record: &RecordRef) -> Result<Sources, MetaError> {
        let path = dir.join(&record.name);
        let damaged = |reason: String| MetaError::Damaged { path: path.clone(), reason };
        let (kind, table, map) = map_record(&path, record)?;
        let rows: Vec<SourceRow> =
            postcard::from_bytes(&map[table]).map_err(|error| damaged(error.to_string()))?;
        if kind != KIND || !rows.is_sorted_by(|a, b| a.hash < b.hash) {
            return Err(damaged("it holds no sources".into()));
        }
        Ok(Sources { map, rows })
    }

    /// The bytes of the source with this hash, if it is stored and undamaged.
    pub fn get(&self, hash: ContentHash) -> Option<Vec<u8>> {
        let row = self.rows[self.rows.binary_search_by_key(&hash, |row| row.hash).ok()?];
        let packed = Envelope::heap_of(&self.map).get(row.at as usize..)?.get(..row.packed as usize)?;
        let mut bytes = Vec::new();
        // One byte more, so that a source that is too long is noticed.
        DeflateDecoder::new(packed).take(u64::from(row.len) + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() == row.len as usize && ContentHash::of(&bytes) == hash).then_some(bytes)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no sources.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of sources that cannot be read.
    pub fn lost(&self) -> usize {
        self.rows.iter().filter(|row| self.get(row.hash).is_none()).count()
    }
}

/// Builds a file of sources.
pub(crate) struct SourcesBuilder {
    heap: File,
    at: u64,
    rows: BTreeMap<ContentHash, SourceRow>,
}

impl SourcesBuilder {
    /// An empty builder, whose heap is an unnamed file in the folder `dir`.
    pub fn new(dir: &Path) -> Result<SourcesBuilder, FileError> {
        let heap = tempfile::tempfile_in(dir).at("create a file in", dir)?;
        Ok(SourcesBuilder { heap, at: 0, rows: BTreeMap::new() })
    }

    /// Adds a source, unless it is already there.
    pub fn add(&mut self, hash: ContentHash, bytes: &[u8]) -> io::Result<()> {
        if self.rows.contains_key(&hash) {
            return Ok(());
        }
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes)?;
        let packed = packed.finish()?;
        self.heap.write_all(&packed)?;
        let fits = |len: usize| u32::try_from(len).map_err(io::Error::other);
        let row = SourceRow { hash, at: self.at, packed: fits(packed.len())?, len: fits(bytes.len())? };
        self.rows.insert(hash, row);
        self.at += packed.len() as u64;
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Writes the sources as the file `name` in the folder `dir`.
    pub fn write(mut self, dir: &Path, name: &str) -> Result<RecordRef, FileError> {
        let rows: Vec<SourceRow> = self.rows.into_values().collect();
        let table = postcard::to_stdvec(&rows).expect("plain data");
        let header = Envelope::header(KIND, &table, self.at);
        let path = dir.join(name);
        let mut file = Private::New.open(&path).at("create", &path)?;
        let copied = file.write_all(&header).and_then(|()| file.write_all(&table)).and_then(|()| {
            io::Seek::rewind(&mut self.heap)?;
            io::copy(&mut self.heap, &mut file)
        });
        copied.at("write", &path)?;
        sync_file(&file, &path).at("sync", &path)?;
        store::sync_folder(dir)?;
        let len = (header.len() + table.len()) as u64 + self.at;
        Ok(RecordRef { name: name.to_string(), len, checksum: Envelope::checksum_of(&header) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_their_hash_and_by_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..20).map(|number| format!("line {number}\n").repeat(number)).collect();
        let mut builder = SourcesBuilder::new(dir.path()).unwrap();
        for text in texts.iter().chain(&texts[..3]) {
            builder.add(ContentHash::of(text.as_bytes()), text.as_bytes()).unwrap();
        }
        let record = builder.write(dir.path(), "g000000001.sources").unwrap();
        let sources = Sources::open(dir.path(), &record).unwrap();
        assert_eq!((sources.len(), sources.lost()), (20, 0));
        for text in &texts {
            assert_eq!(sources.get(ContentHash::of(text.as_bytes())).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(sources.get(ContentHash::of(b"another")), None);
        drop(sources);
        // The heap has no checksum except the hash of each source.
        let path = dir.path().join(&record.name);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last - 2] ^= 0xff;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Sources::open(dir.path(), &record).unwrap().lost(), 1);
    }
}
