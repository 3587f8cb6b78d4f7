//! What is stored of one model, vectors or expansions: two files that only grow.
//!
//! ```text
//! vectors   "SPYHVEC1", the width of a row (u32), 4 bytes of 0, then rows of equal size:
//!           the first 16 bytes of the BLAKE3 hash of the text, CRC-32 of the rest of the row with the hash before it,
//!           the scale (f32), then as many bytes as the width: numbers (i8) of a vector, or terms of an expansion
//! files     "SPYHFIL1", then records: CRC-32 of the rest, the number of parts (u32), the hash of the content,
//!           of each part its start and end in bytes and its row (u32 each)
//! ```
//!
//! Numbers are little-endian. Rows are written before the records that name them, so a killed builder leaves rows that no
//! record names, and at most one torn row and record, which the next builder cuts off. A row or record with a wrong
//! checksum counts as missing. The rows of equal texts are one, in whatever file, branch or commit the text stands.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashMap;
use spyhop_base::id::ContentHash;
use spyhop_base::store::{self, AtFile, Lock, Private};
use spyhop_base::text::Span;

use crate::error::SemanticError;
use crate::model::PartRow;

const ROWS: &str = "vectors";
const RECORDS: &str = "files";
const ROWS_HEAD: &[u8; 8] = b"SPYHVEC1";
const RECORDS_HEAD: &[u8; 8] = b"SPYHFIL1";
const ROWS_HEAD_LEN: usize = 16;
const RECORD_FIXED: usize = 24;
const PART_LEN: usize = 12;

/// The bytes of a row before its own.
const ROW_FIXED: usize = 24;

/// The most parts of a record; a file of the most indexed bytes has fewer.
const MAX_PARTS: usize = 1 << 20;

/// The hash of a part's text.
pub type TextKey = [u8; 16];

pub fn key_of(text: &str) -> TextKey {
    ContentHash::of(text.as_bytes()).0
}

/// What is stored for a text: numbers of one byte, and their scale.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedRow {
    pub scale: f32,
    pub bytes: Vec<u8>,
}

impl PackedRow {
    /// The first numbers of a vector, scaled to length 1.
    pub fn of_vector(vector: &[f32], dimensions: usize) -> PackedRow {
        let first = unit(vector, dimensions);
        let most = first.iter().fold(0.0f32, |most, number| most.max(number.abs()));
        let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
        let bytes = first.iter().map(|number| (number / scale).round() as i8 as u8).collect();
        PackedRow { scale, bytes }
    }
}

/// The first numbers of a vector, scaled to length 1; zeros stay zeros.
pub fn unit(vector: &[f32], dimensions: usize) -> Vec<f32> {
    let first = &vector[..vector.len().min(dimensions)];
    let length = first.iter().map(|number| number * number).sum::<f32>().sqrt();
    first.iter().map(|number| if length > 0.0 { number / length } else { 0.0 }).collect()
}

/// The rows that a search reads, as they were when they were opened.
#[derive(Default)]
pub struct Stored {
    rows: Option<memmap2::Mmap>,
    width: usize,
    files: PartTable,
}

/// The parts of files, by the hashes of their contents.
#[derive(Default)]
struct PartTable {
    of_content: FxHashMap<ContentHash, (u32, u32)>,
    parts: Vec<PartRow>,
    /// The bytes of the whole records.
    len: u64,
}

impl PartTable {
    /// The parts in the bytes of a file of records, as far as the records are whole. Records of rows that do not exist are
    /// left out.
    fn read(bytes: &[u8], n_rows: u32) -> PartTable {
        let mut files = PartTable::default();
        if bytes.get(..8) != Some(RECORDS_HEAD) {
            return files;
        }
        let mut at = 8;
        while let Some((content, parts, len)) = record(&bytes[at..]) {
            at += len;
            if parts.clone().all(|part| part.row < n_rows) {
                let first = files.parts.len() as u32;
                files.parts.extend(parts);
                files.of_content.insert(content, (first, files.parts.len() as u32));
            }
        }
        files.len = at as u64;
        files
    }
}

