//! A zip archive as a source.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use rustc_hash::FxHashMap;

use super::content_id::ContentId;
use super::source_tree::{SourceEntry, SourceTree};
use spyhop_base::path::{RelPath, split};

/// The most entries of an archive. This is arbitrary: more than twice the files of the largest known repositories.
const MAX_ENTRIES: usize = 1 << 20;

/// The files of a zip archive. The archive stays compressed in memory; a file is decompressed when it is read, up to the
/// size that the archive states, and its checksum is compared.
///
/// Symbolic links of the archive are left out, as if the archive did not have them. The entries are those of the directory
/// of the archive. The number of entries that the end of the archive states is a hint that anybody can write, so it
/// neither limits nor extends what is read.
pub struct ZipTree {
    archive: ZipSliceArchive<Vec<u8>>,
    folders: FxHashMap<String, BTreeMap<String, Option<ZipFile>>>,
}

/// A file of an archive.
struct ZipFile {
    place: ZipArchiveEntryWayfinder,
    is_stored: bool,
    bytes: u64,
    id: ContentId,
}

impl ZipTree {
    /// The archive in the file at `path`.
    ///
    /// # Errors
    /// As for [`ZipTree::of`]; the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> io::Result<ZipTree> {
        ZipTree::of(spyhop_base::input::bounded(path.as_ref(), i64::MAX as u64)?)
    }

    /// The archive in these bytes.
    ///
    /// # Errors
    /// The bytes are not an archive; or the archive has more than a million entries, or an entry that is encrypted, has
    /// an unknown compression method, leaves the root, or occurs twice. The text of the error names the entry.
    pub fn of(bytes: Vec<u8>) -> io::Result<ZipTree> {
        let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let mut folders = FxHashMap::default();
        folders.insert(String::new(), BTreeMap::new());
        let mut rows = archive.entries();
        let mut count = 0;
        while let Some(row) = rows.next_entry().map_err(damaged)? {
            count += 1;
            if count > MAX_ENTRIES {
                return Err(damaged(format!("the archive has more than {MAX_ENTRIES} entries")));
            }
            let shown = String::from_utf8_lossy(row.file_path().as_bytes()).into_owned();
            let refused = |why: &str| damaged(format!("entry '{shown}' {why}"));
            let path = std::str::from_utf8(row.file_path().as_bytes())
                .map_err(|_| refused("has a name that is not UTF-8"))?
                .to_string();
            let path = RelPath::new(&path).map_err(|error| refused(&format!("is refused: {error}")))?;
            let (flags, method) = (row.flags(), row.compression_method());
            if flags.is_encrypted() || flags.has_strong_encryption() || flags.is_masked() {
                return Err(refused("is encrypted"));
            }
            if row.is_dir() {
                add(&mut folders, path.as_str(), None).ok_or_else(|| refused("occurs twice"))?;
                continue;
            }
            if row.mode().is_symlink() {
                continue;
            }
            if method != CompressionMethod::STORE && method != CompressionMethod::DEFLATE {
                return Err(refused(&format!("has the unknown compression method {}", method.as_u16())));
            }
            let bytes = row.uncompressed_size_hint();
            let id = format!("{} {bytes} {}", row.crc32(), row.compressed_size_hint());
            let (place, is_stored) = (row.wayfinder(), method == CompressionMethod::STORE);
            let file = ZipFile { place, is_stored, bytes, id: ContentId::of(id.as_bytes()) };
            add(&mut folders, path.as_str(), Some(file)).ok_or_else(|| refused("occurs twice"))?;
        }
        Ok(ZipTree { archive, folders })
    }
}

/// Adds a file, or a folder, with the folders above; `None` if a file is there already, or a folder instead of the file.
fn add(
    folders: &mut FxHashMap<String, BTreeMap<String, Option<ZipFile>>>,
    path: &str,
    file: Option<ZipFile>,
) -> Option<()> {
    if path.is_empty() {
        return file.is_none().then_some(());
    }
    let (above, name) = split(path);
    let is_folder = file.is_none();
    if !matches!(folders.get(above).and_then(|entries| entries.get(name)), Some(None)) {
        add(folders, above, None)?;
        let before = folders.entry(above.to_string()).or_default().insert(name.to_string(), file);
        if is_folder {
            folders.entry(path.to_string()).or_default();
        }
        return before.is_none().then_some(());
    }
    is_folder.then_some(())
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl SourceTree for ZipTree {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        let entries = self.folders.get(folder).ok_or(io::ErrorKind::NotFound)?;
        let entry = |(name, file): (&String, &Option<ZipFile>)| match file {
            Some(file) => SourceEntry::file(name, file.bytes, file.id),
            None => SourceEntry::folder(name),
        };
        Ok(entries.iter().map(entry).collect())
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let (folder, name) = split(path);
        let file = self.folders.get(folder).and_then(|entries| entries.get(name)?.as_ref());
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        let entry = self.archive.get_entry(file.place).map_err(damaged)?;
        let reader: Box<dyn Read> = match file.is_stored {
            true => Box::new(entry.data()),
            false => Box::new(DeflateDecoder::new(entry.data())),
        };
        let mut bytes = Vec::new();
        // The verifying reader compares the checksum at the end, for which one more byte is asked.
        entry.verifying_reader(reader).take(file.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != file.bytes {
            let text = format!("it has other than the {} bytes that the archive states", file.bytes);
            return Err(damaged(text));
        }
        Ok(bytes)
    }

    fn version(&self) -> Option<u64> {
        Some(0)
    }
}
