//! Which views are kept, and which file versions no view names any more.
//!
//! An index keeps the views of branches that were left, so that returning to a branch parses nothing, and the views of
//! other worktrees. Every update drops the views that exceed the budget, the least recently used first. A collection on
//! request also drops views that cannot be needed again. The cost of a view is measured in bytes of the sources that no
//! other kept view needs.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::home::Neighbour;
use super::room::SpaceTarget;
use super::{UpdateError, Updater, Workspace};
use crate::git::{self, Repo};
use crate::id::{Generation, VersionId};
use crate::index::{IndexError, Writer};
use crate::meta::{self, Meta, RecordBuilder, ViewInfo, ViewKey};

/// Besides the view that is being updated, other views are kept up to this many times the bytes of that view, plus
/// [`SPARE_BYTES`].
const SPARE_TIMES: u64 = 2;

/// The constant part of the budget, see [`SPARE_TIMES`].
const SPARE_BYTES: u64 = 64 << 20;

/// The most views that are kept: every update reads each view.
const MAX_VIEWS: usize = 32;

/// How long a worktree may be missing before its views are dropped, one day: it may lie on a disk that is not mounted.
const MISSING_SECONDS: u64 = 24 * 3600;

/// Why a view is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The view cannot be read.
    Damaged,
    /// The worktree is gone, or belongs to another repository now.
    NoWorktree,
    /// The branch is gone.
    NoBranch,
    /// The view is of a commit that was checked out directly (a detached head) and no longer is.
    Detached,
    /// The commit is gone.
    NoCommit,
    /// The view belongs to an update that never ended.
    Unfinished,
    /// Other views were used more recently, and the index has reached its budget.
    Budget,
    /// Other views were used more recently, and the indexes are to take less space.
    SpaceTarget,
}

impl DropReason {
    /// The reason in a few words.
    pub fn text(self) -> &'static str {
        match self {
            DropReason::Damaged => "it cannot be read",
            DropReason::NoWorktree => "its folder is gone",
            DropReason::NoBranch => "its branch is gone",
            DropReason::Detached => "that commit is no longer checked out",
            DropReason::NoCommit => "its commit is gone",
            DropReason::Unfinished => "its update never ended",
            DropReason::Budget => "it was not used for long and would make the index too large",
            DropReason::SpaceTarget => "it is the longest unused, and the indexes are to take less",
        }
    }
}

/// A view that is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The root of the worktree.
    pub root: String,
    /// The branch or commit that was checked out there, or that the view is of.
    pub head: String,
    /// Whether the view is of a commit and not of the worktree.
    pub is_committed: bool,
    /// The reason.
    pub why: DropReason,
}

impl Dropped {
    pub(super) fn new(key: &ViewKey, why: DropReason) -> Dropped {
        let (root, head) = (key.root.clone(), key.shown().to_string());
        Dropped { root, head, is_committed: key.is_committed(), why }
    }
}

/// The result of a collection, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The current generation.
    pub generation: Generation,
    /// The dropped views.
    pub dropped: Vec<Dropped>,
    /// How many file versions were dropped with the views.
    pub versions: usize,
    /// Removed folders of data in another format, or for other parsers.
    pub others: Vec<PathBuf>,
    /// Folders of damaged data. A collection never deletes them.
    pub aside: Vec<PathBuf>,
    /// Bytes of the index folder before the collection.
    pub bytes_before: u64,
    /// Bytes of the index folder after the collection.
    pub bytes_after: u64,
    /// The number of segments before the collection.
    pub segments_before: usize,
    /// The number of segments after the collection.
    pub segments_after: usize,
    /// Indexes of other trees that were removed to reach the space target.
    pub neighbours: Vec<Neighbour>,
    /// Indexes of other trees that would have been removed, but are being changed or watched.
    pub busy: Vec<PathBuf>,
    /// The space target and its result, if one was requested.
    pub room: Option<SpaceTarget>,
}

impl Collected {
    /// Bytes of this index that were freed so far.
    pub(super) fn given_back(&self) -> u64 {
        self.bytes_before.saturating_sub(self.bytes_after)
    }
}

