//! The kind of a file, by its first bytes. Formats that are recognized but not supported are `FileForm::Foreign`.
//!
//! A new kind of archive begins here and with [`SourceKind`]; `unpack` reads the archive.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::manifest::SourceKind;

/// The compression of a tar archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TarCompression {
    Plain,
    Gzip,
    Zstd,
}

/// The form of a file by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileForm {
    Zip,
    Tar(TarCompression),
    Text,
    /// A format that is recognized and not supported.
    Foreign(&'static str),
    /// Neither an archive nor text.
    Unknown,
}

impl FileForm {
    /// The kind of source, if such files can be added.
    pub fn kind(self) -> Option<SourceKind> {
        match self {
            FileForm::Zip => Some(SourceKind::Zip),
            FileForm::Tar(_) => Some(SourceKind::Tar),
            FileForm::Text => Some(SourceKind::File),
            FileForm::Foreign(_) | FileForm::Unknown => None,
        }
    }
}

/// The first bytes that are examined.
const HEAD_BYTES: u64 = 8192;

/// The size of a header of a tar archive.
const HEADER_BYTES: u64 = 512;

/// The largest window of a zstd frame. `zstd --long` without a number uses 128 MiB.
pub(super) const MAX_WINDOW_BYTES: u64 = 128 << 20;

/// The signatures of formats at the start of a file.
const SIGNATURES: &[(&[u8], FileForm)] = &[
    (b"PK\x03\x04", FileForm::Zip),
    (b"PK\x05\x06", FileForm::Zip),
    (b"\x1f\x8b", FileForm::Tar(TarCompression::Gzip)),
    (b"\x28\xb5\x2f\xfd", FileForm::Tar(TarCompression::Zstd)),
    (b"PK\x07\x08", FileForm::Foreign("a zip archive in several parts")),
    (b"\xfd7zXZ\0", FileForm::Foreign("xz")),
    (b"BZh", FileForm::Foreign("bzip2")),
    (b"7z\xbc\xaf\x27\x1c", FileForm::Foreign("7z")),
    (b"Rar!\x1a\x07", FileForm::Foreign("rar")),
    (b"LZIP", FileForm::Foreign("lzip")),
    (b"\x1f\x9d", FileForm::Foreign("compress")),
    (b"!<arch>\n", FileForm::Foreign("ar, such as a Debian package")),
    (b"\xed\xab\xee\xdb", FileForm::Foreign("an RPM package")),
    (b"%PDF-", FileForm::Foreign("PDF")),
];

pub(super) fn form_of(path: &Path) -> io::Result<FileForm> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(form_of_head(&head))
}

fn form_of_head(head: &[u8]) -> FileForm {
    if let Some((_, form)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
        return *form;
    }
    if is_tar(head) {
        return FileForm::Tar(TarCompression::Plain);
    }
    // A self-extracting archive and other binaries are neither.
    if head.contains(&0) { FileForm::Unknown } else { FileForm::Text }
}

/// Whether the file at `path` is a compressed tar archive. Other compressed files have the same first bytes.
pub(super) fn holds_tar(path: &Path, compression: TarCompression) -> io::Result<bool> {
    let file = BufReader::new(File::open(path)?);
    let mut head = Vec::new();
    // What cannot be decompressed is not a tar archive.
    let read = match compression {
        TarCompression::Plain => file.take(HEADER_BYTES).read_to_end(&mut head),
        TarCompression::Gzip => MultiGzDecoder::new(file).take(HEADER_BYTES).read_to_end(&mut head),
        TarCompression::Zstd => match StreamingDecoder::new_with_max_window_size(file, MAX_WINDOW_BYTES) {
            Ok(decoder) => decoder.take(HEADER_BYTES).read_to_end(&mut head),
            Err(_) => return Ok(false),
        },
    };
    Ok(read.is_ok() && is_tar(&head))
}

/// Whether a file begins with a tar header, whose checksum counts the bytes of the header.
fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..HEADER_BYTES as usize) else { return false };
    let sum = |range: &[u8]| range.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let expected = sum(&header[..148]) + 8 * u32::from(b' ') + sum(&header[156..]);
    let stored = std::str::from_utf8(&header[148..156]).unwrap_or_default();
    let stored = stored.trim_matches(['\0', ' ']);
    // An empty archive is two blocks of zeros, which nothing distinguishes from other zeros.
    !stored.is_empty() && u32::from_str_radix(stored, 8) == Ok(expected)
}
