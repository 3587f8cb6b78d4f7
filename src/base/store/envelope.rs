//! The envelope of a record file.
//!
//! ```text
//! 0   8  magic "SPYHOP\r\n"; the line ends show a file that was mangled as text
//! 8   4  format version, little endian
//! 12  4  kind of record, defined by its owner
//! 16  8  length of the table
//! 24  8  length of the heap
//! 32 16  first half of the BLAKE3 hash of bytes 0..32 and the table
//! 48     table, then heap
//! ```
//!
//! The table is read whole and checked. The hash does not cover the heap, because a reader uses only a few of its
//! items: each item has a checksum.

use super::format::FORMAT_VERSION;

const MAGIC: &[u8; 8] = b"SPYHOP\r\n";

/// The length of the header before the table.
pub const ENVELOPE_LEN: usize = 48;

/// The parts of a record file.
#[derive(Debug, PartialEq, Eq)]
pub struct Envelope<'b> {
    pub kind: u32,
    /// The table, whose checksum was compared.
    pub table: &'b [u8],
    /// The heap, which is not checked.
    pub heap: &'b [u8],
}

/// Why a record file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The file is not a record file.
    #[error("it is not a Spyhop record")]
    Magic,
    /// The record has another format.
    #[error("it has format {0}, this program reads format {FORMAT_VERSION}")]
    Format(u32),
    /// The file is truncated.
    #[error("it is cut off: {found} of {expected} bytes")]
    Truncated {
        /// The length according to the header.
        expected: u64,
        /// The actual length.
        found: u64,
    },
    /// The checksum is wrong.
    #[error("its checksum is wrong")]
    Checksum,
}

impl<'b> Envelope<'b> {
    /// The header that goes before `table` and a heap of `heap_len` bytes.
    pub fn header(kind: u32, table: &[u8], heap_len: u64) -> [u8; ENVELOPE_LEN] {
        let mut header = [0; ENVELOPE_LEN];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&kind.to_le_bytes());
        header[16..24].copy_from_slice(&(table.len() as u64).to_le_bytes());
        header[24..32].copy_from_slice(&heap_len.to_le_bytes());
        let hash = checksum(&header[..32], table);
        header[32..].copy_from_slice(&hash);
        header
    }

    /// Opens the bytes of a record file.
    pub fn open(bytes: &'b [u8]) -> Result<Envelope<'b>, EnvelopeError> {
        let found = bytes.len() as u64;
        if bytes.len() < ENVELOPE_LEN {
            return Err(EnvelopeError::Truncated { expected: ENVELOPE_LEN as u64, found });
        }
        if &bytes[..8] != MAGIC {
            return Err(EnvelopeError::Magic);
        }
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if u32_at(8) != FORMAT_VERSION {
            return Err(EnvelopeError::Format(u32_at(8)));
        }
        let (table_len, heap_len) = (u64_at(16), u64_at(24));
        let expected = table_len.saturating_add(heap_len).saturating_add(ENVELOPE_LEN as u64);
        if expected != found {
            return Err(EnvelopeError::Truncated { expected, found });
        }
        let (table, heap) = bytes[ENVELOPE_LEN..].split_at(table_len as usize);
        if checksum(&bytes[..32], table) != bytes[32..48] {
            return Err(EnvelopeError::Checksum);
        }
        Ok(Envelope { kind: u32_at(12), table, heap })
    }

    /// The heap of a record file whose envelope was opened before.
    pub fn heap_of(bytes: &[u8]) -> &[u8] {
        let table_len =
            bytes.get(16..24).map_or(0, |len| u64::from_le_bytes(len.try_into().expect("eight bytes")));
        bytes.get(ENVELOPE_LEN + table_len as usize..).unwrap_or(&[])
    }

    /// The checksum in the header of a record file, in hexadecimal.
    pub fn checksum_of(bytes: &[u8]) -> String {
        bytes.get(32..48).unwrap_or(&[]).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn checksum(header: &[u8], table: &[u8]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(header).update(table);
    hasher.finalize().as_bytes()[..16].try_into().expect("16 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Vec<u8> {
        let mut bytes = Envelope::header(7, b"table", 4).to_vec();
        bytes.extend(b"tableheap");
        bytes
    }

    #[test]
    fn a_sealed_record_opens() {
        let bytes = sealed();
        assert_eq!(Envelope::open(&bytes).unwrap(), Envelope { kind: 7, table: b"table", heap: b"heap" });
    }

    #[test]
    fn every_altered_byte_before_the_heap_is_found() {
        for at in 0..ENVELOPE_LEN + 5 {
            let mut bytes = sealed();
            bytes[at] ^= 0x10;
            assert!(Envelope::open(&bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn every_cut_is_found() {
        let bytes = sealed();
        for len in 0..bytes.len() {
            assert!(Envelope::open(&bytes[..len]).is_err(), "length {len}");
        }
    }

    #[test]
    fn another_format_is_named() {
        let mut bytes = sealed();
        bytes[8] = 9;
        assert_eq!(Envelope::open(&bytes).unwrap_err(), EnvelopeError::Format(9));
    }
}
