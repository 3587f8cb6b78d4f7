//! The archive file that carries an index.
//!
//! An archive is a gzipped tar, so that ordinary tools show its content. The fastest level shrinks the segments by
//! about half, and any other level gains hardly more. The archive holds, in this order, and nothing else:
//!
//! ```text
//! SPYHOP          "spyhop index VERSION HASH", HASH being that of manifest.json
//! manifest.json   [`ArchiveManifest`]: what it is for, and each file's length and hash
//! meta/...        the record of the commit
//! tantivy/...     its segments, the commit point last
//! ```
//!
//! A reader trusts nothing in an archive: names are plain and lie in known folders, sizes are bounded before anything
//! is unpacked, entries come in the order of the manifest, and every byte is compared with its hash. That detects
//! damage. It does not prove who made an archive.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use super::error::ArchiveError;
use super::layout::{ArchiveManifest, ArchivedFile, META, SEGMENTS, VERSION};
use spyhop_base::input;
use spyhop_base::store::{self, AtFile, FileError, Private, StoreStep, TEMPORARY_PREFIX, sync_file};

const HEAD: &str = "SPYHOP";
const MANIFEST: &str = "manifest.json";

/// The size limit of the first entry, which is a line.
const MAX_HEAD: u64 = 200;

/// The size limit of the manifest, which has some hundred bytes for each file, and files are few: an export merges
/// segments.
const MAX_MANIFEST: u64 = 1 << 20;

/// An archive unpacks to at most this many times its size, plus [`SPARE`]. Real segments shrink by half, and sources by
/// some five times.
const MAX_RATIO: u64 = 50;
const SPARE: u64 = 64 << 20;

/// Writes the archive `to` with the files below `folder`, atomically. Returns its size.
pub fn write(to: &Path, manifest: &ArchiveManifest, folder: &Path) -> Result<u64, FileError> {
    let beside = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .tempfile_in(beside)
        .at("create a file in", beside)?;
    let packed = pack(BufWriter::new(file.as_file_mut()), manifest, folder);
    packed.at("write", to)?;
    sync_file(file.as_file(), file.path()).at("sync", to)?;
    let len = file.as_file().metadata().at("read", to)?.len();
    file.persist(to).map_err(|error| error.error).at("replace", to)?;
    store::sync_folder(beside)?;
    Ok(len)
}

fn pack(out: impl Write, manifest: &ArchiveManifest, folder: &Path) -> io::Result<()> {
    let mut tar = tar::Builder::new(GzEncoder::new(out, Compression::fast()));
    let text = serde_json::to_vec_pretty(manifest).expect("plain data");
    let head = format!("spyhop index {VERSION} {}\n", blake3::hash(&text).to_hex());
    append(&mut tar, HEAD, head.len() as u64, head.as_bytes())?;
    append(&mut tar, MANIFEST, text.len() as u64, &text[..])?;
    for row in &manifest.files {
        append(&mut tar, &row.name, row.len, File::open(folder.join(&row.name))?)?;
    }
    tar.into_inner()?.finish()?.flush()
}

fn append(tar: &mut tar::Builder<impl Write>, name: &str, len: u64, bytes: impl Read) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_size(len);
    header.set_mode(0o600);
    header.set_path(name)?;
    header.set_cksum();
    tar.append(&header, bytes)
}

/// An archive whose manifest has been read.
pub struct Archive {
    path: PathBuf,
    manifest: ArchiveManifest,
}

impl Archive {
    /// Opens the file at `path` and reads its manifest.
    pub fn open(path: &Path) -> Result<Archive, ArchiveError> {
        let mut read = Unpacking::of(path)?;
        let head = read.small(HEAD, MAX_HEAD)?;
        let words = String::from_utf8(head).unwrap_or_default();
        let mut words = words.split_ascii_whitespace();
        let (Some("spyhop"), Some("index"), Some(version), Some(hash)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(read.damaged("its first entry is not that of an archive"));
        };
        match version.parse::<u32>() {
            Ok(VERSION) => {}
            Ok(found) => return Err(ArchiveError::NewerArchive { path: path.to_path_buf(), found }),
            Err(_) => return Err(read.damaged("it has no version")),
        }
        let text = read.small(MANIFEST, MAX_MANIFEST)?;
        if blake3::hash(&text).to_hex().as_str() != hash {
            return Err(read.damaged(format!("the checksum of {MANIFEST} is wrong")));
        }
        let manifest: ArchiveManifest =
            serde_json::from_slice(&text).map_err(|error| read.damaged(format!("{MANIFEST}: {error}")))?;
        let size = fs::metadata(path).at("read", path)?.len();
        let most = size.saturating_mul(MAX_RATIO).saturating_add(SPARE);
        let total = manifest.files.iter().fold(0u64, |total, row| total.saturating_add(row.len));
        if total > most {
            let text = format!("it says that it unpacks to {total} bytes, more than {most} for its size");
            return Err(read.damaged(text));
        }
        if let Some(odd) = manifest.files.iter().find(|row| !row.is_plain()) {
            return Err(read.damaged(format!("it holds a file called {:?}", odd.name)));
        }
        let mut names: Vec<&str> = manifest.files.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(read.damaged(format!("it holds {} twice", twice[0])));
        }
        Ok(Archive { path: path.to_path_buf(), manifest })
    }

    pub fn manifest(&self) -> &ArchiveManifest {
        &self.manifest
    }

    pub fn damaged(&self, reason: impl Into<String>) -> ArchiveError {
        ArchiveError::Damaged { path: self.path.clone(), reason: reason.into() }
    }

    /// Unpacks everything into the new folder `folder`, compares every byte with the checksums, and syncs the files.
    pub fn unpack(&self, folder: &Path) -> Result<(), ArchiveError> {
        for name in [META, SEGMENTS] {
            store::create_private_dir(&folder.join(name))?;
        }
        let mut read = Unpacking::of(&self.path)?;
        read.small(HEAD, MAX_HEAD)?;
        read.small(MANIFEST, MAX_MANIFEST)?;
        for row in &self.manifest.files {
            read.file(row, &folder.join(&row.name))?;
        }
        read.end()?;
        for name in [META, SEGMENTS] {
            store::sync_folder(&folder.join(name))?;
        }
        Ok(())
    }
}

