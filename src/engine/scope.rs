//! Which files an exact search reads, and all that it knows of the index.
//!
//! Under `ignore`, and where a watcher vouches for it, the last commit says which files there are; otherwise the tree is
//! walked, and what the index says of a file counts only while its stat is the recorded one. Either way the files are
//! those that ripgrep would search: what ranking leaves out by a rule, for its size or its encoding is read as well, git's
//! ignore files count in a repository only, a glob of `-g` brings back what ignore files leave out, and what cannot be
//! read is named.
//! Nothing is indexed on the way, so an exact search needs no index, makes none and waits for nobody.

use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::current::{Recorded, Viewed};
use super::watch::token;
use super::{Engine, Error, StalePolicy};
use crate::filter::Filter;
use crate::grep::{self, Effort, Plan};
use crate::id::VersionId;
use crate::index;
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::read::Ground;
use crate::search::SearchError;
use crate::update::{Settings, Updater, WorkspaceError, stat_row};
use crate::walk::{self, AsRipgrep, BAD_LINE, Candidate, Region, Walked};

/// An entry that could not be looked into.
pub(super) struct Hole {
    pub path: RelPath,
    pub why: String,
    /// Whether only its name is at fault, which is not UTF-8.
    pub is_of_name: bool,
}

/// What an exact search reads.
pub(super) struct Scope {
    /// The files that may match, sorted.
    pub files: Vec<RelPath>,
    /// What ripgrep would search and nobody can, with the reason.
    pub holes: Vec<Hole>,
    /// What is recorded of what is checked out, if anything is.
    pub recorded: Option<Recorded>,
    /// When the tree was looked at; `None` when the last commit was believed.
    pub checked_at: Option<SystemTime>,
    /// Where the files are read.
    pub ground: Ground,
    /// Why the index could not say which files to read, where there is one.
    pub warning: Option<String>,
}