/// The record at the start of `bytes`, and its length; `None` if it is not whole.
fn record(bytes: &[u8]) -> Option<(ContentHash, impl Iterator<Item = PartRow> + Clone + '_, usize)> {
    let n = number(bytes, 4)? as usize;
    let len = RECORD_FIXED + n * PART_LEN;
    let body = bytes.get(4..len).filter(|_| n <= MAX_PARTS)?;
    if crc32fast::hash(body) != number(bytes, 0)? {
        return None;
    }
    let content = ContentHash(bytes[8..24].try_into().expect("16 bytes"));
    let part = |part: &[u8]| {
        let at = |place: usize| number(part, place).expect("12 bytes");
        PartRow { span: Span { start: at(0), end: at(4) }, row: at(8) }
    };
    Some((content, bytes[RECORD_FIXED..len].chunks_exact(PART_LEN).map(part), len))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().expect("4 bytes")))
}

impl Stored {
    /// Opens the rows in `folder`; there are none if a file is missing or has another form.
    pub fn open(folder: &Path, width: usize) -> Result<Stored, SemanticError> {
        let path = folder.join(ROWS);
        let file = match Private::Read.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Stored::default()),
            Err(error) => return Err(Err::<(), _>(error).at("open", &path).unwrap_err().into()),
        };
        // SAFETY: rows that records name are never changed; a builder appends, and cuts off only a row that no record names,
        // which is never read.
        let rows = unsafe { memmap2::Mmap::map(&file) }.at("map", &path)?;
        let is_whole = rows.get(..8) == Some(ROWS_HEAD) && number(&rows, 8) == Some(width as u32);
        let path = folder.join(RECORDS);
        let records = match Private::Read.open(&path) {
            Ok(mut file) if is_whole => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).at("read", &path)?;
                bytes
            }
            _ => return Ok(Stored::default()),
        };
        let n_rows = n_rows(rows.len() as u64, width);
        Ok(Stored { rows: Some(rows), width, files: PartTable::read(&records, n_rows) })
    }

    /// The contents with rows.
    pub fn n_contents(&self) -> usize {
        self.files.of_content.len()
    }

    /// The error that there are none of these `things` yet.
    pub fn check_any(&self, things: &str) -> Result<(), String> {
        match self.n_contents() {
            0 => Err(format!(
                "{things} are enabled and there are none yet; 'spyhop semantic build' makes them"
            )),
            _ => Ok(()),
        }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| n_rows(rows.len() as u64, self.width) as usize)
    }

    /// The parts of a content.
    pub fn parts(&self, content: ContentHash) -> Option<&[PartRow]> {
        let (first, end) = *self.files.of_content.get(&content)?;
        Some(&self.files.parts[first as usize..end as usize])
    }

    /// The scale and the bytes of a row, if its checksum is right.
    pub fn row(&self, row: u32) -> Option<(f32, &[u8])> {
        let len = ROW_FIXED + self.width;
        let at = ROWS_HEAD_LEN + row as usize * len;
        let bytes = self.rows.as_ref()?.get(at..at + len)?;
        (checksum(bytes) == number(bytes, 16)?).then(|| {
            let scale = f32::from_le_bytes(bytes[20..24].try_into().expect("4 bytes"));
            (scale, &bytes[ROW_FIXED..])
        })
    }

    /// Rows that records name and whose checksums are wrong.
    pub fn n_damaged(&self) -> usize {
        let of_content = |(first, end): &(u32, u32)| {
            let parts = &self.files.parts[*first as usize..*end as usize];
            parts.iter().filter(|part| self.row(part.row).is_none()).count()
        };
        self.files.of_content.values().map(of_content).sum()
    }

    /// Whether every row of a content is whole.
    pub fn is_whole(&self, content: ContentHash) -> bool {
        self.parts(content).is_some_and(|parts| parts.iter().all(|part| self.row(part.row).is_some()))
    }
}

/// The checksum of a row: of its hash, and of what follows the checksum.
fn checksum(row: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&row[..16]);
    hasher.update(&row[20..]);
    hasher.finalize()
}

fn n_rows(len: u64, width: usize) -> u32 {
    (len.saturating_sub(ROWS_HEAD_LEN as u64) / (ROW_FIXED + width) as u64) as u32
}

/// The one builder of the rows of a model.
pub struct StoreWriter {
    folder: PathBuf,
    width: usize,
    rows: File,
    records: File,
    /// By the hash of a text: its row.
    known: FxHashMap<TextKey, u32>,
    n_rows: u32,
    _lock: Lock,
}

