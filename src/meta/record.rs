//! Record files: their tables, and how a commit's record is put together.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outline::EncodedOutline;
use super::view::ViewDelta;
use super::{Commit, Meta, RecordRef};
use crate::id::{ContentHash, Generation, LanguageId, VersionId};
use crate::model::{FieldLengths, Note};
use crate::store::{self, Envelope, FileError};

/// The kind numbers in the envelopes.
const BASE: u32 = 1;
const DELTA: u32 = 2;

/// The table of a record file.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Table {
    pub versions: Versions,
    /// Versions of earlier records that no view names any more.
    pub collected: Vec<u32>,
    pub views: Vec<ViewDelta>,
}

/// Strings in one piece.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
    }

    pub fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start as usize..self.ends[row] as usize]
    }
}

/// File versions as columns; rows are sorted by number.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Versions {
    pub id: Vec<u32>,
    pub path: Strings,
    pub hash: Vec<[u8; 16]>,
    pub language: Vec<u16>,
    pub notes: Vec<u8>,
    pub bytes: Vec<u64>,
    pub lines: Vec<u32>,
    pub chunks: Vec<u32>,
    pub symbols: Vec<u32>,
    /// Field lengths, row by row.
    pub lengths: Vec<u32>,
    pub outline_at: Vec<u64>,
    pub outline_len: Vec<u32>,
    /// Which record's heap holds the outline; known by where the row was read from.
    #[serde(skip)]
    pub heap: Vec<u32>,
    #[serde(skip)]
    gone: Vec<bool>,
}

impl Versions {
    pub fn ids(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.id.iter().zip(&self.gone).filter(|(_, gone)| !**gone).map(|(&id, _)| VersionId(id))
    }

    pub fn row_of(&self, id: VersionId) -> Option<usize> {
        // Where no number was left unused the place is the number itself.
        let row = match self.id.get(id.0 as usize) {
            Some(&found) if found == id.0 => id.0 as usize,
            _ => self.id.binary_search(&id.0).ok()?,
        };
        (!self.gone[row]).then_some(row)
    }

    pub fn append(&mut self, mut other: Versions, heap: u32) {
        let rows = other.id.len();
        if self.id.is_empty() {
            *self = other;
            self.heap = vec![heap; rows];
            self.gone = vec![false; rows];
            return;
        }
        for row in 0..rows {
            self.path.push(other.path.get(row));
        }
        self.id.append(&mut other.id);
        self.hash.append(&mut other.hash);
        self.language.append(&mut other.language);
        self.notes.append(&mut other.notes);
        self.bytes.append(&mut other.bytes);
        self.lines.append(&mut other.lines);
        self.chunks.append(&mut other.chunks);
        self.symbols.append(&mut other.symbols);
        self.lengths.append(&mut other.lengths);
        self.outline_at.append(&mut other.outline_at);
        self.outline_len.append(&mut other.outline_len);
        self.heap.extend(std::iter::repeat_n(heap, rows));
        self.gone.extend(std::iter::repeat_n(false, rows));
    }

    pub fn collect(&mut self, collected: &[u32]) {
        for id in collected {
            if let Ok(row) = self.id.binary_search(id) {
                self.gone[row] = true;
            }
        }
    }

    fn push(&mut self, row: &VersionRow<'_>, at: u64, len: u32) {
        debug_assert!(self.id.last().is_none_or(|last| *last < row.id.0), "versions come in order");
        self.id.push(row.id.0);
        self.path.push(row.path);
        self.hash.push(row.hash.0);
        self.language.push(row.language.0);
        self.notes.push(row.notes.iter().fold(0, |bits, note| bits | 1 << *note as u8));
        self.bytes.push(row.bytes);
        self.lines.push(row.lines);
        self.chunks.push(row.chunks);
        self.symbols.push(row.outline.symbols);
        self.lengths.extend(row.lengths);
        self.outline_at.push(at);
        self.outline_len.push(len);
    }
}

/// A file version to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct VersionRow<'a> {
    /// Its number.
    pub id: VersionId,
    /// Its root-relative path.
    pub path: &'a str,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// Its language.
    pub language: LanguageId,
    /// What was noted.
    pub notes: &'a [Note],
    /// Bytes of its source.
    pub bytes: u64,
    /// Lines of its source.
    pub lines: u32,
    /// Its chunks.
    pub chunks: u32,
    /// How many terms its scored fields hold.
    pub lengths: FieldLengths,
    /// Its symbols.
    pub outline: &'a EncodedOutline,
}

