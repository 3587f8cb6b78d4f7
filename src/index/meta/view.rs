//! A view: the file versions that are live for one worktree and branch, with the identities that tell whether each
//! file is still current.

use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::head::{RevisionHead, ViewHead};
use super::identity::{PackedIdentity, RecordedIdentity};
use spyhop_base::id::VersionId;
use spyhop_base::model::Skipped;

/// The key of a view: the worktree, the checked-out head, and the settings that decide which files are included.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ViewKey {
    pub root: String,
    /// The checked-out head, or the revision whose files the view holds.
    pub head: ViewHead,
    /// A hash of the settings.
    pub settings: String,
    /// Whether the view is the progress of an unfinished update.
    pub staged: bool,
}

impl ViewKey {
    /// The key of the staged view of an update of this view.
    pub fn stage(&self) -> ViewKey {
        ViewKey { staged: true, ..self.clone() }
    }

    /// Whether the files are those of a commit.
    pub fn is_of_commit(&self) -> bool {
        matches!(self.head, ViewHead::Revision(_))
    }

    /// The full name of the branch or tag.
    pub fn reference(&self) -> Option<String> {
        match &self.head {
            ViewHead::Branch(name) => Some(format!("refs/heads/{name}")),
            ViewHead::Revision(RevisionHead::Reference(name)) => Some(name.clone()),
            ViewHead::Commit(_) | ViewHead::Revision(RevisionHead::Commit(_)) | ViewHead::None => None,
        }
    }

    /// Whether both views are of one worktree under the same settings.
    pub fn is_beside(&self, other: &ViewKey) -> bool {
        (&self.root, &self.settings) == (&other.root, &other.settings)
    }
}

/// Header data of a view, which are available without reading the view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewInfo {
    /// When the view was last written, in seconds since 1970.
    pub used: u64,
    /// The commit that was checked out at that time.
    pub commit: Option<String>,
    pub files: u32,
    /// For a staged view, the number of files in the tree, ranked or not, which shows the progress.
    pub of: u32,
    /// How many of the files are indexed by their text only so far.
    pub text_only: u32,
}

/// A live file of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewEntry {
    /// The version that is live.
    pub version: VersionId,
    /// The file's identity when that version was read.
    pub identity: RecordedIdentity,
}

/// The live file versions of a worktree and branch, and the files that are not indexed or only partly indexed.
#[derive(Clone, Default)]
pub struct View {
    /// The live versions, increasing.
    versions: Vec<VersionId>,
    /// The identity of each file.
    identities: Identities,
    /// The skipped entries, sorted.
    skipped: Vec<SkippedEntry>,
}

/// Identities, in memory or in a mapped record.
#[derive(Clone)]
enum Identities {
    Own(Vec<RecordedIdentity>),
    Kept { pieces: Vec<VerifiedBytes>, rows: Vec<IdentityRow> },
}

impl Default for Identities {
    fn default() -> Identities {
        Identities::Own(Vec::new())
    }
}

/// The size of a stored identity in bytes: four numbers of eight bytes, little endian.
const IDENTITY_BYTES: usize = 32;

/// Bytes of a record whose checksum was compared.
#[derive(Clone)]
pub(super) struct VerifiedBytes {
    pub map: Arc<Mmap>,
    pub range: Range<usize>,
}

impl VerifiedBytes {
    pub fn bytes(&self) -> &[u8] {
        &self.map[self.range.clone()]
    }

    fn identity(&self, row: usize) -> RecordedIdentity {
        let (cells, _) = self.bytes()[row * IDENTITY_BYTES..][..IDENTITY_BYTES].as_chunks::<8>();
        let [size, modified, changed, inode] = [cells[0], cells[1], cells[2], cells[3]];
        let (modified, changed) = (i64::from_le_bytes(modified), i64::from_le_bytes(changed));
        (u64::from_le_bytes(size), modified, changed, u64::from_le_bytes(inode)).into()
    }
}

/// The stored form of identities.
pub(super) fn packed_identities(rows: &[RecordedIdentity]) -> Vec<u8> {
    let cells = rows.iter().flat_map(|recorded| {
        let (size, modified, changed, inode) = PackedIdentity::from(*recorded);
        [size.to_le_bytes(), modified.to_le_bytes(), changed.to_le_bytes(), inode.to_le_bytes()]
    });
    cells.flatten().collect()
}

