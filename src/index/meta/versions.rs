//! The file versions of all records, in the order of their numbers.

use rustc_hash::FxHashSet;

use super::columns::RecordColumns;
use spyhop_base::id::VersionId;

/// The file versions of all records.
#[derive(Default)]
pub(super) struct Versions {
    pub(super) records: Vec<RecordColumns>,
    /// Collected versions: no view names them any more. Numbers are never reused, so no later record can bring them
    /// back.
    pub(super) gone: FxHashSet<u32>,
    /// Whether the numbers increase from record to record; after an interrupted build they may not.
    in_order: bool,
}

impl Versions {
    pub(super) fn add(&mut self, columns: RecordColumns) {
        let last = self.records.iter().rev().find_map(|record| record.ends());
        self.in_order = match (last, columns.ends()) {
            (Some((_, last)), Some((first, _))) => self.in_order && last < first,
            _ => self.in_order || self.records.is_empty(),
        };
        self.records.push(columns);
    }

    /// The rows that are not collected, by version number.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = || {
            let rows = |(record, columns): (usize, &RecordColumns)| {
                (0..columns.rows()).map(move |row| (record, row))
            };
            self.records.iter().enumerate().flat_map(rows)
        };
        let sorted = (!self.in_order).then(|| {
            let mut rows: Vec<(usize, usize)> = all().collect();
            rows.sort_by_key(|(record, row)| self.records[*record].id(*row));
            rows
        });
        let unsorted = sorted.is_none().then(all);
        let rows = sorted.into_iter().flatten().chain(unsorted.into_iter().flatten());
        rows.filter(|(record, row)| self.is_kept(self.records[*record].id(*row)))
    }

    pub(super) fn is_kept(&self, id: u32) -> bool {
        self.gone.is_empty() || !self.gone.contains(&id)
    }

    pub(super) fn row_of(&self, id: VersionId) -> Option<(&RecordColumns, usize, usize)> {
        let found = self
            .records
            .iter()
            .enumerate()
            .find_map(|(record, columns)| columns.row_of(id.0).map(|row| (columns, record, row)));
        found.filter(|_| self.is_kept(id.0))
    }
}
