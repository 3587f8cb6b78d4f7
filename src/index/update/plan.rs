//! The plan of an update: the tree as walked is compared with the view as recorded. Stat data decides. A file whose
//! stat data changed is read and hashed later, and parsed only if its content is new.

use crate::meta::{Meta, RecordedIdentity, SkippedEntry, Version, View, ViewEntry};
use spyhop_base::id::{VersionContent, VersionId};
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_files::walk::{Candidate, FileIdentity, Region, Walked};

/// The work of an update.
#[derive(Debug, Default)]
pub struct UpdatePlan {
    /// Files to be read, sorted by path.
    pub read: Vec<ReadTask>,
    /// Files that another view knows under their present stat data.
    pub adopted: Vec<Adopted>,
    /// Versions whose files are gone.
    pub deleted: Vec<VersionId>,
    /// Entries that stay skipped without being read: those that the walk left out, and files read before whose stat
    /// data is unchanged. Sorted by path.
    pub skipped: Vec<SkippedEntry>,
    /// Whether `skipped` differs from the recorded list, as far as known without reading.
    pub skipped_moved: bool,
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
    pub path: RelPath,
    /// The file's stat data when walked, or the id of its blob.
    pub identity: FileIdentity,
    /// Whether the user asks for the content, whatever its size and looks.
    pub wanted: bool,
    /// The version that the view holds for the file.
    pub old: Option<(VersionId, VersionContent)>,
}

/// The reasons to read a file although its stat data is unchanged.
#[derive(Clone, Copy)]
pub struct ReadAgain<'a> {
    /// Whether git tracks a file. Such a file is never skipped for looking generated or minified, so a file that was skipped
    /// for that and is tracked now has to be read again.
    pub is_tracked: &'a dyn Fn(&RelPath) -> bool,
    /// Whether the file of a version is to be parsed again.
    pub is_due: &'a dyn Fn(Version<'_>) -> bool,
}

impl ReadAgain<'static> {
    /// No file is read again.
    pub const NOTHING: ReadAgain<'static> = ReadAgain { is_tracked: &|_| false, is_due: &|_| false };
}

/// The files that a view knows, by path.
pub(crate) struct SiblingView<'m> {
    live: Vec<Live<'m>>,
    /// The files that were skipped after they were read.
    passed: Vec<&'m SkippedEntry>,
}

#[derive(Clone, Copy)]
struct Live<'m> {
    path: &'m str,
    version: VersionId,
    /// Whether only the path is searched, because of the content.
    is_path_only: bool,
    identity: RecordedIdentity,
}

impl<'m> SiblingView<'m> {
    /// The files that `view`, a view of `meta`, knows, without those that are to be read again.
    pub fn new(meta: &'m Meta, view: &'m View, again: ReadAgain<'_>) -> SiblingView<'m> {
        let entries = view.entries().filter_map(|ViewEntry { version, identity }| {
            let recorded = meta.version(version).filter(|recorded| !recorded.is_text_only())?;
            let is_path_only = recorded.content().is_path_only();
            let identity = if (again.is_due)(recorded) { RecordedIdentity::Unproven } else { identity };
            Some(Live { path: recorded.path(), version, is_path_only, identity })
        });
        // Growing the vector would touch new pages at each step.
        let mut live: Vec<Live<'m>> = Vec::with_capacity(view.len());
        live.extend(entries);
        // Versions are numbered in path order, so the list consists of long sorted runs already.
        live.sort_by(|a, b| a.path.cmp(b.path));
        let by_looks = |entry: &SkippedEntry| {
            matches!(entry.skipped.reason, SkipReason::Generated | SkipReason::Minified)
        };
        let passed = view.skipped().iter().filter(|entry| {
            entry.identity.is_some() && !(by_looks(entry) && (again.is_tracked)(&entry.skipped.path))
        });
        SiblingView { live, passed: passed.collect() }
    }

    /// The entry of the view for the file at `path`, if it has this identity.
    fn knows(&self, path: &str, recorded: RecordedIdentity) -> Option<UnchangedFile<'m>> {
        let live = self.live.binary_search_by(|live| live.path.cmp(path)).ok();
        let passed = self.passed.binary_search_by(|entry| entry.skipped.path.as_str().cmp(path)).ok();
        UnchangedFile::of(
            live.map(|place| &self.live[place]),
            passed.map(|place| self.passed[place]),
            recorded,
        )
    }
}

/// A file that is unchanged by its stat data.
struct UnchangedFile<'m> {
    version: Option<VersionId>,
    /// The file's entry among the skipped.
    entry: Option<&'m SkippedEntry>,
}

