//! Zip archives.
//!
//! The central directory is read before anything is unpacked, because most faults of an archive show there: names that
//! occur twice, encrypted entries, and entries that share their bytes, by which a small archive unpacks to petabytes.
//! Names in the headers of the entries must agree with the directory, because other programs go by these.

use std::fs::File;
use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};

use super::error::{UnpackError, UnpackFault};
use super::name::MAX_NAME_BYTES;
use super::writer::TreeWriter;

/// The bits of a mode that say what an entry is.
const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// An entry of the central directory.
struct ListedEntry {
    name: Vec<u8>,
    is_folder: bool,
    method: CompressionMethod,
    bytes: u64,
    header_at: u64,
    place: ZipArchiveEntryWayfinder,
}

pub(crate) fn unpack_zip(file: File, writer: &mut TreeWriter<'_>) -> Result<(), UnpackError> {
    writer.refuse_backslashes();
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer)
        .map_err(|error| writer.error_of_all(UnpackFault::Damaged(error.to_string())))?;
    let entries = listed(&archive, &mut buffer, writer)?;
    check_overlaps(&archive, &entries, writer)?;
    writer.expect(entries.iter().fold(0, |sum: u64, entry| sum.saturating_add(entry.bytes)));
    for entry in &entries {
        unpack_entry(&archive, entry, &mut buffer, writer)?;
    }
    Ok(())
}

/// The entries of the central directory, each checked by itself.
fn listed(
    archive: &ZipArchive<FileReader>,
    buffer: &mut [u8],
    writer: &TreeWriter<'_>,
) -> Result<Vec<ListedEntry>, UnpackError> {
    let limit = writer.limits().entries;
    let stated = archive.entries_hint();
    if stated > limit as u64 {
        let text = format!("it states {stated} entries, above the limit of {limit}");
        return Err(writer.error_of_all(UnpackFault::Damaged(text)));
    }
    let damaged = |error: rawzip::Error| writer.error_of_all(UnpackFault::Damaged(error.to_string()));
    let mut entries = Vec::new();
    let mut rows = archive.entries(buffer);
    while let Some(row) = rows.next_entry().map_err(damaged)? {
        let name = row.file_path().as_bytes().to_vec();
        let fault = |fault| Err(writer.error(&name, fault));
        let flags = row.flags();
        if flags.is_encrypted() || flags.has_strong_encryption() || flags.is_masked() {
            return fault(UnpackFault::Encrypted);
        }
        let mode = row.mode();
        if mode.is_symlink() {
            return fault(UnpackFault::Link);
        }
        // Some writers give folders the mode of a file, and the reader joins both bits.
        if !row.is_dir() && ![0, REGULAR, FOLDER].contains(&(mode.value() & TYPE_BITS)) {
            return fault(UnpackFault::Device);
        }
        let method = row.compression_method();
        if method != CompressionMethod::STORE && method != CompressionMethod::DEFLATE {
            let known = method.name().map_or_else(|| method.as_u16().to_string(), str::to_string);
            return fault(UnpackFault::Method(known));
        }
        if entries.len() >= limit {
            return fault(UnpackFault::Entries(limit));
        }
        let (is_folder, bytes) = (row.is_dir(), row.uncompressed_size_hint());
        let (header_at, place) = (row.local_header_offset(), row.wayfinder());
        entries.push(ListedEntry { name, is_folder, method, bytes, header_at, place });
    }
    if entries.len() as u64 != stated {
        let text = format!("it states {stated} entries and has {}", entries.len());
        return Err(writer.error_of_all(UnpackFault::Damaged(text)));
    }
    Ok(entries)
}

/// Refuses entries that share bytes with each other or with the directory.
fn check_overlaps(
    archive: &ZipArchive<FileReader>,
    entries: &[ListedEntry],
    writer: &TreeWriter<'_>,
) -> Result<(), UnpackError> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| entries[*at].header_at);
    for (at, place) in order.iter().enumerate() {
        let entry = &entries[*place];
        let damaged =
            |error: rawzip::Error| writer.error(&entry.name, UnpackFault::Damaged(error.to_string()));
        let (_, end) = archive.get_entry(entry.place).map_err(damaged)?.compressed_data_range();
        let next = order.get(at + 1).map(|next| &entries[*next]);
        match next {
            Some(next) if next.header_at < end => {
                return Err(writer.error(&next.name, UnpackFault::Overlap(super::name::shown(&entry.name))));
            }
            None if archive.directory_offset() < end => {
                return Err(writer.error(&entry.name, UnpackFault::Overlap("the directory".to_string())));
            }
            _ => {}
        }
    }
    Ok(())
}

fn unpack_entry(
    archive: &ZipArchive<FileReader>,
    entry: &ListedEntry,
    buffer: &mut [u8],
    writer: &mut TreeWriter<'_>,
) -> Result<(), UnpackError> {
    let damaged = |writer: &TreeWriter<'_>, error: rawzip::Error| {
        writer.error(&entry.name, UnpackFault::Damaged(error.to_string()))
    };
    let found = archive.get_entry(entry.place).map_err(|error| damaged(writer, error))?;
    // The header also has extra fields, for which the buffer has room.
    let header = found.local_header(buffer).map_err(|error| damaged(writer, error))?;
    let in_header = header.file_path();
    if in_header.as_bytes() != entry.name {
        let in_header = &in_header.as_bytes()[..in_header.as_bytes().len().min(MAX_NAME_BYTES)];
        return Err(writer.error(&entry.name, UnpackFault::TwoNames(super::name::shown(in_header))));
    }
    if entry.is_folder {
        return match entry.bytes {
            0 => writer.folder(&entry.name),
            found => Err(writer.error(&entry.name, UnpackFault::Size { stated: 0, found })),
        };
    }
    let reader: Box<dyn Read> = match entry.method == CompressionMethod::STORE {
        true => Box::new(found.reader()),
        false => Box::new(DeflateDecoder::new(found.reader())),
    };
    // The verifying reader compares the checksum.
    writer.file(&entry.name, Some(entry.bytes), &mut found.verifying_reader(reader))
}
