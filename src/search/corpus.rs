//! One view of one commit, made ready for queries: files in place of versions, statistics that count only what the
//! view holds.

mod documents;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use documents::Documents;

use super::evidence::Pool;
use super::{SearchError, role};
use crate::parallel;

use crate::filter::Filter;
use crate::id::VersionId;
use crate::index::{Columns, IndexError};
use crate::meta::{Meta, Totals, Version, VersionPlace, View, ViewInfo, ViewKey};
use crate::model::Field;
use crate::update::Committed;

/// In place of a file, for a document that the view does not hold.
pub const NO_FILE: u32 = u32::MAX;

/// What a path says of its file, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(u8);

/// Says that a file's role is known.
const ASKED: u8 = 0x80;

impl Role {
    pub const TEST: Role = Role(1);
    pub const COMPAT: Role = Role(2);
    pub const GENERATED: Role = Role(4);
    pub const PLATFORM: Role = Role(8);
    /// One of its folders speaks of a version or the past.
    pub const PAST: Role = Role(16);

    fn of(path: &str) -> Role {
        let is_past = crate::path::split(path).0.split('/').any(role::is_past);
        let bits = [
            (Role::TEST, role::test_part(path).is_some()),
            (Role::COMPAT, role::compat_part(path).is_some()),
            (Role::GENERATED, role::generated_part(path).is_some()),
            (Role::PLATFORM, role::platform_part(path).is_some()),
            (Role::PAST, is_past),
        ];
        Role(bits.iter().filter(|(_, is)| *is).fold(0, |all, (role, _)| all | role.0))
    }

    pub fn has(self, role: Role) -> bool {
        self.0 & role.0 != 0
    }
}

/// A view of a commit. Made once a generation, then shared by all queries.
pub struct Corpus {
    committed: Arc<Committed>,
    key: ViewKey,
    versions: Vec<VersionId>,
    /// Where each stands in the metadata.
    places: Vec<VersionPlace>,
    totals: Totals,
    documents: Documents,
    /// How many terms the text of every file holds.
    lengths: Vec<[u32; 2]>,
    /// What the path of every file says of it, once it has been asked: the bits of [`Role`] and [`ASKED`].
    roles: Vec<AtomicU8>,
    /// Evidence of earlier queries, whose memory later ones take.
    pool: Arc<Pool>,
}

impl Corpus {
    /// The view `key` of `committed`; `None` when there is no such view.
    pub fn new(committed: Arc<Committed>, key: &ViewKey) -> Result<Option<Corpus>, SearchError> {
        let Some(view) = committed.meta.view(key)? else { return Ok(None) };
        let mut versions = Vec::with_capacity(view.len());
        let (mut places, mut lengths) = (Vec::with_capacity(view.len()), Vec::with_capacity(view.len()));
        let mut totals = Totals::default();
        for version in committed.meta.versions_with(view.versions().iter().copied()) {
            let own = version.lengths();
            totals.add(version);
            versions.push(version.id());
            places.push(version.place());
            lengths.push([own[Field::Body as usize], own[Field::Symbol as usize]]);
        }
        let documents = Documents::of(&committed.reader, &versions)?;
        let roles = versions.iter().map(|_| AtomicU8::default()).collect();
        let pool = Arc::default();
        let key = key.clone();
        Ok(Some(Corpus { key, versions, places, totals, documents, lengths, roles, pool, committed }))
    }

    /// The commit.
    pub fn committed(&self) -> &Committed {
        &self.committed
    }

    /// Which view it is.
    pub fn key(&self) -> &ViewKey {
        &self.key
    }

    /// The view.
    pub fn view(&self) -> &View {
        let view = self.committed.meta.view(&self.key).ok().flatten();
        view.expect("it was read when the corpus was made")
    }

    /// What is known of the view.
    pub fn info(&self) -> &ViewInfo {
        self.committed.meta.view_info(&self.key).expect("as above")
    }

    /// Its metadata.
    pub fn meta(&self) -> &Meta {
        &self.committed.meta
    }

    /// How many files the view holds.
    pub fn n_files(&self) -> usize {
        self.versions.len()
    }

