//! One view of one commit, opened for queries; or the views of several indexes, joined to be searched as one. Files have
//! consecutive numbers, and statistics count only documents of the views.

mod documents;
mod paths;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

pub use documents::NO_FILE;

use documents::Documents;
use paths::PathIndex;

use super::error::SearchError;
use super::evidence::columns::Pool;
use super::role;
use spyhop_base::parallel;

use crate::filter::Filter;
use spyhop_base::id::VersionId;
use spyhop_base::model::Field;
use spyhop_base::path::split;
use spyhop_index::inverted::{DocColumns, IndexError, SegmentList};
use spyhop_index::meta::{Meta, Totals, Version, VersionPlace, View, ViewInfo, ViewKey};
use spyhop_index::workspace::Committed;

/// The roles of a path, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathRole(u8);

/// The bit for a computed role.
const KNOWN: u8 = 0x80;

impl PathRole {
    pub(crate) const TEST: PathRole = PathRole(1);
    pub(crate) const COMPAT: PathRole = PathRole(2);
    pub(crate) const GENERATED: PathRole = PathRole(4);
    pub(crate) const PLATFORM: PathRole = PathRole(8);
    /// The path has a folder that denotes a version or old code.
    pub(crate) const PAST: PathRole = PathRole(16);

    fn from_path(path: &str) -> PathRole {
        let is_past = split(path).0.split('/').any(role::is_past);
        let bits = [
            (PathRole::TEST, role::test_part(path).is_some()),
            (PathRole::COMPAT, role::compat_part(path).is_some()),
            (PathRole::GENERATED, role::generated_part(path).is_some()),
            (PathRole::PLATFORM, role::platform_part(path).is_some()),
            (PathRole::PAST, is_past),
        ];
        PathRole(bits.iter().filter(|(_, is)| *is).fold(0, |all, (role, _)| all | role.0))
    }

    pub fn has(self, role: PathRole) -> bool {
        self.0 & role.0 != 0
    }
}

/// A view of a commit, or the joined views of several indexes. The snapshot is made once per generation, and all queries
/// share it.
///
/// A joined snapshot ranks as one index of all its files would: its segments, documents and totals are those of its
/// members.
pub struct SearchSnapshot {
    /// The views, in the order of their files. There is at least one.
    members: Vec<JoinedView>,
    /// The segments of all members.
    index: SegmentList,
    versions: Vec<VersionId>,
    /// By file: its place in the metadata of its member.
    places: Vec<VersionPlace>,
    totals: Totals,
    documents: Documents,
    /// By file: the number of terms in its text and in its symbols.
    lengths: Vec<[u32; 2]>,
    /// By file: the bits of [`PathRole`] and [`KNOWN`]; 0 until the role is computed.
    roles: Vec<AtomicU8>,
    /// Files by path.
    path_index: PathIndex,
    /// Evidence of earlier queries, whose memory is used again.
    pool: Arc<Pool>,
}

/// A view of a commit. Its files have adjacent numbers in the snapshot.
struct JoinedView {
    committed: Arc<Committed>,
    key: ViewKey,
    first_file: u32,
}

impl SearchSnapshot {
    /// Opens the view `key` of `committed`; `None` if the commit has no such view.
    pub fn new(committed: Arc<Committed>, key: &ViewKey) -> Result<Option<SearchSnapshot>, SearchError> {
        let Some(view) = committed.meta.view(key)? else { return Ok(None) };
        let mut versions = Vec::with_capacity(view.len());
        let (mut places, mut lengths) = (Vec::with_capacity(view.len()), Vec::with_capacity(view.len()));
        let mut totals = Totals::default();
        for version in committed.meta.versions_with(view.versions().iter().copied()) {
            let by_field = version.lengths();
            totals.add(version);
            versions.push(version.id());
            places.push(version.place());
            lengths.push([by_field[Field::Body as usize], by_field[Field::Symbol as usize]]);
        }
        let documents = Documents::new(&committed.reader, &versions)?;
        let roles = versions.iter().map(|_| AtomicU8::default()).collect();
        let pool = Arc::default();
        let index = SegmentList::clone(&committed.reader);
        let members = vec![JoinedView { committed, key: key.clone(), first_file: 0 }];
        let path_index = PathIndex::default();
        Ok(Some(SearchSnapshot {
            members,
            index,
            versions,
            places,
            totals,
            documents,
            lengths,
            roles,
            path_index,
            pool,
        }))
    }