/// A file that is not indexed or only partly indexed, with its identity if it had to be read to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedEntry {
    pub skipped: Skipped,
    /// The identity of a file that was read.
    pub identity: Option<RecordedIdentity>,
}

/// A part of a view, as read.
pub(super) struct ViewPart {
    pub versions: VersionsDelta,
    /// The identities of the files of `versions.live`.
    pub identities: VerifiedBytes,
    pub skipped: SkippedDelta,
}

/// The difference between two views, in three pieces that can be read separately.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ViewDelta {
    pub versions: VersionsDelta,
    /// The identities of the files of `versions.live`.
    pub identities: Vec<RecordedIdentity>,
    pub skipped: SkippedDelta,
}

/// Version numbers, each as the gap from the one before: small numbers take few bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VersionsDelta {
    /// Versions that are no longer live.
    pub removed: Vec<u32>,
    /// Versions that are live now, or that have a new identity.
    pub live: Vec<u32>,
}

/// The difference between two lists of skipped entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SkippedDelta {
    /// The positions of removed entries in the previous list, increasing.
    pub gone: Vec<u32>,
    /// Added entries.
    pub new: Vec<SkippedEntry>,
}

impl View {
    /// A view of these files, in any order, with the skipped entries.
    pub fn new(mut entries: Vec<ViewEntry>, mut skipped: Vec<SkippedEntry>) -> View {
        entries.sort_unstable_by_key(|entry| entry.version);
        skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        let versions = entries.iter().map(|entry| entry.version).collect();
        let identities = Identities::Own(entries.iter().map(|entry| entry.identity).collect());
        View { versions, identities, skipped }
    }

    /// This view with unproven identities, as for another machine: every file is read before it counts as
    /// unchanged.
    pub fn unproven(&self) -> View {
        let entries =
            self.versions.iter().map(|&version| ViewEntry { version, identity: RecordedIdentity::Unproven });
        let skipped = self.skipped.iter().map(|entry| SkippedEntry {
            skipped: entry.skipped.clone(),
            identity: entry.identity.map(|_| RecordedIdentity::Unproven),
        });
        View::new(entries.collect(), skipped.collect())
    }

    pub fn len(&self) -> usize {
        self.versions.len()
    }

    /// Whether there are no files in the view.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// The live versions, increasing.
    pub fn versions(&self) -> &[VersionId] {
        &self.versions
    }

    /// The live versions with the identities of their files, increasing.
    pub fn entries(&self) -> impl Iterator<Item = ViewEntry> + '_ {
        (0..self.len()).map(|place| self.entry(place))
    }

    fn entry(&self, place: usize) -> ViewEntry {
        let identity = match &self.identities {
            Identities::Own(rows) => rows[place],
            Identities::Kept { pieces, rows } => {
                let IdentityRow { part, row } = rows[place];
                pieces[part as usize].identity(row as usize)
            }
        };
        ViewEntry { version: self.versions[place], identity }
    }

    /// Whether a version is live in the view.
    pub fn holds(&self, version: VersionId) -> bool {
        self.versions.binary_search(&version).is_ok()
    }

    /// The identity of the file of a version, if the version is live in the view.
    pub fn identity(&self, version: VersionId) -> Option<RecordedIdentity> {
        Some(self.entry(self.versions.binary_search(&version).ok()?).identity)
    }

    /// The skipped entries, by path.
    pub fn skipped(&self) -> &[SkippedEntry] {
        &self.skipped
    }

    /// The difference from `before` to this view.
    pub(super) fn since(&self, before: &View) -> ViewDelta {
        let mut delta = ViewDelta::default();
        let (mut removed, mut live) = (Vec::new(), Vec::new());
        let mut old = before.entries().peekable();
        for entry in self.entries() {
            while let Some(gone) = old.next_if(|old| old.version < entry.version) {
                removed.push(gone.version.0);
            }
            if old.next_if(|old| old.version == entry.version) != Some(entry) {
                live.push(entry.version.0);
                delta.identities.push(entry.identity);
            }
        }
        removed.extend(old.map(|gone| gone.version.0));
        delta.versions = VersionsDelta { removed: gaps(&removed), live: gaps(&live) };
        let mut old = before.skipped.iter().enumerate().peekable();
        for entry in &self.skipped {
            while let Some((place, _)) = old.next_if(|(_, old)| old.skipped < entry.skipped) {
                delta.skipped.gone.push(place as u32);
            }
            match old.next_if(|(_, old)| old.skipped == entry.skipped) {
                Some((_, old)) if old == entry => {}
                other => {
                    delta.skipped.gone.extend(other.map(|(place, _)| place as u32));
                    delta.skipped.new.push(entry.clone());
                }
            }
        }
        delta.skipped.gone.extend(old.map(|(place, _)| place as u32));
        delta
    }
}

