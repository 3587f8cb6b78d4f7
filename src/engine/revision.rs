//! The revision that is searched instead of the worktree: its present commit, and the source of its files.

use std::sync::Arc;

use super::core::Engine;
use super::current::Viewed;
use super::lock::lock;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_files::confined::RootFolder;
use spyhop_files::git::{CommitTree, Head, Repo, Revision, RevisionError};
use spyhop_files::read::TreeSource;
use spyhop_files::tree::TreeKind;

impl Engine {
    /// The checked-out head, or the commit that the options name.
    pub(super) fn head(&self) -> Head {
        let Some((repo, revision)) = self.repo_and_revision() else {
            return self.repo.as_ref().map(Repo::head).unwrap_or_default();
        };
        // A branch that was deleted meanwhile has no commit.
        let gone = || Head { branch: revision.branch.clone(), commit: None, is_of_commit: true };
        repo.head_of(revision).unwrap_or_else(gone)
    }

    /// The source of the files of [`Engine::head`].
    pub(super) fn source_tree_now(&self, head: &Head) -> Result<TreeSource, Error> {
        if let Some(tree) = self.hosted_tree_now() {
            return Ok(tree);
        }
        let Some((repo, revision)) = self.repo_and_revision() else {
            return Ok(TreeSource::Folder(RootFolder::new(self.root())));
        };
        let commit = head.commit.as_ref().ok_or_else(|| repo.unknown(&revision.spec))?;
        Ok(TreeSource::Tree(self.tree_of(repo, &revision.spec, commit)?))
    }

    /// The source of the files of a view: the commit that was indexed, or the worktree.
    pub(super) fn source_tree_of(&self, viewed: Viewed<'_>) -> Result<TreeSource, Error> {
        if let Some(tree) = self.hosted_tree_of(viewed) {
            return Ok(tree);
        }
        match (self.repo_and_revision(), &viewed.info().commit) {
            (Some((repo, revision)), Some(commit)) if viewed.key.is_of_commit() => {
                Ok(TreeSource::Tree(self.tree_of(repo, &revision.spec, commit)?))
            }
            _ => Ok(TreeSource::Folder(RootFolder::new(self.root()))),
        }
    }

    fn repo_and_revision(&self) -> Option<(&Repo, &Revision)> {
        Some((self.repo.as_ref()?, self.revision.as_ref()?))
    }

    fn tree_of(&self, repo: &Repo, spec: &str, commit: &str) -> Result<Arc<CommitTree>, RevisionError> {
        let mut cached = lock(&self.tree);
        if let Some(tree) = cached.as_ref().filter(|tree| tree.commit() == commit) {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(repo.tree_of(spec, commit, self.root())?);
        *cached = Some(Arc::clone(&tree));
        Ok(tree)
    }

    /// Resolves the revision that the options name, if they name one.
    pub(super) fn resolve_view(&self) -> Result<Option<Revision>, Error> {
        let Some(spec) = self.options.view.as_deref() else { return Ok(None) };
        Ok(Some(self.named_revision(spec)?.1))
    }

    /// Resolves the name of a revision, in the repository of the tree.
    pub(super) fn named_revision(&self, spec: &str) -> Result<(&Repo, Revision), Error> {
        let spec = spec.trim();
        let Some(repo) = &self.repo else {
            let root = self.root().to_path_buf();
            let (spec, why) = (spec.to_string(), self.no_repo.clone());
            return Err(RevisionError::NoRepository { spec, root, why }.into());
        };
        Ok((repo, repo.revision(spec)?))
    }

    /// The revision that is searched instead of the worktree, as named in the options.
    pub fn view(&self) -> Option<&str> {
        self.revision.as_ref().map(|revision| revision.spec.as_str())
    }

    /// Whether the name of the view still has the meaning from when the engine was opened. The commit of a branch is
    /// looked up for each answer; any other name is resolved only once. True if the worktree is searched.
    pub fn view_holds(&self) -> bool {
        let holds = |(repo, then): (&Repo, &Revision)| {
            let is_same = |now: Revision| {
                now.branch == then.branch && (now.branch.is_some() || now.commit == then.commit)
            };
            repo.revision(&then.spec).is_ok_and(is_same)
        };
        self.repo_and_revision().is_none_or(holds)
    }

    /// Checks that `path` exists in the searched tree.
    ///
    /// # Errors
    /// `BadRequest` if it does not exist.
    pub fn check_path(&self, path: &str) -> Result<(), Error> {
        let path = RelPath::new(path)?;
        let (is_there, place) = match (self.source_tree_now(&self.head())?, self.view()) {
            (TreeSource::Tree(tree), view) => {
                let is_there = |entry: spyhop_files::tree::TreeEntry| {
                    matches!(entry.kind, TreeKind::File | TreeKind::Folder)
                };
                (
                    path.as_str().is_empty()
                        || tree.find(&tree.path_in_repository(&path)).is_ok_and(is_there),
                    view.unwrap_or("the tree of the host").to_string(),
                )
            }
            _ => (path.below(self.root()).exists(), self.root().display().to_string()),
        };
        match is_there {
            true => Ok(()),
            false => Err(Error::bad(format!("path '{path}' does not exist in '{place}'"))),
        }
    }

    /// Refuses an operation that only a worktree supports.
    pub(super) fn only_of_worktrees(&self, what: &str) -> Result<(), Error> {
        match self.view() {
            None => Ok(()),
            Some(view) => {
                let text = format!(
                    "{what} is about the worktree and cannot be of the view '{view}'; leave the view out"
                );
                Err(Error::bad(text))
            }
        }
    }
}