    /// The snapshots of several indexes as one, with the files in the order of `parts`. `None` if there are more files or
    /// documents than 32-bit numbers.
    pub fn joined(parts: &[Arc<SearchSnapshot>]) -> Option<SearchSnapshot> {
        let mut members = Vec::with_capacity(parts.len());
        let mut totals = Totals::default();
        let mut first_file = 0u32;
        for part in parts {
            members.extend(part.members.iter().map(|member| JoinedView {
                committed: Arc::clone(&member.committed),
                key: member.key.clone(),
                first_file: first_file + member.first_file,
            }));
            totals.add_all(part.totals);
            first_file = first_file.checked_add(u32::try_from(part.n_files()).ok()?)?;
        }
        Some(SearchSnapshot {
            members,
            index: SegmentList::joined(parts.iter().map(|part| &part.index)),
            versions: parts.iter().flat_map(|part| part.versions.iter().copied()).collect(),
            places: parts.iter().flat_map(|part| part.places.iter().copied()).collect(),
            totals,
            documents: Documents::joined(parts.iter().map(|part| (&part.documents, part.n_files() as u32)))?,
            lengths: parts.iter().flat_map(|part| part.lengths.iter().copied()).collect(),
            roles: (0..first_file).map(|_| AtomicU8::default()).collect(),
            path_index: PathIndex::default(),
            pool: Arc::default(),
        })
    }

    /// The segments of all members.
    pub fn index(&self) -> &SegmentList {
        &self.index
    }

    /// Notes which blocks of the files of all members were compared, if that saves later processes much.
    pub fn note_checks(&self) {
        self.members.iter().for_each(|member| member.committed.reader.note_checks());
    }

    /// Releases the memory of the mapped files of all members.
    pub fn release_pages(&self) {
        let release = |member: &JoinedView| {
            member.committed.reader.release_pages();
            member.committed.meta.release_pages();
        };
        parallel::map(self.members.len() > 1, self.members.iter().collect(), release, || ());
    }

    pub fn member_of(&self, file: u32) -> usize {
        self.members.partition_point(|member| member.first_file <= file) - 1
    }

    pub fn first_file_of(&self, member: usize) -> u32 {
        self.members[member].first_file
    }

    /// The only member of a snapshot that is not joined.
    fn only_member(&self) -> &JoinedView {
        debug_assert_eq!(self.members.len(), 1, "a joined snapshot has several commits");
        &self.members[0]
    }

    /// The commit. The snapshot must not be joined, here and in the next four functions.
    pub fn committed(&self) -> &Committed {
        &self.only_member().committed
    }

    pub fn key(&self) -> &ViewKey {
        &self.only_member().key
    }

    pub fn view(&self) -> &View {
        let view = self.meta().view(self.key()).ok().flatten();
        view.expect("it was read when the snapshot was made")
    }

    pub fn info(&self) -> &ViewInfo {
        self.meta().view_info(self.key()).expect("as above")
    }

    pub fn meta(&self) -> &Meta {
        &self.committed().meta
    }

    pub fn n_files(&self) -> usize {
        self.versions.len()
    }

    /// The number of documents, with deleted documents and documents of other views.
    pub(super) fn n_docs(&self) -> usize {
        self.documents.files.len()
    }

    /// Whether the snapshot is large enough for two threads per query.
    pub fn is_large(&self) -> bool {
        parallel::is_worthwhile(self.n_docs())
    }

    /// Clears the memory of earlier queries ahead of the next query.
    pub fn reset(&self) {
        self.pool.clear_used();
    }

