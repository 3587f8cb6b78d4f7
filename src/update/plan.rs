//! What an update has to do: the tree as walked against the view as recorded. Stat data decides; what has moved in
//! stat is read and hashed later, and parsed only if its content is new.

use crate::id::{ContentHash, VersionId};
use crate::meta::{FileStat, Meta, SkippedEntry, View, ViewEntry};
use crate::model::SkipReason;
use crate::path::RelPath;
use crate::read;
use crate::walk::{Candidate, Region, Stat, Walked};

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
pub struct SiblingView<'m> {
    live: Vec<Live<'m>>,
    /// Those that were left out after they were read.
    passed: Vec<&'m SkippedEntry>,
}

#[derive(Clone, Copy)]
struct Live<'m> {
    path: &'m str,
    version: VersionId,
    /// Whether nothing but the path is searched, because of what the content is.
    is_path_only: bool,
    stat: FileStat,
}

impl<'m> SiblingView<'m> {
    /// What `view`, which is one of `meta`, knows. What `is_tracked` keeps is not left out for its looks, so a file
    /// that was, and is kept now, has to be read again.
    pub fn new(meta: &'m Meta, view: &'m View, is_tracked: impl Fn(&RelPath) -> bool) -> SiblingView<'m> {
        let entries = view.entries().filter_map(|ViewEntry { version, stat }| {
            let recorded = meta.version(version).filter(|recorded| !recorded.is_text_only())?;
            let is_path_only = read::is_path_only(recorded.hash());
            Some(Live { path: recorded.path(), version, is_path_only, stat })
        });
        // A list that grows touches new pages at each step.
        let mut live: Vec<Live<'m>> = Vec::with_capacity(view.len());
        live.extend(entries);
        // Versions are numbered along the paths, so this is in long runs already.
        live.sort_by(|a, b| a.path.cmp(b.path));
        let by_looks = |entry: &SkippedEntry| {
            matches!(entry.skipped.reason, SkipReason::Generated | SkipReason::Minified)
        };
        let passed = view
            .skipped()
            .iter()
            .filter(|entry| entry.stat.is_some() && !(by_looks(entry) && is_tracked(&entry.skipped.path)));
        SiblingView { live, passed: passed.collect() }
    }

    /// What is known of the file at `path` under `row`.
    fn knows(&self, path: &str, row: FileStat) -> Option<Known<'m>> {
        let live = self.live.binary_search_by(|live| live.path.cmp(path)).ok();
        let passed = self.passed.binary_search_by(|entry| entry.skipped.path.as_str().cmp(path)).ok();
        Known::of(live.map(|place| &self.live[place]), passed.map(|place| self.passed[place]), row)
    }
}

/// A file whose stat data say that it is as a view has it.
struct Known<'m> {
    version: Option<VersionId>,
    /// Its entry among what is left out.
    entry: Option<&'m SkippedEntry>,
}

impl<'m> Known<'m> {
    /// From what is recorded at its path, if that is as good as reading the file.
    fn of(live: Option<&Live<'m>>, passed: Option<&'m SkippedEntry>, row: FileStat) -> Option<Known<'m>> {
        let entry = passed.filter(|entry| entry.stat == Some(row));
        let Some(live) = live else { return entry.map(|_| Known { version: None, entry }) };
        let still = live.stat == row && (entry.is_some() || !live.is_path_only);
        still.then_some(Known { version: Some(live.version), entry })
    }
}

