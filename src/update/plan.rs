//! What an update has to do: the tree as walked against the view as recorded. Stat data decides; what has moved in
//! stat is read and hashed later, and parsed only if its content is new.

use rustc_hash::FxHashMap;

use crate::id::{ContentHash, VersionId};
use crate::meta::{Meta, SkippedEntry, StatRow, View, ViewEntry};
use crate::model::SkipReason;
use crate::path::RelPath;
use crate::read::path_only_hash;
use crate::walk::{Candidate, Stat, Walked};

/// What an update has to do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files to be read, by path.
    pub read: Vec<ReadTask>,
    /// Files that another view knows under their present stat data.
    pub adopted: Vec<Adopted>,
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

/// A file whose version is known without reading it.
#[derive(Clone, Copy, Debug)]
pub struct Adopted {
    /// The version, with the stat data of the file now.
    pub entry: ViewEntry,
    /// The version that the view held for it.
    pub old: Option<VersionId>,
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

/// What a view knows of its files, by path.
pub struct Beside<'m> {
    live: FxHashMap<&'m str, (VersionId, ContentHash, StatRow)>,
    /// Those that were left out after they were read.
    passed: FxHashMap<&'m str, &'m SkippedEntry>,
}

impl<'m> Beside<'m> {
    /// What `view`, which is one of `meta`, knows. What `is_tracked` keeps is not left out for its looks, so a file
    /// that was, and is kept now, has to be read again.
    pub fn new(meta: &'m Meta, view: &'m View, is_tracked: impl Fn(&RelPath) -> bool) -> Beside<'m> {
        let live = view.entries().iter().filter_map(|entry| {
            let version = meta.version(entry.version)?;
            Some((version.path(), (entry.version, version.hash(), entry.stat)))
        });
        let by_looks = |entry: &SkippedEntry| {
            matches!(entry.skipped.reason, SkipReason::Generated | SkipReason::Minified)
        };
        let passed = view
            .skipped()
            .iter()
            .filter(|entry| entry.stat.is_some() && !(by_looks(entry) && is_tracked(&entry.skipped.path)));
        Beside {
            live: live.collect(),
            passed: passed.map(|entry| (entry.skipped.path.as_str(), entry)).collect(),
        }
    }

    /// The version of the file at `path` and its entry among what is left out, if it is known under `row`.
    fn knows(&self, path: &RelPath, row: StatRow) -> Option<(Option<VersionId>, Option<&'m SkippedEntry>)> {
        let entry = self.passed.get(path.as_str()).filter(|entry| entry.stat == Some(row)).copied();
        match self.live.get(path.as_str()) {
            None => entry.map(|entry| (None, Some(entry))),
            Some(&(version, hash, recorded)) => {
                let is_path_only = hash == path_only_hash();
                let still = recorded == row && (entry.is_some() || !is_path_only);
                still.then_some((Some(version), entry))
            }
        }
    }
}

impl Plan {
    /// Compares what was walked with `view`, which is one of `meta`; `is_tracked` as for [`Beside::new`].
    pub fn new(
        walked: Walked,
        meta: &Meta,
        view: Option<&View>,
        is_tracked: impl Fn(&RelPath) -> bool,
    ) -> Plan {
        let none = View::default();
        let mut own = Beside::new(meta, view.unwrap_or(&none), is_tracked);
        let mut plan = Plan::default();
        for candidate in walked.candidates {
            plan.place(candidate, &mut own);
        }
        plan.deleted = own.live.into_values().map(|(version, ..)| version).collect();
        plan.deleted.sort_unstable();
        plan.skipped.extend(walked.skipped.into_iter().map(|skipped| SkippedEntry { skipped, stat: None }));
        plan.sort_skipped(view);
        plan
    }

    fn sort_skipped(&mut self, view: Option<&View>) {
        self.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        self.skipped_moved = view.is_none_or(|view| view.skipped() != self.skipped);
    }

    /// Takes from another view of the same worktree what it knows of the files that would have to be read.
    pub fn take_from(&mut self, beside: &Beside<'_>) {
        let mut skipped = Vec::new();
        self.read.retain(|task| {
            let row = stat_row(task.stat, task.wanted);
            let Some((version, entry)) = beside.knows(&task.path, row) else { return true };
            // A file that the view held and that is left out now is rare enough to be read.
            if version.is_none() && task.old.is_some() {
                return true;
            }
            skipped.extend(entry.cloned());
            let old = task.old.map(|(version, _)| version);
            self.adopted
                .extend(version.map(|version| Adopted { entry: ViewEntry { version, stat: row }, old }));
            false
        });
        if !skipped.is_empty() {
            self.skipped.append(&mut skipped);
            self.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
            self.skipped_moved = true;
        }
    }

    fn place(&mut self, candidate: Candidate, own: &mut Beside<'_>) {
        let Candidate { path, stat, wanted } = candidate;
        let known = own.knows(&path, stat_row(stat, wanted));
        let old = own.live.remove(path.as_str());
        match known {
            Some((_, entry)) => {
                self.skipped.extend(entry.cloned());
                self.unchanged += 1;
            }
            None => {
                let old = old.map(|(version, hash, _)| (version, hash));
                self.read.push(ReadTask { path, stat, wanted, old });
            }
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.adopted.is_empty() && self.deleted.is_empty() && !self.skipped_moved
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