    /// How many documents there are, live or not.
    pub(super) fn n_docs(&self) -> usize {
        self.documents.files.len()
    }

    /// Whether an answer is worked on by two threads.
    pub fn is_large(&self) -> bool {
        parallel::is_worthwhile(self.n_docs())
    }

    /// Makes the memory of earlier answers ready for the next ones, while there is time.
    pub fn sweep(&self) {
        self.pool.sweep();
    }

    /// The view's sums.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The version of a file.
    pub fn version(&self, file: u32) -> Version<'_> {
        self.meta().version_at(self.places[file as usize])
    }

    /// The file of a version, if the view holds it.
    pub fn file_of(&self, version: VersionId) -> Option<u32> {
        self.versions.binary_search(&version).ok().map(|file| file as u32)
    }

    /// The path of a file.
    pub fn path(&self, file: u32) -> &str {
        self.version(file).path()
    }

    /// What the path of a file says of it.
    pub(super) fn role(&self, file: u32) -> Role {
        let known = &self.roles[file as usize];
        match known.load(Relaxed) {
            0 => {
                let role = Role::of(self.path(file));
                known.store(role.0 | ASKED, Relaxed);
                role
            }
            role => Role(role & !ASKED),
        }
    }

    /// The file of every document, by document.
    pub(super) fn files(&self) -> &[u32] {
        &self.documents.files
    }

    /// The file of every document of a segment.
    pub(super) fn files_of(&self, segment: usize) -> &[u32] {
        &self.documents.files
            [self.documents.bases[segment] as usize..self.documents.bases[segment + 1] as usize]
    }

    /// Whether a file is found by its path only. No such file has a scored text, so the others are told at once.
    pub(super) fn is_path_only(&self, file: u32) -> bool {
        self.lengths[file as usize] == [0, 0] && crate::read::is_path_only(self.version(file).hash())
    }

    /// The documents of a file.
    pub fn docs(&self, file: u32) -> Range<u32> {
        self.documents.of_file[file as usize].clone()
    }

    /// How many terms the text of a file holds.
    pub(super) fn length(&self, field: Field, file: u32) -> u32 {
        self.lengths[file as usize][(field == Field::Symbol) as usize]
    }

    /// Whether the view holds every document of a segment.
    pub(super) fn is_whole(&self, segment: usize) -> bool {
        self.documents.whole[segment]
    }

    /// Where evidence comes from and goes to.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The number of the first document of a segment.
    pub(super) fn base(&self, segment: usize) -> u32 {
        self.documents.bases[segment]
    }

    /// The path of the file of a document.
    pub fn path_of(&self, doc: u32) -> &str {
        self.path(self.documents.files[doc as usize])
    }

    /// What the columns say of a document.
    pub fn columns(&self, doc: u32) -> Result<Columns, IndexError> {
        let (segment, within) = self.locate(doc);
        self.committed.reader.segments()[segment].columns(within)
    }

    /// Where a document begins in its file.
    pub fn start(&self, doc: u32) -> u32 {
        let (segment, within) = self.locate(doc);
        self.committed.reader.segments()[segment].start(within)
    }

    /// Whether a document begins on the line that the one before it, which is of the same file, ends on.
    pub(super) fn shares_line(&self, doc: u32) -> bool {
        match (self.columns(doc - 1), self.columns(doc)) {
            (Ok(before), Ok(own)) => own.lines.first <= before.lines.last,
            // Then it is left to the bytes.
            _ => true,
        }
    }

    /// Whether a document is of a kind that may answer.
    pub(super) fn is_of_kinds(&self, doc: u32, filter: &Filter) -> bool {
        filter.kinds().is_none() || {
            let (segment, within) = self.locate(doc);
            filter.takes_kinds(self.committed.reader.segments()[segment].kinds(within))
        }
    }

    /// The segment of a document and its number there.
    pub(super) fn locate(&self, doc: u32) -> (usize, u32) {
        let segment = self.documents.bases.partition_point(|base| *base <= doc) - 1;
        (segment, doc - self.documents.bases[segment])
    }
}