impl<'m> UnchangedFile<'m> {
    /// The recorded version at the file's path, if it makes reading the file unnecessary.
    fn of(
        live: Option<&Live<'m>>,
        passed: Option<&'m SkippedEntry>,
        recorded: RecordedIdentity,
    ) -> Option<UnchangedFile<'m>> {
        let entry = passed.filter(|entry| entry.identity == Some(recorded));
        let Some(live) = live else { return entry.map(|_| UnchangedFile { version: None, entry }) };
        let still = live.identity == recorded && (entry.is_some() || !live.is_path_only);
        still.then_some(UnchangedFile { version: Some(live.version), entry })
    }
}

impl UpdatePlan {
    /// Compares the walked tree with `view`, a view of `meta`.
    pub fn new(walked: Walked, meta: &Meta, view: Option<&View>, again: ReadAgain<'_>) -> UpdatePlan {
        let none = View::default();
        let sibling = SiblingView::new(meta, view.unwrap_or(&none), again);
        // Both sides are sorted by path.
        let mut live = sibling.live.iter().peekable();
        let mut passed = sibling.passed.iter().copied().peekable();
        let mut plan = UpdatePlan::default();
        for Candidate { path, identity, wanted } in walked.candidates {
            while let Some(gone) = live.next_if(|live| live.path < path.as_str()) {
                plan.deleted.push(gone.version);
            }
            while passed.next_if(|entry| entry.skipped.path < path).is_some() {}
            let held = live.next_if(|live| live.path == path.as_str());
            let entry = passed.next_if(|entry| entry.skipped.path == path);
            if let Some(known) =
                UnchangedFile::of(held, entry, RecordedIdentity::stat_verified(identity, wanted))
            {
                plan.skipped.extend(known.entry.cloned());
                plan.unchanged += 1;
            } else {
                let content = |version| meta.version(version).map(|recorded| (version, recorded.content()));
                let old = held.and_then(|live| content(live.version));
                plan.read.push(ReadTask { path, identity, wanted, old });
            }
        }
        plan.deleted.extend(live.map(|live| live.version));
        plan.deleted.sort_unstable();
        plan.skipped
            .extend(walked.skipped.into_iter().map(|skipped| SkippedEntry { skipped, identity: None }));
        plan.sort_skipped(view);
        plan
    }

    /// The plan when nothing has changed since `view` was made.
    pub(crate) fn of_unchanged(view: &View) -> UpdatePlan {
        UpdatePlan { skipped: view.skipped().to_vec(), unchanged: view.len(), ..UpdatePlan::default() }
    }

    /// Compares the walked entries of `region` with `view`: nothing outside `region` has changed since `view` was made.
    pub(crate) fn of_some(
        walked: Walked,
        meta: &Meta,
        view: &View,
        region: &Region,
        again: ReadAgain<'_>,
    ) -> UpdatePlan {
        let is_inside = |entry: &ViewEntry| {
            meta.version(entry.version).is_some_and(|version| region.contains(version.path()))
        };
        let is_row_inside = |entry: &&SkippedEntry| region.contains(entry.skipped.path.as_str());
        let (rows, others): (Vec<_>, Vec<_>) = view.skipped().iter().partition(is_row_inside);
        let entries: Vec<ViewEntry> = view.entries().filter(is_inside).collect();
        let n_outside = view.len() - entries.len();
        let part = View::new(entries, rows.into_iter().cloned().collect());
        let mut plan = UpdatePlan::new(walked, meta, Some(&part), again);
        plan.unchanged += n_outside;
        plan.skipped.extend(others.into_iter().cloned());
        plan.sort_skipped(Some(view));
        plan
    }

    fn sort_skipped(&mut self, view: Option<&View>) {
        self.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        self.skipped_moved = view.is_none_or(|view| view.skipped() != self.skipped);
    }

    /// Adopts from another view what it knows of the files that would have to be read.
    pub(crate) fn take_from(&mut self, beside: &SiblingView<'_>) {
        let mut skipped = Vec::new();
        self.read.retain(|task| {
            let recorded = RecordedIdentity::stat_verified(task.identity, task.wanted);
            let Some(UnchangedFile { version, entry }) = beside.knows(task.path.as_str(), recorded) else {
                return true;
            };
            // A file that the view held and that is skipped now is rare enough to be read.
            if version.is_none() && task.old.is_some() {
                return true;
            }
            skipped.extend(entry.cloned());
            let old = task.old.map(|(version, _)| version);
            self.adopted.extend(
                version.map(|version| Adopted { entry: ViewEntry { version, identity: recorded }, old }),
            );
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
