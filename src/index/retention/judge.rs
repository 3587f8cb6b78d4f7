//! Which views are kept, and which file versions no view names any more.
//!
//! An index keeps the views of branches that were left, so that returning to a branch parses nothing, and the views of
//! other worktrees. Every update drops the views that exceed the budget, the least recently used first. A collection on
//! request also drops views that cannot be needed again. The cost of a view is measured in bytes of the sources that no
//! other kept view needs.

use std::cmp::Reverse;
use std::path::Path;

use super::collected::DropReason;
use crate::meta::{Meta, ViewInfo, ViewKey};
use crate::workspace::{Workspace, unix_now};
use spyhop_base::id::VersionId;
use spyhop_files::git::{self, Repo};

/// Besides the view that is being updated, other views are kept up to this many times the bytes of that view, plus
/// [`SPARE_BYTES`].
const SPARE_TIMES: u64 = 2;

/// The constant part of the budget, see [`SPARE_TIMES`].
const SPARE_BYTES: u64 = 64 << 20;

/// The most views that are kept: every update reads each view.
const MAX_VIEWS: usize = 32;

/// How long a worktree may be missing before its views are dropped, one day: it may lie on a disk that is not mounted.
const MISSING_SECONDS: u64 = 24 * 3600;

/// The views and versions to be dropped.
pub struct Judged {
    /// The views to be dropped, each with the reason.
    pub views: Vec<(ViewKey, DropReason)>,
    /// Versions that no kept view names.
    pub dead: Vec<VersionId>,
}

/// How strictly views are judged.
#[derive(Clone, Copy)]
pub enum Strictness<'r> {
    /// An update drops the views that exceed the budget.
    Afford,
    /// A collection also drops the views that cannot be needed again.
    Thorough(Option<&'r Repo>),
}

/// Decides which views and versions of `meta` are dropped, where `kept` are the versions of the view `key`, or will be
/// after this update. Versions that are not in `meta` yet are ignored.
pub fn judge(
    meta: &Meta,
    workspace: &Workspace,
    key: &ViewKey,
    kept: &[VersionId],
    strictness: Strictness<'_>,
) -> Judged {
    let mut named = NamedVersions::new(meta);
    let limit = named.add(kept) * SPARE_TIMES + SPARE_BYTES;
    let mut others: Vec<(&ViewKey, &ViewInfo)> = meta.views().filter(|(other, _)| *other != key).collect();
    others.sort_by_key(|(other, info)| (other.staged, Reverse(workspace.last_used(other, info))));
    // The newest view of each worktree is what is checked out there. A commit is not checked out in any worktree.
    let mut newest: Vec<(&str, &str)> = Vec::new();
    if !key.is_of_commit() {
        newest.push((&key.root, &key.settings));
    }
    let (mut spare, mut kept) = (0, 1);
    let mut views = Vec::new();
    for (other, info) in others {
        let is_newest =
            !other.staged && !other.is_of_commit() && !newest.contains(&(&other.root, &other.settings));
        if is_newest {
            newest.push((&other.root, &other.settings));
        }
        let hopeless = hopeless(key, other, info, is_newest, strictness);
        let versions = match (hopeless, meta.view_versions(other)) {
            (Some(why), _) => Err(why),
            (None, Err(error)) => {
                tracing::warn!(%error, root = other.root, head = %other.head, "a view cannot be read");
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
        let is_gone = !root.is_dir() && unix_now().saturating_sub(info.used) > MISSING_SECONDS;
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
        Some(repo) if other.is_of_commit() => (!has_commit(repo)).then_some(DropReason::NoCommit),
        _ if other.reference().is_none() && !is_newest => Some(DropReason::Detached),
        _ => None,
    }
}

/// A bitset of the versions that some view names.
struct NamedVersions<'m> {
    meta: &'m Meta,
    bits: Vec<u64>,
    lowest: u32,
}

impl<'m> NamedVersions<'m> {
    fn new(meta: &'m Meta) -> NamedVersions<'m> {
        let lowest = meta.version_ids().next().map_or(0, |id| id.0);
        let span = meta.commit().next_version.saturating_sub(lowest) as usize;
        NamedVersions { meta, bits: vec![0; span / 64 + 1], lowest }
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
