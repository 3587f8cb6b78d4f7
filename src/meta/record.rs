//! Record files: their tables, and how a commit's record is put together.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outline::{EncodedOutline, sealed};
use super::view::{View, ViewDelta, ViewInfo, ViewKey};
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
    /// In the order in which they happen.
    pub views: Vec<ViewChange>,
}

/// What happens to a view.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ViewChange {
    pub key: ViewKey,
    pub change: Change,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Change {
    /// It is dropped.
    Gone,
    /// It becomes what `from` was and `part` changes; without `from` it begins empty.
    Set { info: ViewInfo, from: Option<ViewKey>, part: PartAt },
}

/// Where the pieces of a [`ViewDelta`] lie in the heap, one behind the other.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct PartAt {
    pub at: u64,
    pub lens: [u32; 3],
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

/// File versions as columns. The rows of a record are sorted by number.
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
    /// The rows by number, where the records of an interrupted build left them in another order.
    #[serde(skip)]
    order: Option<Vec<u32>>,
}

impl Versions {
    /// The rows that are not collected, by number.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        let row = |place: usize| self.order.as_ref().map_or(place, |order| order[place] as usize);
        (0..self.id.len()).map(row).filter(|row| !self.gone[*row])
    }

    pub fn ids(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.rows().map(|row| VersionId(self.id[row]))
    }

    pub fn row_of(&self, id: VersionId) -> Option<usize> {
        // Where no number was left unused the place is the number itself.
        let row = match (self.id.get(id.0 as usize), &self.order) {
            (Some(&found), _) if found == id.0 => id.0 as usize,
            (_, None) => self.id.binary_search(&id.0).ok()?,
            (_, Some(order)) => {
                order[order.binary_search_by_key(&id.0, |row| self.id[*row as usize]).ok()?] as usize
            }
        };
        (!self.gone[row]).then_some(row)
    }

    /// Puts the rows of all records in order, once they are all there.
    pub fn finish(&mut self) {
        self.order = (!self.id.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..self.id.len() as u32).collect();
            order.sort_unstable_by_key(|row| self.id[*row as usize]);
            order
        });
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
        self.finish();
        for id in collected {
            if let Some(row) = self.row_of(VersionId(*id)) {
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
    versions: Versions,
    collected: Vec<u32>,
    heap: Vec<u8>,
    views: Vec<(ViewKey, Option<NewView>)>,
}

/// A view as it is to be.
struct NewView {
    info: ViewInfo,
    view: View,
    from: Option<ViewKey>,
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
        self.versions.push(row, at as u64, (self.heap.len() - at) as u32);
    }

    /// Says that a version has been collected.
    pub fn collect(&mut self, version: VersionId) {
        self.collected.push(version.0);
    }

    /// Sets a view. What it has in common with `from`, a view of before, is not written again.
    pub fn set_view(&mut self, key: ViewKey, mut info: ViewInfo, view: View, from: Option<ViewKey>) {
        info.files = view.len() as u32;
        self.views.push((key, Some(NewView { info, view, from })));
    }

    /// Drops a view.
    pub fn drop_view(&mut self, key: ViewKey) {
        self.views.push((key, None));
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
            let (table, heap) = self.delta(meta);
            (table, heap, DELTA)
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

    /// What this record changes.
    fn delta(self, meta: &Meta) -> (Table, Vec<u8>) {
        let RecordBuilder { versions, collected, mut heap, views } = self;
        let change = |(key, new): (ViewKey, Option<NewView>)| {
            let Some(NewView { info, view, from }) = new else {
                return ViewChange { key, change: Change::Gone };
            };
            // A view that cannot be read is no ground to build on.
            let before = from.as_ref().and_then(|from| meta.view(from).ok().flatten());
            let delta = view.since(before.unwrap_or(&View::default()));
            let from = before.and(from);
            ViewChange { key, change: Change::Set { info, from, part: put(&mut heap, &delta) } }
        };
        let views = views.into_iter().map(change).collect();
        (Table { versions, collected, views }, heap)
    }

    /// Everything that is live in `meta` and in this record, as one base.
    fn folded(self, meta: &Meta) -> (Table, Vec<u8>) {
        let mut versions = Versions::default();
        let mut heap = Vec::new();
        let mut old = meta.versions.clone();
        old.collect(&self.collected);
        for row in old.rows() {
            let from = Envelope::heap_of(&meta.heaps[old.heap[row] as usize]);
            let at = old.outline_at[row] as usize;
            let outline = &from[at..at + old.outline_len[row] as usize];
            versions.push_row(&old, row, heap.len() as u64);
            heap.extend_from_slice(outline);
        }
        for row in 0..self.versions.id.len() {
            let new = &self.versions;
            let at = new.outline_at[row] as usize;
            versions.push_row(new, row, heap.len() as u64);
            heap.extend_from_slice(&self.heap[at..at + new.outline_len[row] as usize]);
        }
        let changed = |key: &ViewKey| self.views.iter().any(|(other, _)| other == key);
        let mut views = Vec::new();
        let mut set = |key: &ViewKey, info: ViewInfo, view: &View| {
            let part = put(&mut heap, &view.since(&View::default()));
            views.push(ViewChange { key: key.clone(), change: Change::Set { info, from: None, part } });
        };
        for (key, info) in meta.views().filter(|(key, _)| !changed(key)) {
            match meta.view(key) {
                Ok(Some(view)) => set(key, info.clone(), view),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, root = key.root, "a view was damaged and is dropped"),
            }
        }
        for (key, new) in &self.views {
            if let Some(NewView { info, view, .. }) = new {
                set(key, info.clone(), view);
            }
        }
        (Table { versions, collected: Vec::new(), views }, heap)
    }
}

/// Puts the pieces of a delta into the heap, each with a check of its own.
fn put(heap: &mut Vec<u8>, delta: &ViewDelta) -> PartAt {
    let at = heap.len() as u64;
    let mut piece = |bytes: Vec<u8>| {
        let sealed = sealed(bytes);
        heap.extend_from_slice(&sealed);
        sealed.len() as u32
    };
    let plain = "plain data";
    let lens = [
        piece(postcard::to_stdvec(&delta.versions).expect(plain)),
        piece(postcard::to_stdvec(&delta.stats).expect(plain)),
        piece(postcard::to_stdvec(&delta.skipped).expect(plain)),
    ];
    PartAt { at, lens }
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
