//! Where a file of a note is now, if git tells that the file was renamed.

use std::io::Read;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::core::Engine;
use spyhop_base::path::RelPath;
use spyhop_files::confined::RootFolder;
use spyhop_files::git::{CommitTree, Repo, TreeChange};
use spyhop_files::read::{self, TreeSource};
use spyhop_files::tree::Tree;

/// The most renames of one file that are followed.
const MAX_RENAMES: usize = 8;

/// The most bytes of a new file of the worktree that is compared.
const MAX_BYTES: u64 = 1 << 20;

/// The renames of the files of one reply.
pub(super) struct Renames<'e> {
    engine: &'e Engine,
    head: Option<String>,
    /// The tree of the newest commit, once it is needed.
    newest: Option<Arc<CommitTree>>,
    /// By commit: its tree and its differences to the newest commit; `None` if git cannot read the commit.
    differences: FxHashMap<String, Option<(CommitTree, Vec<TreeChange>)>>,
    /// By commit: the commits from there to the newest one along the first parents, the oldest first.
    histories: FxHashMap<String, Arc<[String]>>,
    /// What differs between the newest commit and the worktree, once that is needed; `None` if git cannot tell.
    uncommitted: Option<Option<Vec<TreeChange>>>,
}

impl<'e> Renames<'e> {
    pub fn new(engine: &'e Engine) -> Renames<'e> {
        Renames {
            engine,
            head: engine.tree().head().commit,
            newest: None,
            differences: FxHashMap::default(),
            histories: FxHashMap::default(),
            uncommitted: None,
        }
    }

    /// The present path of the file that was at `path` in the commit `at`; `None` if git tells of no rename.
    pub fn follow(&mut self, path: &RelPath, at: Option<&str>, tree: &TreeSource) -> Option<RelPath> {
        let (repo, head) = (self.engine.tree().repo()?, self.head.clone()?);
        let committed = at.and_then(|at| self.committed(repo, path, at, &head));
        let path = committed.as_ref().unwrap_or(path);
        if is_there(tree, path) {
            return Some(path.clone());
        }
        self.uncommitted(repo, path, &head).filter(|path| is_there(tree, path))
    }

    /// The path in the newest commit. The answer is remembered, because a search may show the note again.
    fn committed(&mut self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let key = (head.to_string(), at.to_string(), path.clone());
        if let Some(known) = self.engine.notes().followed(&key) {
            return known;
        }
        let found =
            self.by_difference(repo, path, at, head).or_else(|| self.by_history(repo, path, at, head));
        self.engine.notes().remember(key, found.clone());
        found
    }

    fn newest(&mut self, repo: &Repo, head: &str) -> Option<Arc<CommitTree>> {
        if self.newest.is_none() {
            self.newest = repo.tree_of(head, head, self.engine.root()).ok().map(Arc::new);
        }
        self.newest.clone()
    }

    /// By the difference between the commit and the newest one.
    fn by_difference(&mut self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let newest = self.newest(repo, head)?;
        let engine = self.engine;
        let differences = self.differences.entry(at.to_string()).or_insert_with(|| {
            let old = repo.tree_of(at, at, engine.root()).ok()?;
            let changes = old.changes_to(&newest).ok()?;
            Some((old, changes))
        });
        let (old, changes) = differences.as_ref()?;
        old.renamed(path, Some(&newest), changes, &|_| None).ok().flatten()
    }

    /// By the difference between the newest commit and the worktree.
    fn uncommitted(&mut self, repo: &Repo, path: &RelPath, head: &str) -> Option<RelPath> {
        let newest = self.newest(repo, head)?;
        let is_of_worktree = self.engine.view().is_none();
        if !is_of_worktree || !repo.has_file(head, &newest.path_in_repository(path)) {
            return None;
        }
        let root = RootFolder::new(self.engine.root());
        let in_worktree = |path: &RelPath| {
            let (file, len) = root.open(path).and_then(read::regular).ok()?;
            let mut bytes = Vec::new();
            (len <= MAX_BYTES).then(|| file.take(MAX_BYTES).read_to_end(&mut bytes).ok())??;
            Some(bytes)
        };
        let changes = self.uncommitted.get_or_insert_with(|| newest.changes_to_worktree(repo).ok());
        newest.renamed(path, None, changes.as_ref()?, &in_worktree).ok().flatten()
    }

    /// Commit by commit: a file that was renamed and changed much since resembles its new name only in the commit of
    /// the rename.
    fn by_history(&mut self, repo: &Repo, path: &RelPath, at: &str, head: &str) -> Option<RelPath> {
        let root = self.engine.root();
        let top = self.newest(repo, head)?;
        let commits = self.histories.entry(at.to_string()).or_insert_with(|| {
            let newer = repo.first_parents(head, at);
            [at.to_string()].into_iter().chain(newer.into_iter().rev()).collect()
        });
        let commits = Arc::clone(commits);
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

fn is_there(tree: &TreeSource, path: &RelPath) -> bool {
    match tree {
        TreeSource::Folder(root) => root.has_file(path),
        TreeSource::Tree(tree) => read::entry_of(&**tree, path).is_ok(),
    }
}