impl StoreWriter {
    /// Opens the files for a builder, and cuts off what a killed one left torn.
    pub fn open(folder: &Path, width: usize) -> Result<StoreWriter, SemanticError> {
        store::create_private_dir(folder)?;
        let lock = Lock::acquire(&folder.join("lock"), Duration::ZERO, &mut |_| ())?;
        let (mut rows, records) = (open_file(folder, ROWS)?, open_file(folder, RECORDS)?);
        let mut head = ROWS_HEAD.to_vec();
        head.extend((width as u32).to_le_bytes());
        head.resize(ROWS_HEAD_LEN, 0);
        let kept = read_all(&mut rows, folder, ROWS)?;
        let mut writer = StoreWriter {
            folder: folder.to_path_buf(),
            width,
            n_rows: n_rows(kept.len() as u64, width),
            known: FxHashMap::default(),
            rows,
            records,
            _lock: lock,
        };
        if kept.get(..ROWS_HEAD_LEN) != Some(&head) {
            // No records first: a record must not name a row of another file.
            writer.cut(RECORDS, 0)?;
            writer.cut(ROWS, 0)?;
            writer.append(ROWS, &head)?;
            writer.append(RECORDS, RECORDS_HEAD)?;
            writer.n_rows = 0;
            return Ok(writer);
        }
        let len = ROW_FIXED + width;
        for (row, bytes) in kept[ROWS_HEAD_LEN..].chunks_exact(len).enumerate() {
            if Some(checksum(bytes)) == number(bytes, 16) {
                writer.known.insert(bytes[..16].try_into().expect("16 bytes"), row as u32);
            }
        }
        let files = PartTable::read(&read_all(&mut writer.records, folder, RECORDS)?, writer.n_rows);
        writer.cut(ROWS, (ROWS_HEAD_LEN + writer.n_rows as usize * len) as u64)?;
        writer.cut(RECORDS, files.len)?;
        if files.len == 0 {
            writer.append(RECORDS, RECORDS_HEAD)?;
        }
        Ok(writer)
    }

    /// The row of a text.
    pub fn row_of(&self, key: &TextKey) -> Option<u32> {
        self.known.get(key).copied()
    }

    /// Appends rows of texts.
    pub fn add_rows(&mut self, rows: &[(TextKey, PackedRow)]) -> Result<(), SemanticError> {
        let mut bytes = Vec::with_capacity(rows.len() * (ROW_FIXED + self.width));
        for (key, packed) in rows {
            let start = bytes.len();
            bytes.extend(key);
            bytes.extend([0; 4]);
            bytes.extend(packed.scale.to_le_bytes());
            bytes.extend(&packed.bytes);
            let sum = checksum(&bytes[start..]);
            bytes[start + 16..start + 20].copy_from_slice(&sum.to_le_bytes());
        }
        self.append(ROWS, &bytes)?;
        for (key, _) in rows {
            self.known.insert(*key, self.n_rows);
            self.n_rows += 1;
        }
        Ok(())
    }

    /// Appends the records of files, whose rows have been appended.
    pub fn add_files(&mut self, files: &[(ContentHash, Vec<PartRow>)]) -> Result<(), SemanticError> {
        let mut bytes = Vec::new();
        for (content, parts) in files {
            let mut body = (parts.len() as u32).to_le_bytes().to_vec();
            body.extend(content.0);
            for PartRow { span, row } in parts {
                [span.start, span.end, *row].iter().for_each(|number| body.extend(number.to_le_bytes()));
            }
            bytes.extend(crc32fast::hash(&body).to_le_bytes());
            bytes.extend(body);
        }
        self.append(RECORDS, &bytes)
    }

    /// Makes what was appended durable.
    pub fn sync(&self) -> Result<(), SemanticError> {
        self.rows.sync_data().at("sync", &self.folder.join(ROWS))?;
        Ok(self.records.sync_data().at("sync", &self.folder.join(RECORDS))?)
    }

    fn file(&mut self, name: &str) -> &mut File {
        if name == ROWS { &mut self.rows } else { &mut self.records }
    }

    fn append(&mut self, name: &'static str, bytes: &[u8]) -> Result<(), SemanticError> {
        let path = self.folder.join(name);
        let file = self.file(name);
        file.seek(SeekFrom::End(0)).at("write", &path)?;
        Ok(file.write_all(bytes).at("write", &path)?)
    }

    fn cut(&mut self, name: &'static str, len: u64) -> Result<(), SemanticError> {
        let path = self.folder.join(name);
        let file = self.file(name);
        if file.metadata().at("read", &path)?.len() != len {
            file.set_len(len).at("write", &path)?;
        }
        Ok(())
    }
}

fn open_file(folder: &Path, name: &str) -> Result<File, SemanticError> {
    let path = folder.join(name);
    Ok(Private::Write.open(&path).at("open", &path)?)
}