/// An archive that is being read from its beginning. The headers of tar are read here and not by a crate's iterator,
/// which follows extensions that a Spyhop archive never has.
struct Unpacking {
    path: PathBuf,
    from: GzDecoder<BufReader<File>>,
}

/// The size of a tar header, and the block size to which entries are padded.
const BLOCK: usize = 512;

impl Unpacking {
    fn of(path: &Path) -> Result<Unpacking, ArchiveError> {
        let file = input::open_named(path).at("open", path)?;
        Ok(Unpacking { path: path.to_path_buf(), from: GzDecoder::new(BufReader::new(file)) })
    }

    fn damaged(&self, reason: impl Into<String>) -> ArchiveError {
        ArchiveError::Damaged { path: self.path.clone(), reason: reason.into() }
    }

    /// Fills `bytes`. Too few bytes or an invalid compressed stream are damage.
    fn fill(&mut self, bytes: &mut [u8], of: &str) -> Result<(), ArchiveError> {
        self.from.read_exact(bytes).map_err(|error| match error.raw_os_error() {
            Some(_) => Err::<(), _>(error).at("read", &self.path).unwrap_err().into(),
            None if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.damaged(format!("it is cut off in {of}"))
            }
            None => self.damaged(format!("{of} cannot be unpacked: {error}")),
        })
    }

    /// Reads the header of the next entry, which must be the regular file `name`. Returns its length.
    fn header(&mut self, name: &str) -> Result<u64, ArchiveError> {
        let mut header = tar::Header::new_ustar();
        self.fill(header.as_mut_bytes(), name)?;
        let is_it = header.entry_type().is_file() && &*header.path_bytes() == name.as_bytes();
        match header.entry_size() {
            Ok(len) if is_it => Ok(len),
            _ => Err(self.damaged(format!("the next entry is not {name}"))),
        }
    }

    /// Skips the padding of the last block of an entry of `len` bytes.
    fn padding(&mut self, len: u64, name: &str) -> Result<(), ArchiveError> {
        let rest = (len % BLOCK as u64) as usize;
        let mut block = [0; BLOCK];
        self.fill(&mut block[..if rest == 0 { 0 } else { BLOCK - rest }], name)
    }

    /// Reads an entry that fits into memory.
    fn small(&mut self, name: &str, most: u64) -> Result<Vec<u8>, ArchiveError> {
        let len = self.header(name)?;
        if len > most {
            return Err(self.damaged(format!("{name} has {len} bytes, more than {most}")));
        }
        let mut bytes = vec![0; len as usize];
        self.fill(&mut bytes, name)?;
        self.padding(len, name)?;
        Ok(bytes)
    }

    /// Unpacks an entry into the file `to`.
    fn file(&mut self, row: &ArchivedFile, to: &Path) -> Result<(), ArchiveError> {
        let len = self.header(&row.name)?;
        if len != row.len {
            return Err(self.damaged(format!("{} has {len} bytes and not {}", row.name, row.len)));
        }
        let mut file =
            store::step(StoreStep::Create(to)).and_then(|()| Private::New.open(to)).at("create", to)?;
        let mut hasher = blake3::Hasher::new();
        let mut bytes = vec![0; 1 << 16];
        let mut left = len;
        while left > 0 {
            let n = left.min(bytes.len() as u64) as usize;
            self.fill(&mut bytes[..n], &row.name)?;
            hasher.update(&bytes[..n]);
            store::step(StoreStep::Write(to)).and_then(|()| file.write_all(&bytes[..n])).at("write", to)?;
            left -= n as u64;
        }
        if hasher.finalize().to_hex().as_str() != row.blake3 {
            return Err(self.damaged(format!("the checksum of {} is wrong", row.name)));
        }
        self.padding(len, &row.name)?;
        Ok(sync_file(&file, to).at("sync", to)?)
    }

    /// Checks the two empty blocks that end a tar, the checksum of the compression, and the end of the file.
    fn end(mut self) -> Result<(), ArchiveError> {
        let mut blocks = [0; 2 * BLOCK];
        self.fill(&mut blocks, "its end")?;
        let more = self.from.read(&mut [0]).map_err(|error| self.damaged(error.to_string()))?;
        let behind = self.from.get_mut().read(&mut [0]).at("read", &self.path)?;
        if more + behind > 0 || blocks.iter().any(|byte| *byte != 0) {
            return Err(self.damaged("something follows behind its end"));
        }
        Ok(())
    }
}