/// Puts the record of one commit together.
#[derive(Default)]
pub struct RecordBuilder {
    table: Table,
    heap: Vec<u8>,
}

impl RecordBuilder {
    /// An empty one.
    pub fn new() -> RecordBuilder {
        RecordBuilder::default()
    }

    /// Adds a new file version. Versions come in the order of their numbers.
    pub fn add_version(&mut self, row: &VersionRow<'_>) {
        let at = self.heap.len();
        self.heap.extend_from_slice(&row.outline.bytes);
        self.table.versions.push(row, at as u64, (self.heap.len() - at) as u32);
    }

    /// Says that a version has been collected.
    pub fn collect(&mut self, version: VersionId) {
        self.table.collected.push(version.0);
    }

    /// Adds what changes in a view.
    pub fn add_view(&mut self, delta: ViewDelta) {
        self.table.views.push(delta);
    }

    /// Writes the record of the commit after `meta` into the folder `dir` and gives that commit. With `fold`, a new
    /// base that holds everything and replaces all records before it.
    pub fn write(
        self,
        dir: &Path,
        meta: &Meta,
        fingerprint: &str,
        next_version: u32,
        fold: bool,
    ) -> Result<Commit, FileError> {
        let generation = Generation(meta.commit.generation.0 + 1);
        let mut records = meta.commit.records.clone();
        let (table, heap, kind) = if fold || records.is_empty() {
            records.clear();
            let (table, heap) = self.folded(meta);
            (table, heap, BASE)
        } else {
            (self.table, self.heap, DELTA)
        };
        let table = postcard::to_stdvec(&table).expect("plain data");
        let header = Envelope::header(kind, &table, heap.len() as u64);
        let name = format!("g{:09}.{}", generation.0, if kind == BASE { "base" } else { "delta" });
        store::replace(&dir.join(&name), &[&header, &table, &heap])?;
        records.push(RecordRef {
            name,
            len: (header.len() + table.len() + heap.len()) as u64,
            checksum: Envelope::checksum_of(&header),
        });
        Ok(Commit {
            format: store::FORMAT_VERSION,
            generation,
            fingerprint: fingerprint.to_string(),
            next_version,
            records,
        })
    }

    /// Everything that is live in `meta` and in this record, as one base.
    fn folded(self, meta: &Meta) -> (Table, Vec<u8>) {
        let mut versions = Versions::default();
        let mut heap = Vec::new();
        let mut old = meta.versions.clone();
        old.collect(&self.table.collected);
        for row in (0..old.id.len()).filter(|row| !old.gone[*row]) {
            let from = Envelope::heap_of(&meta.heaps[old.heap[row] as usize]);
            let at = old.outline_at[row] as usize;
            let outline = &from[at..at + old.outline_len[row] as usize];
            versions.push_row(&old, row, heap.len() as u64);
            heap.extend_from_slice(outline);
        }
        for row in 0..self.table.versions.id.len() {
            let new = &self.table.versions;
            let at = new.outline_at[row] as usize;
            versions.push_row(new, row, heap.len() as u64);
            heap.extend_from_slice(&self.heap[at..at + new.outline_len[row] as usize]);
        }
        let mut views = meta.views.clone();
        for delta in self.table.views {
            views.entry(delta.key.clone()).or_default().apply(delta);
        }
        let views = views.iter().map(|(key, view)| view.as_delta(key)).collect();
        (Table { versions, collected: Vec::new(), views }, heap)
    }
}

impl Versions {
    fn push_row(&mut self, from: &Versions, row: usize, outline_at: u64) {
        let width = crate::model::Field::ALL.len();
        self.id.push(from.id[row]);
        self.path.push(from.path.get(row));
        self.hash.push(from.hash[row]);
        self.language.push(from.language[row]);
        self.notes.push(from.notes[row]);
        self.bytes.push(from.bytes[row]);
        self.lines.push(from.lines[row]);
        self.chunks.push(from.chunks[row]);
        self.symbols.push(from.symbols[row]);
        self.lengths.extend(&from.lengths[row * width..(row + 1) * width]);
        self.outline_at.push(outline_at);
        self.outline_len.push(from.outline_len[row]);
    }
}