/// The views and versions to be dropped.
pub(super) struct Judged {
    pub views: Vec<(ViewKey, DropReason)>,
    /// Versions that no kept view names.
    pub dead: Vec<VersionId>,
}

/// How strictly views are judged.
#[derive(Clone, Copy)]
pub(super) enum Strictness<'r> {
    /// An update drops the views that exceed the budget.
    Afford,
    /// A collection also drops the views that cannot be needed again.
    Thorough(Option<&'r Repo>),
}

/// Decides which views and versions of `meta` are dropped, where `own` are the versions of the view `key`, or will be
/// after this update. Versions that are not in `meta` yet are ignored.
pub(super) fn judge(
    meta: &Meta,
    workspace: &Workspace,
    key: &ViewKey,
    own: &[VersionId],
    strictness: Strictness<'_>,
) -> Judged {
    let mut named = Named::new(meta);
    let limit = named.add(own) * SPARE_TIMES + SPARE_BYTES;
    let mut others: Vec<(&ViewKey, &ViewInfo)> = meta.views().filter(|(other, _)| *other != key).collect();
    others.sort_by_key(|(other, info)| (other.staged, Reverse(workspace.last_used(other, info))));
    // The newest view of each worktree is what is checked out there. A commit is not checked out in any worktree.
    let mut newest: Vec<(&str, &str)> = Vec::new();
    if !key.is_committed() {
        newest.push((&key.root, &key.settings));
    }
    let (mut spare, mut kept) = (0, 1);
    let mut views = Vec::new();
    for (other, info) in others {
        let is_newest =
            !other.staged && !other.is_committed() && !newest.contains(&(&other.root, &other.settings));
        if is_newest {
            newest.push((&other.root, &other.settings));
        }
        let hopeless = hopeless(key, other, info, is_newest, strictness);
        let versions = match (hopeless, meta.view_versions(other)) {
            (Some(why), _) => Err(why),
            (None, Err(error)) => {
                tracing::warn!(%error, root = other.root, head = other.head, "a view cannot be read");
                Err(DropReason::Damaged)
            }
            (None, Ok(versions)) => Ok(versions),
        };
        let affordable = versions.and_then(|versions| {
            let cost = named.cost(&versions);
            // The view that is checked out in a worktree is never dropped for the budget.
            let fits = is_newest || (spare + cost <= limit && kept < MAX_VIEWS);
            if fits { Ok((versions, cost)) } else { Err(DropReason::Budget) }
        });
        match affordable {
            Ok((versions, cost)) => {
                named.add(&versions);
                kept += 1;
                spare += if is_newest { 0 } else { cost };
            }
            Err(why) => views.push((other.clone(), why)),
        }
    }
    Judged { views, dead: meta.version_ids().filter(|id| !named.holds(*id)).collect() }
}

/// The reason to drop a view whatever its cost, if there is one.
fn hopeless(
    key: &ViewKey,
    other: &ViewKey,
    info: &ViewInfo,
    is_newest: bool,
    strictness: Strictness<'_>,
) -> Option<DropReason> {
    if *other == key.stage() {
        return Some(DropReason::Unfinished);
    }
    let root = Path::new(&other.root);
    let Strictness::Thorough(repo) = strictness else {
        let is_gone = !root.is_dir() && now().saturating_sub(info.used) > MISSING_SECONDS;
        return is_gone.then_some(DropReason::NoWorktree);
    };
    let common = |repo: &Repo| repo.common_dir();
    let is_ours = other.root == key.root
        || (root.is_dir() && git::discover(root).as_ref().map(common) == repo.map(common));
    let has_commit = |repo: &Repo| info.commit.as_ref().is_some_and(|commit| repo.has_commit(commit));
    match repo {
        _ if !is_ours => Some(DropReason::NoWorktree),
        _ if other.staged => Some(DropReason::Unfinished),
        Some(repo) if other.reference().is_some_and(|name| !repo.has_reference(&name)) => {
            Some(DropReason::NoBranch)
        }
        Some(repo) if other.is_committed() => (!has_commit(repo)).then_some(DropReason::NoCommit),
        _ if other.branch().is_none() && !is_newest => Some(DropReason::Detached),
        _ => None,
    }
}

