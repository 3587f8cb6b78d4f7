//! One view of one commit, made ready for queries: files in place of versions, statistics that count only what the
//! view holds.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::evidence::Pool;
use super::{SearchError, place};

use crate::filter::Filter;
use crate::id::VersionId;
use crate::index::{Columns, IndexError};
use crate::meta::{Meta, Totals, Version, View, ViewInfo, ViewKey};
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
        let is_past = crate::path::split(path).0.split('/').any(place::is_past);
        let bits = [
            (Role::TEST, place::test_part(path).is_some()),
            (Role::COMPAT, place::compat_part(path).is_some()),
            (Role::GENERATED, place::generated_part(path).is_some()),
            (Role::PLATFORM, place::platform_part(path).is_some()),
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
    totals: Totals,
    /// Number of the first document of each segment, and the number of documents at the end.
    bases: Vec<u32>,
    /// The file of every document.
    files: Vec<u32>,
    /// The documents of every file; they stand together, because a thread adds a file as a whole.
    docs: Vec<Range<u32>>,
    /// How many terms the text of every file holds.
    lengths: Vec<[u32; 2]>,
    /// Whether the view holds every document of a segment, by segment.
    whole: Vec<bool>,
    /// What the path of every file says of it, once it has been asked: the bits of [`Role`] and [`ASKED`].
    roles: Vec<AtomicU8>,
    /// Evidence of earlier queries, whose memory later ones take.
    pool: Arc<Pool>,
}

impl Corpus {
    /// The view `key` of `committed`; `None` when there is no such view.
    pub fn new(committed: Arc<Committed>, key: &ViewKey) -> Result<Option<Corpus>, SearchError> {
        let Some(view) = committed.meta.view(key)? else { return Ok(None) };
        let versions: Vec<VersionId> =
            view.versions().iter().copied().filter(|id| committed.meta.version(*id).is_some()).collect();
        let totals = committed.meta.totals(view);
        // Numbers are never used again, so after a rebuild they begin far from 0.
        let lowest = versions.first().map_or(0, |id| id.0);
        let mut file_of = vec![NO_FILE; versions.last().map_or(0, |id| (id.0 - lowest) as usize + 1)];
        for (file, version) in versions.iter().enumerate() {
            file_of[(version.0 - lowest) as usize] = file as u32;
        }
        let (mut bases, mut whole) = (vec![0], Vec::new());
        let n_docs = committed.reader.segments().iter().map(|segment| segment.max_doc() as usize).sum();
        let mut files = Vec::with_capacity(n_docs);
        for segment in committed.reader.segments() {
            let deletes = segment.has_deletes();
            let mut is_whole = true;
            let mut docs = 0..segment.max_doc();
            segment.for_each_version(|version| {
                // Below the lowest it wraps past the end.
                let file = file_of.get(version.wrapping_sub(lowest) as usize).copied().unwrap_or(NO_FILE);
                let live =
                    docs.next().is_some_and(|doc| file != NO_FILE && (!deletes || segment.is_live(doc)));
                files.push(if live { file } else { NO_FILE });
                is_whole &= live;
            })?;
            whole.push(is_whole);
            bases.push(files.len() as u32);
        }
        let mut docs = vec![0..0; versions.len()];
        for (doc, file) in files.iter().enumerate().filter(|(_, file)| **file != NO_FILE) {
            let range: &mut Range<u32> = &mut docs[*file as usize];
            let is_first = range.end == 0;
            *range = if is_first { doc as u32 } else { range.start }..doc as u32 + 1;
        }
        let length = |id: &VersionId| {
            let lengths = committed.meta.version(*id).map(|version| version.lengths()).unwrap_or_default();
            [lengths[Field::Body as usize], lengths[Field::Symbol as usize]]
        };
        let lengths = versions.iter().map(length).collect();
        let roles = versions.iter().map(|_| AtomicU8::default()).collect();
        let pool = Arc::default();
        let key = key.clone();
        Ok(Some(Corpus { key, versions, totals, bases, files, docs, lengths, whole, roles, pool, committed }))
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
        self.files.len()
    }

    /// The view's sums.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The version of a file.
    pub fn version(&self, file: u32) -> Version<'_> {
        self.meta().version(self.versions[file as usize]).expect("checked when the corpus was made")
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
        &self.files
    }

    /// The file of every document of a segment.
    pub(super) fn files_of(&self, segment: usize) -> &[u32] {
        &self.files[self.bases[segment] as usize..self.bases[segment + 1] as usize]
    }

    /// The documents of a file.
    pub fn docs(&self, file: u32) -> Range<u32> {
        self.docs[file as usize].clone()
    }

    /// How many terms the text of a file holds.
    pub(super) fn length(&self, field: Field, file: u32) -> u32 {
        self.lengths[file as usize][(field == Field::Symbol) as usize]
    }

    /// Whether the view holds every document of a segment.
    pub(super) fn is_whole(&self, segment: usize) -> bool {
        self.whole[segment]
    }

    /// Where evidence comes from and goes to.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The number of the first document of a segment.
    pub(super) fn base(&self, segment: usize) -> u32 {
        self.bases[segment]
    }

    /// The path of the file of a document.
    pub fn path_of(&self, doc: u32) -> &str {
        self.path(self.files[doc as usize])
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
        let segment = self.bases.partition_point(|base| *base <= doc) - 1;
        (segment, doc - self.bases[segment])
    }
}
