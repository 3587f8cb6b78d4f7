//! How the record of a commit is built and written.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::columns::ColumnsBuilder;
use super::commit::{Commit, RecordRef};
use super::metadata::Meta;
use super::outline::sealed;
use super::row::VersionRow;
use super::table::{PartAt, RecordTable, TableChange, ViewChange};
use super::view::{View, ViewDelta, ViewInfo, ViewKey, packed_identities};
use spyhop_base::id::{Generation, VersionId};
use spyhop_base::store::{self, Envelope, FileError};

/// The kind numbers in the envelopes.
const BASE: u32 = 1;
const DELTA: u32 = 2;

/// Builds the record of one commit.
#[derive(Default)]
pub(crate) struct RecordBuilder {
    versions: ColumnsBuilder,
    collected: Vec<u32>,
    views: Vec<(ViewKey, Option<NewView>)>,
}

/// The new state of a view.
struct NewView {
    info: ViewInfo,
    view: View,
    from: Option<ViewKey>,
}

impl RecordBuilder {
    /// An empty record.
    pub fn new() -> RecordBuilder {
        RecordBuilder::default()
    }

    /// Adds a new file version. Versions come in the order of their numbers.
    pub(crate) fn add_version(&mut self, row: &VersionRow<'_>) {
        self.versions.push(row);
    }

    /// Records that a version has been collected.
    pub fn collect(&mut self, version: VersionId) {
        self.collected.push(version.0);
    }

    /// Sets a view. Only its differences from `from`, a previous view, are written.
    pub(crate) fn set_view(&mut self, key: ViewKey, mut info: ViewInfo, view: View, from: Option<ViewKey>) {
        info.files = view.len() as u32;
        self.views.push((key, Some(NewView { info, view, from })));
    }

    pub(crate) fn drop_view(&mut self, key: ViewKey) {
        self.views.push((key, None));
    }

    /// Writes the record of the commit after `meta` into the folder `dir` and returns that commit. With `fold`, the
    /// record is a new base that holds everything and replaces all previous records.
    pub fn write(
        self,
        dir: &Path,
        meta: &Meta,
        fingerprint: &str,
        next_version: u32,
        fold: bool,
    ) -> Result<Commit, FileError> {
        let generation = Generation(meta.commit.generation.0 + 1);
        self.write_as(generation, dir, meta, (fingerprint, next_version, fold))
    }

    fn write_as(
        self,
        generation: Generation,
        dir: &Path,
        meta: &Meta,
        (fingerprint, next_version, fold): (&str, u32, bool),
    ) -> Result<Commit, FileError> {
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
            sources: None,
        })
    }

    /// Writes the record as a base into `dir`, the folder of `meta`, for a commit that comes after both `meta` and the
    /// generation `before` of an index that it replaces.
    pub(crate) fn write_after(
        self,
        dir: &Path,
        meta: &Meta,
        before: Generation,
    ) -> Result<Commit, FileError> {
        let Commit { generation, fingerprint, next_version, .. } = &meta.commit;
        let generation = Generation(before.max(*generation).0 + 1);
        self.write_as(generation, dir, meta, (fingerprint, *next_version, true))
    }

    fn delta(self, meta: &Meta) -> (RecordTable, Vec<u8>) {
        let RecordBuilder { versions, collected, views } = self;
        let (mut heap, versions) = versions.finish();
        let change = |(key, new): (ViewKey, Option<NewView>)| {
            let Some(NewView { info, view, from }) = new else {
                return ViewChange { key, change: TableChange::Gone };
            };
            // A view that cannot be read is not used as a base.
            let before = from.as_ref().and_then(|from| meta.view(from).ok().flatten());
            let delta = view.since(before.unwrap_or(&View::default()));
            let from = before.and(from);
            ViewChange { key, change: TableChange::Set { info, from, part: put(&mut heap, &delta) } }
        };
        let views = views.into_iter().map(change).collect();
        (RecordTable { versions, collected, views }, heap)
    }

    /// Everything that is live in `meta` and in this record, as one base.
    fn folded(self, meta: &Meta) -> (RecordTable, Vec<u8>) {
        let collected: FxHashSet<u32> = self.collected.iter().copied().collect();
        let mut versions = ColumnsBuilder::default();
        let mut new = self.versions.ids().enumerate().peekable();
        for (record, row) in meta.versions.rows() {
            let columns = &meta.versions.records[record];
            while let Some((row, _)) = new.next_if(|(_, id)| *id < columns.id(row)) {
                versions.take(&self.versions, row);
            }
            if !collected.contains(&columns.id(row)) {
                versions.copy(columns, row);
            }
        }
        new.for_each(|(row, _)| versions.take(&self.versions, row));
        let (mut heap, versions) = versions.finish();
        let changed = |key: &ViewKey| self.views.iter().any(|(other, _)| other == key);
        let mut views = Vec::new();
        let mut set = |key: &ViewKey, info: ViewInfo, view: &View| {
            let part = put(&mut heap, &view.since(&View::default()));
            views.push(ViewChange { key: key.clone(), change: TableChange::Set { info, from: None, part } });
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
        (RecordTable { versions, collected: Vec::new(), views }, heap)
    }
}

/// Appends the pieces of a delta to the heap, each with a checksum.
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
        piece(packed_identities(&delta.identities)),
        piece(postcard::to_stdvec(&delta.skipped).expect(plain)),
    ];
    PartAt { at, lens }
}