/// A bitset of the versions that some view names.
struct Named<'m> {
    meta: &'m Meta,
    bits: Vec<u64>,
    lowest: u32,
}

impl<'m> Named<'m> {
    fn new(meta: &'m Meta) -> Named<'m> {
        let lowest = meta.version_ids().next().map_or(0, |id| id.0);
        let span = meta.commit().next_version.saturating_sub(lowest) as usize;
        Named { meta, bits: vec![0; span / 64 + 1], lowest }
    }

    fn place(&self, id: VersionId) -> Option<(usize, u64)> {
        let place = id.0.checked_sub(self.lowest)?;
        let word = (place / 64) as usize;
        (word < self.bits.len()).then_some((word, 1 << (place % 64)))
    }

    fn holds(&self, id: VersionId) -> bool {
        self.place(id).is_some_and(|(word, bit)| self.bits[word] & bit != 0)
    }

    /// The bytes of the versions that no view names yet.
    fn cost(&self, ids: &[VersionId]) -> u64 {
        let unnamed = ids.iter().copied().filter(|id| !self.holds(*id));
        self.meta.versions_with(unnamed).map(|version| version.bytes()).sum()
    }

    fn add(&mut self, ids: &[VersionId]) -> u64 {
        let cost = self.cost(ids);
        for id in ids {
            if let Some((word, bit)) = self.place(*id) {
                self.bits[word] |= bit;
            }
        }
        cost
    }
}

impl Updater<'_> {
    /// Drops the views that cannot be needed again with the versions that only they name, and merges segments. Returns
    /// these views as well. The caller holds the lock.
    pub(super) fn collect_from(
        &self,
        meta: &Meta,
        dry_run: bool,
    ) -> Result<(Collected, Vec<ViewKey>), UpdateError> {
        let key = self.view_key();
        let own = meta.view_versions(&key)?;
        let judged = judge(meta, self.workspace, &key, &own, Strictness::Thorough(self.repo));
        let gone = judged.views.iter().map(|(key, _)| key.clone()).collect();
        let mut collected = Collected {
            generation: meta.commit().generation,
            dropped: judged.views.iter().map(|(key, why)| Dropped::new(key, *why)).collect(),
            versions: judged.dead.len(),
            ..Collected::default()
        };
        if !dry_run {
            collected.generation = self.drop_judged(meta, judged)?;
        }
        Ok((collected, gone))
    }

    /// Commits the removal of views and versions, and merges segments. Returns the resulting generation. The caller
    /// holds the lock.
    pub(super) fn drop_judged(&self, meta: &Meta, judged: Judged) -> Result<Generation, UpdateError> {
        let Judged { views, dead } = judged;
        let dir = self.workspace.segment_dir();
        let failed = |source: IndexError| UpdateError::Index { dir: dir.clone(), source };
        let mut generation = meta.commit().generation;
        let mut writer = Writer::open(&dir).map_err(failed)?;
        if !(views.is_empty() && dead.is_empty() && meta.commit().records.len() == 1) {
            let gone = |key: &ViewKey| views.iter().any(|(view, _)| view == key);
            self.workspace.forget_marks(meta.views().map(|(key, _)| key).filter(|key| !gone(key)));
            let mut record = RecordBuilder::new();
            views.into_iter().for_each(|(key, _)| record.drop_view(key));
            dead.iter().for_each(|version| record.collect(*version));
            writer.delete_all(&dead).map_err(failed)?;
            let meta_dir = self.workspace.meta_dir();
            let commit = meta.commit();
            let commit = record.write(&meta_dir, meta, &commit.fingerprint, commit.next_version, true)?;
            writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(failed)?;
            meta::remove_garbage(&meta_dir, &[&commit])?;
            generation = commit.generation;
        }
        writer.compact().map_err(failed)?;
        writer.close().map_err(failed)?;
        self.write_grams();
        Ok(generation)
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