/// The live versions after all `parts` were applied in order, each with the last row that sets it.
pub(super) fn live_versions<'d>(
    parts: impl IntoIterator<Item = &'d VersionsDelta>,
) -> (Vec<VersionId>, Vec<IdentityRow>) {
    let mut parts = (0..).zip(parts);
    let Some((_, base)) = parts.next() else { return Default::default() };
    // The changes of later parts, by number and then by part. They come in sorted runs, which a stable sort exploits.
    let mut moved: Vec<(u32, Option<IdentityRow>)> = Vec::new();
    for (part, delta) in parts {
        moved.extend(numbers(&delta.removed).map(|id| (id, None)));
        moved.extend((0..).zip(numbers(&delta.live)).map(|(row, id)| (id, Some(IdentityRow { part, row }))));
    }
    moved.sort_by_key(|(id, _)| *id);
    let mut moved = moved.chunk_by(|a, b| a.0 == b.0).filter_map(<[_]>::last).peekable();
    let most = base.live.len() + moved.size_hint().1.unwrap_or(0);
    let (mut versions, mut rows) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let mut push = |id: u32, row: IdentityRow| {
        versions.push(VersionId(id));
        rows.push(row);
    };
    for (row, id) in (0..).zip(numbers(&base.live)) {
        while let Some((other, row)) = moved.next_if(|(other, _)| *other < id) {
            row.iter().for_each(|row| push(*other, *row));
        }
        match moved.next_if(|(other, _)| *other == id) {
            Some((_, row)) => row.iter().for_each(|row| push(id, *row)),
            None => push(id, IdentityRow { part: 0, row }),
        }
    }
    moved.for_each(|(id, row)| row.iter().for_each(|row| push(*id, *row)));
    (versions, rows)
}

/// The location of the identity of a version's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IdentityRow {
    pub part: u32,
    pub row: u32,
}

/// Applies `parts` in order and returns the resulting view; `None` when they contradict each other.
pub(super) fn assemble(parts: Vec<ViewPart>) -> Option<View> {
    let mut skipped: Vec<SkippedEntry> = Vec::new();
    let (mut deltas, mut pieces) = (Vec::new(), Vec::new());
    for ViewPart { versions, identities, skipped: delta } in parts {
        let mut gone = delta.gone.into_iter().peekable();
        let mut place = 0;
        skipped.retain(|_| {
            place += 1;
            gone.next_if_eq(&(place - 1)).is_none()
        });
        if gone.next().is_some() || versions.live.len() * IDENTITY_BYTES != identities.range.len() {
            return None;
        }
        if !delta.new.is_empty() {
            skipped.extend(delta.new);
            skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        }
        deltas.push(versions);
        pieces.push(identities);
    }
    let (versions, rows) = live_versions(&deltas);
    Some(View { versions, identities: Identities::Kept { pieces, rows }, skipped })
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        self.entries().eq(other.entries()) && self.skipped == other.skipped
    }
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries: Vec<ViewEntry> = self.entries().collect();
        f.debug_struct("View").field("entries", &entries).field("skipped", &self.skipped).finish()
    }
}

fn gaps(numbers: &[u32]) -> Vec<u32> {
    let mut last = 0;
    numbers.iter().map(|number| number - std::mem::replace(&mut last, *number)).collect()
}

fn numbers(gaps: &[u32]) -> impl Iterator<Item = u32> + '_ {
    gaps.iter().scan(0u32, |last, gap| {
        *last = last.wrapping_add(*gap);
        Some(*last)
    })
}
