//! A view: the file versions that are live for one worktree and branch, with the stat data that tells whether each
//! still is.

use serde::{Deserialize, Serialize};

use crate::id::VersionId;
use crate::model::Skipped;

/// Which view: the worktree, what is checked out there, and the settings that decide what is taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ViewKey {
    /// The path of the root.
    pub root: String,
    /// What is checked out: the name of a branch, `@` and a commit, or nothing outside git.
    pub head: String,
    /// A hash of the settings.
    pub settings: String,
    /// Whether it is what an update has got so far, which no finished answer comes from.
    pub staged: bool,
}

impl ViewKey {
    /// The key of what an update of this view has got so far.
    pub fn stage(&self) -> ViewKey {
        ViewKey { staged: true, ..self.clone() }
    }

    /// Whether both are of one worktree under the same settings.
    pub fn is_beside(&self, other: &ViewKey) -> bool {
        (&self.root, &self.settings) == (&other.root, &other.settings)
    }
}

/// What is known of a view without reading it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewInfo {
    /// When it was last written, in seconds since 1970.
    pub used: u64,
    /// The commit that was checked out then.
    pub commit: Option<String>,
    /// How many files it holds.
    pub files: u32,
    /// How many files the tree had, ranked or not, for what is staged: how far it is.
    pub of: u32,
}

/// A live file of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewEntry {
    /// The version that is live.
    pub version: VersionId,
    /// The file's stat data when that version was read.
    pub stat: StatRow,
}

/// Stat data as kept: size, modification and change time in nanoseconds, inode. All zero says that the file must be
/// read again, because it was modified so close to being read that its time proves nothing.
pub type StatRow = (u64, i64, i64, u64);

/// The live file versions of a worktree and branch, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// By version.
    entries: Vec<ViewEntry>,
    /// Sorted.
    skipped: Vec<SkippedEntry>,
}

/// An entry that was left out, with its stat data where it had to be read to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedEntry {
    /// What and why.
    pub skipped: Skipped,
    /// Its stat data, for a file that was read.
    pub stat: Option<StatRow>,
}

/// What makes one view of another, in three pieces that can be read one without the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ViewDelta {
    pub versions: VersionsDelta,
    /// The stat data of `versions.live`.
    pub stats: Vec<StatRow>,
    pub skipped: SkippedDelta,
}

/// Version numbers, each as the gap to the one before it: small numbers take few bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VersionsDelta {
    /// Versions that are no longer live.
    pub removed: Vec<u32>,
    /// Versions that are live now, or whose stat data is new.
    pub live: Vec<u32>,
}

/// What changes in the list of what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SkippedDelta {
    /// Places in the list of before that go, increasing.
    pub gone: Vec<u32>,
    /// Entries that come.
    pub new: Vec<SkippedEntry>,
}

impl View {
    /// A view of these files, in any order, with what was left out.
    pub fn new(mut entries: Vec<ViewEntry>, mut skipped: Vec<SkippedEntry>) -> View {
        entries.sort_unstable_by_key(|entry| entry.version);
        skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        View { entries, skipped }
    }

    /// How many files it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds no file.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Its versions, increasing.
    pub fn versions(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.entries.iter().map(|entry| entry.version)
    }

    /// Its versions with their stat data, increasing.
    pub fn entries(&self) -> &[ViewEntry] {
        &self.entries
    }

    /// The stat data of the file of a version that is live in it.
    pub fn stat(&self, version: VersionId) -> Option<StatRow> {
        let place = self.entries.binary_search_by_key(&version, |entry| entry.version).ok()?;
        Some(self.entries[place].stat)
    }

    /// What was seen and left out, by path.
    pub fn skipped(&self) -> &[SkippedEntry] {
        &self.skipped
    }

    /// What makes this view of `before`.
    pub(super) fn since(&self, before: &View) -> ViewDelta {
        let mut delta = ViewDelta::default();
        let (mut removed, mut live) = (Vec::new(), Vec::new());
        let mut old = before.entries.iter().peekable();
        for entry in &self.entries {
            while let Some(gone) = old.next_if(|old| old.version < entry.version) {
                removed.push(gone.version.0);
            }
            if old.next_if(|old| old.version == entry.version) != Some(entry) {
                live.push(entry.version.0);
                delta.stats.push(entry.stat);
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

/// Versions, each with the row that says so last, when all `parts` are taken together: what is removed has none.
pub(super) fn live_versions(parts: &[VersionsDelta]) -> Vec<(VersionId, Row)> {
    let Some((base, later)) = parts.split_first() else { return Vec::new() };
    let mut rows: Vec<(VersionId, Row)> = Vec::with_capacity(base.live.len());
    rows.extend(numbers(&base.live).enumerate().map(|(row, id)| (VersionId(id), Row { part: 0, row })));
    let mut moved: std::collections::BTreeMap<u32, Option<Row>> = std::collections::BTreeMap::new();
    for (part, delta) in (1..).zip(later) {
        moved.extend(numbers(&delta.removed).map(|id| (id, None)));
        moved.extend(numbers(&delta.live).enumerate().map(|(row, id)| (id, Some(Row { part, row }))));
    }
    if moved.is_empty() {
        return rows;
    }
    rows.retain(|(id, _)| !moved.contains_key(&id.0));
    rows.extend(moved.into_iter().filter_map(|(id, row)| Some((VersionId(id), row?))));
    rows.sort_unstable_by_key(|(id, _)| *id);
    rows
}

/// Where the stat data of a version stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub part: usize,
    pub row: usize,
}

/// The view that `parts` make one after the other; `None` when they contradict each other.
pub(super) fn assemble(parts: Vec<ViewDelta>) -> Option<View> {
    let mut skipped: Vec<SkippedEntry> = Vec::new();
    let (mut versions, mut stats) = (Vec::new(), Vec::new());
    for ViewDelta { versions: own, stats: rows, skipped: delta } in parts {
        let mut gone = delta.gone.into_iter().peekable();
        let mut place = 0;
        skipped.retain(|_| {
            place += 1;
            gone.next_if_eq(&(place - 1)).is_none()
        });
        if gone.next().is_some() || own.live.len() != rows.len() {
            return None;
        }
        if !delta.new.is_empty() {
            skipped.extend(delta.new);
            skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        }
        versions.push(own);
        stats.push(rows);
    }
    let entry = |(version, Row { part, row })| ViewEntry { version, stat: stats[part][row] };
    let entries = live_versions(&versions).into_iter().map(entry).collect();
    Some(View { entries, skipped })
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
