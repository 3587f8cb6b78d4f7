//! Which files an exact search reads, and how the index narrows them.
//!
//! With the policy `ignore`, or if a watcher confirms that the index is current, the list of files comes from the last
//! commit. Otherwise the tree is walked, and the index narrows only files with unchanged stat data. In both cases, the
//! files are those that ripgrep would search: files that are not ranked because of a rule, their size or their encoding
//! are read too; git's ignore files count in a repository only; a glob of `-g` includes ignored files; and unreadable
//! files are reported. An exact search does not update the index. It therefore needs no index, builds none and never
//! waits for another process.

use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::core::Engine;
use super::current::{Recorded, Viewed};
use super::watch::token;
use super::{Error, StalePolicy};
use crate::filter::Filter;
use crate::grep::{self, Effort, NarrowPlan};
use crate::id::VersionId;
use crate::index;
use crate::meta::RecordedIdentity;
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::read::SourceTree;
use crate::search::SearchError;
use crate::update::Updater;
use crate::walk::{self, AsRipgrep, BAD_LINE, Candidate, Region, Walked};
use crate::workspace::{Settings, WorkspaceError};

/// An entry that could not be searched.
pub(super) struct Hole {
    pub path: RelPath,
    pub why: String,
    /// Whether the cause is a name that is not UTF-8.
    pub is_of_name: bool,
}

/// Files that an exact search reads although the index has no row for them.
#[derive(Clone, Copy, Default)]
pub(super) struct BeyondIndex {
    /// Files with NUL bytes.
    pub binary: bool,
    /// The files of git's own folder.
    pub git_folder: bool,
}

/// What an exact search reads.
pub(super) struct ExactScope {
    /// The files that may match, sorted.
    pub files: Vec<RelPath>,
    /// The unreadable entries that ripgrep would search, with the reason.
    pub holes: Vec<Hole>,
    /// The commit with a view of the present checkout, if there is one.
    pub recorded: Option<Recorded>,
    /// When the tree was walked or confirmed by a watcher; `None` if the last commit was used without a check.
    pub checked_at: Option<SystemTime>,
    /// The source of the files.
    pub source_tree: SourceTree,
    /// Why the index could not be read, if there is one.
    pub warning: Option<String>,
}

impl Engine {
    /// The files that an exact search for `plan` has to read, also those `beyond` the index.
    pub(super) fn scope(
        &self,
        filter: &Filter,
        plan: &NarrowPlan,
        beyond: BeyondIndex,
    ) -> Result<ExactScope, Error> {
        if self.lacks_tree() {
            return Err(Error::no_sources("an exact search"));
        }
        let vouched =
            (self.policy.stale_policy != StalePolicy::Ignore).then(|| self.record_from_watcher()).flatten();
        let (recorded, vouched_at) = match vouched {
            Some((recorded, asked_at)) => (Some(recorded), Some(asked_at)),
            None => (self.recorded(), None),
        };
        if let Some(recorded) = &recorded {
            self.mark_used(recorded.viewed().key);
        }
        if let Some(files) = self.named_files(filter) {
            let checked_at = Some(SystemTime::now());
            let source_tree = SourceTree::Folder(self.root().to_path_buf());
            return Ok(ExactScope {
                files,
                holes: Vec::new(),
                checked_at,
                source_tree,
                recorded,
                warning: None,
            });
        }
        // What an update has got so far knows too little.
        let mut viewed = recorded.as_ref().map(Recorded::viewed).filter(|viewed| !viewed.key.staged);
        let narrowed = viewed.map(|viewed| index::guarded(|| viewed.narrowed(plan))).transpose();
        let narrowed = narrowed.unwrap_or_else(|error| {
            tracing::warn!(%error, "the index cannot tell which files may match; all are read");
            viewed = None;
            None
        });
        let narrowed = narrowed.flatten();
        if let Some(viewed) = viewed
            && (self.policy.stale_policy == StalePolicy::Ignore || vouched_at.is_some())
            // A view has no rows for the `.git` folder.
            && !takes_git(filter)
            && !beyond.binary
            && !beyond.git_folder
        {
            let (files, holes) = self.as_recorded(viewed, filter, narrowed)?;
            let source_tree = self.source_tree_of(viewed)?;
            return Ok(ExactScope {
                files,
                holes,
                checked_at: vouched_at,
                source_tree,
                recorded,
                warning: None,
            });
        }
        let checked_at = Some(SystemTime::now());
        let tracked = self.tracked();
        let updater = self.updater(tracked.as_ref())?;
        let source_tree = updater.source_tree.clone();
        // Built-in rules select files for ranking, and secrets are masked in the reply, so neither excludes a file
        // here.
        let settings = Settings { no_built_in: true, secrets: true, ..self.settings.clone() };
        let as_ripgrep = Some(AsRipgrep { globs: filter.ripgrep_globs(), git_folder: beyond.git_folder });
        let walked = Updater { settings: &settings, as_ripgrep, ..updater }.walk()?;
        let holes = walked.skipped.iter().filter_map(|row| hole(row, filter)).collect();
        let files = match (viewed, narrowed) {
            (Some(viewed), Some(narrowed)) => viewed.narrowed_or_changed(filter, walked, &narrowed),
            _ => paths(walked).filter(|path| filter.takes_path(path.as_str())).collect(),
        };
        let warning = if recorded.is_none() { self.unread_index() } else { None };
        Ok(ExactScope { files, holes, checked_at, source_tree, recorded, warning })
    }