impl Plan {
    /// Compares what was walked with `view`, which is one of `meta`; `is_tracked` as for [`SiblingView::new`].
    pub fn new(
        walked: Walked,
        meta: &Meta,
        view: Option<&View>,
        is_tracked: impl Fn(&RelPath) -> bool,
    ) -> Plan {
        let none = View::default();
        let own = SiblingView::new(meta, view.unwrap_or(&none), is_tracked);
        // Both sides are sorted by path.
        let mut live = own.live.iter().peekable();
        let mut passed = own.passed.iter().copied().peekable();
        let mut plan = Plan::default();
        for Candidate { path, stat, wanted } in walked.candidates {
            while let Some(gone) = live.next_if(|live| live.path < path.as_str()) {
                plan.deleted.push(gone.version);
            }
            while passed.next_if(|entry| entry.skipped.path < path).is_some() {}
            let held = live.next_if(|live| live.path == path.as_str());
            let entry = passed.next_if(|entry| entry.skipped.path == path);
            if let Some(known) = Known::of(held, entry, stat_row(stat, wanted)) {
                plan.skipped.extend(known.entry.cloned());
                plan.unchanged += 1;
            } else {
                let hash = |version| meta.version(version).map(|recorded| (version, recorded.hash()));
                let old = held.and_then(|live| hash(live.version));
                plan.read.push(ReadTask { path, stat, wanted, old });
            }
        }
        plan.deleted.extend(live.map(|live| live.version));
        plan.deleted.sort_unstable();
        plan.skipped.extend(walked.skipped.into_iter().map(|skipped| SkippedEntry { skipped, stat: None }));
        plan.sort_skipped(view);
        plan
    }

    /// That nothing has changed since `view` was made.
    pub fn of_unchanged(view: &View) -> Plan {
        Plan { skipped: view.skipped().to_vec(), unchanged: view.len(), ..Plan::default() }
    }

    /// Compares what was walked in `region` with `view`: nothing outside `region` has changed since `view` was made.
    pub fn of_some(
        walked: Walked,
        meta: &Meta,
        view: &View,
        region: &Region,
        is_tracked: impl Fn(&RelPath) -> bool,
    ) -> Plan {
        let is_inside = |entry: &ViewEntry| {
            meta.version(entry.version).is_some_and(|version| region.contains(version.path()))
        };
        let is_row_inside = |entry: &&SkippedEntry| region.contains(entry.skipped.path.as_str());
        let (rows, others): (Vec<_>, Vec<_>) = view.skipped().iter().partition(is_row_inside);
        let entries: Vec<ViewEntry> = view.entries().filter(is_inside).collect();
        let n_outside = view.len() - entries.len();
        let part = View::new(entries, rows.into_iter().cloned().collect());
        let mut plan = Plan::new(walked, meta, Some(&part), is_tracked);
        plan.unchanged += n_outside;
        plan.skipped.extend(others.into_iter().cloned());
        plan.sort_skipped(Some(view));
        plan
    }

    fn sort_skipped(&mut self, view: Option<&View>) {
        self.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        self.skipped_moved = view.is_none_or(|view| view.skipped() != self.skipped);
    }

    /// Takes from another view of the same worktree what it knows of the files that would have to be read.
    pub fn take_from(&mut self, beside: &SiblingView<'_>) {
        let mut skipped = Vec::new();
        self.read.retain(|task| {
            let row = stat_row(task.stat, task.wanted);
            let Some(Known { version, entry }) = beside.knows(task.path.as_str(), row) else { return true };
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

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.adopted.is_empty() && self.deleted.is_empty() && !self.skipped_moved
    }
}

/// Whether a file with this metadata has the content that it had when `row` was recorded: what an update trusts.
pub fn matches_stat(row: FileStat, metadata: &std::fs::Metadata) -> bool {
    let stat = crate::walk::stat(metadata);
    row != FileStat::default() && (row == stat_row(stat, false) || row == stat_row(stat, true))
}

/// Whether a blob of this name is the one that `row` was recorded for.
pub fn is_blob(row: FileStat, id: crate::tree::BlobId) -> bool {
    let stat = Stat::of_blob(row.0, id);
    row == stat_row(stat, false) || row == stat_row(stat, true)
}

/// Stat data as it is recorded. It has a bit that says whether the content is wanted, because a file that is asked
/// for, or no longer, has to be looked at again although nothing about it has changed. Inodes are counted from below
/// in every file system that is known, so their highest bit is free.
pub fn stat_row(stat: Stat, wanted: bool) -> FileStat {
    (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode ^ (u64::from(wanted) << 63))
}
