//! File versions as columns of fixed width, which are read from the mapped file: opening a record costs the same for
//! ten files and for a hundred thousand, except for the checksum.
//!
//! ```text
//! for each column of [`Column`] in order: one cell for each row, little endian
//! the paths, one after the other
//! ```

use std::sync::{Arc, OnceLock};

use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::row::VersionRow;
use spyhop_base::id::{ContentHash, PathOnlyKey, VersionContent};
use spyhop_base::model::Field;
use spyhop_base::store::Envelope;

/// The columns of a file version, wider cells first.
#[derive(Clone, Copy)]
pub(super) enum Column {
    Hash,
    Bytes,
    /// The offset of the outline in the heap.
    OutlineAt,
    OutlineLen,
    /// The length of the uses, which follow the outline.
    UsesLen,
    /// The length of the details, which follow the uses.
    DetailsLen,
    Id,
    /// The offset of the path's end among the paths.
    PathEnd,
    Lines,
    Chunks,
    Symbols,
    /// A number for each field.
    Lengths,
    Language,
    Notes,
}

const COLUMNS: usize = Column::Notes as usize + 1;

/// The width of each column's cells in bytes.
const WIDTHS: [usize; COLUMNS] = [16, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4 * Field::ALL.len(), 2, 1];

/// The width of a row's cells before each column, in bytes.
const BEFORE: [usize; COLUMNS + 1] = {
    let mut before = [0; COLUMNS + 1];
    let mut column = 0;
    while column < COLUMNS {
        before[column + 1] = before[column] + WIDTHS[column];
        column += 1;
    }
    before
};

/// The columns that hold offsets and lengths in the record of the row.
const PLACES: [Column; 5] =
    [Column::PathEnd, Column::OutlineAt, Column::OutlineLen, Column::UsesLen, Column::DetailsLen];

/// The location of a record's columns in its heap.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ColumnsAt {
    rows: u32,
    at: u64,
    len: u64,
    /// The CRC-32 of all columns.
    check: u32,
}

/// The columns of a record. The rows are sorted by version number.
pub(super) struct RecordColumns {
    map: Arc<Mmap>,
    /// The offset of the columns in the file.
    start: usize,
    rows: usize,
    /// The version numbers of the first and the last row.
    ends: Option<(u32, u32)>,
}

impl RecordColumns {
    /// Opens the columns at the location `at`; `None` when their checksum is wrong.
    pub fn open(map: &Arc<Mmap>, at: ColumnsAt) -> Option<RecordColumns> {
        let heap = Envelope::heap_of(map);
        let bytes = heap.get(at.at as usize..)?.get(..at.len as usize)?;
        let rows = at.rows as usize;
        let is_sound = cfg!(fuzzing) || crc32fast::hash(bytes) == at.check;
        let fits = bytes.len() >= rows * BEFORE[COLUMNS] && is_sound;
        let start = map.len() - heap.len() + at.at as usize;
        let mut columns = RecordColumns { map: Arc::clone(map), start, rows, ends: None };
        columns.ends = rows.checked_sub(1).filter(|_| fits).map(|last| (columns.id(0), columns.id(last)));
        fits.then_some(columns)
    }