    /// The files that the caller named, if only files are named. These are searched regardless of skip rules, as in
    /// ripgrep, and the tree is not walked for them. A link that leads out of the tree is not one of them.
    fn named_files(&self, filter: &Filter) -> Option<Vec<RelPath>> {
        if self.view().is_some() {
            return None;
        }
        let is_file = |path: &RelPath| {
            let whole = path.below(self.root()).canonicalize();
            whole.is_ok_and(|whole| whole.is_file() && whole.starts_with(self.root()))
        };
        let named = filter.paths_below();
        (!named.is_empty() && named.iter().all(is_file)).then(|| named.to_vec())
    }

    /// The warning of an exact search about an index that cannot be read.
    fn unread_index(&self) -> Option<String> {
        match self.committed_with(self.workspace.stamp().as_deref()) {
            Ok(_) | Err(WorkspaceError::Missing { .. }) => None,
            Err(error) => Some(format!("every file was read, because the index cannot be: {error}")),
        }
    }

    /// The recorded view, if a watcher confirms it, and the time of the request.
    fn record_from_watcher(&self) -> Option<(Recorded, SystemTime)> {
        self.vouched_by(|| {
            let recorded = self.recorded()?;
            let viewed = recorded.viewed();
            Some((token(viewed.committed, viewed.key), recorded))
        })
    }

    /// The files of a view that may match, and the entries that could not be read when it was indexed.
    fn as_recorded(
        &self,
        viewed: Viewed<'_>,
        filter: &Filter,
        narrowed: Option<Vec<VersionId>>,
    ) -> Result<(Vec<RelPath>, Vec<Hole>), Error> {
        let mut files = viewed.files(filter, narrowed);
        let mut folders = Vec::new();
        let mut holes = Vec::new();
        // The paths for which ripgrep's rules may differ from those of the index.
        let mut judged_anew = Vec::new();
        let brings_back = filter.ripgrep_globs().is_some_and(|globs| globs.num_whitelists() > 0);
        let is_in_repository = self.view().is_some() || walk::is_in_repository(self.root());
        if !is_in_repository && !self.settings.hidden {
            // A line of a git ignore file may have included a hidden file.
            let is_hidden = |path: &RelPath| path.as_str().split('/').any(|name| name.starts_with('.'));
            let (hidden, others) = files.into_iter().partition(is_hidden);
            (files, judged_anew) = (others, hidden);
        }
        for row in viewed.view.skipped().iter().map(|entry| &entry.skipped) {
            holes.extend(hole(row, filter));
            match row.reason {
                SkipReason::BuiltIn if row.is_dir => folders.push(row.path.clone()),
                SkipReason::Secret => judged_anew.push(row.path.clone()),
                SkipReason::Ignored if brings_back || !is_in_repository => judged_anew.push(row.path.clone()),
                SkipReason::Hidden if brings_back => judged_anew.push(row.path.clone()),
                SkipReason::BuiltIn | SkipReason::Encoding => files.push(row.path.clone()),
                // ripgrep does not search a file with a NUL among its first bytes.
                SkipReason::Binary if !row.detail.starts_with("NUL") => files.push(row.path.clone()),
                _ => {}
            }
        }
        judged_anew.retain(|path| filter.may_take_below(path, true));
        if !folders.is_empty() || !judged_anew.is_empty() {
            let tracked = self.tracked();
            let settings = Settings { no_built_in: true, secrets: true, ..self.settings.clone() };
            let as_ripgrep = Some(AsRipgrep { globs: filter.ripgrep_globs(), git_folder: false });
            let updater = Updater { settings: &settings, as_ripgrep, ..self.updater(tracked.as_ref())? };
            // Another rule may also exclude a file of secrets, such as the rule for hidden files.
            let anew = updater.walk_some(&Region::new(judged_anew))?;
            let below = updater.walk_below(&folders)?;
            for walked in [anew, below] {
                holes.extend(walked.skipped.iter().filter_map(|row| hole(row, filter)));
                files.extend(paths(walked));
            }
        }
        files.retain(|path| filter.takes_path(path.as_str()));
        files.sort_unstable();
        files.dedup();
        Ok((files, holes))
    }
}

