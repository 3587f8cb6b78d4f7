//! Where a file of a note is now, if git tells that the file was renamed.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::core::Engine;
use super::lock::lock;
use crate::git::{CommitTree, Repo, TreeChange};
use crate::path::RelPath;
use crate::read::{self, SourceTree};
use crate::tree::Tree;

/// The most renames of one file that are followed.
const MAX_RENAMES: usize = 8;

/// The most bytes of a new file of the worktree that is compared.
const MAX_BYTES: u64 = 1 << 20;

/// The differences from one commit to the searched view.
struct Differences {
    old: CommitTree,
    changes: Vec<TreeChange>,
}

/// The renames of the files of one reply.
pub(super) struct Renames<'e> {
    engine: &'e Engine,
    /// By commit: its differences to the view; `None` if git cannot read the commit.
    differences: FxHashMap<String, Option<Differences>>,
    newer: Option<CommitTree>,
}

impl<'e> Renames<'e> {
    pub fn new(engine: &'e Engine) -> Renames<'e> {
        Renames { engine, differences: FxHashMap::default(), newer: None }
    }

    /// The present path of the file that was at `path` in the commit `at`; `None` if git tells of no rename.
    pub fn follow(&mut self, path: &RelPath, at: Option<&str>, tree: &SourceTree) -> Option<RelPath> {
        let (repo, at) = (self.engine.repo.as_ref()?, at?);
        let head = self.engine.head().commit?;
        let found =
            self.by_difference(repo, path, at, &head).or_else(|| self.by_history(repo, path, at, &head));
        found.filter(|path| is_there(tree, path))
    }

    /// By the difference between the commit and the view.
    fn by_difference(&mut self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let engine = self.engine;
        let is_commit = engine.view().is_some();
        if is_commit && self.newer.is_none() {
            self.newer = repo.tree_of(head, head, engine.root()).ok();
        }
        let newer = self.newer.as_ref();
        let differences = self.differences.entry(at.to_string()).or_insert_with(|| {
            let old = repo.tree_of(at, at, engine.root()).ok()?;
            let changes = match newer {
                Some(newer) => old.changes_to(newer),
                None => old.changes_to_worktree(repo),
            };
            changes.ok().map(|changes| Differences { old, changes })
        });
        let Differences { old, changes } = differences.as_ref()?;
        let in_worktree = |path: &RelPath| {
            let (file, len) = read::open(&path.below(engine.root())).ok()?;
            let mut bytes = Vec::new();
            (len <= MAX_BYTES).then(|| file.take(MAX_BYTES).read_to_end(&mut bytes).ok())??;
            Some(bytes)
        };
        old.renamed(path, newer, changes, &in_worktree).ok().flatten()
    }

    /// Commit by commit: a file that was renamed and changed much since resembles its new name only in the commit of
    /// the rename.
    fn by_history(&self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let key = (head.to_string(), at.to_string(), path.clone());
        if let Some(known) = lock(&self.engine.memory).followed.get(&key) {
            return known.clone();
        }
        let found = self.walk_history(repo, path, at, head);
        lock(&self.engine.memory).followed.insert(key, found.clone());
        found
    }

    fn walk_history(&self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let root = self.engine.root();
        let mut commits = repo.first_parents(head, at);
        let top = repo.tree_of(head, head, root).ok()?;
        commits.push(at.to_string());
        // The commits from the oldest to the newest.
        commits.reverse();
        let (mut path, mut from) = (path.clone(), 0);
        for _ in 0..MAX_RENAMES {
            let whole = top.path_in_repository(&path);
            let last = (from..commits.len()).rev().find(|place| repo.has_file(&commits[*place], &whole))?;
            if last + 1 == commits.len() {
                return Some(path);
            }
            let tree = |commit: &String| repo.tree_of(commit, commit, root).ok();
            let (old, new) = (tree(&commits[last])?, tree(&commits[last + 1])?);
            let changes = old.changes_to(&new).ok()?;
            path = old.renamed(&path, Some(&new), &changes, &|_| None).ok()??;
            from = last + 1;
        }
        None
    }
}

fn is_there(tree: &SourceTree, path: &RelPath) -> bool {
    match tree {
        SourceTree::Folder(root) | SourceTree::Followed(root) => path.below(root).is_file(),
        SourceTree::Tree(tree) => read::entry_of(&**tree, path).is_ok(),
    }
}