    /// The version numbers of the first and the last row.
    pub fn ends(&self) -> Option<(u32, u32)> {
        self.ends
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of a version number.
    pub(crate) fn row_of(&self, id: u32) -> Option<usize> {
        let (first, last) = self.ends.filter(|(first, last)| (*first..=*last).contains(&id))?;
        // If the numbers are contiguous, the row follows from the number.
        let place = (id - first) as usize;
        if last - first == self.rows as u32 - 1 {
            return Some(place);
        }
        let (mut low, mut high) = (0, self.rows.min(place + 1));
        while low < high {
            let middle = low.midpoint(high);
            match self.id(middle).cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    #[inline]
    pub fn id(&self, row: usize) -> u32 {
        self.u32(Column::Id, row)
    }

    pub fn path(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.u32(Column::PathEnd, row - 1) as usize };
        let end = self.u32(Column::PathEnd, row) as usize;
        let paths = self.start + self.rows * BEFORE[COLUMNS];
        // The checksum proves that these are the bytes of a text as written.
        std::str::from_utf8(self.map.get(paths + start..paths + end).unwrap_or_default()).unwrap_or_default()
    }

    pub fn content(&self, row: usize) -> VersionContent {
        content(*self.cell(Column::Hash, row))
    }

    pub fn u64(&self, column: Column, row: usize) -> u64 {
        u64::from_le_bytes(*self.cell(column, row))
    }

    #[inline]
    pub fn u32(&self, column: Column, row: usize) -> u32 {
        u32::from_le_bytes(*self.cell(column, row))
    }

    #[inline]
    pub fn u16(&self, column: Column, row: usize) -> u16 {
        u16::from_le_bytes(*self.cell(column, row))
    }

    #[inline]
    pub fn u8(&self, column: Column, row: usize) -> u8 {
        self.cell::<1>(column, row)[0]
    }

    #[inline]
    pub fn lengths(&self, row: usize) -> [u32; Field::ALL.len()] {
        let cell = self.cell::<{ WIDTHS[Column::Lengths as usize] }>(Column::Lengths, row);
        let (numbers, _) = cell.as_chunks::<4>();
        std::array::from_fn(|field| u32::from_le_bytes(numbers[field]))
    }

    /// The bytes of a row's outline, including its checksum.
    pub fn outline(&self, row: usize) -> Option<&[u8]> {
        let (at, len) = (self.u64(Column::OutlineAt, row), self.u32(Column::OutlineLen, row));
        Envelope::heap_of(&self.map).get(at as usize..)?.get(..len as usize)
    }

    /// The bytes of a row's uses, including their checksum; empty if none are stored.
    pub fn uses(&self, row: usize) -> Option<&[u8]> {
        self.behind_outline(row, 0, Column::UsesLen)
    }

    /// The bytes of a row's details, including their checksum; empty if there are none.
    pub fn details(&self, row: usize) -> Option<&[u8]> {
        self.behind_outline(row, self.u32(Column::UsesLen, row), Column::DetailsLen)
    }

    /// Bytes that come `skipped` bytes after a row's outline, of which a column has the length.
    fn behind_outline(&self, row: usize, skipped: u32, len: Column) -> Option<&[u8]> {
        let behind = u64::from(self.u32(Column::OutlineLen, row)) + u64::from(skipped);
        let at = self.u64(Column::OutlineAt, row).checked_add(behind)?;
        Envelope::heap_of(&self.map).get(at as usize..)?.get(..self.u32(len, row) as usize)
    }

    #[inline]
    fn cell<const WIDTH: usize>(&self, column: Column, row: usize) -> &[u8; WIDTH] {
        debug_assert!(WIDTHS[column as usize] == WIDTH && row < self.rows);
        let at = self.start + self.rows * BEFORE[column as usize] + row * WIDTH;
        self.map[at..].first_chunk().expect("the columns were checked")
    }

    fn bytes_of(&self, column: usize, row: usize) -> &[u8] {
        let at = self.start + self.rows * BEFORE[column] + row * WIDTHS[column];
        &self.map[at..at + WIDTHS[column]]
    }
}

/// The first half of the stored hash of content that is not ranked. The second half is the key of the content.
fn path_only_mark() -> [u8; 8] {
    static MARK: OnceLock<[u8; 8]> = OnceLock::new();
    *MARK.get_or_init(|| *ContentHash::of(b"path-only").0.first_chunk().expect("a hash is longer"))
}

fn packed_content(content: VersionContent) -> [u8; 16] {
    match content {
        VersionContent::Ranked(hash) => hash.0,
        VersionContent::PathOnly(key) => {
            let mut packed = [0; 16];
            packed[..8].copy_from_slice(&path_only_mark());
            packed[8..].copy_from_slice(&key.0);
            packed
        }
    }
}

fn content(packed: [u8; 16]) -> VersionContent {
    let hash = ContentHash(packed);
    match packed.starts_with(&path_only_mark()) {
        true => VersionContent::PathOnly(PathOnlyKey::of(hash)),
        false => VersionContent::Ranked(hash),
    }
}

/// Columns that are being written, with the heap that contains their outlines and uses.
#[derive(Default)]
pub(super) struct ColumnsBuilder {
    cells: [Vec<u8>; COLUMNS],
    paths: String,
    heap: Vec<u8>,
}

impl ColumnsBuilder {
    /// Adds a row. Rows come in the order of their version numbers.
    pub fn push(&mut self, row: &VersionRow<'_>) {
        let notes = row.notes.iter().fold(0u8, |bits, note| bits | 1 << *note as u8);
        self.add(Column::Hash, &packed_content(row.content));
        self.add(Column::Bytes, &row.bytes.to_le_bytes());
        self.add(Column::Id, &row.id.0.to_le_bytes());
        self.add(Column::Lines, &row.lines.to_le_bytes());
        self.add(Column::Chunks, &row.chunks.to_le_bytes());
        self.add(Column::Symbols, &row.outline.symbols.to_le_bytes());
        for length in row.lengths {
            self.add(Column::Lengths, &length.to_le_bytes());
        }
        self.add(Column::Language, &row.language.0.to_le_bytes());
        self.add(Column::Notes, &[notes]);
        self.add_places(row.path, [&row.outline.bytes, &row.uses.bytes, &row.details.bytes]);
    }

    /// Adds a row of another record.
    pub fn copy(&mut self, from: &RecordColumns, row: usize) {
        let parts = [from.outline(row), from.uses(row), from.details(row)].map(Option::unwrap_or_default);
        self.copy_cells(|column| from.bytes_of(column, row), from.path(row), parts);
    }

    /// Adds a row of another builder.
    pub fn take(&mut self, from: &ColumnsBuilder, row: usize) {
        let cell = |column: usize| &from.cells[column][row * WIDTHS[column]..][..WIDTHS[column]];
        let number =
            |column: Column| u32::from_le_bytes(*cell(column as usize).first_chunk().expect("a cell"));
        let end = number(Column::PathEnd) as usize;
        let start = row.checked_sub(1).map_or(0, |row| from.path_end(row));
        let at =
            u64::from_le_bytes(*cell(Column::OutlineAt as usize).first_chunk().expect("a cell")) as usize;
        let mut rest = &from.heap[at..];
        let parts = [Column::OutlineLen, Column::UsesLen, Column::DetailsLen].map(|column| {
            let (part, behind) = rest.split_at(number(column) as usize);
            rest = behind;
            part
        });
        self.copy_cells(cell, &from.paths[start..end], parts);
    }

    fn path_end(&self, row: usize) -> usize {
        let (ends, _) = self.cells[Column::PathEnd as usize].as_chunks::<4>();
        u32::from_le_bytes(ends[row]) as usize
    }

    /// The version numbers of the rows, in order.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let (ids, _) = self.cells[Column::Id as usize].as_chunks::<4>();
        ids.iter().map(|id| u32::from_le_bytes(*id))
    }

    fn copy_cells<'c>(&mut self, cell: impl Fn(usize) -> &'c [u8], path: &str, parts: [&[u8]; 3]) {
        for (column, cells) in self.cells.iter_mut().enumerate() {
            if !PLACES.iter().any(|place| *place as usize == column) {
                cells.extend_from_slice(cell(column));
            }
        }
        self.add_places(path, parts);
    }

