//! The comparison of the tree with the view of a commit: what an update would do, and whether anything would change.

use rustc_hash::FxHashSet;

use super::error::UpdateError;
use super::plan::{ReadAgain, ReadTask, SiblingView, UpdatePlan};
use super::retries::Retries;
use super::unranked;
use super::updater::{Since, Updater};
use crate::meta::{Meta, MetaError, View, ViewKey};
use crate::workspace::Committed;
use spyhop_base::id::VersionContent;
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_files::read::ReadOutcome;

/// The number of files with new stat data and unchanged content from which recording the stat data is worth a commit.
pub(super) const RESTATS_WORTH_A_COMMIT: usize = 256;

/// With at least this many files to read, other views are consulted about them first.
const WORTH_ASKING: usize = 64;

/// How many other views are consulted.
const ASKED: usize = 3;

impl Updater<'_> {
    /// Plans what an update of `committed` would do now.
    pub fn plan(&self, committed: Option<&Committed>) -> Result<UpdatePlan, UpdateError> {
        let retries = Retries::new(self);
        let again = ReadAgain {
            is_tracked: &|path| self.is_tracked(path),
            is_due: &|version| retries.is_due(version),
        };
        let Some(Committed { meta, reader }) = committed else {
            return Ok(UpdatePlan::new(self.walk()?, &Meta::empty(""), None, again));
        };
        let key = self.view_key();
        let view = meta.view(&key)?;
        let is_any_due = view.is_some_and(|view| retries.is_any_due(meta, view));
        if let Some(view) = view.filter(|_| !is_any_due && self.is_of_same_commit(meta, &key)) {
            return Ok(UpdatePlan::of_unchanged(view));
        }
        let since =
            self.since.filter(|since| !is_any_due && since.stamp == reader.stamp() && *since.key == key);
        let mut plan = match (since, view) {
            (Some(Since { region, .. }), Some(view)) => {
                UpdatePlan::of_some(self.walk_some(region)?, meta, view, region, again)
            }
            _ => UpdatePlan::new(self.walk()?, meta, view, again),
        };
        if view.is_none() || plan.read.len() >= WORTH_ASKING {
            for beside in views_beside(meta, &key) {
                plan.take_from(&SiblingView::new(meta, beside?, again));
            }
        }
        Ok(plan)
    }

    /// Whether a view is of the commit that the caller means; a commit cannot have changed.
    fn is_of_same_commit(&self, meta: &Meta, key: &ViewKey) -> bool {
        let recorded = meta.view_info(key).and_then(|info| info.commit.as_ref());
        self.head.is_of_commit && recorded.is_some() && recorded == self.head.commit.as_ref()
    }

    /// How many files a plan would add, change or delete. Files whose stat data alone changed are read and compared. If
    /// there is no such file but the list of skipped entries differs, as after a folder without an indexed file came to
    /// be ignored, the answer is 1.
    pub fn stale(&self, plan: &UpdatePlan, meta: &Meta) -> Result<usize, MetaError> {
        let view = meta.view(&self.view_key())?;
        let adopted =
            plan.adopted.iter().filter(|adopted| adopted.old != Some(adopted.entry.version)).count();
        let retries = Retries::new(self);
        let is_current = |task: &&ReadTask| self.is_current(task, view) && !retries.is_task_due(meta, task);
        let read = plan.read.iter().filter(|task| !is_current(task)).count();
        let files = read + adopted + plan.deleted.len();
        let rows_moved = view.is_some_and(|view| !same_rows(plan, view));
        Ok(files.max(usize::from(rows_moved)))
    }

    /// Whether all that `plan` would read is as recorded. A file that was saved shortly before it was indexed is read
    /// again by every refresh until the next commit; such a refresh must not cost a lock and a writer each time.
    pub(super) fn is_settled(&self, plan: &UpdatePlan, meta: &Meta) -> Result<bool, MetaError> {
        let Some(view) = meta.view(&self.view_key())? else { return Ok(false) };
        let is_much = plan.read.len() + plan.adopted.len() >= RESTATS_WORTH_A_COMMIT;
        if !plan.deleted.is_empty() || is_much {
            return Ok(false);
        }
        let is_restat = plan.adopted.iter().all(|adopted| adopted.old == Some(adopted.entry.version));
        let retries = Retries::new(self);
        let is_current =
            |task: &ReadTask| self.is_current(task, Some(view)) && !retries.is_task_due(meta, task);
        Ok(same_rows(plan, view) && is_restat && plan.read.iter().all(is_current))
    }

    /// Whether the content of a file is as `view` has it; reads the file.
    fn is_current(&self, task: &ReadTask, view: Option<&View>) -> bool {
        let entries = view.map_or(&[][..], View::skipped);
        let entry = entries
            .binary_search_by(|entry| entry.skipped.path.cmp(&task.path))
            .ok()
            .map(|place| &entries[place].skipped);
        let is_listed = |reason: SkipReason, detail: String| {
            entry.is_some_and(|entry| (entry.reason, &entry.detail) == (reason, &detail))
        };
        let old = task.old.map(|(_, content)| content);
        match unranked::read_file(task, &self.source_tree, &self.limits(), self.tracked) {
            ReadOutcome::Source(source) => {
                old == Some(VersionContent::Ranked(source.hash))
                    && entry.is_none_or(|entry| entry.reason == SkipReason::Quarantined)
            }
            ReadOutcome::PathOnly { key, reason, detail } => {
                old == Some(VersionContent::PathOnly(key)) && is_listed(reason, detail)
            }
            ReadOutcome::Skipped { reason, detail } => old.is_none() && is_listed(reason, detail),
        }
    }
}

/// Whether `plan` and `view` skip the same entries, except for the files that `plan` reads to find out.
fn same_rows(plan: &UpdatePlan, view: &View) -> bool {
    let read: FxHashSet<&RelPath> = plan.read.iter().map(|task| &task.path).collect();
    view.skipped().iter().filter(|entry| !read.contains(&entry.skipped.path)).eq(&plan.skipped)
}

/// Views that may know files of the view `key` under their present stat data: first the staged view of an update that
/// did not end, then other branches of the worktree, the most recently used first. For a view of a commit they are
/// views of other commits in any worktree, because git's names for contents are equal in all worktrees.
fn views_beside<'m>(
    meta: &'m Meta,
    key: &ViewKey,
) -> impl Iterator<Item = Result<&'m View, MetaError>> + use<'m> {
    let is_beside = |other: &ViewKey| match key.is_of_commit() {
        true => other.is_of_commit() && other.settings == key.settings,
        false => other.is_beside(key) && !other.is_of_commit(),
    };
    let mut keys: Vec<_> = meta.views().filter(|(other, _)| is_beside(other) && *other != key).collect();
    let stage = key.stage();
    keys.sort_by_key(|(other, info)| (**other != stage, std::cmp::Reverse(info.used)));
    let views = keys.into_iter().take(ASKED).map(move |(other, _)| meta.view(other));
    views.filter_map(Result::transpose)
}
