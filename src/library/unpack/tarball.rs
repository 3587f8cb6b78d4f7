//! Tar archives, plain or compressed.
//!
//! Entries are read without the handling of long names by the crate `tar`, which reads a name of any length into memory.

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use tar::EntryType;

use super::error::{UnpackError, UnpackFault};
use super::name::MAX_NAME_BYTES;
use super::tar_pax;
use super::writer::TreeWriter;
use crate::format::{MAX_WINDOW_BYTES, TarCompression};

/// The size of the largest extended header that is read.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// The most bytes that are read behind the end of the archive, to reach the checksum of the compression.
const MAX_TRAILER_BYTES: u64 = 4 << 20;

pub(crate) fn unpack_tar(
    file: File,
    compression: TarCompression,
    writer: &mut TreeWriter<'_>,
) -> Result<(), UnpackError> {
    let file = BufReader::with_capacity(128 << 10, file);
    match compression {
        TarCompression::Plain => unpack(file, writer),
        TarCompression::Gzip => unpack(MultiGzDecoder::new(file), writer),
        TarCompression::Zstd => {
            let mut file = file;
            let decoder = StreamingDecoder::new_with_max_window_size(&mut file, MAX_WINDOW_BYTES)
                .map_err(|error| writer.error_of_all(UnpackFault::Damaged(error.to_string())))?;
            unpack(decoder, writer)?;
            let mut next = [0];
            match file.read(&mut next) {
                Ok(0) => Ok(()),
                _ => {
                    let text = "it has bytes after its first zstd frame; compress it into one frame";
                    Err(writer.error_of_all(UnpackFault::Damaged(text.to_string())))
                }
            }
        }
    }
}

/// The statements about an entry in the headers before it.
#[derive(Default)]
struct ExtendedHeader {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

fn unpack(from: impl Read, writer: &mut TreeWriter<'_>) -> Result<(), UnpackError> {
    // Headers and entries that are left out are decompressed too.
    let most = writer.most_tar_bytes();
    let mut from = from.take(most);
    let unpacked = unpack_entries(&mut from, writer);
    writer.count_tar_bytes(most - from.limit());
    unpacked?;
    let mut trailer = from.take(MAX_TRAILER_BYTES);
    let read = io::copy(&mut trailer, &mut io::sink());
    read.map_err(|error| writer.error_of_all(UnpackFault::Damaged(error.to_string())))?;
    Ok(())
}

fn unpack_entries(from: &mut impl Read, writer: &mut TreeWriter<'_>) -> Result<(), UnpackError> {
    let damaged = |writer: &TreeWriter<'_>, error: io::Error| {
        writer.error_of_all(UnpackFault::Damaged(error.to_string()))
    };
    let mut archive = tar::Archive::new(from.by_ref());
    let entries = archive.entries().map_err(|error| damaged(writer, error))?.raw(true);
    let mut extended = ExtendedHeader::default();
    for entry in entries {
        let mut entry = entry.map_err(|error| damaged(writer, error))?;
        let kind = entry.header().entry_type();
        let name = match extended.name.take() {
            Some(name) => name,
            None => entry.path_bytes().into_owned(),
        };
        match kind {
            EntryType::GNULongName => {
                let mut long = small(&mut entry, &name, writer)?;
                while long.last() == Some(&0) {
                    long.pop();
                }
                extended.name = Some(long);
                continue;
            }
            EntryType::XHeader => {
                extended = pax(&mut entry, &name, writer)?;
                continue;
            }
            EntryType::XGlobalHeader => continue,
            EntryType::GNULongLink => {
                small(&mut entry, &name, writer)?;
                continue;
            }
            _ => {}
        }
        let size = entry.size();
        if let Some(stated) = extended.size.take().filter(|stated| *stated != size) {
            return Err(writer.error(&name, UnpackFault::Size { stated, found: size }));
        }
        unpack_entry(kind, &name, size, &mut entry, writer)?;
    }
    Ok(())
}

fn unpack_entry(
    kind: EntryType,
    name: &[u8],
    size: u64,
    from: &mut dyn Read,
    writer: &mut TreeWriter<'_>,
) -> Result<(), UnpackError> {
    let fault = match kind {
        EntryType::Directory => return writer.folder(name),
        // Old archives mark a folder by its name only.
        EntryType::Regular | EntryType::Continuous if name.ends_with(b"/") && size == 0 => {
            return writer.folder(name);
        }
        EntryType::Regular | EntryType::Continuous => return writer.file(name, Some(size), from),
        EntryType::Symlink | EntryType::Link => UnpackFault::Link,
        EntryType::Char | EntryType::Block | EntryType::Fifo => UnpackFault::Device,
        EntryType::GNUSparse => UnpackFault::Kind("sparse file".to_string()),
        other => UnpackFault::Kind(format!("'{}'", (other.as_byte() as char).escape_default())),
    };
    Err(writer.error(name, fault))
}

/// The bytes of an extended header.
fn small(from: &mut impl Read, name: &[u8], writer: &TreeWriter<'_>) -> Result<Vec<u8>, UnpackError> {
    let mut bytes = Vec::new();
    let read = from.take(MAX_HEADER_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| writer.error(name, UnpackFault::Damaged(error.to_string())))?;
    match bytes.len() as u64 > MAX_HEADER_BYTES {
        true => Err(writer.error(name, UnpackFault::LongName(bytes.len().max(MAX_NAME_BYTES)))),
        false => Ok(bytes),
    }
}

fn pax(from: &mut impl Read, name: &[u8], writer: &TreeWriter<'_>) -> Result<ExtendedHeader, UnpackError> {
    let records = small(from, name, writer)?;
    let value = |key: &str| {
        let found = tar_pax::value_of(&records, key);
        found.map_err(|text| writer.error(name, UnpackFault::Damaged(text.to_string())))
    };
    if tar_pax::is_sparse(&records) {
        return Err(writer.error(name, UnpackFault::Kind("sparse file".to_string())));
    }
    let size = match value("size")? {
        None => None,
        Some(text) => {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            let fault = || writer.error(name, UnpackFault::Damaged("its size cannot be read".to_string()));
            Some(number.ok_or_else(fault)?)
        }
    };
    Ok(ExtendedHeader { name: value("path")?.map(<[u8]>::to_vec), size })
}