    /// Adds the path of a row, and its outline, uses and details.
    fn add_places(&mut self, path: &str, parts: [&[u8]; 3]) {
        self.paths.push_str(path);
        self.add(Column::PathEnd, &(self.paths.len() as u32).to_le_bytes());
        self.add(Column::OutlineAt, &(self.heap.len() as u64).to_le_bytes());
        let lengths = [Column::OutlineLen, Column::UsesLen, Column::DetailsLen];
        for (column, part) in lengths.into_iter().zip(parts) {
            self.add(column, &(part.len() as u32).to_le_bytes());
            self.heap.extend_from_slice(part);
        }
    }

    fn add(&mut self, column: Column, bytes: &[u8]) {
        self.cells[column as usize].extend_from_slice(bytes);
    }

    /// The heap with the columns at its end, and their location.
    pub fn finish(self) -> (Vec<u8>, ColumnsAt) {
        let ColumnsBuilder { cells, paths, mut heap } = self;
        let rows = cells[Column::Notes as usize].len() as u32;
        let at = heap.len();
        cells.iter().for_each(|cells| heap.extend_from_slice(cells));
        heap.extend_from_slice(paths.as_bytes());
        let columns = &heap[at..];
        let place =
            ColumnsAt { rows, at: at as u64, len: columns.len() as u64, check: crc32fast::hash(columns) };
        (heap, place)
    }
}