impl Engine {
    /// The files that an exact search for `plan` has to read.
    pub(super) fn scope(&self, filter: &Filter, plan: &Plan) -> Result<Scope, Error> {
        if self.lacks_tree() {
            return Err(Error::no_sources("an exact search"));
        }
        let vouched =
            (self.options.stale_policy != StalePolicy::Ignore).then(|| self.vouched_record()).flatten();
        let (recorded, vouched_at) = match vouched {
            Some((recorded, asked_at)) => (Some(recorded), Some(asked_at)),
            None => (self.recorded(), None),
        };
        if let Some(recorded) = &recorded {
            self.mark_used(recorded.viewed().key);
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
            && (self.options.stale_policy == StalePolicy::Ignore || vouched_at.is_some())
            // No row tells of git's own folder.
            && !takes_git(filter)
        {
            let (files, holes) = self.as_recorded(viewed, filter, narrowed)?;
            let ground = self.ground_of(viewed)?;
            return Ok(Scope { files, holes, checked_at: vouched_at, ground, recorded, warning: None });
        }
        let checked_at = Some(SystemTime::now());
        let tracked = self.tracked();
        let updater = self.updater(tracked.as_ref())?;
        let ground = updater.ground.clone();
        // Built-in rules are about what is worth ranking, and secrets are masked where they are shown; a line stands
        // wherever it stands.
        let settings = Settings { no_built_in: true, secrets: true, ..self.settings.clone() };
        let as_ripgrep = Some(AsRipgrep { globs: filter.ripgrep_globs() });
        let walked = Updater { settings: &settings, as_ripgrep, ..updater }.walk()?;
        let holes = walked.skipped.iter().filter_map(|row| hole(row, filter)).collect();
        let files = match (viewed, narrowed) {
            (Some(viewed), Some(narrowed)) => viewed.moved_or(filter, walked, &narrowed),
            _ => paths(walked).filter(|path| filter.takes_path(path.as_str())).collect(),
        };
        let warning = if recorded.is_none() { self.unread_index() } else { None };
        Ok(Scope { files, holes, checked_at, ground, recorded, warning })
    }

    /// What an exact search says of an index that cannot be read.
    fn unread_index(&self) -> Option<String> {
        match self.committed_with(self.workspace.stamp().as_deref()) {
            Ok(_) | Err(WorkspaceError::Missing { .. }) => None,
            Err(error) => Some(format!("every file was read, because the index cannot be: {error}")),
        }
    }

    /// What is recorded, where a watcher says that the tree is like that; and when it was asked.
    fn vouched_record(&self) -> Option<(Recorded, SystemTime)> {
        self.vouched_by(|| {
            let recorded = self.recorded()?;
            let viewed = recorded.viewed();
            Some((token(viewed.committed, viewed.key), recorded))
        })
    }

    /// The files of a view that may match, and what could not be read when it was made.
    fn as_recorded(
        &self,
        viewed: Viewed<'_>,
        filter: &Filter,
        narrowed: Option<Vec<VersionId>>,
    ) -> Result<(Vec<RelPath>, Vec<Hole>), Error> {
        let mut files = viewed.files(filter, narrowed);
        let mut folders = Vec::new();
        let mut holes = Vec::new();
        // What ripgrep may judge otherwise than the index does.
        let mut judged_anew = Vec::new();
        let brings_back = filter.ripgrep_globs().is_some_and(|globs| globs.num_whitelists() > 0);
        let is_in_repository = self.view().is_some() || walk::is_in_repository(self.root());
        if !is_in_repository && !self.settings.hidden {
            // A line of git's may have asked for a hidden file.
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
                // A NUL so near its beginning ends ripgrep's search before it began.
                SkipReason::Binary if !row.detail.starts_with("NUL") => files.push(row.path.clone()),
                _ => {}
            }
        }
        judged_anew.retain(|path| filter.may_take_below(path, true));
        if !folders.is_empty() || !judged_anew.is_empty() {
            let tracked = self.tracked();
            let settings = Settings { no_built_in: true, secrets: true, ..self.settings.clone() };
            let as_ripgrep = Some(AsRipgrep { globs: filter.ripgrep_globs() });
            let updater = Updater { settings: &settings, as_ripgrep, ..self.updater(tracked.as_ref())? };
            // Other rules may leave a file of secrets out as well, such as a dot before its name.
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
    /// The files of `narrowed`, or all of them, that the filter lets through, sorted.
    pub(super) fn files(self, filter: &Filter, narrowed: Option<Vec<VersionId>>) -> Vec<RelPath> {
        let versions = narrowed.unwrap_or_else(|| self.view.versions().to_vec());
        let versions = versions.into_iter().filter_map(|version| self.meta().version(version));
        let paths = versions.map(|version| version.path()).filter(|path| filter.takes_path(path));
        let mut files: Vec<RelPath> = paths.filter_map(|path| RelPath::new(path).ok()).collect();
        files.sort_unstable();
        files
    }

    /// The versions of the view that may match, increasing; `None` for all.
    pub(super) fn narrowed(self, plan: &Plan) -> Result<Option<Vec<VersionId>>, Error> {
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

    /// The walked files that may match: those of `narrowed`, and whatever has moved since they were indexed.
    fn moved_or(self, filter: &Filter, walked: Walked, narrowed: &[VersionId]) -> Vec<RelPath> {
        let known = self.view.entries().filter_map(|entry| {
            let version = self.meta().version(entry.version)?;
            Some((version.path(), (entry.version, entry.stat)))
        });
        let known: FxHashMap<&str, _> = known.collect();
        let may_match = |candidate: &Candidate| {
            let Some((version, stat)) = known.get(candidate.path.as_str()) else { return true };
            *stat != stat_row(candidate.stat, candidate.wanted) || narrowed.binary_search(version).is_ok()
        };
        let candidates = walked.candidates.into_iter();
        candidates
            .filter(|candidate| filter.takes_path(candidate.path.as_str()) && may_match(candidate))
            .map(|candidate| candidate.path)
            .collect()
    }
}

/// Whether a glob of ripgrep's asks for git's own folder, or for the file that stands for it in a worktree.
fn takes_git(filter: &Filter) -> bool {
    let globs = filter.ripgrep_globs();
    globs.is_some_and(|globs| {
        [true, false].into_iter().any(|is_dir| globs.matched(".git", is_dir).is_whitelist())
    })
}

fn paths(walked: Walked) -> impl Iterator<Item = RelPath> {
    walked.candidates.into_iter().map(|candidate| candidate.path)
}

/// What a row of what was left out says about completeness: ripgrep would have searched it.
fn hole(row: &Skipped, filter: &Filter) -> Option<Hole> {
    // A line of an ignore file that does not count leaves nothing out.
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