    /// The sums over the view.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    pub fn version(&self, file: u32) -> Version<'_> {
        let member = if self.members.len() == 1 { 0 } else { self.member_of(file) };
        self.members[member].committed.meta.version_at(self.places[file as usize])
    }

    /// The file of a version, if the version is in the view. The snapshot must not be joined.
    pub fn file_of(&self, version: VersionId) -> Option<u32> {
        self.versions.binary_search(&version).ok().map(|file| file as u32)
    }

    pub fn path(&self, file: u32) -> &str {
        self.version(file).path()
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        (0..self.n_files()).map(|file| self.path(file as u32))
    }

    /// The file with exactly this path.
    pub fn file_at(&self, path: &str) -> Option<u32> {
        self.path_index.whole(self.paths()).files(path).find(|file| self.path(*file) == path)
    }

    /// The files with this name, in any folder.
    pub fn files_named(&self, name: &str) -> Vec<u32> {
        let files = self.path_index.name(self.paths()).files(name);
        files.filter(|file| split(self.path(*file)).1 == name).collect()
    }

    /// The files of a folder, without those of the folders below.
    pub fn files_in(&self, folder: &str) -> Vec<u32> {
        let files = self.path_index.folder(self.paths()).files(folder);
        files.filter(|file| split(self.path(*file)).0 == folder).collect()
    }

    /// The folders with files whose last part is `name`.
    pub fn folders_named(&self, name: &str) -> Vec<&str> {
        let folders =
            self.path_index.folder_name(self.paths()).files(name).map(|file| split(self.path(file)).0);
        folders.filter(|folder| split(folder).1 == name).collect()
    }

    pub(super) fn role(&self, file: u32) -> PathRole {
        let known = &self.roles[file as usize];
        match known.load(Relaxed) {
            0 => {
                let role = PathRole::from_path(self.path(file));
                known.store(role.0 | KNOWN, Relaxed);
                role
            }
            role => PathRole(role & !KNOWN),
        }
    }

    /// By document: its file, or [`NO_FILE`].
    pub(super) fn files(&self) -> &[u32] {
        &self.documents.files
    }

    /// By document of a segment: its file, or [`NO_FILE`].
    pub(super) fn files_of(&self, segment: usize) -> &[u32] {
        &self.documents.files
            [self.documents.bases[segment] as usize..self.documents.bases[segment + 1] as usize]
    }

    /// Whether a file is path-only. A path-only file has no scored terms, so the hash is read only for files without
    /// terms.
    pub(super) fn is_path_only(&self, file: u32) -> bool {
        self.lengths[file as usize] == [0, 0] && self.version(file).content().is_path_only()
    }

    pub fn docs(&self, file: u32) -> Range<u32> {
        self.documents.of_file[file as usize].clone()
    }

    /// The number of terms in the symbols of a file, or in its text.
    pub(super) fn length(&self, field: Field, file: u32) -> u32 {
        self.lengths[file as usize][(field == Field::Symbol) as usize]
    }

    /// Whether every document of a segment is in the view.
    pub(super) fn is_whole(&self, segment: usize) -> bool {
        self.documents.whole[segment]
    }

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The number of the first document of a segment.
    pub(super) fn base(&self, segment: usize) -> u32 {
        self.documents.bases[segment]
    }

    /// The file of a document that is in a view.
    pub fn file_of_doc(&self, doc: u32) -> u32 {
        self.documents.files[doc as usize]
    }

    pub fn path_of(&self, doc: u32) -> &str {
        self.path(self.file_of_doc(doc))
    }

    pub fn columns(&self, doc: u32) -> Result<DocColumns, IndexError> {
        let (segment, within) = self.locate(doc);
        self.index.segments()[segment].columns(within)
    }

    /// The byte at which a document begins in its file.
    pub fn start(&self, doc: u32) -> u32 {
        let (segment, within) = self.locate(doc);
        self.index.segments()[segment].start(within)
    }

    /// Whether a document begins on the last line of the document before it. Both documents must belong to one file.
    pub(super) fn shares_line(&self, doc: u32) -> bool {
        match (self.columns(doc - 1), self.columns(doc)) {
            (Ok(before), Ok(this)) => this.lines.first <= before.lines.last,
            // If the columns cannot be read, the literal pass decides.
            _ => true,
        }
    }

    /// Whether the filter admits a document by its kind.
    pub(super) fn is_of_kinds(&self, doc: u32, filter: &Filter) -> bool {
        filter.kinds().is_none() || {
            let (segment, within) = self.locate(doc);
            filter.takes_kinds(self.index.segments()[segment].kinds(within))
        }
    }

    /// The segment of a document, and its number within the segment.
    pub(super) fn locate(&self, doc: u32) -> (usize, u32) {
        let segment = self.documents.bases.partition_point(|base| *base <= doc) - 1;
        (segment, doc - self.documents.bases[segment])
    }
}
