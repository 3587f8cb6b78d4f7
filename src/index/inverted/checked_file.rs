//! A mapped file whose blocks are compared with their checksums when they are read first.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tantivy::HasLen;
use tantivy::directory::error::OpenReadError;
use tantivy::directory::{FileHandle, OwnedBytes};

use super::sums::FileSums;

/// A mapped file, and which of its blocks are known to be whole.
pub(super) struct CheckedFile {
    name: String,
    bytes: OwnedBytes,
    sums: Arc<FileSums>,
    /// A bit for each block that was compared.
    whole: Box<[AtomicU64]>,
    /// The bytes that were compared, in all files of a commit.
    compared: Arc<AtomicU64>,
}

/// The error for a file that cannot be used.
pub(super) fn refused(path: &Path, reason: &str) -> OpenReadError {
    OpenReadError::wrap_io_error(damage(&path.to_string_lossy(), reason), path.to_path_buf())
}

/// The damage of the file `bytes`; `None` if the file is as it was written.
pub(super) fn damage_of(bytes: &[u8], sums: &FileSums) -> Option<String> {
    let wrong = || (0..sums.blocks()).find(|block| !sums.is_whole(*block, bytes)).map(wrong_block);
    wrong_length(bytes.len(), sums).or_else(wrong)
}

fn wrong_length(len: usize, sums: &FileSums) -> Option<String> {
    (len as u64 != sums.len).then(|| format!("it has {len} bytes instead of {}", sums.len))
}

fn wrong_block(block: usize) -> String {
    format!("the checksum of block {block} is wrong")
}

fn damage(name: &str, reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {reason}"))
}

impl CheckedFile {
    /// The file `path`, mapped as `handle`, with its sums and with what is known about its blocks. The error names a file of
    /// another length.
    pub fn open(
        path: &Path,
        handle: Arc<dyn FileHandle>,
        sums: &Arc<FileSums>,
        known: &[u64],
        compared: Arc<AtomicU64>,
    ) -> Result<CheckedFile, OpenReadError> {
        if let Some(reason) = wrong_length(handle.len(), sums) {
            return Err(refused(path, &reason));
        }
        let bytes = handle.read_bytes(0..handle.len());
        let bytes = bytes.map_err(|error| OpenReadError::wrap_io_error(error, path.to_path_buf()))?;
        let words = sums.blocks().div_ceil(64);
        let whole = (0..words).map(|word| AtomicU64::new(known.get(word).copied().unwrap_or(0))).collect();
        let name = path.to_string_lossy().into_owned();
        Ok(CheckedFile { name, bytes, sums: Arc::clone(sums), whole, compared })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn sums(&self) -> &FileSums {
        &self.sums
    }

    /// A bit for each block that is known to be whole.
    pub fn whole(&self) -> Vec<u64> {
        self.whole.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Compares the blocks of a range that are not known to be whole.
    fn check(&self, range: &Range<usize>) -> io::Result<()> {
        for block in self.sums.blocks_of(range) {
            let (word, bit) = (&self.whole[block / 64], 1 << (block % 64));
            if word.load(Ordering::Relaxed) & bit != 0 {
                continue;
            }
            if !self.sums.is_whole(block, &self.bytes) {
                return Err(damage(&self.name, &wrong_block(block)));
            }
            word.fetch_or(bit, Ordering::Relaxed);
            self.compared.fetch_add(self.sums.block_len(), Ordering::Relaxed);
        }
        Ok(())
    }
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        self.check(&range)?;
        Ok(self.bytes.slice(range))
    }
}

impl std::fmt::Debug for CheckedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CheckedFile({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8], sums: FileSums) -> Result<CheckedFile, OpenReadError> {
        let handle = Arc::new(OwnedBytes::new(bytes.to_vec()));
        CheckedFile::open(Path::new("a.term"), handle, &Arc::new(sums), &[], Arc::default())
    }

    #[test]
    fn a_damaged_block_is_found_when_it_is_read_and_not_before() {
        let mut bytes: Vec<u8> = (0..80_000u32).map(|at| (at % 251) as u8).collect();
        let sums = FileSums::of(&bytes);
        bytes[36_000] ^= 4;
        let file = open(&bytes, sums.clone()).unwrap();
        assert_eq!(file.read_bytes(0..32_768).unwrap().as_slice(), &bytes[..32_768]);
        assert_eq!(file.read_bytes(49_152..80_000).unwrap().as_slice(), &bytes[49_152..]);
        for range in [32_767..32_769, 48_000..48_001, 0..80_000] {
            let error = file.read_bytes(range).unwrap_err().to_string();
            assert_eq!(error, "a.term: the checksum of block 2 is wrong");
        }
        assert_eq!(damage_of(&bytes, &sums), Some("the checksum of block 2 is wrong".to_string()));
        bytes[36_000] ^= 4;
        assert_eq!(damage_of(&bytes, &sums), None);
    }

    #[test]
    fn another_length_is_found_when_the_file_is_opened() {
        let bytes = [7; 5_000];
        for len in [0, 4_096, 4_999] {
            let error = open(&bytes[..len], FileSums::of(&bytes)).unwrap_err().to_string();
            assert!(error.contains(&format!("a.term: it has {len} bytes instead of 5000")), "{error}");
        }
        assert!(open(&bytes, FileSums::of(&bytes[..4_999])).is_err());
    }
}
