//! All file versions and views of one commit, as the records hold them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::columns::{Column, RecordColumns};
use super::commit::{Commit, RecordRef};
use super::details::{self, Details};
use super::error::MetaError;
use super::outline::{self, Outline, SymbolNames};
use super::record_file::map_record;
use super::sources::Sources;
use super::table::{PartAt, RecordTable, TableChange};
use super::uses::StoredUses;
use super::versions::Versions;
use super::view::{VerifiedBytes, VersionsDelta, View, ViewInfo, ViewKey, ViewPart, assemble, live_versions};
use spyhop_base::id::{Generation, LanguageId, VersionContent, VersionId};
use spyhop_base::model::{Field, FieldLengths, Note};
use spyhop_base::store::{self, Envelope, FORMAT_VERSION};

#[cfg(any(test, feature = "testing"))]
thread_local! {
    /// The number of outlines that this thread has decoded.
    static OUTLINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The number of outlines that this thread has decoded.
#[cfg(any(test, feature = "testing"))]
pub fn outlines_read() -> usize {
    OUTLINES_READ.get()
}

/// The number of deltas above which they are folded: each costs opening a file.
const MAX_DELTAS: usize = 24;

/// All file versions and views of one commit.
pub struct Meta {
    pub(super) commit: Commit,
    pub(super) versions: Versions,
    views: BTreeMap<ViewKey, Chain>,
    heaps: Vec<Arc<memmap2::Mmap>>,
    sources: Option<Sources>,
}

/// A view as stored: the changes of each record. The view is assembled when it is requested.
#[derive(Default)]
struct Chain {
    info: ViewInfo,
    parts: Vec<PartRef>,
    view: OnceLock<View>,
}

#[derive(Clone, Copy)]
struct PartRef {
    heap: usize,
    place: PartAt,
}

impl Meta {
    /// Empty metadata, as before the first commit.
    pub fn empty(fingerprint: &str) -> Meta {
        let commit = Commit {
            format: FORMAT_VERSION,
            generation: Generation(0),
            fingerprint: fingerprint.to_string(),
            next_version: 0,
            records: Vec::new(),
            sources: None,
        };
        Meta::of(commit)
    }

    /// Empty metadata that follow `commit`, under other settings.
    pub fn after(commit: &Commit, fingerprint: &str) -> Meta {
        let mut meta = Meta::empty(fingerprint);
        meta.commit.generation = commit.generation;
        meta.commit.next_version = commit.next_version;
        meta
    }

    /// Reads the records that `commit` names in the folder `dir`.
    pub fn open(dir: &Path, commit: Commit) -> Result<Meta, MetaError> {
        let mut meta = Meta::of(commit);
        meta.sources = meta.commit.sources.as_ref().map(|record| Sources::open(dir, record)).transpose()?;
        for record in meta.commit.records.clone() {
            let path = dir.join(&record.name);
            let (table, map) = read_record(&path, &record)?;
            let map = Arc::new(map);
            let columns = RecordColumns::open(&map, table.versions);
            let reason = "its columns contradict their check".to_string();
            let columns = columns.ok_or(MetaError::Damaged { path, reason })?;
            meta.heaps.push(map);
            meta.apply(table, columns, meta.heaps.len() - 1);
        }
        Ok(meta)
    }

    fn of(commit: Commit) -> Meta {
        let (versions, views) = (Versions::default(), BTreeMap::new());
        Meta { commit, versions, views, heaps: Vec::new(), sources: None }
    }

    fn apply(&mut self, table: RecordTable, columns: RecordColumns, heap: usize) {
        self.versions.add(columns);
        self.versions.gone.extend(table.collected);
        for change in table.views {
            let TableChange::Set { info, from, part } = change.change else {
                self.views.remove(&change.key);
                continue;
            };
            let before = from.and_then(|from| self.views.get(&from));
            let mut parts = before.map(|chain| chain.parts.clone()).unwrap_or_default();
            parts.push(PartRef { heap, place: part });
            self.views.insert(change.key, Chain { info, parts, view: OnceLock::new() });
        }
    }

    /// Releases the memory of the mapped records.
    pub fn release_pages(&self) {
        self.heaps.iter().for_each(|map| store::release_pages(map));
    }

    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// The sources, if the index was imported without its tree; then there is nothing to compare it with.
    pub fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// The view of this key; `None` when there is none.
    pub fn view(&self, key: &ViewKey) -> Result<Option<&View>, MetaError> {
        let Some(chain) = self.views.get(key) else { return Ok(None) };
        if let Some(view) = chain.view.get() {
            return Ok(Some(view));
        }
        let read = |part: &PartRef| {
            let (versions, skipped) = (self.decoded(part, 0)?, self.decoded(part, 2)?);
            Ok(ViewPart { versions, identities: self.piece(part, 1)?, skipped })
        };
        let parts = chain.parts.iter().map(read).collect::<Result<Vec<_>, MetaError>>()?;
        let last = chain.parts.last().map_or(0, |part| part.heap);
        let view = assemble(parts).filter(|view| view.len() == chain.info.files as usize);
        let view = view.ok_or_else(|| self.damaged(last, "a view's parts contradict each other".into()))?;
        Ok(Some(chain.view.get_or_init(|| view)))
    }

    /// The versions of a view, increasing, without the rest of the view; empty when there is no such view.
    pub fn view_versions(&self, key: &ViewKey) -> Result<Vec<VersionId>, MetaError> {
        let parts = self.views.get(key).map_or(&[][..], |chain| &chain.parts);
        let parts = parts.iter().map(|part| self.decoded(part, 0));
        let parts = parts.collect::<Result<Vec<VersionsDelta>, _>>()?;
        Ok(live_versions(&parts).0)
    }

    /// The header data of a view, which are available without reading the view.
    pub fn view_info(&self, key: &ViewKey) -> Option<&ViewInfo> {
        self.views.get(key).map(|chain| &chain.info)
    }

    /// Stored bytes that belong to this view and to no other.
    pub(crate) fn bytes_of_view_alone(&self, key: &ViewKey) -> u64 {
        let place = |part: &PartRef| (part.heap, part.place.at);
        let others = self.views.iter().filter(|(other, _)| *other != key);
        let others: FxHashSet<_> = others.flat_map(|(_, chain)| chain.parts.iter().map(place)).collect();
        let parts = self.views.get(key).map_or(&[][..], |chain| &chain.parts);
        let unshared = parts.iter().filter(|part| !others.contains(&place(part)));
        unshared.flat_map(|part| part.place.lens).map(u64::from).sum()
    }

    /// The keys of all views, with their header data.
    pub fn views(&self) -> impl Iterator<Item = (&ViewKey, &ViewInfo)> {
        self.views.iter().map(|(key, chain)| (key, &chain.info))
    }

    /// One of the three pieces of a part of a view (versions, stat data, skipped entries), after its checksum was
    /// compared.
    fn piece(&self, part: &PartRef, piece: usize) -> Result<VerifiedBytes, MetaError> {
        let PartAt { at, lens } = part.place;
        // A sum that is too large lies outside of every heap.
        let add = |sum: u64, len: &u32| sum.saturating_add(u64::from(*len));
        let start = lens[..piece].iter().fold(at, add);
        let end = add(start, &lens[piece]);
        let map = &self.heaps[part.heap];
        let heap = Envelope::heap_of(map);
        let sealed = heap.get(start as usize..end as usize);
        let body = sealed.and_then(outline::checked);
        let body = body.ok_or_else(|| self.damaged(part.heap, "a part of a view".into()))?;
        let end = map.len() - heap.len() + end as usize;
        Ok(VerifiedBytes { map: Arc::clone(map), range: end - body.len()..end })
    }

    /// A piece of a part of a view, decoded.
    fn decoded<T: serde::de::DeserializeOwned>(&self, part: &PartRef, piece: usize) -> Result<T, MetaError> {
        let read = postcard::from_bytes(self.piece(part, piece)?.bytes());
        read.map_err(|error| self.damaged(part.heap, format!("a part of a view: {error}")))
    }

    /// Reads everything and compares the checksums: the outline, the uses and the details of every version, every part of every
    /// view, every source.
    pub fn verify(&self) -> Vec<MetaError> {
        let read = |version: Version<'_>| {
            let (mut names, mut minor) = (Vec::new(), Vec::new());
            version.details(&version.outline(&mut names)?, &mut minor).map(|_| ())
        };
        let outlines = self.versions().filter_map(|version| read(version).err());
        let uses = self.versions().filter_map(|version| version.uses().err());
        let views = self.views.keys().filter_map(|key| self.view(key).err());
        let lost = self.sources.as_ref().map_or(0, Sources::lost);
        let lost = self.commit.sources.as_ref().filter(|_| lost > 0).map(|record| MetaError::Damaged {
            path: PathBuf::from(&record.name),
            reason: format!("{lost} sources cannot be read"),
        });
        outlines.chain(uses).chain(views).chain(lost).collect()
    }

    fn damaged(&self, record: usize, reason: String) -> MetaError {
        MetaError::Damaged { path: PathBuf::from(&self.commit.records[record].name), reason }
    }

    /// The numbers of all file versions, increasing.
    pub fn version_ids(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.versions.rows().map(|(record, row)| VersionId(self.versions.records[record].id(row)))
    }

    /// The file versions, each with what is recorded about it.
    pub fn versions(&self) -> impl Iterator<Item = Version<'_>> {
        let version = |(record, row): (usize, usize)| Version {
            meta: self,
            columns: &self.versions.records[record],
            record,
            row,
        };
        self.versions.rows().map(version)
    }

    /// The file version with this number; `None` when it has been collected.
    pub fn version(&self, id: VersionId) -> Option<Version<'_>> {
        self.versions.row_of(id).map(|(columns, record, row)| Version { meta: self, columns, record, row })
    }

    /// The file version at a place that [`Version::place`] gave.
    pub fn version_at(&self, place: VersionPlace) -> Version<'_> {
        let (record, row) = (place.record as usize, place.row as usize);
        Version { meta: self, columns: &self.versions.records[record], record, row }
    }

    /// Whether deltas have outgrown their base, so that the next commit should write a new base.
    pub(crate) fn wants_folding(&self) -> bool {
        let lens: Vec<u64> = self.commit.records.iter().map(|record| record.len).collect();
        lens.len() > MAX_DELTAS
            || lens.iter().skip(1).sum::<u64>() > lens.first().copied().unwrap_or(0) + (64 << 10)
    }

    /// The file versions with these numbers, except the collected ones. Each search starts after the previous result,
    /// where most versions are when the numbers increase.
    pub fn versions_with<'m>(
        &'m self,
        ids: impl IntoIterator<Item = VersionId>,
    ) -> impl Iterator<Item = Version<'m>> {
        let mut last: Option<Version<'m>> = None;
        ids.into_iter().filter_map(move |id| {
            let next = last.and_then(|last| last.next()).filter(|next| next.id() == id);
            let found = match next {
                Some(next) => Some(next).filter(|_| self.versions.is_kept(id.0)),
                None => self.version(id),
            };
            last = found.or(last);
            found
        })
    }
}

