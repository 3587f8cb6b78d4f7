//! A view: the file versions that are live for one worktree, with the stat data that tells whether each still is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::VersionId;
use crate::model::Skipped;

/// A live file of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewEntry<S> {
    /// The version that is live.
    pub version: VersionId,
    /// The file's stat data when that version was read.
    pub stat: S,
}

/// Stat data as kept: size, modification and change time in nanoseconds, inode. All zero says that the file must be
/// read again, because it was modified so close to being read that its time proves nothing.
pub type StatRow = (u64, i64, i64, u64);

/// The live file versions of one worktree, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    entries: BTreeMap<VersionId, StatRow>,
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

/// What a commit changes in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewDelta {
    /// The view's key.
    pub key: String,
    /// Versions that are no longer live.
    pub removed: Vec<u32>,
    /// Versions that are live now, or whose stat data is new; as columns.
    pub version: Vec<u32>,
    /// Their stat data.
    pub stat: Vec<StatRow>,
    /// The whole list of what was left out, when it is another one.
    pub skipped: Option<Vec<SkippedEntry>>,
}

impl View {
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
        self.entries.keys().copied()
    }

    /// Its versions with their stat data.
    pub fn entries(&self) -> impl Iterator<Item = ViewEntry<StatRow>> + '_ {
        self.entries.iter().map(|(&version, &stat)| ViewEntry { version, stat })
    }

    /// The stat data of the file of a version that is live in it.
    pub fn stat(&self, version: VersionId) -> Option<StatRow> {
        self.entries.get(&version).copied()
    }

    /// Whether a version is live in it.
    pub fn holds(&self, version: VersionId) -> bool {
        self.entries.contains_key(&version)
    }

    /// What was seen and left out, by path.
    pub fn skipped(&self) -> &[SkippedEntry] {
        &self.skipped
    }

    pub(super) fn apply(&mut self, delta: ViewDelta) {
        for removed in delta.removed {
            self.entries.remove(&VersionId(removed));
        }
        let entries = delta.version.into_iter().map(VersionId).zip(delta.stat);
        if self.entries.is_empty() {
            // A base comes in order, and a map is built faster at once.
            self.entries = entries.collect();
        } else {
            self.entries.extend(entries);
        }
        if let Some(skipped) = delta.skipped {
            self.skipped = skipped;
        }
    }

    pub(super) fn as_delta(&self, key: &str) -> ViewDelta {
        ViewDelta {
            key: key.to_string(),
            removed: Vec::new(),
            version: self.entries.keys().map(|version| version.0).collect(),
            stat: self.entries.values().copied().collect(),
            skipped: Some(self.skipped.clone()),
        }
    }
}