impl Viewed<'_> {
    /// The files of `narrowed`, or of the whole view, that pass the filter, sorted.
    pub(super) fn files(self, filter: &Filter, narrowed: Option<Vec<VersionId>>) -> Vec<RelPath> {
        let versions = narrowed.unwrap_or_else(|| self.view.versions().to_vec());
        let versions = versions.into_iter().filter_map(|version| self.meta().version(version));
        let paths = versions.map(|version| version.path()).filter(|path| filter.takes_path(path));
        let mut files: Vec<RelPath> = paths.filter_map(|path| RelPath::new(path).ok()).collect();
        files.sort_unstable();
        files
    }

    /// The versions of the view that may match, sorted; `None` for all.
    pub(super) fn narrowed(self, plan: &NarrowPlan) -> Result<Option<Vec<VersionId>>, Error> {
        let reader = &self.committed.reader;
        let Some(lists) =
            grep::narrow(reader, plan, self.view.len(), Effort::Worthwhile).map_err(SearchError::from)?
        else {
            return Ok(None);
        };
        let mut versions: Vec<VersionId> = Vec::new();
        for (segment, docs) in reader.segments().iter().zip(lists.0) {
            let live: Vec<u32> = docs.into_iter().filter(|doc| segment.is_live(*doc)).collect();
            let named = segment.versions_of(&live).map_err(SearchError::from)?;
            versions.extend(named.into_iter().filter(|version| self.view.holds(*version)));
        }
        versions.sort_unstable();
        versions.dedup();
        Ok(Some(versions))
    }

    /// The walked files that may match: those of `narrowed`, and files that changed since they were indexed.
    fn narrowed_or_changed(self, filter: &Filter, walked: Walked, narrowed: &[VersionId]) -> Vec<RelPath> {
        let known = self.view.entries().filter_map(|entry| {
            let version = self.meta().version(entry.version)?;
            Some((version.path(), (entry.version, entry.identity)))
        });
        let known: FxHashMap<&str, _> = known.collect();
        let may_match = |candidate: &Candidate| {
            let Some((version, recorded)) = known.get(candidate.path.as_str()) else { return true };
            *recorded != RecordedIdentity::stat_verified(candidate.identity, candidate.wanted)
                || narrowed.binary_search(version).is_ok()
        };
        let candidates = walked.candidates.into_iter();
        candidates
            .filter(|candidate| filter.takes_path(candidate.path.as_str()) && may_match(candidate))
            .map(|candidate| candidate.path)
            .collect()
    }
}

/// Whether a glob of `-g` includes the `.git` folder, or the `.git` file of a worktree.
fn takes_git(filter: &Filter) -> bool {
    let globs = filter.ripgrep_globs();
    globs.is_some_and(|globs| {
        [true, false].into_iter().any(|is_dir| globs.matched(".git", is_dir).is_whitelist())
    })
}

fn paths(walked: Walked) -> impl Iterator<Item = RelPath> {
    walked.candidates.into_iter().map(|candidate| candidate.path)
}

/// The hole of a skipped entry, if ripgrep would have searched the entry.
fn hole(row: &Skipped, filter: &Filter) -> Option<Hole> {
    // An invalid line of an ignore file excludes nothing.
    let is_of_rules = row.detail.starts_with(BAD_LINE);
    let is_of_name = row.reason == SkipReason::NameNotUtf8;
    let counts = (row.reason == SkipReason::Unreadable && !is_of_rules) || is_of_name;
    let why = if row.detail.is_empty() { row.reason.name() } else { &row.detail };
    (counts && filter.may_take_below(&row.path, row.is_dir)).then(|| Hole {
        path: row.path.clone(),
        why: why.to_string(),
        is_of_name,
    })
}