/// Sums over a view, from which the BM25 statistics are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub files: u64,
    pub chunks: u64,
    /// The number of terms in each scored field.
    pub lengths: [u64; Field::ALL.len()],
}

impl Totals {
    pub fn add(&mut self, version: Version<'_>) {
        self.files += 1;
        self.chunks += u64::from(version.chunks());
        for (sum, len) in self.lengths.iter_mut().zip(version.lengths()) {
            *sum += u64::from(len);
        }
    }

    /// Adds the sums of another view.
    pub fn add_all(&mut self, other: Totals) {
        self.files += other.files;
        self.chunks += other.chunks;
        self.lengths.iter_mut().zip(other.lengths).for_each(|(sum, len)| *sum += len);
    }
}

/// The place of a file version in the metadata of one commit.
#[derive(Clone, Copy, Debug)]
pub struct VersionPlace {
    record: u32,
    row: u32,
}

/// A file version: a row of the columns.
#[derive(Clone, Copy)]
pub struct Version<'m> {
    meta: &'m Meta,
    columns: &'m RecordColumns,
    record: usize,
    row: usize,
}

impl<'m> Version<'m> {
    /// The next version in the same record.
    #[inline]
    fn next(self) -> Option<Version<'m>> {
        let row = self.row + 1;
        (row < self.columns.rows()).then_some(Version { row, ..self })
    }

    pub fn place(self) -> VersionPlace {
        VersionPlace { record: self.record as u32, row: self.row as u32 }
    }

    #[inline]
    pub fn id(self) -> VersionId {
        VersionId(self.columns.id(self.row))
    }

    pub fn path(self) -> &'m str {
        self.columns.path(self.row)
    }

    pub fn content(self) -> VersionContent {
        self.columns.content(self.row)
    }

    #[inline]
    pub fn language(self) -> LanguageId {
        LanguageId(self.columns.u16(Column::Language, self.row))
    }

    /// Whether only the text was indexed when the version was recorded.
    pub(crate) fn is_text_only(self) -> bool {
        self.notes().any(|note| note == Note::TextOnly)
    }

    /// Whether the structure is missing because the analysis was lost.
    pub(crate) fn is_quarantined(self) -> bool {
        self.notes().any(|note| note == Note::Quarantined)
    }

    pub fn notes(self) -> impl Iterator<Item = Note> {
        let bits = self.columns.u8(Column::Notes, self.row);
        Note::ALL.iter().copied().filter(move |note| bits & (1 << *note as u8) != 0)
    }

    /// The size of the source in bytes.
    pub fn bytes(self) -> u64 {
        self.columns.u64(Column::Bytes, self.row)
    }

    /// The number of lines in the source.
    pub fn lines(self) -> u32 {
        self.columns.u32(Column::Lines, self.row)
    }

    #[inline]
    pub fn chunks(self) -> u32 {
        self.columns.u32(Column::Chunks, self.row)
    }

    /// The number of names that the file defines.
    pub fn symbols(self) -> u32 {
        self.columns.u32(Column::Symbols, self.row)
    }

    /// The number of terms in each scored field.
    #[inline]
    pub fn lengths(self) -> FieldLengths {
        self.columns.lengths(self.row)
    }

    /// The decoded outline; its names are written into `names`.
    pub fn outline<'n>(self, names: &'n mut Vec<u8>) -> Result<Outline<'n>, MetaError>
    where
        'm: 'n,
    {
        #[cfg(any(test, feature = "testing"))]
        OUTLINES_READ.set(OUTLINES_READ.get() + 1);
        self.decoded(|bytes| Outline::decode(bytes, names))
    }

    /// The minor symbols, and which symbols of `outline` line rules found; the names are written into `names`.
    pub fn details<'n>(self, outline: &Outline<'n>, names: &'n mut Vec<u8>) -> Result<Details<'n>, MetaError>
    where
        'm: 'n,
    {
        let damaged = || self.meta.damaged(self.record, format!("the details of {}", self.path()));
        let bytes = self.columns.details(self.row).ok_or_else(damaged)?;
        Details::decode(bytes, outline, names).ok_or_else(damaged)
    }

    /// Whether line rules found the symbol in this place of the outline.
    pub fn is_by_rule(self, place: u32) -> bool {
        let marked = || self.columns.details(self.row).and_then(details::by_rule).unwrap_or_default().0;
        self.notes().any(|note| note == Note::ByRule) || marked().binary_search(&place).is_ok()
    }

    pub fn symbol_names(self) -> Result<SymbolNames<'m>, MetaError> {
        self.decoded(SymbolNames::decode)
    }

    /// The names of the minor symbols.
    pub fn minor_names(self) -> Result<SymbolNames<'m>, MetaError> {
        let damaged = || self.meta.damaged(self.record, format!("the details of {}", self.path()));
        self.columns.details(self.row).and_then(details::minor_names).ok_or_else(damaged)
    }

    /// The uses of names; `None` if none are stored, because only the path or the text of the file is indexed.
    pub fn uses(self) -> Result<Option<StoredUses>, MetaError> {
        let damaged = || self.meta.damaged(self.record, format!("the uses of {}", self.path()));
        let bytes = self.columns.uses(self.row).ok_or_else(damaged)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        StoredUses::decode(bytes).map(Some).ok_or_else(damaged)
    }

    fn decoded<T>(self, decode: impl FnOnce(&'m [u8]) -> Option<T>) -> Result<T, MetaError> {
        let damaged = || self.meta.damaged(self.record, format!("the outline of {}", self.path()));
        self.columns.outline(self.row).and_then(decode).ok_or_else(damaged)
    }
}

fn read_record(path: &Path, expected: &RecordRef) -> Result<(RecordTable, memmap2::Mmap), MetaError> {
    let (_, table, map) = map_record(path, expected)?;
    let table = postcard::from_bytes(&map[table]);
    let damaged =
        |error: postcard::Error| MetaError::Damaged { path: path.into(), reason: error.to_string() };
    Ok((table.map_err(damaged)?, map))
}