fn read_all(file: &mut File, folder: &Path, name: &str) -> Result<Vec<u8>, SemanticError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).at("read", &folder.join(name))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 8;

    fn packed(n: i32) -> PackedRow {
        let vector: Vec<f32> = (0..10).map(|at| ((n * 7 + at * 3) % 11) as f32 - 5.0).collect();
        PackedRow::of_vector(&vector, WIDTH)
    }

    /// Files with one to three parts each; each text is that of one number.
    fn fill(writer: &mut StoreWriter, files: std::ops::Range<u32>) {
        for file in files {
            let keys: Vec<TextKey> = (0..=file % 3).map(|part| key_of(&format!("{}", file + part))).collect();
            let new: Vec<(TextKey, PackedRow)> = (0..)
                .zip(&keys)
                .filter(|(_, key)| writer.row_of(key).is_none())
                .map(|(part, key)| (*key, packed((file + part) as i32)))
                .collect();
            writer.add_rows(&new).unwrap();
            let parts = (0..).zip(&keys).map(|(part, key)| PartRow {
                span: Span { start: part * 10, end: part * 10 + 10 },
                row: writer.row_of(key).unwrap(),
            });
            writer.add_files(&[(ContentHash::of(&file.to_le_bytes()), parts.collect())]).unwrap();
        }
    }

    fn check(folder: &Path, files: u32) {
        let stored = Stored::open(folder, WIDTH).unwrap();
        assert_eq!((stored.n_contents(), stored.n_damaged()), (files as usize, 0));
        for file in 0..files {
            let parts = stored.parts(ContentHash::of(&file.to_le_bytes())).unwrap();
            assert_eq!(parts.len() as u32, file % 3 + 1);
            for (part, row) in (0..).zip(parts) {
                let (scale, numbers) = stored.row(row.row).unwrap();
                assert_eq!(PackedRow { scale, bytes: numbers.to_vec() }, packed((file + part) as i32));
            }
        }
    }

    #[test]
    fn equal_texts_have_one_row() {
        let folder = tempfile::tempdir().unwrap();
        fill(&mut StoreWriter::open(folder.path(), WIDTH).unwrap(), 0..20);
        check(folder.path(), 20);
        assert!(Stored::open(folder.path(), WIDTH).unwrap().n_rows() <= 22);
        // Another builder goes on; at the same time there is only one.
        let mut writer = StoreWriter::open(folder.path(), WIDTH).unwrap();
        assert!(matches!(StoreWriter::open(folder.path(), WIDTH), Err(SemanticError::Lock(_))));
        fill(&mut writer, 20..30);
        check(folder.path(), 30);
    }

    #[test]
    fn files_that_end_anywhere_are_read_and_continued() {
        let folder = tempfile::tempdir().unwrap();
        fill(&mut StoreWriter::open(folder.path(), WIDTH).unwrap(), 0..6);
        let whole = [ROWS, RECORDS].map(|name| std::fs::read(folder.path().join(name)).unwrap());
        for (which, name) in [ROWS, RECORDS].into_iter().enumerate() {
            for len in 0..whole[which].len() {
                for (bytes, name) in whole.iter().zip([ROWS, RECORDS]) {
                    std::fs::write(folder.path().join(name), bytes).unwrap();
                }
                std::fs::write(folder.path().join(name), &whole[which][..len]).unwrap();
                let stored = Stored::open(folder.path(), WIDTH).unwrap();
                assert!(stored.n_contents() < 6 || len == whole[which].len());
                assert_eq!(stored.n_damaged(), 0);
                fill(&mut StoreWriter::open(folder.path(), WIDTH).unwrap(), 0..6);
                check(folder.path(), 6);
            }
        }
    }

    #[test]
    fn a_changed_byte_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        fill(&mut StoreWriter::open(folder.path(), WIDTH).unwrap(), 0..6);
        for name in [ROWS, RECORDS] {
            let whole = std::fs::read(folder.path().join(name)).unwrap();
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x10;
                std::fs::write(folder.path().join(name), &bytes).unwrap();
                let stored = Stored::open(folder.path(), WIDTH).unwrap();
                let is_padding = name == ROWS && (12..16).contains(&at);
                let lost = stored.n_contents() < 6 || stored.n_damaged() > 0;
                assert!(lost || is_padding, "{name} {at}");
            }
            std::fs::write(folder.path().join(name), &whole).unwrap();
        }
    }
}
