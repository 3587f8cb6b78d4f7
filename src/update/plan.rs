//! What an update has to do: the tree as walked against the view as recorded. Stat data decides; what has moved in
//! stat is read and hashed later, and parsed only if its content is new.

use rustc_hash::FxHashMap;

use crate::id::{ContentHash, VersionId};
use crate::meta::{Meta, SkippedEntry, StatRow, View};
use crate::model::SkipReason;
use crate::path::RelPath;
use crate::read::path_only_hash;
use crate::walk::{Candidate, Stat, Walked};

/// What an update has to do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files to be read, by path.
    pub read: Vec<ReadTask>,
    /// Versions whose files are gone.
    pub deleted: Vec<VersionId>,
    /// What stays left out without being read: what the walk left out, and files read before whose stat has not
    /// moved. By path.
    pub skipped: Vec<SkippedEntry>,
    /// Whether that list differs from the recorded one, as far as known without reading.
    pub skipped_moved: bool,
    /// Files that have not moved.
    pub unchanged: usize,
}

/// A file to be read.
#[derive(Clone, Debug)]
pub struct ReadTask {
    /// Which one.
    pub path: RelPath,
    /// Its stat data when walked.
    pub stat: Stat,
    /// Whether the user asks for its content, whatever its size and looks.
    pub wanted: bool,
    /// The version that the view holds for it.
    pub old: Option<(VersionId, ContentHash)>,
}

impl Plan {
    /// Compares what was walked with `view`, which is one of `meta`. What `is_tracked` keeps is not left out for its
    /// looks, so a file that was, and is kept now, is read again.
    pub fn new(
        walked: Walked,
        meta: &Meta,
        view: Option<&View>,
        is_tracked: impl Fn(&RelPath) -> bool,
    ) -> Plan {
        let mut live: FxHashMap<&str, (VersionId, ContentHash, StatRow)> = FxHashMap::default();
        let mut passed: FxHashMap<&str, &SkippedEntry> = FxHashMap::default();
        for entry in view.into_iter().flat_map(View::entries) {
            if let Some(version) = meta.version(entry.version) {
                live.insert(version.path(), (entry.version, version.hash(), entry.stat));
            }
        }
        for entry in view.map_or(&[][..], View::skipped) {
            let by_looks = matches!(entry.skipped.reason, SkipReason::Generated | SkipReason::Minified);
            if entry.stat.is_some() && !(by_looks && is_tracked(&entry.skipped.path)) {
                passed.insert(entry.skipped.path.as_str(), entry);
            }
        }
        let mut plan = Plan::default();
        for candidate in walked.candidates {
            plan.place(candidate, &mut live, &passed);
        }
        plan.deleted = live.into_values().map(|(version, ..)| version).collect();
        plan.deleted.sort_unstable();
        plan.skipped.extend(walked.skipped.into_iter().map(|skipped| SkippedEntry { skipped, stat: None }));
        plan.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        plan.skipped_moved = view.is_none_or(|view| view.skipped() != plan.skipped);
        plan
    }

    fn place(
        &mut self,
        candidate: Candidate,
        live: &mut FxHashMap<&str, (VersionId, ContentHash, StatRow)>,
        passed: &FxHashMap<&str, &SkippedEntry>,
    ) {
        let Candidate { path, stat, wanted } = candidate;
        let row = stat_row(stat, wanted);
        let entry = passed.get(path.as_str()).filter(|entry| entry.stat == Some(row));
        let old = live.remove(path.as_str());
        let is_path_only = old.is_some_and(|(_, hash, _)| hash == path_only_hash());
        let still = old.is_some_and(|(.., recorded)| recorded == row) && (entry.is_some() || !is_path_only);
        if let Some(&entry) = entry
            && (still || old.is_none())
        {
            self.skipped.push(entry.clone());
        } else if !still {
            let old = old.map(|(version, hash, _)| (version, hash));
            self.read.push(ReadTask { path, stat, wanted, old });
            return;
        }
        self.unchanged += 1;
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.deleted.is_empty() && !self.skipped_moved
    }
}

/// Whether a file with this metadata has the content that it had when `row` was recorded: what an update trusts.
pub fn is_unmoved(row: StatRow, metadata: &std::fs::Metadata) -> bool {
    let stat = crate::walk::stat(metadata);
    row != StatRow::default() && (row == stat_row(stat, false) || row == stat_row(stat, true))
}

/// Stat data as it is recorded. It has a bit that says whether the content is wanted, because a file that is asked
/// for, or no longer, has to be looked at again although nothing about it has changed. Inodes are counted from below
/// in every file system that is known, so their highest bit is free.
pub fn stat_row(stat: Stat, wanted: bool) -> StatRow {
    (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode ^ (u64::from(wanted) << 63))
}
